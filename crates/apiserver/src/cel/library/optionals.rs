//! Optional values.

use super::Sig::{A, Bool, List, Optional};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("optional.of", &[A], Optional(&A), of),
    global("optional.none", &[], Optional(&A), none),
    global("optional.ofNonZeroValue", &[A], Optional(&A), of_non_zero),
    global("optional.unwrap", &[List(&Optional(&A))], List(&A), unwrap),
    member("unwrapOpt", &[List(&Optional(&A))], List(&A), unwrap),
    member("hasValue", &[Optional(&A)], Bool, has_value),
    member("value", &[Optional(&A)], A, value),
    member("or", &[Optional(&A), Optional(&A)], Optional(&A), or),
    member("orValue", &[Optional(&A), A], A, or_value),
];

fn of<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    arguments.first().cloned().map(Value::some).ok_or(Failure::NoSuchOverload)
}

fn none<'v>(_: &mut Evaluation<'v>, _: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Optional(None))
}

fn of_non_zero<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [value] = arguments else { return Err(Failure::NoSuchOverload) };
    let zero = match value {
        Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0) | Value::Duration(0) => true,
        Value::Double(number) => *number == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        other => other.length() == Some(0),
    };
    Ok(if zero { Value::Optional(None) } else { Value::some(value.clone()) })
}

fn unwrap<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = arguments.first().and_then(Value::items).ok_or(Failure::NoSuchOverload)?;
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        let Value::Optional(inner) = item else { return Err(Failure::NoSuchOverload) };
        values.extend(inner.as_deref().cloned());
    }
    Ok(Value::list(values))
}

fn has_value<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Optional(inner)] => Ok(Value::Bool(inner.is_some())),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn value<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Optional(Some(inner))] => Ok(inner.as_ref().clone()),
        [Value::Optional(None)] => Err(Failure::other("optional.none() dereference")),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn or<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [first @ Value::Optional(Some(_)), _] => Ok(first.clone()),
        [Value::Optional(None), second @ Value::Optional(_)] => Ok(second.clone()),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn or_value<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Optional(Some(inner)), _] => Ok(inner.as_ref().clone()),
        [Value::Optional(None), other] => Ok(other.clone()),
        _ => Err(Failure::NoSuchOverload),
    }
}
