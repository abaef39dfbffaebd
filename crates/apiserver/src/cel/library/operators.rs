//! Arithmetic, comparison, negation and membership.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Sig::{A, B, Bool, Bytes, Double, Duration, Int, List, Map, Text, Timestamp, Uint};
use super::{Overload, compare, global};
use crate::cel::equality::{equal, same_keys};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;
use crate::schema::node::ListType;

macro_rules! ordered {
    ($name:literal, $function:ident) => {
        [
            global($name, &[Bool, Bool], Bool, $function),
            global($name, &[Int, Int], Bool, $function),
            global($name, &[Int, Uint], Bool, $function),
            global($name, &[Int, Double], Bool, $function),
            global($name, &[Uint, Int], Bool, $function),
            global($name, &[Uint, Uint], Bool, $function),
            global($name, &[Uint, Double], Bool, $function),
            global($name, &[Double, Int], Bool, $function),
            global($name, &[Double, Uint], Bool, $function),
            global($name, &[Double, Double], Bool, $function),
            global($name, &[Text, Text], Bool, $function),
            global($name, &[Bytes, Bytes], Bool, $function),
            global($name, &[Timestamp, Timestamp], Bool, $function),
            global($name, &[Duration, Duration], Bool, $function),
        ]
    };
}

static LESS: [Overload; 14] = ordered!("_<_", less);
static LESS_OR_EQUAL: [Overload; 14] = ordered!("_<=_", less_or_equal);
static GREATER: [Overload; 14] = ordered!("_>_", greater);
static GREATER_OR_EQUAL: [Overload; 14] = ordered!("_>=_", greater_or_equal);

/// The comparisons, which come in many types.
pub(super) fn comparisons() -> impl Iterator<Item = &'static Overload> {
    LESS.iter().chain(&LESS_OR_EQUAL).chain(&GREATER).chain(&GREATER_OR_EQUAL)
}

pub(super) static OVERLOADS: &[Overload] = &[
    global("_==_", &[A, A], Bool, equals),
    global("_!=_", &[A, A], Bool, differs),
    global("!_", &[Bool], Bool, not),
    global("-_", &[Int], Int, negate),
    global("-_", &[Double], Double, negate),
    global("_+_", &[Int, Int], Int, add),
    global("_+_", &[Uint, Uint], Uint, add),
    global("_+_", &[Double, Double], Double, add),
    global("_+_", &[Text, Text], Text, add),
    global("_+_", &[Bytes, Bytes], Bytes, add),
    global("_+_", &[List(&A), List(&A)], List(&A), add),
    global("_+_", &[Timestamp, Duration], Timestamp, add),
    global("_+_", &[Duration, Timestamp], Timestamp, add),
    global("_+_", &[Duration, Duration], Duration, add),
    global("_-_", &[Int, Int], Int, subtract),
    global("_-_", &[Uint, Uint], Uint, subtract),
    global("_-_", &[Double, Double], Double, subtract),
    global("_-_", &[Timestamp, Timestamp], Duration, subtract),
    global("_-_", &[Timestamp, Duration], Timestamp, subtract),
    global("_-_", &[Duration, Duration], Duration, subtract),
    global("_*_", &[Int, Int], Int, multiply),
    global("_*_", &[Uint, Uint], Uint, multiply),
    global("_*_", &[Double, Double], Double, multiply),
    global("_/_", &[Int, Int], Int, divide),
    global("_/_", &[Uint, Uint], Uint, divide),
    global("_/_", &[Double, Double], Double, divide),
    global("_%_", &[Int, Int], Int, remainder),
    global("_%_", &[Uint, Uint], Uint, remainder),
    global("@in", &[A, List(&A)], Bool, contained),
    global("@in", &[A, Map(&A, &B)], Bool, contained),
];

fn equals<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [left, right] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend(size_of_value(left).min(size_of_value(right)).div_ceil(10) as u64)?;
    Ok(Value::Bool(equal(left, right)))
}

fn differs<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match equals(run, arguments)? {
        Value::Bool(same) => Ok(Value::Bool(!same)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn size_of_value(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        other => other.length().unwrap_or(1),
    }
}

fn order(arguments: &[Value<'_>]) -> Result<Ordering, Failure> {
    let [left, right] = arguments else { return Err(Failure::NoSuchOverload) };
    compare(left, right).ok_or(Failure::NoSuchOverload)
}

fn less<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Bool(order.is_lt()))
}

fn less_or_equal<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Bool(order.is_le()))
}

fn greater<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Bool(order.is_gt()))
}

fn greater_or_equal<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    order(arguments).map(|order| Value::Bool(order.is_ge()))
}

