//! `format`: values written into a text with `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` and `%%`.

use std::fmt::Write as _;

use super::Sig::{Dyn, List, Text};
use super::conversions::show;
use super::{Overload, member};
use crate::cel::evaluate::{Evaluation, Failure, Outcome};
use crate::cel::value::Value;
use crate::schema::text::quote;

pub(super) static OVERLOADS: &[Overload] = &[member("format", &[Text, List(&Dyn)], Text, format_text)];

fn format_text<'v>(run: &mut Evaluation<'v>, arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(template), list] = arguments else { return Err(Failure::NoSuchOverload) };
    let items = list.items().ok_or(Failure::NoSuchOverload)?;
    run.spend_text(template.len())?;
    let (mut text, mut rest, mut next) = (String::new(), template.as_ref(), items.iter());
    let mut place = 0_usize;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            text.push('%');
            rest = after;
            continue;
        }
        let (precision, verb, after) = clause(after)?;
        let missing = || Failure::other(format!("error during formatting: index {place} out of range"));
        text.push_str(&write_value(verb, precision, next.next().ok_or_else(missing)?)?);
        place += 1;
        rest = after;
    }
    text.push_str(rest);
    run.spend_text(text.len())?;
    Ok(Value::owned(text))
}

/// The precision and letter of a clause, and what follows it.
fn clause(text: &str) -> Result<(Option<usize>, char, &str), Failure> {
    let unfinished = || Failure::other("error during formatting: unexpected end of string");
    let (precision, text) = match text.strip_prefix('.') {
        None => (None, text),
        Some(digits) => {
            let end = digits.find(|character: char| !character.is_ascii_digit()).ok_or_else(unfinished)?;
            let (number, rest) = digits.split_at(end);
            (Some(number.parse().unwrap_or(0)), rest)
        }
    };
    let verb = text.chars().next().ok_or_else(unfinished)?;
    Ok((precision, verb, text.get(verb.len_utf8()..).unwrap_or_default()))
}

fn write_value(verb: char, precision: Option<usize>, value: &Value<'_>) -> Result<String, Failure> {
    match (verb, value) {
        ('s', Value::Text(text)) => Ok(text.to_string()),
        ('s', value @ (Value::Timestamp(_) | Value::Duration(_) | Value::Double(_))) => Ok(show(value)),
        ('s', value) => Ok(literal(value)),
        ('d', Value::Int(_) | Value::Uint(_)) => Ok(show(value)),
        ('f', Value::Double(number)) => Ok(grouped(&format!("{number:.*}", precision.unwrap_or(6)))),
        ('e', Value::Double(number)) => Ok(scientific(*number, precision.unwrap_or(6))),
        ('b', Value::Bool(flag)) => Ok(u8::from(*flag).to_string()),
        ('b', Value::Int(number)) => Ok(signed(*number, |size| format!("{size:b}"))),
        ('o', Value::Int(number)) => Ok(signed(*number, |size| format!("{size:o}"))),
        ('x', Value::Int(number)) => Ok(signed(*number, |size| format!("{size:x}"))),
        ('X', Value::Int(number)) => Ok(signed(*number, |size| format!("{size:X}"))),
        ('x', Value::Bytes(bytes)) => Ok(hexadecimal(bytes)),
        ('X', Value::Bytes(bytes)) => Ok(hexadecimal(bytes).to_ascii_uppercase()),
        ('x', Value::Text(text)) => Ok(hexadecimal(text.as_bytes())),
        ('X', Value::Text(text)) => Ok(hexadecimal(text.as_bytes()).to_ascii_uppercase()),
        ('d' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X', other) => Err(Failure::other(format!(
            "error during formatting: {verb} clause cannot be used on {}",
            other.type_name()
        ))),
        _ => {
            Err(Failure::other(format!("error during formatting: unrecognized formatting clause \"{verb}\"")))
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Thousands are set apart by commas.
fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let (sign, digits) = whole.split_at(usize::from(whole.starts_with('-')));
    let mut text = sign.to_owned();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(fraction);
    text
}

fn signed(number: i64, write: impl Fn(u64) -> String) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", write(number.unsigned_abs()))
}

fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let value: i32 = exponent.parse().unwrap_or(0);
            format!("{digits}e{}{:02}", if value < 0 { '-' } else { '+' }, value.abs())
        }
        None => text,
    }
}

/// A value inside a list or map, in the notation of the language.
fn literal(value: &Value<'_>) -> String {
    match value {
        Value::List(..) | Value::Items(_) => {
            let items: Vec<String> = value.items().unwrap_or_default().iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(entries) => {
            let mut pairs: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}:{}", literal(key), literal(value))).collect();
            pairs.sort();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Fields(fields) => {
            let mut pairs: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}:{}", quote(key), literal(&value))).collect();
            pairs.sort();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Text(text) => quote(text),
        Value::Double(number) => format!("{number:.6}"),
        Value::Timestamp(_) => format!("timestamp({})", quote(&show(value))),
        Value::Duration(_) => format!("duration({})", quote(&show(value))),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Type(name) => (*name).to_owned(),
        other => show(other),
    }
}
