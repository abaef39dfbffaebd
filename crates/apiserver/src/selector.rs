//! Label and field selectors of lists, watches and collection deletes.

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::metadata;
use crate::metadata::validate::{label_value_problems, qualified_problems};
use crate::resource::{BuiltIn, Resource, value_at};
use crate::status::Failure;

/// One requirement on a label.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    DoesNotExist,
    In(Vec<String>),
    NotIn(Vec<String>),
    GreaterThan(i64),
    LessThan(i64),
}

/// One requirement on a field: path, whether it must be equal or differ, and the value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldRequirement {
    path: String,
    equal: bool,
    value: String,
}

/// What a list, a watch or a collection delete is narrowed to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<FieldRequirement>,
}

impl Selector {
    /// Reads both selectors for a resource.
    ///
    /// # Errors
    /// 400 for a malformed selector and for fields the resource cannot be selected by.
    pub(crate) fn parse(labels: &str, fields: &str, resource: &Resource) -> Result<Self, Failure> {
        Ok(Self { labels: parse_labels(labels)?, fields: parse_fields(fields, resource)? })
    }

    /// Whether everything matches.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// The name that a field selector pins, so that one object is looked up instead of all.
    #[must_use]
    pub(crate) fn pinned_name(&self) -> Option<&str> {
        self.fields
            .iter()
            .find(|field| field.equal && field.path == "metadata.name")
            .map(|field| field.value.as_str())
    }

    /// Whether the object is selected.
    #[must_use]
    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.labels.iter().all(|requirement| requirement.matches(object))
            && self.fields.iter().all(|requirement| requirement.matches(object))
    }
}

