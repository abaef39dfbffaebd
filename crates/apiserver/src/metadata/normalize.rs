//! Bringing the metadata of a body into the form it is stored in: unknown fields out, empty ones out, types checked.

use serde_json::{Map, Value};

/// What normalizing found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Normalized {
    /// Paths of fields that were dropped because nobody knows them.
    pub unknown: Vec<String>,
}

/// A metadata field of the wrong type, in the words of Go's JSON decoder.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongType(pub String);

#[derive(Clone, Copy)]
enum Shape {
    Text,
    Time,
    Whole,
    Texts,
    TextMap,
    Owners,
    Managers,
}

const FIELDS: [(&str, Shape); 15] = [
    ("annotations", Shape::TextMap),
    ("creationTimestamp", Shape::Time),
    ("deletionGracePeriodSeconds", Shape::Whole),
    ("deletionTimestamp", Shape::Time),
    ("finalizers", Shape::Texts),
    ("generateName", Shape::Text),
    ("generation", Shape::Whole),
    ("labels", Shape::TextMap),
    ("managedFields", Shape::Managers),
    ("name", Shape::Text),
    ("namespace", Shape::Text),
    ("ownerReferences", Shape::Owners),
    ("resourceVersion", Shape::Text),
    ("selfLink", Shape::Text),
    ("uid", Shape::Text),
];

const OWNER_FIELDS: [&str; 6] = ["apiVersion", "blockOwnerDeletion", "controller", "kind", "name", "uid"];

/// Normalizes `metadata` in place.
///
/// # Errors
/// [`WrongType`] when a known field cannot be what it has to be.
pub fn normalize(object: &mut Value) -> Result<Normalized, WrongType> {
    let mut normalized = Normalized::default();
    let Some(fields) = object.as_object_mut() else { return Ok(normalized) };
    let metadata = match fields.remove("metadata") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(metadata)) => metadata,
        Some(other) => return Err(mismatch(&other, "metadata", "v1.ObjectMeta")),
    };
    let mut kept = Map::new();
    for (name, value) in metadata {
        match FIELDS.iter().find(|(known, _)| *known == name) {
            None => normalized.unknown.push(format!("metadata.{name}")),
            Some((_, shape)) => {
                if let Some(value) = field(&name, value, *shape, &mut normalized)? {
                    kept.insert(name, value);
                }
            }
        }
    }
    fields.insert("metadata".to_owned(), Value::Object(kept));
    Ok(normalized)
}

fn field(
    name: &str,
    value: Value,
    shape: Shape,
    normalized: &mut Normalized,
) -> Result<Option<Value>, WrongType> {
    let path = format!("ObjectMeta.metadata.{name}");
    let kept = match (shape, value) {
        (_, Value::Null) => None,
        (Shape::Text | Shape::Time, Value::String(text)) => {
            Some(text).filter(|text| !text.is_empty()).map(Value::String)
        }
        (Shape::Whole, Value::Number(number)) if number.is_i64() || number.is_u64() => {
            Some(Value::Number(number))
        }
        (Shape::Texts, Value::Array(items)) => texts(&path, items)?,
        (Shape::TextMap, Value::Object(entries)) => text_map(&path, entries)?,
        (Shape::Owners, Value::Array(items)) => owners(items, normalized)?,
        (Shape::Managers, Value::Array(items)) => Some(Value::Array(items)),
        (Shape::Text | Shape::Time, other) => return Err(mismatch(&other, &path, "string")),
        (Shape::Whole, other) => return Err(mismatch(&other, &path, "int64")),
        (Shape::Texts, other) => return Err(mismatch(&other, &path, "[]string")),
        (Shape::TextMap, other) => return Err(mismatch(&other, &path, "map[string]string")),
        (Shape::Owners, other) => return Err(mismatch(&other, &path, "[]v1.OwnerReference")),
        (Shape::Managers, other) => return Err(mismatch(&other, &path, "[]v1.ManagedFieldsEntry")),
    };
    Ok(kept)
}

fn texts(path: &str, items: Vec<Value>) -> Result<Option<Value>, WrongType> {
    for item in &items {
        if !item.is_string() {
            return Err(mismatch(item, path, "string"));
        }
    }
    Ok(Some(items).filter(|items| !items.is_empty()).map(Value::Array))
}

fn text_map(path: &str, entries: Map<String, Value>) -> Result<Option<Value>, WrongType> {
    let mut kept = Map::new();
    for (key, value) in entries {
        let value = match value {
            // Go decodes null into the zero value of the map's element.
            Value::Null => Value::String(String::new()),
            Value::String(_) => value,
            other => return Err(mismatch(&other, path, "string")),
        };
        kept.insert(key, value);
    }
    Ok(Some(kept).filter(|kept| !kept.is_empty()).map(Value::Object))
}

fn owners(items: Vec<Value>, normalized: &mut Normalized) -> Result<Option<Value>, WrongType> {
    let mut kept = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        let Value::Object(mut fields) = item else {
            return Err(mismatch(&item, "ObjectMeta.metadata.ownerReferences", "v1.OwnerReference"));
        };
        let unknown: Vec<String> =
            fields.keys().filter(|key| !OWNER_FIELDS.contains(&key.as_str())).cloned().collect();
        for key in unknown {
            fields.remove(&key);
            normalized.unknown.push(format!("metadata.ownerReferences[{index}].{key}"));
        }
        fields.retain(|_, value| !value.is_null());
        for key in ["apiVersion", "kind", "name", "uid"] {
            fields.entry(key).or_insert_with(|| Value::String(String::new()));
        }
        kept.push(Value::Object(fields));
    }
    Ok(Some(kept).filter(|kept| !kept.is_empty()).map(Value::Array))
}

fn mismatch(found: &Value, path: &str, wanted: &str) -> WrongType {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    WrongType(format!("json: cannot unmarshal {found} into Go struct field {path} of type {wanted}"))
}
