//! Resource quantities.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Sig::{Bool, Double, Int, Quantity as QuantityType, Text};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::quantity::Quantity;
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("isQuantity", &[Text], Bool, is_quantity),
    global("quantity", &[Text], QuantityType, quantity),
    global("sign", &[QuantityType], Int, sign),
    member("isInteger", &[QuantityType], Bool, is_integer),
    member("asInteger", &[QuantityType], Int, as_integer),
    member("asApproximateFloat", &[QuantityType], Double, as_float),
    member("add", &[QuantityType, QuantityType], QuantityType, add),
    member("add", &[QuantityType, Int], QuantityType, add),
    member("sub", &[QuantityType, QuantityType], QuantityType, subtract),
    member("sub", &[QuantityType, Int], QuantityType, subtract),
    member("compareTo", &[QuantityType, QuantityType], Int, compare_to),
    member("isGreaterThan", &[QuantityType, QuantityType], Bool, is_greater),
    member("isLessThan", &[QuantityType, QuantityType], Bool, is_less),
];

const MALFORMED: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

fn made<'v>(quantity: Quantity) -> Outcome<'v> {
    Ok(Value::Quantity(Rc::new(quantity)))
}

fn is_quantity<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend_text(text.len())?;
    Ok(Value::Bool(Quantity::parse(text).is_some()))
}

fn quantity<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend_text(text.len())?;
    made(Quantity::parse(text).ok_or_else(|| Failure::other(MALFORMED))?)
}

fn only(arguments: &[Value<'_>]) -> Result<Quantity, Failure> {
    match arguments {
        [Value::Quantity(quantity)] => Ok(**quantity),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn both(arguments: &[Value<'_>]) -> Result<(Quantity, Quantity), Failure> {
    match arguments {
        [Value::Quantity(left), Value::Quantity(right)] => Ok((**left, **right)),
        [Value::Quantity(left), Value::Int(right)] => Ok((**left, Quantity::of(*right))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn sign<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    only(arguments).map(|quantity| Value::Int(quantity.sign()))
}

fn is_integer<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    only(arguments).map(|quantity| Value::Bool(quantity.whole().is_some()))
}

fn as_integer<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let whole = only(arguments)?.whole();
    whole.map(Value::Int).ok_or_else(|| Failure::other("cannot convert value to integer"))
}

fn as_float<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    only(arguments).map(|quantity| Value::Double(quantity.approximate()))
}

fn add<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (left, right) = both(arguments)?;
    made(left.plus(right))
}

fn subtract<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (left, right) = both(arguments)?;
    made(left.minus(right))
}

fn order(arguments: &[Value<'_>]) -> Result<Ordering, Failure> {
    both(arguments).map(|(left, right)| left.cmp(&right))
}

fn compare_to<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Int(order as i64))
}

fn is_greater<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Bool(order.is_gt()))
}

fn is_less<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Bool(order.is_lt()))
}
