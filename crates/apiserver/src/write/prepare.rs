//! The system's fields: what a writer may not decide.

use serde_json::{Value, json};

use super::keeps_generation;
use crate::metadata;
use crate::resource::Resource;

/// Clears what only the server sets, before a creation.
pub(crate) fn begin(resource: &Resource, new: &mut Value) {
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        metadata::unset(new, field);
    }
    if keeps_generation(resource) {
        metadata::set(new, "generation", 1);
    }
    if resource.has_status && (resource.custom || resource.registered.is_some()) {
        remove(new, "status");
    }
}

/// Copies what tells one life of an object from another.
pub(crate) fn keep_identity(new: &mut Value, old: &Value) {
    for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        metadata::copy(old, new, field);
    }
    if metadata::uid(new).is_empty() {
        metadata::copy(old, new, "uid");
    }
}

/// Copies what an update of the main resource cannot change.
pub(crate) fn keep_system_fields(resource: &Resource, new: &mut Value, old: &Value) {
    keep_identity(new, old);
    metadata::unset(new, "selfLink");
    if resource.has_status {
        match old.get("status") {
            Some(status) => set(new, "status", status.clone()),
            None => remove(new, "status"),
        }
    }
}

/// A status write keeps everything but the status and its owners.
pub(crate) fn keep_all_but_status(new: &Value, old: &Value) -> Value {
    let mut kept = old.clone();
    match new.get("status") {
        Some(status) => set(&mut kept, "status", status.clone()),
        None => remove(&mut kept, "status"),
    }
    metadata::copy(new, &mut kept, "managedFields");
    kept
}

/// Counts the generation when anything but metadata and status changed.
pub(crate) fn count_generation(resource: &Resource, new: &mut Value, old: &Value) {
    if !keeps_generation(resource) {
        return;
    }
    let generation = metadata::generation(old);
    let changed = content(resource, new) != content(resource, old);
    metadata::set(new, "generation", if changed { generation + 1 } else { generation });
}

/// What counts as a change of generation: everything but metadata, and status where it has its own path.
fn content<'a>(resource: &Resource, object: &'a Value) -> Vec<(&'a String, &'a Value)> {
    let fields = object.as_object().into_iter().flatten();
    fields
        .filter(|(name, _)| {
            let is_status = resource.has_status && *name == "status";
            !is_status && !matches!(name.as_str(), "metadata" | "apiVersion" | "kind")
        })
        .collect()
}

/// Sets a top-level field.
pub(crate) fn set(object: &mut Value, field: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value);
    }
}

/// Removes a top-level field.
pub(crate) fn remove(object: &mut Value, field: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove(field);
    }
}

/// Marks an object as being deleted.
pub(crate) fn mark_deleting(resource: &Resource, object: &mut Value, now: Value) {
    metadata::set(object, "deletionTimestamp", now);
    metadata::set(object, "deletionGracePeriodSeconds", json!(0));
    let generation = metadata::generation(object);
    if generation > 0 || keeps_generation(resource) {
        metadata::set(object, "generation", generation + 1);
    }
}
