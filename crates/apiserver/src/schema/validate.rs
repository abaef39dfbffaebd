//! Validation of values against a schema: types, bounds, formats, enumerations, patterns and combinations.
//!
//! Findings carry the words and the order of kube-apiserver. On update a subtree that is equal to the old one is not
//! held against the writer (ratcheting); list items can only be paired with old ones in keyed lists.

use serde_json::{Map, Value};

use super::bounds;
use super::keyed::KeyedItems;
use super::node::{ListType, Node, Type};
use super::path::Path;
use super::text::{quote, show};
use crate::field_error::{FieldError, FieldErrorKind};

/// What came of validating one value. The score counts checks made; among failed alternatives of `anyOf` and `oneOf`
/// the findings of the one with the highest score are shown.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) findings: Vec<FieldError>,
    score: usize,
}

impl Outcome {
    fn merge(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.score += other.score;
    }

    /// Adds a finding at `path`.
    pub(crate) fn invalid(&mut self, path: &Path<'_>, value: &Value, detail: &str) {
        self.push(
            FieldErrorKind::Invalid,
            path.dotted(),
            format!("Invalid value: {}: {detail}", show(value)),
        );
    }

    /// Adds a finding about the whole object, whose text names the place itself.
    pub(crate) fn unplaced(&mut self, detail: &str) {
        self.push(FieldErrorKind::Invalid, "<nil>".to_owned(), format!("Invalid value: \"\": {detail}"));
    }

    /// Adds a finding.
    pub(crate) fn push(&mut self, kind: FieldErrorKind, field: String, message: String) {
        self.findings.push(FieldError { kind, field, message });
    }
}

/// The name of a value's type in findings, with the format its number has by itself.
fn type_and_format(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(number) if number.is_i64() => ("integer", "int64"),
        Value::Number(_) => ("number", "float64"),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    }
}

/// Whether a number is whole and small enough that a float holds it exactly.
fn is_whole(value: &Value) -> bool {
    value.is_i64()
        || value
            .as_f64()
            .is_some_and(|number| number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0)
}

/// Validates `value`; `old` is the paired value of the stored object, if there is one.
pub(crate) fn validate(node: &Node, path: &Path<'_>, value: &Value, old: Option<&Value>) -> Outcome {
    let mut outcome = Outcome::default();
    check_type(node, path, value, &mut outcome);
    outcome.score += 1;
    if value.is_null() {
        bounds::enumeration(node, path, value, &mut outcome);
    } else {
        check_combined(node, path, value, old, &mut outcome);
        bounds::check_scalar(node, path, value, &mut outcome);
        match value {
            Value::Array(items) => check_items(node, path, items, old, &mut outcome),
            Value::Object(fields) => {
                bounds::enumeration(node, path, value, &mut outcome);
                check_fields(node, path, fields, old, &mut outcome);
            }
            _ => {}
        }
        outcome.score += 1;
    }
    if !outcome.findings.is_empty() && old == Some(value) {
        outcome.findings.clear();
    }
    outcome
}

fn check_type(node: &Node, path: &Path<'_>, value: &Value, outcome: &mut Outcome) {
    if node.kind.is_none() && !node.int_or_string {
        return;
    }
    if value.is_null() {
        if !node.nullable {
            wrong_type(outcome, path, &expected(node), "null");
        }
        return;
    }
    let (kind, format) = type_and_format(value);
    let numeric = matches!(node.kind, Some(Type::Integer | Type::Number));
    let matches = match node.kind {
        None => is_whole(value) && value.is_number() || value.is_string(),
        Some(Type::Integer) => value.is_number() && is_whole(value),
        Some(Type::Number) => value.is_number(),
        Some(other) => other.name() == kind,
    };
    if matches {
        return;
    }
    match node.format {
        // A text or a list where a formatted text belongs is left to the format check.
        Some(_) if !numeric && matches!(value, Value::String(_) | Value::Array(_)) => {}
        Some(wanted) if !matches!(value, Value::String(_) | Value::Array(_)) => {
            wrong_type(outcome, path, wanted.name(), format);
        }
        _ => wrong_type(outcome, path, &expected(node), kind),
    }
}

fn expected(node: &Node) -> String {
    node.kind.map_or_else(|| "integer,string".to_owned(), |kind| kind.name().to_owned())
}

fn wrong_type(outcome: &mut Outcome, path: &Path<'_>, wanted: &str, found: &str) {
    let (field, found) = (path.dotted(), quote(found));
    let message = format!("Invalid value: {found}: {field} in body must be of type {wanted}: {found}");
    outcome.push(FieldErrorKind::TypeInvalid, field, message);
}

