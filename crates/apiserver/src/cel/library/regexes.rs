//! Regular expressions: `matches`, `find` and `findAll`.

use regex::Regex;

use super::Sig::{Bool, Int, List, Text};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    global("matches", &[Text, Text], Bool, matches),
    member("matches", &[Text, Text], Bool, matches),
    member("find", &[Text, Text], Text, find),
    member("findAll", &[Text, Text], List(&Text), find_all),
    member("findAll", &[Text, Text, Int], List(&Text), find_all),
];

/// The pattern, compiled. The text of a failure is the library's, not the reference's.
fn compiled(run: &mut Evaluation<'_>, text: &str, pattern: &str) -> Result<Regex, Failure> {
    run.spend_text(text.len() + 1)?;
    run.spend_text(pattern.len() * 4)?;
    Regex::new(pattern).map_err(|error| Failure::other(format!("error parsing regexp: {error}")))
}

fn matches<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(text), Value::Text(pattern)] => {
            Ok(Value::Bool(compiled(run, text, pattern)?.is_match(text)))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn find<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(text), Value::Text(pattern)] => {
            let found =
                compiled(run, text, pattern)?.find(text).map_or("", |found| found.as_str()).to_owned();
            Ok(Value::owned(found))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn find_all<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, pattern, limit) = match arguments {
        [Value::Text(text), Value::Text(pattern)] => (text, pattern, None),
        [Value::Text(text), Value::Text(pattern), Value::Int(limit)] => {
            (text, pattern, usize::try_from(*limit).ok())
        }
        _ => return Err(Failure::NoSuchOverload),
    };
    let regex = compiled(run, text, pattern)?;
    let found = regex.find_iter(text).take(limit.unwrap_or(usize::MAX));
    Ok(Value::list(found.map(|found| Value::owned(found.as_str().to_owned())).collect()))
}
