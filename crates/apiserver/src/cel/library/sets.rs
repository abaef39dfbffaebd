//! Lists as sets.

use super::Sig::{A, Bool, List};
use super::{Overload, global};
use crate::cel::equality::equal;
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("sets.contains", &[List(&A), List(&A)], Bool, contains),
    global("sets.equivalent", &[List(&A), List(&A)], Bool, equivalent),
    global("sets.intersects", &[List(&A), List(&A)], Bool, intersects),
];

type Pair<'v> = (Vec<Value<'v>>, Vec<Value<'v>>);

fn both<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Result<Pair<'v>, Failure> {
    let [left, right] = arguments else { return Err(Failure::NoSuchOverload) };
    let left = left.items().ok_or(Failure::NoSuchOverload)?;
    let right = right.items().ok_or(Failure::NoSuchOverload)?;
    run.spend((left.len() * right.len()) as u64)?;
    Ok((left, right))
}

fn holds(list: &[Value<'_>], wanted: &[Value<'_>]) -> bool {
    wanted.iter().all(|item| list.iter().any(|known| equal(known, item)))
}

fn contains<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (list, wanted) = both(run, arguments)?;
    Ok(Value::Bool(holds(&list, &wanted)))
}

fn equivalent<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (left, right) = both(run, arguments)?;
    Ok(Value::Bool(holds(&left, &right) && holds(&right, &left)))
}

fn intersects<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (left, right) = both(run, arguments)?;
    Ok(Value::Bool(left.iter().any(|item| right.iter().any(|known| equal(known, item)))))
}
