//! Equality of values: numbers compare by size across types, sets without order, keyed lists by their keys.

use std::cmp::Ordering;

use super::value::{Fields, Value};
use crate::schema::node::ListType;

/// Whether two values are equal; values of different types are not.
pub(crate) fn equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    if let Some(order) = compare_numbers(left, right) {
        return order.is_eq();
    }
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Text(left), Value::Text(right)) => left == right,
        (Value::Bytes(left), Value::Bytes(right)) => left == right,
        (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::Type(left), Value::Type(right)) | (Value::NamedFormat(left), Value::NamedFormat(right)) => {
            left == right
        }
        (Value::Ip(left), Value::Ip(right)) => left == right,
        (Value::Cidr(left), Value::Cidr(right)) => left == right,
        (Value::Url(left), Value::Url(right)) => left == right,
        (Value::Quantity(left), Value::Quantity(right)) => left.cmp(right).is_eq(),
        (Value::Semver(left), Value::Semver(right)) => left.cmp(right).is_eq(),
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            (Some(left), Some(right)) => equal(left, right),
            (None, None) => true,
            _ => false,
        },
        (Value::Items(left), _) => right
            .items()
            .is_some_and(|right| equal_lists(left.list_type(), &left.iter().collect::<Vec<_>>(), &right)),
        (Value::List(left, list_type), _) => {
            right.items().is_some_and(|right| equal_lists(list_type, left, &right))
        }
        (Value::Fields(left), Value::Fields(right)) => equal_fields(*left, *right),
        (Value::Map(_) | Value::Fields(_), Value::Map(_) | Value::Fields(_)) => equal_entries(left, right),
        _ => false,
    }
}

/// The left side says how items are told apart.
fn equal_lists(list_type: &ListType, left: &[Value<'_>], right: &[Value<'_>]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match list_type {
        ListType::Atomic => left.iter().zip(right).all(|(left, right)| equal(left, right)),
        ListType::Set => left.iter().all(|left| right.iter().any(|right| equal(left, right))),
        ListType::Map(keys) => left
            .iter()
            .all(|left| right.iter().any(|right| same_keys(keys, left, right) && equal(left, right))),
    }
}

/// Whether two items of a keyed list have the same keys.
pub(crate) fn same_keys(keys: &[String], left: &Value<'_>, right: &Value<'_>) -> bool {
    let (Value::Fields(left), Value::Fields(right)) = (left, right) else { return false };
    keys.iter().all(|key| left.fields.get(key) == right.fields.get(key))
}

fn equal_fields(left: Fields<'_>, right: Fields<'_>) -> bool {
    if left.fields.len() != right.fields.len() {
        return false;
    }
    left.iter().all(|(name, value)| right.get(name).is_some_and(|other| equal(&value, &other)))
}

fn equal_entries(left: &Value<'_>, right: &Value<'_>) -> bool {
    if left.length() != right.length() {
        return false;
    }
    match (left, right) {
        (Value::Map(left), Value::Map(right)) => left.iter().all(|(key, value)| {
            right.iter().any(|(other_key, other)| equal(key, other_key) && equal(value, other))
        }),
        (Value::Map(entries), Value::Fields(fields)) | (Value::Fields(fields), Value::Map(entries)) => {
            entries.iter().all(|(key, value)| match key {
                Value::Text(name) => fields.get(name).is_some_and(|other| equal(value, &other)),
                _ => false,
            })
        }
        _ => false,
    }
}

/// The order of two numbers, whatever their types; none if one is no number.
pub(crate) fn compare_numbers(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Uint(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Uint(left), Value::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Int(left), Value::Double(right)) => compare_whole(i128::from(*left), *right),
        (Value::Uint(left), Value::Double(right)) => compare_whole(i128::from(*left), *right),
        (Value::Double(left), Value::Int(right)) => {
            compare_whole(i128::from(*right), *left).map(Ordering::reverse)
        }
        (Value::Double(left), Value::Uint(right)) => {
            compare_whole(i128::from(*right), *left).map(Ordering::reverse)
        }
        _ => None,
    }
}

/// Exact comparison: a 64-bit number may not survive a turn into a float.
fn compare_whole(whole: i128, number: f64) -> Option<Ordering> {
    if number.is_nan() {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "saturates, and i128 is wider than every operand")]
    let floor = number.floor() as i128;
    Some(whole.cmp(&floor).then(if number.fract() == 0.0 { Ordering::Equal } else { Ordering::Less }))
}
