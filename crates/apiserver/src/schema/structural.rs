//! The rules of structural schemas: what a schema document may say where.
//!
//! Each level names its type, combinations only constrain what the structure declares, and list and map types fit
//! the level they stand on. Words and fields are those kube-apiserver answers a definition with.

use serde_json::{Map, Value};

use super::parse::{flag, list, text, texts};
use super::text::{quote, show};
use crate::field_error::{FieldError, FieldErrorKind};

/// Where a level stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Field,
    Items,
    Values,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Root => "at the root",
            Self::Field | Self::Values => "for specified object fields",
            Self::Items => "for specified array items",
        }
    }
}

/// Checks a whole schema document.
pub(crate) fn check(document: &Value, path: &str, findings: &mut Vec<FieldError>) {
    let mut check = Check { findings };
    if let Some(fields) = document.as_object() {
        check.level(fields, path, Level::Root);
        check.root(fields, path);
    }
}

struct Check<'a> {
    findings: &'a mut Vec<FieldError>,
}

impl Check<'_> {
    fn push(&mut self, kind: FieldErrorKind, field: String, message: String) {
        self.findings.push(FieldError { kind, field, message });
    }

    fn required(&mut self, field: String, detail: &str) {
        self.push(FieldErrorKind::Required, field, format!("Required value: {detail}"));
    }

    fn forbidden(&mut self, field: String, detail: &str) {
        self.push(FieldErrorKind::Forbidden, field, format!("Forbidden: {detail}"));
    }

    fn invalid(&mut self, field: String, value: &Value, detail: &str) {
        self.push(FieldErrorKind::Invalid, field, format!("Invalid value: {}: {detail}", show(value)));
    }

    fn unsupported(&mut self, field: String, value: &str, known: &[&str]) {
        let known: Vec<String> = known.iter().map(|name| quote(name)).collect();
        let message = format!("Unsupported value: {}: supported values: {}", quote(value), known.join(", "));
        self.push(FieldErrorKind::NotSupported, field, message);
    }

    fn root(&mut self, fields: &Map<String, Value>, path: &str) {
        if let Some(kind) = text(fields, "type").filter(|kind| *kind != "object") {
            self.invalid(format!("{path}.type"), &Value::from(kind), "must be object at the root");
        }
        let declared = |name: &str| fields.get("properties")?.get(name)?.as_object();
        for (name, wanted) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
            if let Some(kind) =
                declared(name).and_then(|child| text(child, "type")).filter(|kind| *kind != wanted)
            {
                let field = format!("{path}.properties[{name}].type");
                self.invalid(field, &Value::from(kind), &format!("must be {wanted}"));
            }
        }
        let Some(metadata) = declared("metadata") else { return };
        let field = format!("{path}.properties[metadata]");
        if metadata.get("default").is_some_and(|default| !default.is_null()) {
            self.forbidden(format!("{field}.default"), "must not be set in top-level metadata");
        }
        let properties = metadata.get("properties").and_then(Value::as_object);
        if properties
            .is_some_and(|properties| properties.keys().any(|name| name != "name" && name != "generateName"))
        {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            self.forbidden(field, detail);
        }
    }

    fn level(&mut self, fields: &Map<String, Value>, path: &str, level: Level) {
        let kind = text(fields, "type").unwrap_or_default();
        let typeless = flag(fields, "x-kubernetes-int-or-string")
            || flag(fields, "x-kubernetes-preserve-unknown-fields");
        if kind.is_empty() && (!typeless || level == Level::Root) {
            self.required(format!("{path}.type"), &format!("must not be empty {}", level.name()));
        }
        let known = ["array", "boolean", "integer", "number", "object", "string"];
        if !kind.is_empty() && !known.contains(&kind) {
            self.unsupported(format!("{path}.type"), kind, &known);
        }
        self.keywords(fields, path);
        self.list_and_map_types(fields, path);
        self.resource(fields, path);
        self.combinations(fields, path);
        self.children(fields, path);
    }

    fn keywords(&mut self, fields: &Map<String, Value>, path: &str) {
        for name in ["$ref", "patternProperties", "definitions", "dependencies", "id", "additionalItems"] {
            if fields.get(name).is_some_and(|value| !value.is_null()) {
                self.forbidden(format!("{path}.{name}"), &format!("{name} is not supported"));
            }
        }
        if flag(fields, "uniqueItems") {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbidden(format!("{path}.uniqueItems"), detail);
        }
        let declares =
            fields.get("properties").and_then(Value::as_object).is_some_and(|known| !known.is_empty());
        let free = fields
            .get("additionalProperties")
            .is_some_and(|free| !free.is_null() && *free != Value::Bool(false));
        if declares && free {
            let detail = "additionalProperties and properties are mutual exclusive";
            self.forbidden(format!("{path}.additionalProperties"), detail);
        }
        let preserve = "x-kubernetes-preserve-unknown-fields";
        if fields.get(preserve) == Some(&Value::Bool(false)) {
            self.invalid(format!("{path}.{preserve}"), &Value::Bool(false), "must be true or undefined");
        }
    }

    fn resource(&mut self, fields: &Map<String, Value>, path: &str) {
        if !flag(fields, "x-kubernetes-embedded-resource") {
            return;
        }
        let empty = fields.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
        if empty && !flag(fields, "x-kubernetes-preserve-unknown-fields") {
            let detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
            self.required(format!("{path}.properties"), detail);
        }
        if let Some(kind) = text(fields, "type").filter(|kind| *kind != "object") {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            self.invalid(format!("{path}.type"), &Value::from(kind), detail);
        }
    }

    fn list_and_map_types(&mut self, fields: &Map<String, Value>, path: &str) {
        let kind = text(fields, "type").unwrap_or_default();
        if let Some(map_type) = text(fields, "x-kubernetes-map-type") {
            if !["atomic", "granular"].contains(&map_type) {
                self.unsupported(format!("{path}.x-kubernetes-map-type"), map_type, &["atomic", "granular"]);
            }
            if kind != "object" {
                let detail = "must be object if x-kubernetes-map-type is specified";
                self.invalid(format!("{path}.type"), &Value::from(kind), detail);
            }
        }
        let keys = texts(fields, "x-kubernetes-list-map-keys");
        let Some(list_type) = text(fields, "x-kubernetes-list-type") else {
            if !keys.is_empty() {
                let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
                self.required(format!("{path}.x-kubernetes-list-type"), detail);
            }
            return;
        };
        if !["atomic", "set", "map"].contains(&list_type) {
            self.unsupported(format!("{path}.x-kubernetes-list-type"), list_type, &["atomic", "set", "map"]);
        }
        if kind != "array" {
            let detail = "must be array if x-kubernetes-list-type is specified";
            self.invalid(format!("{path}.type"), &Value::from(kind), detail);
        }
        let Some(items) = fields.get("items").and_then(Value::as_object) else { return };
        match list_type {
            "set" => self.set_items(items, &format!("{path}.items")),
            "map" => self.keyed_items(items, &keys, path),
            _ => {}
        }
    }

    fn set_items(&mut self, items: &Map<String, Value>, path: &str) {
        if flag(items, "nullable") {
            self.forbidden(
                format!("{path}.nullable"),
                "cannot be nullable when x-kubernetes-list-type is set",
            );
        }
        let atomic = |name: &str| items.get(name).cloned().unwrap_or(Value::Null);
        let detail =
            |name: &str| format!("must be atomic as item of a list with x-kubernetes-list-type={name}");
        match text(items, "type") {
            Some("object") if text(items, "x-kubernetes-map-type") != Some("atomic") => {
                let found = atomic("x-kubernetes-map-type");
                self.invalid(format!("{path}.x-kubernetes-map-type"), &found, &detail("set"));
            }
            Some("array") if !matches!(text(items, "x-kubernetes-list-type"), None | Some("atomic")) => {
                let found = atomic("x-kubernetes-list-type");
                self.invalid(format!("{path}.x-kubernetes-list-type"), &found, &detail("set"));
            }
            _ => {}
        }
    }

    fn keyed_items(&mut self, items: &Map<String, Value>, keys: &[String], path: &str) {
        let field = format!("{path}.x-kubernetes-list-map-keys");
        if keys.is_empty() {
            return self.required(field, "must not be empty if x-kubernetes-list-type is map");
        }
        if keys
            .iter()
            .enumerate()
            .any(|(position, key)| keys.iter().skip(position + 1).any(|other| other == key))
        {
            self.invalid(field.clone(), &Value::from(keys), "must not contain duplicate entries");
        }
        if flag(items, "nullable") {
            let detail = "cannot be nullable when x-kubernetes-list-type is map";
            self.forbidden(format!("{path}.items.nullable"), detail);
        }
        if let Some(kind) = text(items, "type").filter(|kind| *kind != "object") {
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            return self.invalid(format!("{path}.items.type"), &Value::from(kind), detail);
        }
        let required = texts(items, "required");
        for key in keys {
            let declared =
                items.get("properties").and_then(|known| known.get(key)).and_then(Value::as_object);
            match declared {
                None => self.invalid(
                    field.clone(),
                    &Value::from(keys),
                    "entries must all be names of item properties",
                ),
                Some(declared) => {
                    self.key(declared, required.contains(key), &format!("{path}.items.properties[{key}]"));
                }
            }
        }
    }

    fn key(&mut self, declared: &Map<String, Value>, required: bool, path: &str) {
        let this = "this property is in x-kubernetes-list-map-keys, so it";
        if let Some(kind @ ("object" | "array")) = text(declared, "type") {
            let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            self.invalid(format!("{path}.type"), &Value::from(kind), detail);
        }
        if flag(declared, "nullable") {
            self.forbidden(format!("{path}.nullable"), &format!("{this} cannot be nullable"));
        }
        if !required && declared.get("default").is_none_or(Value::is_null) {
            self.required(
                format!("{path}.default"),
                &format!("{this} must have a default or be a required property"),
            );
        }
    }

    fn children(&mut self, fields: &Map<String, Value>, path: &str) {
        match fields.get("items") {
            Some(Value::Object(items)) => self.level(items, &format!("{path}.items"), Level::Items),
            Some(Value::Array(_)) => {
                self.forbidden(format!("{path}.items"), "items must be a schema object and not an array");
            }
            _ if text(fields, "type") == Some("array") => {
                self.required(format!("{path}.items"), "must be specified");
            }
            _ => {}
        }
        for (name, child) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if let Some(child) = child.as_object() {
                self.level(child, &format!("{path}.properties[{name}]"), Level::Field);
            }
        }
        if let Some(values) = fields.get("additionalProperties").and_then(Value::as_object) {
            self.level(values, &format!("{path}.additionalProperties"), Level::Values);
        }
    }

    fn combinations(&mut self, fields: &Map<String, Value>, path: &str) {
        let typed = flag(fields, "x-kubernetes-int-or-string");
        for name in ["allOf", "anyOf", "oneOf"] {
            for (position, alternative) in list(fields, name).iter().enumerate() {
                self.constraint(alternative, &format!("{path}.{name}[{position}]"), typed);
            }
        }
        if let Some(not) = fields.get("not") {
            self.constraint(not, &format!("{path}.not"), typed);
        }
    }

    /// A level inside a combination: it constrains values and says nothing about the structure.
    fn constraint(&mut self, document: &Value, path: &str, typed: bool) {
        let Some(fields) = document.as_object() else { return };
        let present = |name: &str| {
            fields
                .get(name)
                .is_some_and(|value| !value.is_null() && *value != Value::Bool(false) && *value != "")
        };
        let rules: [(&str, &[&str]); 3] = [
            ("empty", &["type", "description", "title", "x-kubernetes-validations"]),
            ("undefined", &["default", "additionalProperties"]),
            (
                "false",
                &[
                    "nullable",
                    "x-kubernetes-preserve-unknown-fields",
                    "x-kubernetes-embedded-resource",
                    "x-kubernetes-int-or-string",
                ],
            ),
        ];
        for (wanted, names) in rules {
            for name in names.iter().filter(|name| present(name) && !(typed && **name == "type")) {
                self.forbidden(format!("{path}.{name}"), &format!("must be {wanted} to be structural"));
            }
        }
        self.combinations_below(fields, path, typed);
    }

    fn combinations_below(&mut self, fields: &Map<String, Value>, path: &str, typed: bool) {
        for name in ["allOf", "anyOf", "oneOf"] {
            for (position, alternative) in list(fields, name).iter().enumerate() {
                self.constraint(alternative, &format!("{path}.{name}[{position}]"), typed);
            }
        }
        if let Some(items) = fields.get("items") {
            self.constraint(items, &format!("{path}.items"), false);
        }
        if let Some(not) = fields.get("not") {
            self.constraint(not, &format!("{path}.not"), typed);
        }
        for (name, child) in fields.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.constraint(child, &format!("{path}.properties[{name}]"), false);
        }
    }
}
