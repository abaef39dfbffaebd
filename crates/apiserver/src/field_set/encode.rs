//! The wire form of field sets (`FieldsV1`): nested objects whose keys are steps.
//!
//! `f:name` is a field, `k:{...}` an item by its keys, `v:...` an item by its value, `i:0` an item by position, and
//! `.` says that the path itself is in the set and not only what lies below it.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Entry, FieldSet, PathElement, Scalar};

/// Why a wire form could not be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FieldSetError {
    /// A level is not an object.
    #[error("expected an object of path elements, found {0}")]
    NotAnObject(Value),
    /// A key is not a step.
    #[error("path element {0:?} has no known prefix (f:, k:, v:, i:) or a malformed value after it")]
    MalformedElement(String),
}

impl FieldSet {
    /// The wire form.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut fields = Map::new();
        for (element, entry) in &self.entries {
            let mut below = match entry.below.to_value() {
                Value::Object(below) => below,
                _ => Map::new(),
            };
            if entry.owned && !below.is_empty() {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            fields.insert(encode(element), Value::Object(below));
        }
        Value::Object(fields)
    }

    /// Reads the wire form.
    ///
    /// # Errors
    /// When a level is not an object or a key is not a step.
    pub fn from_value(value: &Value) -> Result<Self, FieldSetError> {
        let fields = value.as_object().ok_or_else(|| FieldSetError::NotAnObject(value.clone()))?;
        let mut set = Self::default();
        for (key, below) in fields.iter().filter(|(key, _)| *key != ".") {
            let below_set = Self::from_value(below)?;
            let owned = below_set.is_empty() || below.get(".").is_some();
            set.entries.insert(decode(key)?, Entry { owned, below: below_set });
        }
        Ok(set)
    }
}

fn encode(element: &PathElement) -> String {
    match element {
        PathElement::Field(name) => format!("f:{name}"),
        PathElement::Key(pairs) => {
            let fields: Map<String, Value> =
                pairs.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect();
            format!("k:{}", Value::Object(fields))
        }
        PathElement::Value(value) => format!("v:{}", value.0),
        PathElement::Index(position) => format!("i:{position}"),
    }
}

fn decode(key: &str) -> Result<PathElement, FieldSetError> {
    let malformed = || FieldSetError::MalformedElement(key.to_owned());
    let (prefix, rest) = key.split_once(':').ok_or_else(malformed)?;
    match prefix {
        "f" => Ok(PathElement::Field(rest.to_owned())),
        "i" => rest.parse().map(PathElement::Index).map_err(|_| malformed()),
        "v" => {
            serde_json::from_str(rest).map(|value| PathElement::Value(Scalar(value))).map_err(|_| malformed())
        }
        "k" => {
            let fields: Map<String, Value> = serde_json::from_str(rest).map_err(|_| malformed())?;
            let mut pairs: Vec<(String, Scalar)> =
                fields.into_iter().map(|(name, value)| (name, Scalar(value))).collect();
            pairs.sort();
            Ok(PathElement::Key(pairs))
        }
        _ => Err(malformed()),
    }
}
