//! Whether a value has the shape its schema declares, which merging presumes.
//!
//! This is looser than validation: nulls pass everywhere, and only types, declared fields and item keys are looked at.

use std::fmt;

use serde_json::Value;

use super::shape::{Atom, Shape};
use crate::field_set::PathElement;
use crate::schema::node::{ListType, Type};
use crate::schema::text::go_text;

/// What is wrong, each with its path, such as `.spec.size: expected numeric (int or float), got string`.
#[derive(Debug, Default)]
pub(super) struct TypeErrors(Vec<String>);

impl fmt::Display for TypeErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => formatter.write_str(only),
            many => {
                formatter.write_str("errors:")?;
                many.iter().try_for_each(|error| write!(formatter, "\n  {error}"))
            }
        }
    }
}

/// Checks a whole value. Stored values may hold duplicates in sets and keyed lists, applied ones may not.
pub(super) fn check(shape: Shape<'_>, value: &Value, allow_duplicates: bool) -> Result<(), TypeErrors> {
    let mut check = Check { allow_duplicates, errors: TypeErrors::default() };
    check.value(shape, value, &Trail::Start);
    if check.errors.0.is_empty() { Ok(()) } else { Err(check.errors) }
}

/// The way to the value under check, written out only for errors.
enum Trail<'a> {
    Start,
    Field(&'a Trail<'a>, &'a str),
    Item(&'a Trail<'a>, &'a PathElement),
    Position(&'a Trail<'a>, usize),
}

impl Trail<'_> {
    fn text(&self) -> String {
        match self {
            Self::Start => String::new(),
            Self::Field(parent, name) => format!("{}.{name}", parent.text()),
            Self::Item(parent, element) => format!("{}{element}", parent.text()),
            Self::Position(parent, position) => format!("{}[{position}]", parent.text()),
        }
    }
}

struct Check {
    allow_duplicates: bool,
    errors: TypeErrors,
}

impl Check {
    fn error(&mut self, trail: &Trail<'_>, text: &str) {
        self.errors.0.push(format!("{}: {text}", trail.text()));
    }

    fn value(&mut self, shape: Shape<'_>, value: &Value, trail: &Trail<'_>) {
        if value.is_null() {
            return;
        }
        match (shape.atom(value), value) {
            (Atom::Map { .. }, Value::Object(fields)) => {
                for (name, entry) in fields {
                    let here = Trail::Field(trail, name);
                    let Some(child) = shape.field(name) else {
                        return self.error(&here, "field not declared in schema");
                    };
                    self.value(child, entry, &here);
                }
            }
            (Atom::List(list_type), Value::Array(items)) => self.items(shape, list_type, items, trail),
            (Atom::Map { .. }, other) => {
                self.error(trail, &format!("expected map, got &{{{}}}", go_text(other)));
            }
            (Atom::List(_), other) => {
                self.error(trail, &format!("expected list, got &{{{}}}", go_text(other)));
            }
            (Atom::AnyLeaf, other) => {
                if other.is_array() || other.is_object() {
                    self.error(trail, &format!("expected any scalar, got &{{{}}}", go_text(other)));
                }
            }
            (Atom::Leaf(kind), other) => self.leaf(kind, other, trail),
        }
    }

    fn leaf(&mut self, kind: Type, value: &Value, trail: &Trail<'_>) {
        let text = match kind {
            Type::Integer | Type::Number if !value.is_number() => {
                format!("expected numeric (int or float), got {}", go_type(value))
            }
            Type::String if !value.is_string() => format!("expected string, got {}", go_value(value)),
            Type::Boolean if !value.is_boolean() => format!("expected boolean, got {}", go_value(value)),
            _ => return,
        };
        self.error(trail, &text);
    }

    fn items(&mut self, shape: Shape<'_>, list_type: &ListType, items: &[Value], trail: &Trail<'_>) {
        let mut seen = std::collections::BTreeSet::new();
        for (position, item) in items.iter().enumerate() {
            if *list_type == ListType::Atomic {
                self.value(shape.items(), item, &Trail::Position(trail, position));
                continue;
            }
            let step = match shape.item_step(list_type, item) {
                Ok(step) => step,
                Err(text) => return self.error(trail, &format!("element {position}: {text}")),
            };
            if seen.contains(&step) && !self.allow_duplicates {
                self.error(trail, &format!("duplicate entries for key {step}"));
            }
            self.value(shape.items(), item, &Trail::Item(trail, &step));
            seen.insert(step);
        }
    }
}

/// The name of the value's type in the words of the reference.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// The value in the reference's notation with types.
fn go_value(value: &Value) -> String {
    let inner = match value {
        Value::String(text) => crate::schema::text::quote(text),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(_) => go_syntax(value),
        other => go_text(other),
    };
    format!("&value.valueUnstructured{{Value:{inner}}}")
}

fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => crate::schema::text::quote(text),
        Value::Object(fields) => {
            let entries = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", crate::schema::text::quote(name), go_syntax(value)));
            format!("map[string]interface {{}}{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        other => go_text(other),
    }
}
