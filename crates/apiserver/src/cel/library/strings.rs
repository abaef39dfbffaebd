//! Texts. Positions count characters, not bytes.

use super::Sig::{Bool, Int, List, Text};
use super::{Overload, global, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;

pub(super) static OVERLOADS: &[Overload] = &[
    member("contains", &[Text, Text], Bool, contains),
    member("startsWith", &[Text, Text], Bool, starts_with),
    member("endsWith", &[Text, Text], Bool, ends_with),
    member("charAt", &[Text, Int], Text, char_at),
    member("indexOf", &[Text, Text], Int, index_of),
    member("indexOf", &[Text, Text, Int], Int, index_of),
    member("lastIndexOf", &[Text, Text], Int, last_index_of),
    member("lastIndexOf", &[Text, Text, Int], Int, last_index_of),
    member("lowerAscii", &[Text], Text, lower_ascii),
    member("upperAscii", &[Text], Text, upper_ascii),
    member("trim", &[Text], Text, trim),
    member("replace", &[Text, Text, Text], Text, replace),
    member("replace", &[Text, Text, Text, Int], Text, replace),
    member("split", &[Text, Text], List(&Text), split),
    member("split", &[Text, Text, Int], List(&Text), split),
    member("substring", &[Text, Int], Text, substring),
    member("substring", &[Text, Int, Int], Text, substring),
    member("join", &[List(&Text)], Text, join),
    member("join", &[List(&Text), Text], Text, join),
    global("strings.quote", &[Text], Text, quote),
];

fn out_of_range(position: i64) -> Failure {
    Failure::other(format!("index out of range: {position}"))
}

fn two<'a, 'v>(run: &mut Evaluation<'v>, arguments: &'a [Value<'v>]) -> Result<(&'a str, &'a str), Failure> {
    match arguments {
        [Value::Text(text), Value::Text(other), ..] => {
            run.spend_text(text.len())?;
            Ok((text, other))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn contains<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, part) = two(run, arguments)?;
    run.spend_text(part.len())?;
    Ok(Value::Bool(text.contains(part)))
}

fn starts_with<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(text.starts_with(part.as_ref()))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn ends_with<'v>(_: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(text.ends_with(part.as_ref()))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn one<'v>(
    run: &mut Evaluation<'v>,
    arguments: &[Value<'v>],
    change: impl Fn(&str) -> String,
) -> Outcome<'v> {
    match arguments {
        [Value::Text(text)] => {
            run.spend_text(text.len())?;
            Ok(Value::owned(change(text)))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn lower_ascii<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    one(run, arguments, str::to_ascii_lowercase)
}

fn upper_ascii<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    one(run, arguments, str::to_ascii_uppercase)
}

fn trim<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    one(run, arguments, |text| text.trim().to_owned())
}

fn quote<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    one(run, arguments, crate::schema::text::quote)
}

/// The characters, for everything that counts positions.
fn characters(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// A position from zero to `end`, the end included.
fn position(number: i64, end: usize) -> Result<usize, Failure> {
    usize::try_from(number).ok().filter(|position| *position <= end).ok_or_else(|| out_of_range(number))
}

fn char_at<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Int(number)] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend_text(text.len())?;
    let characters = characters(text);
    let at = position(*number, characters.len())?;
    Ok(Value::owned(characters.get(at).map(char::to_string).unwrap_or_default()))
}

fn number_or(arguments: &[Value<'_>], place: usize, otherwise: i64) -> Result<i64, Failure> {
    match arguments.get(place) {
        None => Ok(otherwise),
        Some(Value::Int(number)) => Ok(*number),
        Some(_) => Err(Failure::NoSuchOverload),
    }
}

fn found<'v>(at: Option<usize>) -> Outcome<'v> {
    Ok(Value::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
}

fn index_of<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, part) = two(run, arguments)?;
    let (text, part) = (characters(text), characters(part));
    let number = number_or(arguments, 2, 0)?;
    if part.is_empty() {
        return Ok(Value::Int(number));
    }
    let start = match usize::try_from(number) {
        Ok(start) if start <= text.len() => start,
        _ => return Err(out_of_range(number)),
    };
    let windows = text.get(start..).unwrap_or_default().windows(part.len());
    found(windows.into_iter().position(|window| window == part).map(|at| at + start))
}

fn last_index_of<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, part) = two(run, arguments)?;
    let (text, part) = (characters(text), characters(part));
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let number = number_or(arguments, 2, length)?;
    if part.is_empty() {
        return Ok(Value::Int(number));
    }
    let last = position(number, text.len())?;
    let windows: Vec<&[char]> = text.windows(part.len()).collect();
    found(windows.iter().take(last.saturating_add(1)).rposition(|window| *window == part))
}

fn replace<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, old) = two(run, arguments)?;
    let Some(Value::Text(new)) = arguments.get(2) else { return Err(Failure::NoSuchOverload) };
    let replaced = match usize::try_from(number_or(arguments, 3, -1)?) {
        Ok(count) => text.replacen(old, new, count),
        Err(_) => text.replace(old, new),
    };
    run.spend_text(replaced.len())?;
    Ok(Value::owned(replaced))
}

fn split<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let (text, separator) = two(run, arguments)?;
    let limit = number_or(arguments, 2, -1)?;
    let parts =
        if separator.is_empty() { split_characters(text, limit) } else { split_text(text, separator, limit) };
    Ok(Value::list(parts.into_iter().map(Value::owned).collect()))
}

fn split_text(text: &str, separator: &str, limit: i64) -> Vec<String> {
    match usize::try_from(limit) {
        Ok(limit) => text.splitn(limit, separator).map(str::to_owned).collect(),
        Err(_) => text.split(separator).map(str::to_owned).collect(),
    }
}

/// Without a separator every character is a part; the last part takes what is beyond the limit.
fn split_characters(text: &str, limit: i64) -> Vec<String> {
    let characters = characters(text);
    let limit = usize::try_from(limit).unwrap_or(characters.len()).min(characters.len());
    let Some(single) = limit.checked_sub(1) else { return Vec::new() };
    let mut parts: Vec<String> = characters.iter().take(single).map(char::to_string).collect();
    parts.push(characters.iter().skip(single).collect());
    parts
}

fn substring<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text), Value::Int(start), ..] = arguments else { return Err(Failure::NoSuchOverload) };
    run.spend_text(text.len())?;
    let characters = characters(text);
    let end = number_or(arguments, 2, i64::try_from(characters.len()).unwrap_or(i64::MAX))?;
    let (first, last) = (position(*start, characters.len())?, position(end, characters.len())?);
    match characters.get(first..last) {
        Some(part) => Ok(Value::owned(part.iter().collect())),
        None => Err(Failure::other(format!("invalid substring range. start: {start}, end: {end}"))),
    }
}

fn join<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let items = arguments.first().and_then(Value::items).ok_or(Failure::NoSuchOverload)?;
    let separator = match arguments.get(1) {
        None => "",
        Some(Value::Text(separator)) => separator,
        Some(_) => return Err(Failure::NoSuchOverload),
    };
    let mut joined = String::new();
    for (place, item) in items.iter().enumerate() {
        let Value::Text(part) = item else { return Err(Failure::NoSuchOverload) };
        if place > 0 {
            joined.push_str(separator);
        }
        joined.push_str(part);
    }
    run.spend_text(joined.len())?;
    Ok(Value::owned(joined))
}