fn check_combined(node: &Node, path: &Path<'_>, value: &Value, old: Option<&Value>, outcome: &mut Outcome) {
    let combined = &node.combined;
    if !combined.any_of.is_empty() {
        check_any_of(&combined.any_of, (path, value, old), outcome);
    }
    if !combined.one_of.is_empty() {
        check_one_of(&combined.one_of, (path, value, old), outcome);
    }
    if !combined.all_of.is_empty() {
        check_all_of(&combined.all_of, (path, value, old), outcome);
    }
    if let Some(not) = &combined.not
        && validate(not, path, value, None).findings.is_empty()
    {
        outcome.unplaced(&format!("{} must not validate the schema (not)", quote(&path.dotted())));
    }
}

/// Where, what, and what was there before.
type Subject<'a> = (&'a Path<'a>, &'a Value, Option<&'a Value>);

fn best_of(failures: Vec<Outcome>) -> Outcome {
    let mut best = Outcome::default();
    for failure in failures {
        if best.findings.is_empty() || failure.score > best.score {
            best = failure;
        }
    }
    best
}

fn check_any_of(alternatives: &[Node], (path, value, old): Subject<'_>, outcome: &mut Outcome) {
    let mut failures = Vec::new();
    for alternative in alternatives {
        let answer = validate(alternative, path, value, old);
        if answer.findings.is_empty() {
            return;
        }
        failures.push(answer);
    }
    outcome.unplaced(&format!("{} must validate at least one schema (anyOf)", quote(&path.dotted())));
    outcome.merge(best_of(failures));
}

fn check_one_of(alternatives: &[Node], (path, value, old): Subject<'_>, outcome: &mut Outcome) {
    let answers = alternatives.iter().map(|alternative| validate(alternative, path, value, old));
    let (valid, failures): (Vec<Outcome>, Vec<Outcome>) =
        answers.partition(|answer| answer.findings.is_empty());
    let found = match valid.len() {
        1 => return,
        0 => "none valid".to_owned(),
        count => format!("{count} valid alternatives"),
    };
    let place = quote(&path.dotted());
    outcome.unplaced(&format!("{place} must validate one and only one schema (oneOf). Found {found}"));
    if valid.is_empty() {
        outcome.merge(best_of(failures));
    }
}

fn check_all_of(alternatives: &[Node], (path, value, old): Subject<'_>, outcome: &mut Outcome) {
    let mut valid = 0;
    for alternative in alternatives {
        let answer = validate(alternative, path, value, old);
        valid += usize::from(answer.findings.is_empty());
        outcome.merge(answer);
    }
    if valid < alternatives.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        let place = quote(&path.dotted());
        outcome.unplaced(&format!("{place} must validate all the schemas (allOf){none}"));
    }
}

fn check_items(node: &Node, path: &Path<'_>, items: &[Value], old: Option<&Value>, outcome: &mut Outcome) {
    if let Some(child) = &node.items {
        let paired = match &node.list_type {
            ListType::Map(_) => old.and_then(Value::as_array).map(|old| KeyedItems::new(node, old)),
            ListType::Atomic | ListType::Set => None,
        };
        for (position, item) in items.iter().enumerate() {
            let old_item = paired.as_ref().and_then(|paired| paired.get(item));
            outcome.merge(validate(child, &path.index(position), item, old_item));
        }
    }
    bounds::check_item_count(node, path, items.len(), outcome);
    if !node.bounds.enumeration.is_empty() {
        bounds::enumeration(node, path, &Value::Array(items.to_vec()), outcome);
    }
    outcome.score += 1;
}

fn check_fields(
    node: &Node,
    path: &Path<'_>,
    fields: &Map<String, Value>,
    old: Option<&Value>,
    outcome: &mut Outcome,
) {
    outcome.score += 1;
    bounds::check_field_count(node, path, fields.len(), outcome);
    for (name, value) in fields {
        let here = if node.properties.contains_key(name) { path.field(name) } else { path.key(name) };
        if let Some(child) = node.child(name) {
            outcome.merge(validate(child, &here, value, old.and_then(|old| old.get(name))));
        }
    }
    for name in &node.required {
        if !fields.contains_key(name) {
            let field = path.field(name).dotted();
            outcome.push(FieldErrorKind::Required, field, "Required value".to_owned());
        }
    }
}
