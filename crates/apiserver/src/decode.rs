//! Bodies: JSON, YAML or (built-in kinds) protobuf into a value, with the duplicate fields that a plain parser would swallow.

mod protobuf;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::media::essence;
use crate::status::Failure;

/// A decoded body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decoded {
    /// The value; of duplicate fields the last one counts.
    pub value: Value,
    /// Paths of fields that occurred twice (`spec.color`).
    pub duplicates: Vec<String>,
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    /// JSON.
    Json,
    /// YAML, or JSON, which is YAML too.
    Yaml,
    /// Protobuf in Kubernetes' envelope; built-in kinds only.
    Protobuf,
}

impl BodyFormat {
    /// The format of a create or update body.
    ///
    /// # Errors
    /// 415 for anything else; `custom` resources are not read as protobuf.
    pub(crate) fn of_object(content_type: &str, custom: bool) -> Result<Self, Failure> {
        match essence(content_type) {
            "application/vnd.kubernetes.protobuf" if !custom => Ok(Self::Protobuf),
            "" | "application/json" | "*/*" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            _ => Err(Failure::unsupported_media_type("application/json, application/yaml")),
        }
    }
}

/// Decodes a body. The error is the parser's text, for the caller to frame.
///
/// # Errors
/// What the parser said, when the body is not in that format.
pub(crate) fn decode(body: &[u8], format: BodyFormat) -> Result<Decoded, String> {
    let duplicates = RefCell::new(Vec::new());
    let seed = Node { path: String::new(), duplicates: &duplicates };
    let value = match format {
        BodyFormat::Json => {
            let mut deserializer = serde_json::Deserializer::from_slice(body);
            let value = seed.deserialize(&mut deserializer).map_err(|error| json_error(&error))?;
            deserializer.end().map_err(|error| json_error(&error))?;
            value
        }
        BodyFormat::Protobuf => protobuf::object(body)?,
        // A body that is JSON keeps JSON's reading of numbers and duplicates.
        BodyFormat::Yaml if starts_like_json(body) => return decode(body, BodyFormat::Json),
        BodyFormat::Yaml => {
            let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
            serde_saphyr::from_str(text).map_err(|error| format!("error converting YAML to JSON: {error}"))?
        }
    };
    Ok(Decoded { value, duplicates: duplicates.into_inner() })
}

fn starts_like_json(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| *byte == b'{')
}

/// The commonest parser errors in the words of Go's encoding/json, which clients know.
fn json_error(error: &serde_json::Error) -> String {
    if error.is_eof() { "unexpected end of JSON input".to_owned() } else { error.to_string() }
}

struct Node<'a> {
    path: String,
    duplicates: &'a RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        // Go writes 2.0 as 2, and its clients read whole numbers in no other form.
        if let Some(whole) = whole(value) {
            return Ok(Value::from(whole));
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, list.len());
            match items.next_element_seed(Node { path, duplicates: self.duplicates })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
            let seed = Node { path: path.clone(), duplicates: self.duplicates };
            if fields.insert(key, entries.next_value_seed(seed)?).is_some() {
                self.duplicates.borrow_mut().push(path);
            }
        }
        Ok(Value::Object(fields))
    }
}

/// The whole number that a float is, where a float holds it exactly.
fn whole(value: f64) -> Option<i64> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    if value.fract() != 0.0 || value.abs() > EXACT_MAX {
        return None;
    }
    format!("{value:.0}").parse().ok()
}
