//! Reading and writing `metadata` of an object held as JSON.

pub mod normalize;
pub mod validate;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// A text field of `metadata`, empty when absent.
#[must_use]
pub fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// `metadata.name`, empty when absent.
#[must_use]
pub fn name(object: &Value) -> &str {
    text(object, "name")
}

/// `metadata.namespace`, empty when absent.
#[must_use]
pub fn namespace(object: &Value) -> &str {
    text(object, "namespace")
}

/// `metadata.uid`, empty when absent.
#[must_use]
pub fn uid(object: &Value) -> &str {
    text(object, "uid")
}

/// `metadata.resourceVersion` as a number.
#[must_use]
pub fn revision(object: &Value) -> Option<u64> {
    text(object, "resourceVersion").parse().ok()
}

/// Sets `metadata.resourceVersion` of an object that has metadata.
pub fn set_revision(object: &mut Value, revision: u64) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".to_owned(), Value::String(revision.to_string()));
    }
}

/// `metadata.generation`, 0 when absent.
#[must_use]
pub fn generation(object: &Value) -> i64 {
    field(object, "generation").and_then(Value::as_i64).unwrap_or_default()
}

/// Whether the object has a deletion timestamp.
#[must_use]
pub fn is_deleting(object: &Value) -> bool {
    field(object, "deletionTimestamp").is_some_and(|value| !value.is_null())
}

/// `metadata.finalizers`.
pub fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    field(object, "finalizers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// `metadata.ownerReferences`.
pub fn owners(object: &Value) -> impl Iterator<Item = &Value> {
    field(object, "ownerReferences").and_then(Value::as_array).into_iter().flatten()
}

/// `metadata.labels`.
pub fn labels(object: &Value) -> impl Iterator<Item = (&str, &str)> {
    let labels = field(object, "labels").and_then(Value::as_object);
    labels.into_iter().flatten().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

/// One label's value.
#[must_use]
pub fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    field(object, "labels")?.get(key)?.as_str()
}

/// A field of `metadata`.
#[must_use]
pub fn field<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    object.get("metadata")?.get(field)
}

/// `metadata` for writing; an object without one gets it. A value that is no object stays as it is and a scratch map
/// is not invented for it: callers decode first.
pub fn of_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let fields = object.as_object_mut()?;
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata.as_object_mut()
}

/// Sets a field of `metadata`.
pub fn set(object: &mut Value, field: &str, value: impl Into<Value>) {
    if let Some(metadata) = of_mut(object) {
        metadata.insert(field.to_owned(), value.into());
    }
}

/// Removes a field of `metadata`.
pub fn unset(object: &mut Value, field: &str) {
    if let Some(metadata) = of_mut(object) {
        metadata.remove(field);
    }
}

/// Copies a field of `metadata`, or removes it when the source has none.
pub fn copy(from: &Value, to: &mut Value, name: &str) {
    match field(from, name) {
        Some(value) if !value.is_null() => set(to, name, value.clone()),
        _ => unset(to, name),
    }
}

/// Sets or, when nothing is left, removes the list of finalizers.
pub fn set_finalizers(object: &mut Value, finalizers: Vec<String>) {
    if finalizers.is_empty() {
        unset(object, "finalizers");
    } else {
        set(object, "finalizers", finalizers);
    }
}

/// A time as metadata carries it: whole seconds, UTC.
#[must_use]
pub fn time_text(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