impl Requirement {
    fn matches(&self, object: &Value) -> bool {
        let value = metadata::label(object, &self.key);
        let number = || value.and_then(|text| text.parse::<i64>().ok());
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::In(values) => value.is_some_and(|value| values.iter().any(|one| one == value)),
            Operator::NotIn(values) => value.is_none_or(|value| values.iter().all(|one| one != value)),
            Operator::GreaterThan(bound) => number().is_some_and(|number| number > *bound),
            Operator::LessThan(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

impl FieldRequirement {
    fn matches(&self, object: &Value) -> bool {
        let found = match value_at(object, &self.path) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            // Of an event's source the component counts, and where there is none the reporter.
            Some(Value::Object(source)) if self.path == "source" => {
                let component = source.get("component").or_else(|| object.get("reportingComponent"));
                component.and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            Some(other) => other.to_string(),
        };
        (found == self.value) == self.equal
    }
}

fn parse_fields(text: &str, resource: &Resource) -> Result<Vec<FieldRequirement>, Failure> {
    let mut requirements = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (path, equal, value) = split_field(part).ok_or_else(|| {
            Failure::bad_request(format!("invalid selector: '{part}'; can't understand '{part}'"))
        })?;
        let known = matches!(path, "metadata.name" | "metadata.namespace")
            || resource.selectable_fields.iter().any(|field| field.trim_start_matches('.') == path);
        if !known {
            return Err(Failure::bad_request(unknown_field(resource, path)));
        }
        requirements.push(FieldRequirement { path: path.to_owned(), equal, value: value.to_owned() });
    }
    Ok(requirements)
}

fn unknown_field(resource: &Resource, path: &str) -> String {
    match resource.built_in {
        BuiltIn::Event | BuiltIn::Secret | BuiltIn::Namespace => {
            format!("field label not supported: {path}")
        }
        _ if resource.custom => format!("field label not supported: {path}"),
        _ => format!(
            "\"{path}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ),
    }
}

fn split_field(part: &str) -> Option<(&str, bool, &str)> {
    if let Some((path, value)) = part.split_once("!=") {
        return Some((path, false, value));
    }
    let (path, value) = part.split_once("==").or_else(|| part.split_once('='))?;
    Some((path, true, value))
}

/// Reads a label selector: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<1`, joined by commas.
fn parse_labels(text: &str) -> Result<Vec<Requirement>, Failure> {
    let mut lexer = Lexer { tokens: tokens(text), at: 0 };
    let mut requirements = Vec::new();
    while lexer.peek() != "" {
        requirements.push(lexer.requirement()?);
        match lexer.next().to_owned().as_str() {
            "" => break,
            "," if lexer.peek() == "" => return Err(malformed("", "identifier after ','")),
            "," => {}
            other => return Err(malformed(other, "',' or 'end of string'")),
        }
    }
    Ok(requirements)
}

fn malformed(found: &str, expected: &str) -> Failure {
    Failure::bad_request(format!("unable to parse requirement: found '{found}', expected: {expected}"))
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_whitespace() {
            continue;
        }
        let mut token = String::from(character);
        if is_symbol(character) {
            while matches!((token.as_str(), characters.peek()), ("=" | "!", Some('='))) {
                token.extend(characters.next());
            }
        } else {
            while let Some(more) = characters.peek().filter(|c| !c.is_whitespace() && !is_symbol(**c)) {
                token.push(*more);
                characters.next();
            }
        }
        tokens.push(token);
    }
    tokens
}

fn is_symbol(character: char) -> bool {
    matches!(character, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

struct Lexer {
    tokens: Vec<String>,
    at: usize,
}

impl Lexer {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> &str {
        self.at += 1;
        self.tokens.get(self.at - 1).map_or("", String::as_str)
    }

    fn requirement(&mut self) -> Result<Requirement, Failure> {
        let first = self.next().to_owned();
        if first == "!" {
            let key = self.key()?;
            return Ok(Requirement { key, operator: Operator::DoesNotExist });
        }
        let key = checked_key(&first)?;
        let operator = match self.peek().to_owned().as_str() {
            "" | "," => Operator::Exists,
            sign @ ("=" | "==" | "!=" | ">" | "<") => {
                self.next();
                self.comparison(sign)?
            }
            word @ ("in" | "notin") => {
                self.next();
                let values = self.values()?;
                if word == "in" { Operator::In(values) } else { Operator::NotIn(values) }
            }
            other => return Err(malformed(other, "in, notin, =, ==, !=, gt, lt")),
        };
        Ok(Requirement { key, operator })
    }

    fn key(&mut self) -> Result<String, Failure> {
        let key = self.next().to_owned();
        checked_key(&key)
    }

    fn comparison(&mut self, sign: &str) -> Result<Operator, Failure> {
        let value = if matches!(self.peek(), "" | ",") { String::new() } else { self.next().to_owned() };
        if value.starts_with(is_symbol) {
            return Err(malformed(&value, "identifier"));
        }
        let value = checked_value(value)?;
        if matches!(sign, ">" | "<") {
            let bound = value.parse().map_err(|_| {
                Failure::bad_request("for 'Gt', 'Lt' operators, the value must be an integer".to_owned())
            })?;
            return Ok(if sign == ">" { Operator::GreaterThan(bound) } else { Operator::LessThan(bound) });
        }
        Ok(if sign == "!=" { Operator::NotIn(vec![value]) } else { Operator::In(vec![value]) })
    }

    fn values(&mut self) -> Result<Vec<String>, Failure> {
        let open = self.next().to_owned();
        if open != "(" {
            return Err(malformed(&open, "'('"));
        }
        let mut values = Vec::new();
        loop {
            match self.next().to_owned().as_str() {
                ")" => return Ok(values),
                "," if values.is_empty() => values.push(String::new()),
                "," => {}
                "" => return Err(malformed("", "',', or identifier")),
                value => values.push(checked_value(value.to_owned())?),
            }
        }
    }
}

fn checked_key(key: &str) -> Result<String, Failure> {
    if key.is_empty() || key.starts_with(is_symbol) {
        return Err(malformed(key, "identifier"));
    }
    match qualified_problems(key).into_iter().next() {
        Some(why) => Err(Failure::bad_request(format!("key: Invalid value: {key:?}: {why}"))),
        None => Ok(key.to_owned()),
    }
}

fn checked_value(value: String) -> Result<String, Failure> {
    match label_value_problems(&value).into_iter().next() {
        Some(why) => {
            Err(Failure::bad_request(format!("values[0][{value}]: Invalid value: {value:?}: {why}")))
        }
        None => Ok(value),
    }
}