fn not<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Bool(flag)] => Ok(Value::Bool(!flag)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn overflow(kind: &str) -> Failure {
    Failure::other(format!("{kind} overflow"))
}

fn int<'v>(number: Option<i64>) -> Outcome<'v> {
    number.map(Value::Int).ok_or_else(|| overflow("integer"))
}

fn uint<'v>(number: Option<u64>) -> Outcome<'v> {
    number.map(Value::Uint).ok_or_else(|| overflow("unsigned integer"))
}

fn duration<'v>(nanoseconds: Option<i64>) -> Outcome<'v> {
    nanoseconds.map(Value::Duration).ok_or_else(|| overflow("duration"))
}

fn moved<'v>(time: jiff::Timestamp, nanoseconds: i64) -> Outcome<'v> {
    let span = jiff::SignedDuration::from_nanos(nanoseconds);
    time.checked_add(span).map(Value::Timestamp).map_err(|_| overflow("timestamp"))
}

fn negate<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Int(number)] => int(number.checked_neg()),
        [Value::Double(number)] => Ok(Value::Double(-number)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn add<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Int(left), Value::Int(right)] => int(left.checked_add(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint(left.checked_add(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left + right)),
        [Value::Duration(left), Value::Duration(right)] => duration(left.checked_add(*right)),
        [Value::Timestamp(time), Value::Duration(span)] | [Value::Duration(span), Value::Timestamp(time)] => {
            moved(*time, *span)
        }
        [Value::Text(left), Value::Text(right)] => {
            run.spend_text(left.len() + right.len())?;
            Ok(Value::owned(format!("{left}{right}")))
        }
        [Value::Bytes(left), Value::Bytes(right)] => {
            run.spend_text(left.len() + right.len())?;
            Ok(Value::Bytes(left.iter().chain(right.iter()).copied().collect()))
        }
        [left @ (Value::List(..) | Value::Items(_)), right @ (Value::List(..) | Value::Items(_))] => {
            join_lists(run, left, right)
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

/// A set takes only new values, a keyed list replaces items of equal keys; others are put one behind the other.
fn join_lists<'v>(run: &mut Evaluation<'v>, left: &Value<'v>, right: &Value<'v>) -> Outcome<'v> {
    let (mut joined, right) = (left.items().unwrap_or_default(), right.items().unwrap_or_default());
    run.spend((joined.len() + right.len()) as u64)?;
    let list_type = match left {
        Value::Items(items) => items.list_type(),
        Value::List(_, list_type) => list_type,
        _ => &ListType::Atomic,
    };
    for item in right {
        let known = match list_type {
            ListType::Atomic => None,
            ListType::Set => joined.iter_mut().find(|known| equal(known, &item)),
            ListType::Map(keys) => joined.iter_mut().find(|known| same_keys(keys, known, &item)),
        };
        match known {
            Some(known) => *known = item,
            None => joined.push(item),
        }
    }
    Ok(Value::List(Rc::new(joined), list_type))
}

fn subtract<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Int(left), Value::Int(right)] => int(left.checked_sub(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint(left.checked_sub(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left - right)),
        [Value::Duration(left), Value::Duration(right)] => duration(left.checked_sub(*right)),
        [Value::Timestamp(left), Value::Timestamp(right)] => {
            duration(i64::try_from(left.duration_since(*right).as_nanos()).ok())
        }
        [Value::Timestamp(time), Value::Duration(span)] => {
            span.checked_neg().map_or_else(|| Err(overflow("duration")), |span| moved(*time, span))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn multiply<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Int(left), Value::Int(right)] => int(left.checked_mul(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint(left.checked_mul(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left * right)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn divide<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(Failure::other("division by zero"))
        }
        [Value::Int(left), Value::Int(right)] => int(left.checked_div(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint(left.checked_div(*right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left / right)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn remainder<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(Failure::other("modulus by zero"))
        }
        [Value::Int(left), Value::Int(right)] => int(left.checked_rem(*right)),
        [Value::Uint(left), Value::Uint(right)] => uint(left.checked_rem(*right)),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn contained<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [item, container] = arguments else { return Err(Failure::NoSuchOverload) };
    let found = match container {
        Value::List(items, _) => {
            run.spend(items.len() as u64)?;
            items.iter().any(|known| equal(known, item))
        }
        Value::Items(items) => {
            run.spend(items.items.len() as u64)?;
            items.iter().any(|known| equal(&known, item))
        }
        Value::Map(entries) => entries.iter().any(|(key, _)| equal(key, item)),
        Value::Fields(fields) => {
            matches!(item, Value::Text(name) if fields.fields.contains_key(name.as_ref()))
        }
        _ => return Err(Failure::NoSuchOverload),
    };
    Ok(Value::Bool(found))
}
