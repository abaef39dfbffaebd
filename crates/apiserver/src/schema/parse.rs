//! From an `OpenAPI` v3 schema document to nodes.
//!
//! Parsing collects what cannot be understood; whether the schema keeps the rules of structural schemas is judged
//! afterwards, on the document (`structural`).

use regex::Regex;
use serde_json::{Map, Value};

use super::format::Format;
use super::node::{Additional, Bounds, Combined, ListType, Node, Type};
use super::rule::Rule;
use crate::field_error::{FieldError, FieldErrorKind};

/// Reads a schema written by us, which has no findings.
pub(crate) fn trusted(document: &Value) -> Node {
    parse(document, "", &mut Vec::new())
}

/// Reads one level and everything below it; `path` names the level in findings.
pub(crate) fn parse(document: &Value, path: &str, findings: &mut Vec<FieldError>) -> Node {
    let Some(fields) = document.as_object() else {
        findings.push(type_finding(path, document));
        return Node::default();
    };
    let mut node = Node {
        kind: text(fields, "type").and_then(Type::parse),
        nullable: flag(fields, "nullable"),
        int_or_string: flag(fields, "x-kubernetes-int-or-string"),
        preserve_unknown: flag(fields, "x-kubernetes-preserve-unknown-fields"),
        embedded_resource: flag(fields, "x-kubernetes-embedded-resource"),
        atomic_map: text(fields, "x-kubernetes-map-type") == Some("atomic"),
        list_type: list_type(fields),
        format: text(fields, "format").and_then(Format::parse),
        default: fields.get("default").filter(|default| !default.is_null()).cloned(),
        required: texts(fields, "required"),
        bounds: bounds(fields, path, findings),
        combined: combined(fields, path, findings),
        rules: list(fields, "x-kubernetes-validations").iter().map(Rule::parse).collect(),
        ..Node::default()
    };
    add_children(&mut node, fields, path, findings);
    summarise(&mut node);
    node
}

fn add_children(node: &mut Node, fields: &Map<String, Value>, path: &str, findings: &mut Vec<FieldError>) {
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        for (name, child) in properties {
            let here = format!("{path}.properties[{name}]");
            node.properties.insert(name.clone(), parse(child, &here, findings));
        }
    }
    node.additional = match fields.get("additionalProperties") {
        None | Some(Value::Null | Value::Bool(false)) => Additional::None,
        Some(Value::Bool(true)) => Additional::Any,
        Some(child) => {
            Additional::Schema(Box::new(parse(child, &format!("{path}.additionalProperties"), findings)))
        }
    };
    node.items = fields
        .get("items")
        .filter(|items| items.is_object())
        .map(|items| Box::new(parse(items, &format!("{path}.items"), findings)));
}

/// Notes what lies below, so that walks can leave out whole branches.
fn summarise(node: &mut Node) {
    let children = || node.properties.values().chain(node.additional.schema()).chain(node.items.as_deref());
    let has_rules = !node.rules.is_empty() || children().any(|child| child.has_rules);
    let has_defaults = node.default.is_some() || children().any(|child| child.has_defaults);
    node.has_rules = has_rules;
    node.has_defaults = has_defaults;
}

fn list_type(fields: &Map<String, Value>) -> ListType {
    match text(fields, "x-kubernetes-list-type") {
        Some("set") => ListType::Set,
        Some("map") => ListType::Map(texts(fields, "x-kubernetes-list-map-keys")),
        _ => ListType::Atomic,
    }
}

fn bounds(fields: &Map<String, Value>, path: &str, findings: &mut Vec<FieldError>) -> Bounds {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let count = |name: &str| fields.get(name).and_then(whole);
    Bounds {
        minimum: number("minimum"),
        exclusive_minimum: flag(fields, "exclusiveMinimum"),
        maximum: number("maximum"),
        exclusive_maximum: flag(fields, "exclusiveMaximum"),
        multiple_of: number("multipleOf"),
        min_length: count("minLength"),
        max_length: count("maxLength"),
        min_items: count("minItems"),
        max_items: count("maxItems"),
        min_properties: count("minProperties"),
        max_properties: count("maxProperties"),
        pattern: pattern(fields, path, findings),
        enumeration: list(fields, "enum").to_vec(),
    }
}

/// A count, which generators at times write as a float.
fn whole(value: &Value) -> Option<u64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a count")]
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number))
            .map(|n| n as u64)
    })
}

fn pattern(
    fields: &Map<String, Value>,
    path: &str,
    findings: &mut Vec<FieldError>,
) -> Option<(String, Regex)> {
    let source = text(fields, "pattern").filter(|source| !source.is_empty())?;
    match Regex::new(source) {
        Ok(regex) => Some((source.to_owned(), regex)),
        Err(error) => {
            findings.push(FieldError {
                kind: FieldErrorKind::Invalid,
                field: format!("{path}.pattern"),
                message: format!(
                    "Invalid value: {}: must be a valid regular expression, but isn't: {error}",
                    super::text::quote(source)
                ),
            });
            None
        }
    }
}

fn combined(fields: &Map<String, Value>, path: &str, findings: &mut Vec<FieldError>) -> Combined {
    let mut alternatives = |name: &str| {
        let documents = list(fields, name).iter().enumerate();
        documents
            .map(|(position, child)| parse(child, &format!("{path}.{name}[{position}]"), findings))
            .collect()
    };
    let (all_of, any_of, one_of) = (alternatives("allOf"), alternatives("anyOf"), alternatives("oneOf"));
    let not = fields.get("not").filter(|not| not.is_object());
    let not = not.map(|child| Box::new(parse(child, &format!("{path}.not"), findings)));
    Combined { all_of, any_of, one_of, not }
}

fn type_finding(path: &str, document: &Value) -> FieldError {
    FieldError {
        kind: FieldErrorKind::TypeInvalid,
        field: path.to_owned(),
        message: format!("Invalid value: {document}: must be a schema object"),
    }
}

/// The text under `name`.
pub(crate) fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}

/// The texts listed under `name`.
pub(crate) fn texts(fields: &Map<String, Value>, name: &str) -> Vec<String> {
    list(fields, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The list under `name`, empty when there is none.
pub(crate) fn list<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    fields.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether `name` is set to true.
pub(crate) fn flag(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or(false)
}
