//! One step of a field path.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

/// One step from a value to a value inside it. Steps are ordered: fields, keyed items, set items, positions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathElement {
    /// A field of a struct or an entry of a map.
    Field(String),
    /// The item of a keyed list with these key values, sorted by key name.
    Key(Vec<(String, Scalar)>),
    /// The item of a set with this value.
    Value(Scalar),
    /// The item at this position; only read from foreign entries, never made.
    Index(i64),
}

impl PathElement {
    /// The step into a field.
    #[must_use]
    pub fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }
}

impl fmt::Display for PathElement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(formatter, ".{name}"),
            Self::Key(pairs) => {
                formatter.write_str("[")?;
                for (position, (name, value)) in pairs.iter().enumerate() {
                    let comma = if position > 0 { "," } else { "" };
                    write!(formatter, "{comma}{name}={}", value.0)?;
                }
                formatter.write_str("]")
            }
            Self::Value(value) => write!(formatter, "[={}]", value.0),
            Self::Index(position) => write!(formatter, "[{position}]"),
        }
    }
}

/// A JSON value with a total order: numbers by size, then texts, booleans, lists, maps, null.
#[derive(Clone, Debug)]
pub struct Scalar(pub Value);

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scalar {}

impl PartialOrd for Scalar {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scalar {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => left.as_f64().unwrap_or(0.0).total_cmp(&right.as_f64().unwrap_or(0.0)),
        },
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let items = left.iter().zip(right).map(|(left, right)| compare(left, right));
            items.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let entries = left.iter().zip(right).map(|((left_name, left), (right_name, right))| {
                left_name.cmp(right_name).then_with(|| compare(left, right))
            });
            entries.fold(Ordering::Equal, Ordering::then).then(left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}
