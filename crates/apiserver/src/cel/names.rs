//! Field names as expressions write them.
//!
//! `__`, `.`, `-` and `/` are spelled out, and so are whole names that are words of the language. What still is no
//! identifier cannot be reached from an expression.

const ESCAPES: [(&str, &str); 4] =
    [("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];

const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The name an expression uses for the field `name`.
pub(crate) fn escape(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let (mut escaped, mut rest) = (String::with_capacity(name.len()), name);
    while let Some(first) = rest.chars().next() {
        let found = ESCAPES.iter().find_map(|(plain, spelled)| Some((*spelled, rest.strip_prefix(plain)?)));
        if let Some((spelled, after)) = found {
            escaped.push_str(spelled);
            rest = after;
        } else {
            escaped.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    is_identifier(&escaped).then_some(escaped)
}

/// The field an expression means by `written`.
pub(crate) fn unescape(written: &str) -> Option<String> {
    if let Some(word) = written.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"))
        && RESERVED.contains(&word)
    {
        return Some(word.to_owned());
    }
    let (mut name, mut rest) = (String::with_capacity(written.len()), written);
    while let Some(first) = rest.chars().next() {
        let found = ESCAPES.iter().find_map(|(plain, spelled)| Some((*plain, rest.strip_prefix(spelled)?)));
        if let Some((plain, after)) = found {
            name.push_str(plain);
            rest = after;
        } else if rest.starts_with("__") {
            return None;
        } else {
            name.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    Some(name)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
