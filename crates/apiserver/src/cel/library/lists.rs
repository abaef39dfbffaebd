//! Lists: sums and extremes, searching, sorting and cutting.

use super::Sig::{A, Bool, Double, Duration, Int, List, Optional, Text, Timestamp, Uint};
use super::{Overload, compare, global, member};
use crate::cel::equality::equal;
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    member("sum", &[List(&Int)], Int, sum),
    member("sum", &[List(&Uint)], Uint, sum),
    member("sum", &[List(&Double)], Double, sum),
    member("sum", &[List(&Duration)], Duration, sum),
    member("isSorted", &[List(&A)], Bool, is_sorted),
    member("min", &[List(&A)], A, min),
    member("max", &[List(&A)], A, max),
    member("indexOf", &[List(&A), A], Int, index_of),
    member("lastIndexOf", &[List(&A), A], Int, last_index_of),
    member("sort", &[List(&Int)], List(&Int), sort),
    member("sort", &[List(&Uint)], List(&Uint), sort),
    member("sort", &[List(&Double)], List(&Double), sort),
    member("sort", &[List(&Text)], List(&Text), sort),
    member("sort", &[List(&Bool)], List(&Bool), sort),
    member("sort", &[List(&Duration)], List(&Duration), sort),
    member("sort", &[List(&Timestamp)], List(&Timestamp), sort),
    member("reverse", &[List(&A)], List(&A), reverse),
    member("slice", &[List(&A), Int, Int], List(&A), slice),
    member("distinct", &[List(&A)], List(&A), distinct),
    member("flatten", &[List(&List(&A))], List(&A), flatten),
    member("flatten", &[List(&List(&A)), Int], List(&super::Sig::Dyn), flatten),
    member("first", &[List(&A)], Optional(&A), first),
    member("last", &[List(&A)], Optional(&A), last),
    global("lists.range", &[Int], List(&Int), range),
];

fn items_of<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Result<Vec<Value<'v>>, Failure> {
    let items = arguments.first().and_then(Value::items).ok_or(Failure::NoSuchOverload)?;
    run.spend(items.len() as u64)?;
    Ok(items)
}

fn sum<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = items_of(run, arguments)?;
    let overflow = || Failure::other("integer overflow");
    let mut total: Option<Value<'v>> = None;
    for item in items {
        total = Some(match (total, item) {
            (None, item) => item,
            (Some(Value::Int(left)), Value::Int(right)) => {
                Value::Int(left.checked_add(right).ok_or_else(overflow)?)
            }
            (Some(Value::Uint(left)), Value::Uint(right)) => {
                Value::Uint(left.checked_add(right).ok_or_else(overflow)?)
            }
            (Some(Value::Double(left)), Value::Double(right)) => Value::Double(left + right),
            (Some(Value::Duration(left)), Value::Duration(right)) => {
                Value::Duration(left.checked_add(right).ok_or_else(overflow)?)
            }
            _ => return Err(Failure::NoSuchOverload),
        });
    }
    Ok(total.unwrap_or(Value::Int(0)))
}

fn is_sorted<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = items_of(run, arguments)?;
    for pair in items.windows(2) {
        let [left, right] = pair else { continue };
        if compare(left, right).ok_or(Failure::NoSuchOverload)?.is_gt() {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

/// The first item that no other one beats.
fn extreme<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>], name: &str, smallest: bool) -> Outcome<'v> {
    let mut items = items_of(run, arguments)?.into_iter();
    let mut best = items.next().ok_or_else(|| Failure::other(format!("{name} called on empty list")))?;
    for item in items {
        let order = compare(&item, &best).ok_or(Failure::NoSuchOverload)?;
        if order.is_lt() == smallest && order.is_ne() {
            best = item;
        }
    }
    Ok(best)
}

fn min<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    extreme(run, arguments, "min", true)
}

fn max<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    extreme(run, arguments, "max", false)
}

fn place<'v>(position: Option<usize>) -> Outcome<'v> {
    Ok(Value::Int(position.and_then(|position| i64::try_from(position).ok()).unwrap_or(-1)))
}

fn index_of<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = items_of(run, arguments)?;
    let wanted = arguments.get(1).ok_or(Failure::NoSuchOverload)?;
    place(items.iter().position(|item| equal(item, wanted)))
}

fn last_index_of<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = items_of(run, arguments)?;
    let wanted = arguments.get(1).ok_or(Failure::NoSuchOverload)?;
    place(items.iter().rposition(|item| equal(item, wanted)))
}

fn sort<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let mut items = items_of(run, arguments)?;
    if items.windows(2).any(|pair| matches!(pair, [left, right] if compare(left, right).is_none())) {
        return Err(Failure::other("list elements must have the same type"));
    }
    items.sort_by(|left, right| compare(left, right).unwrap_or(std::cmp::Ordering::Equal));
    Ok(Value::list(items))
}

fn reverse<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let mut items = items_of(run, arguments)?;
    items.reverse();
    Ok(Value::list(items))
}

fn slice<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = items_of(run, arguments)?;
    let [_, Value::Int(start), Value::Int(end)] = arguments else { return Err(Failure::NoSuchOverload) };
    if *start < 0 || *end < 0 {
        let text = format!("cannot slice({start}, {end}), negative indexes not supported");
        return Err(Failure::other(text));
    }
    if start > end {
        let text =
            format!("cannot slice({start}, {end}), start index must be less than or equal to end index");
        return Err(Failure::other(text));
    }
    let bounds = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
    let part = bounds.and_then(|(start, end)| items.get(start..end));
    let too_long = || Failure::other(format!("cannot slice({start}, {end}), list is length {}", items.len()));
    part.map(|part| Value::list(part.to_vec())).ok_or_else(too_long)
}

fn distinct<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = items_of(run, arguments)?;
    run.spend((items.len() * items.len()) as u64)?;
    let mut kept: Vec<Value<'v>> = Vec::new();
    for item in items {
        if !kept.iter().any(|known| equal(known, &item)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

fn flatten<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let depth = match arguments {
        [_, Value::Int(depth)] if *depth < 0 => return Err(Failure::other("level must be non-negative")),
        [_, Value::Int(depth)] => *depth,
        _ => 1,
    };
    let mut flat = items_of(run, arguments)?;
    for _ in 0..depth {
        let before = flat.len();
        let nested = flat.iter().any(|item| item.items().is_some());
        flat = flat.into_iter().flat_map(|item| item.items().unwrap_or_else(|| vec![item])).collect();
        run.spend((before + flat.len()) as u64)?;
        if !nested {
            break;
        }
    }
    Ok(Value::list(flat))
}

fn first<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let first = items_of(run, arguments)?.into_iter().next();
    Ok(first.map_or(Value::Optional(None), Value::some))
}

fn last<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let last = items_of(run, arguments)?.pop();
    Ok(last.map_or(Value::Optional(None), Value::some))
}

fn range<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Int(count)] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend(u64::try_from(*count).unwrap_or(0))?;
    Ok(Value::list((0..*count).map(Value::Int).collect()))
}
