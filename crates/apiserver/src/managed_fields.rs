//! `metadata.managedFields` in parsed form: which manager owns which fields, by which kind of write, and since when.
//!
//! An entry is known by manager, operation and subresource, and for updates also by API version; an applier keeps one
//! entry whatever version it applies in. Times have whole seconds. Two values are equal when ownership is equal:
//! a write that changes only times changes nothing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::field_set::{FieldSet, FieldSetError};

#[cfg(test)]
mod tests;

/// How a manager came to own its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// By server-side apply.
    Apply,
    /// By any other write.
    Update,
}

impl Operation {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// What tells one entry from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManagerKey {
    /// The manager's name.
    pub manager: String,
    /// How it wrote.
    pub operation: Operation,
    /// The API version of its writes; empty for appliers, whose version may change.
    pub api_version: String,
    /// The subresource it wrote through; empty for the resource itself.
    pub subresource: String,
}

/// What one manager owns.
#[derive(Clone, Debug)]
pub struct Managed {
    /// The API version the fields are named in.
    pub api_version: String,
    /// When ownership last changed, in whole seconds; none if the manager never changed the object.
    pub time: Option<Timestamp>,
    /// The owned fields.
    pub fields: FieldSet,
}

/// Why `managedFields` could not be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ManagedFieldsError {
    /// The field is not a list of objects.
    #[error("metadata.managedFields must be a list of objects; leave it out to keep the current ownership")]
    Malformed,
    /// An entry has an operation other than Apply and Update.
    #[error("metadata.managedFields: operation {0:?} of an entry is neither Apply nor Update")]
    UnknownOperation(String),
    /// An entry has fields of an unknown encoding.
    #[error("metadata.managedFields: fieldsType {0:?} of an entry is not FieldsV1")]
    UnknownFieldsType(String),
    /// An entry has a time that is no RFC 3339 time.
    #[error("metadata.managedFields: time {0:?} of an entry is not an RFC 3339 time")]
    MalformedTime(String),
    /// An entry's fields cannot be read.
    #[error("metadata.managedFields: fieldsV1 of an entry: {0}")]
    MalformedFields(#[from] FieldSetError),
}

/// Who owns what in one object.
#[derive(Clone, Debug, Default)]
pub struct ManagedFields {
    pub(crate) entries: BTreeMap<ManagerKey, Managed>,
}

impl PartialEq for ManagedFields {
    fn eq(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len()
            && self.entries.iter().zip(&other.entries).all(|((left_key, left), (right_key, right))| {
                left_key == right_key && left.api_version == right.api_version && left.fields == right.fields
            })
    }
}

impl Eq for ManagedFields {}

impl ManagedFields {
    /// Reads the value of `metadata.managedFields`; null is no entry.
    ///
    /// # Errors
    /// When an entry cannot be understood; kube-apiserver then goes on with the stored entries.
    pub fn parse(value: &Value) -> Result<Self, ManagedFieldsError> {
        let entries = match value {
            Value::Null => return Ok(Self::default()),
            Value::Array(entries) => entries,
            _ => return Err(ManagedFieldsError::Malformed),
        };
        if Self::is_reset(value) {
            return Ok(Self::default());
        }
        Ok(Self { entries: entries.iter().map(parse_entry).collect::<Result<_, _>>()? })
    }

    /// Whether the value is `[{}]`, which asks for all ownership to be forgotten.
    #[must_use]
    pub fn is_reset(value: &Value) -> bool {
        value.as_array().is_some_and(|entries| {
            entries.len() == 1
                && entries
                    .iter()
                    .all(|entry| entry.as_object().is_some_and(|fields| fields.values().all(Value::is_null)))
        })
    }

