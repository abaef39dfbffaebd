//! How values are written inside findings: texts quoted, numbers in the shortest form, the rest as JSON.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// A text in double quotes, with the escapes kube-apiserver uses.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        push_escaped(&mut quoted, character);
    }
    quoted.push('"');
    quoted
}

fn push_escaped(quoted: &mut String, character: char) {
    match character {
        '"' => quoted.push_str("\\\""),
        '\\' => quoted.push_str("\\\\"),
        '\n' => quoted.push_str("\\n"),
        '\t' => quoted.push_str("\\t"),
        '\r' => quoted.push_str("\\r"),
        '\u{7}' => quoted.push_str("\\a"),
        '\u{8}' => quoted.push_str("\\b"),
        '\u{b}' => quoted.push_str("\\v"),
        '\u{c}' => quoted.push_str("\\f"),
        // Writing to a String cannot fail.
        control if (control as u32) < 0x20 || control as u32 == 0x7f => {
            let _ = write!(quoted, "\\x{:02x}", control as u32);
        }
        hidden if is_invisible(hidden) => {
            let _ = write!(quoted, "\\u{:04x}", hidden as u32);
        }
        plain => quoted.push(plain),
    }
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{feff}')
}

/// A value inside a finding.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => show_number(number),
        Value::String(text) => quote(text),
        Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A number, whole ones without a fraction.
pub(crate) fn show_number(number: &Number) -> String {
    number.as_i64().map_or_else(|| show_float(number.as_f64().unwrap_or(0.0)), |whole| whole.to_string())
}

/// A float in the shortest form that reads back equal, with an exponent outside `1e-4 .. 1e21`.
pub(crate) fn show_float(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() };
    }
    let size = number.abs();
    if number == 0.0 || number.is_nan() || (1e-4..1e21).contains(&size) {
        return number.to_string();
    }
    let scientific = format!("{number:e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) => {
            let value: i32 = exponent.parse().unwrap_or(0);
            format!("{digits}e{}{:02}", if value < 0 { '-' } else { '+' }, value.abs())
        }
        None => scientific,
    }
}

/// The value in the reference's plain notation: `map[a:1 b:[x y]]`.
pub(crate) fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => show_number(number),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let entries = fields.iter().map(|(name, value)| format!("{name}:{}", go_text(value)));
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
    }
}
