//! Semantic versions.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Sig::{Bool, Int, Semver as SemverType, Text};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::semver::Semver;
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("isSemver", &[Text], Bool, is_semver),
    global("isSemver", &[Text, Bool], Bool, is_semver),
    global("semver", &[Text], SemverType, semver),
    global("semver", &[Text, Bool], SemverType, semver),
    member("major", &[SemverType], Int, major),
    member("minor", &[SemverType], Int, minor),
    member("patch", &[SemverType], Int, patch),
    member("compareTo", &[SemverType, SemverType], Int, compare_to),
    member("isGreaterThan", &[SemverType, SemverType], Bool, is_greater),
    member("isLessThan", &[SemverType, SemverType], Bool, is_less),
];

fn parse<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Result<Option<Semver>, Failure> {
    let (text, normalize) = match arguments {
        [Value::Text(text)] => (text, false),
        [Value::Text(text), Value::Bool(normalize)] => (text, *normalize),
        _ => return Err(Failure::NoSuchOverload),
    };
    run.spend_text(text.len())?;
    Ok(if normalize { Semver::parse_normalized(text) } else { Semver::parse(text) })
}

fn is_semver<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Bool(parse(run, arguments)?.is_some()))
}

fn semver<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let version = parse(run, arguments)?;
    version
        .map(|version| Value::Semver(Rc::new(version)))
        .ok_or_else(|| Failure::other("No Major.Minor.Patch elements found"))
}

fn number<'v>(arguments: &[Value<'v>], read: impl Fn(&Semver) -> u64) -> Outcome<'v> {
    match arguments {
        [Value::Semver(version)] => Ok(Value::Int(i64::try_from(read(version)).unwrap_or(i64::MAX))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn major<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    number(arguments, |version| version.major)
}

fn minor<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    number(arguments, |version| version.minor)
}

fn patch<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    number(arguments, |version| version.patch)
}

fn order(arguments: &[Value<'_>]) -> Result<Ordering, Failure> {
    match arguments {
        [Value::Semver(left), Value::Semver(right)] => Ok(left.cmp(right)),
        _ => Err(Failure::NoSuchOverload),
    }
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