    /// Reads the entries of an object's metadata.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn of_object(object: &Value) -> Result<Self, ManagedFieldsError> {
        object.pointer("/metadata/managedFields").map_or_else(|| Ok(Self::default()), Self::parse)
    }

    /// The entries an update starts from: what the writer sent, if it can be read and says anything, else what is
    /// stored. A subresource never changes entries by sending them, and `[{}]` forgets all of them.
    #[must_use]
    pub fn for_update(live: Option<&Value>, new: &Value, subresource: Option<&str>) -> Self {
        let stored = || live.and_then(|live| Self::of_object(live).ok()).unwrap_or_default();
        if subresource.is_some() {
            return stored();
        }
        let sent = new.pointer("/metadata/managedFields").unwrap_or(&Value::Null);
        match Self::parse(sent) {
            Ok(managers) if !managers.entries.is_empty() || Self::is_reset(sent) => managers,
            _ => stored(),
        }
    }

    /// Whether nobody owns anything on record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&ManagerKey, &Managed)> {
        self.entries.iter()
    }

    /// The value of `metadata.managedFields`, sorted by operation, time, manager, version and subresource.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut entries: Vec<(&ManagerKey, &Managed)> = self.entries.iter().collect();
        entries.sort_by(|(left_key, left), (right_key, right)| {
            let order = |key: &ManagerKey, managed: &Managed| {
                (key.operation, managed.time.map_or(0, Timestamp::as_second))
            };
            order(left_key, left)
                .cmp(&order(right_key, right))
                .then_with(|| left_key.manager.cmp(&right_key.manager))
                .then_with(|| left.api_version.cmp(&right.api_version))
                .then_with(|| left_key.subresource.cmp(&right_key.subresource))
        });
        Value::Array(entries.into_iter().map(|(key, managed)| entry_value(key, managed)).collect())
    }

    /// Writes the entries into an object's metadata, or removes the field when there are none.
    pub fn write_into(&self, object: &mut Value) {
        let Some(metadata) = object.pointer_mut("/metadata").and_then(Value::as_object_mut) else { return };
        if self.entries.is_empty() {
            metadata.remove("managedFields");
        } else {
            metadata.insert("managedFields".to_owned(), self.to_value());
        }
    }

    /// The entries whose fields are named in the group of this API version. The others say nothing about an object of
    /// that group, and kube-apiserver drops them at the first write (measured with events).
    pub(crate) fn of_group(&self, api_version: &str) -> Self {
        let mut kept = self.clone();
        kept.entries.retain(|_, managed| group(&managed.api_version) == group(api_version));
        kept
    }

    /// Removes managers that own nothing.
    pub(crate) fn drop_empty(&mut self) {
        self.entries.retain(|_, managed| !managed.fields.is_empty());
    }
}

/// The group of `group/version`, empty for the core group.
fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

fn parse_entry(value: &Value) -> Result<(ManagerKey, Managed), ManagedFieldsError> {
    let entry = value.as_object().ok_or(ManagedFieldsError::Malformed)?;
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let operation = match text("operation").as_str() {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        other => return Err(ManagedFieldsError::UnknownOperation(other.to_owned())),
    };
    if text("fieldsType") != "FieldsV1" {
        return Err(ManagedFieldsError::UnknownFieldsType(text("fieldsType")));
    }
    let fields = match entry.get("fieldsV1") {
        None | Some(Value::Null) => FieldSet::default(),
        Some(fields) => FieldSet::from_value(fields)?,
    };
    let api_version = text("apiVersion");
    let key = ManagerKey {
        manager: text("manager"),
        operation,
        api_version: if operation == Operation::Apply { String::new() } else { api_version.clone() },
        subresource: text("subresource"),
    };
    Ok((key, Managed { api_version, time: parse_time(entry)?, fields }))
}

fn parse_time(entry: &Map<String, Value>) -> Result<Option<Timestamp>, ManagedFieldsError> {
    let Some(text) = entry.get("time").and_then(Value::as_str) else { return Ok(None) };
    text.parse()
        .map(|time| Some(whole_seconds(time)))
        .map_err(|_| ManagedFieldsError::MalformedTime(text.to_owned()))
}

/// The time without its fraction of a second.
pub(crate) fn whole_seconds(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}

fn entry_value(key: &ManagerKey, managed: &Managed) -> Value {
    let mut entry = Map::new();
    let mut put = |name: &str, text: &str| {
        if !text.is_empty() {
            entry.insert(name.to_owned(), Value::String(text.to_owned()));
        }
    };
    put("apiVersion", &managed.api_version);
    put("fieldsType", "FieldsV1");
    put("manager", &key.manager);
    put("operation", key.operation.name());
    put("subresource", &key.subresource);
    if let Some(time) = managed.time {
        put("time", &time.to_string());
    }
    entry.insert("fieldsV1".to_owned(), managed.fields.to_value());
    Value::Object(entry)
}
