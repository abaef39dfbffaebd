//! The checks of a single value: length, pattern, format, range, enumeration and counts.

use serde_json::Value;

use super::format::Format;
use super::node::{Node, Type};
use super::path::Path;
use super::text::{quote, show, show_float};
use super::validate::Outcome;
use crate::field_error::FieldErrorKind;

/// Checks a text or a number, with its enumeration.
pub(crate) fn check_scalar(node: &Node, path: &Path<'_>, value: &Value, outcome: &mut Outcome) {
    match value {
        Value::String(text) => {
            check_text(node, path, text, outcome);
            check_format(node, path, text, outcome);
        }
        Value::Number(_) => check_number(node, path, value, outcome),
        _ => {}
    }
    if !value.is_array() && !value.is_object() {
        enumeration(node, path, value, outcome);
    }
}

/// Stops at the first finding, as the server does.
fn check_text(node: &Node, path: &Path<'_>, text: &str, outcome: &mut Outcome) {
    let bounds = &node.bounds;
    if bounds.min_length.is_none() && bounds.max_length.is_none() && bounds.pattern.is_none() {
        return;
    }
    let length = text.chars().count() as u64;
    if let Some(longest) = bounds.max_length
        && length > longest
    {
        let message = format!("Too long: may not be more than {longest} bytes");
        return outcome.push(FieldErrorKind::TooLong, path.dotted(), message);
    }
    let detail = if let Some(shortest) = bounds.min_length
        && length < shortest
    {
        format!("{} in body should be at least {shortest} chars long", path.dotted())
    } else if let Some((source, pattern)) = &bounds.pattern
        && !pattern.is_match(text)
    {
        format!("{} in body should match '{source}'", path.dotted())
    } else {
        return;
    };
    outcome.invalid(path, &Value::String(text.to_owned()), &detail);
}

fn check_format(node: &Node, path: &Path<'_>, text: &str, outcome: &mut Outcome) {
    let Some(format) = node.format.filter(|format| !format.accepts(text)) else { return };
    let (field, shown) = (path.dotted(), quote(text));
    let message =
        format!("Invalid value: {shown}: {field} in body must be of type {}: {shown}", format.name());
    outcome.push(FieldErrorKind::TypeInvalid, field, message);
}

fn check_number(node: &Node, path: &Path<'_>, value: &Value, outcome: &mut Outcome) {
    let Some(number) = value.as_f64() else { return };
    if !fits(node, value, number) {
        let kind = if node.kind == Some(Type::Integer) { "integer" } else { "number" };
        let format = node
            .format
            .map_or_else(|| "(default format)".to_owned(), |format| format!("with format {}", format.name()));
        outcome.unplaced(&format!("Checked value must be of type {kind} {format} in {}", path.dotted()));
    }
    for detail in range_findings(node, number) {
        outcome.invalid(path, value, &format!("{} in body should be {detail}", path.dotted()));
    }
}

/// Whether a number lies in the range of its declared type and format.
fn fits(node: &Node, value: &Value, number: f64) -> bool {
    match (node.kind, node.format) {
        (Some(Type::Integer), Some(Format::Int32)) => {
            number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
        }
        (Some(Type::Integer), _) => {
            value.is_i64() || number.fract() == 0.0 && number.abs() < 9.223_372_036_854_775e18
        }
        (Some(Type::Number), Some(Format::Float)) => number.abs() <= f64::from(f32::MAX),
        _ => true,
    }
}

fn range_findings(node: &Node, number: f64) -> Vec<String> {
    let bounds = &node.bounds;
    let mut details = Vec::new();
    if let Some(step) = bounds.multiple_of
        && step > 0.0
        && (number / step).fract() != 0.0
    {
        details.push(format!("a multiple of {}", show_float(step)));
    }
    if let Some(highest) = bounds.maximum {
        if bounds.exclusive_maximum && number >= highest {
            details.push(format!("less than {}", show_float(highest)));
        } else if number > highest {
            details.push(format!("less than or equal to {}", show_float(highest)));
        }
    }
    if let Some(lowest) = bounds.minimum {
        if bounds.exclusive_minimum && number <= lowest {
            details.push(format!("greater than {}", show_float(lowest)));
        } else if number < lowest {
            details.push(format!("greater than or equal to {}", show_float(lowest)));
        }
    }
    details
}

/// Checks the value against the enumeration, if there is one. A null passes where nulls are allowed.
pub(crate) fn enumeration(node: &Node, path: &Path<'_>, value: &Value, outcome: &mut Outcome) {
    let allowed = &node.bounds.enumeration;
    if allowed.is_empty() || value.is_null() && node.nullable || allowed.iter().any(|one| equals(one, value))
    {
        return;
    }
    let names: Vec<String> = allowed
        .iter()
        .map(|one| quote(&one.as_str().map_or_else(|| one.to_string(), str::to_owned)))
        .collect();
    let message = format!("Unsupported value: {}: supported values: {}", show(value), names.join(", "));
    outcome.push(FieldErrorKind::NotSupported, path.dotted(), message);
}

/// Equality of JSON values in which 1 and 1.0 are the same number.
fn equals(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left.total_cmp(&right).is_eq(),
        _ => left == right,
    }
}

/// Checks how many items a list has.
pub(crate) fn check_item_count(node: &Node, path: &Path<'_>, count: usize, outcome: &mut Outcome) {
    let found = count as u64;
    if let Some(fewest) = node.bounds.min_items
        && found < fewest
    {
        let detail = format!("{} in body should have at least {fewest} items", path.dotted());
        outcome.invalid(path, &Value::from(found), &detail);
    }
    if let Some(most) = node.bounds.max_items
        && found > most
    {
        too_many(path, found, most, outcome);
    }
}

/// Checks how many fields an object has.
pub(crate) fn check_field_count(node: &Node, path: &Path<'_>, count: usize, outcome: &mut Outcome) {
    let found = count as u64;
    if let Some(fewest) = node.bounds.min_properties
        && found < fewest
    {
        let detail = format!("{} in body should have at least {fewest} properties", path.dotted());
        outcome.invalid(path, &Value::from(found), &detail);
    }
    if let Some(most) = node.bounds.max_properties
        && found > most
    {
        too_many(path, found, most, outcome);
    }
}

fn too_many(path: &Path<'_>, found: u64, most: u64, outcome: &mut Outcome) {
    let message = format!("Too many: {found}: must have at most {most} items");
    outcome.push(FieldErrorKind::TooMany, path.dotted(), message);
}
