//! Kubernetes' `JSONPath` (`.spec.color`, `{.a.b}`, `.a\.b`, `.list[?(@.type=="Ready")].status`) over `jsonpath-rust`.
//!
//! The library speaks RFC 9535; this front end rewrites what Kubernetes writes differently.

#[cfg(test)]
mod tests;

use jsonpath_rust::parser::model::JpQuery;
use jsonpath_rust::parser::parse_json_path;
use jsonpath_rust::query::js_path_process;
use serde_json::Value;

/// A parsed path.
#[derive(Clone, Debug)]
pub(crate) struct JsonPath(JpQuery);

impl JsonPath {
    /// Parses a path.
    ///
    /// # Errors
    /// The parser's text when the path is malformed.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        parse_json_path(&to_rfc(text)).map(Self).map_err(|error| error.to_string())
    }

    /// All values the path finds.
    #[must_use]
    pub(crate) fn find<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        js_path_process(&self.0, value)
            .map(|found| found.into_iter().map(jsonpath_rust::query::QueryRef::val).collect())
            .unwrap_or_default()
    }
}

/// `$`, then each dotted name as a quoted segment; brackets pass through.
fn to_rfc(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(text);
    let text = text.strip_prefix('$').unwrap_or(text);
    let mut path = String::from("$");
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '[' => {
                path.push('[');
                copy_bracket(&mut characters, &mut path);
            }
            '.' if characters.peek() == Some(&'.') => {
                characters.next();
                path.push_str("..");
                path.push_str(&name(None, &mut characters));
            }
            '.' => push_name(&mut path, &name(None, &mut characters)),
            first => push_name(&mut path, &name(Some(first), &mut characters)),
        }
    }
    path
}

fn push_name(path: &mut String, name: &str) {
    match name {
        "" => {}
        "*" => path.push_str("[*]"),
        name => {
            path.push_str("['");
            path.push_str(&name.replace('\'', "\\'"));
            path.push_str("']");
        }
    }
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn name(first: Option<char>, characters: &mut Characters<'_>) -> String {
    let mut name = String::new();
    name.extend(first);
    while let Some(next) = characters.peek().copied().filter(|next| !matches!(next, '.' | '[')) {
        characters.next();
        if next == '\\' {
            name.extend(characters.next());
        } else {
            name.push(next);
        }
    }
    name
}

fn copy_bracket(characters: &mut Characters<'_>, path: &mut String) {
    let mut depth = 1;
    let mut quote = None;
    for character in characters {
        path.push(character);
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}
