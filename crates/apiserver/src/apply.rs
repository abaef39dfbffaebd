//! Server-side apply, and the ownership that any other write takes.
//!
//! Applying merges a manager's whole intent into the object. What the manager applied last time and leaves out now
//! goes, unless somebody else owns it; changing what another manager owns is a conflict unless forced; agreeing with
//! another manager makes both owners. The merge and the ownership follow structured-merge-diff as kube-apiserver 1.36
//! uses it, over the compiled schema.

use jiff::Timestamp;
use serde_json::Value;
use thiserror::Error;

use crate::field_set::FieldSet;
use crate::managed_fields::{Managed, ManagedFields, ManagerKey, Operation, whole_seconds};
use crate::schema::CompiledSchema;

mod compare;
mod conflict;
mod merge;
mod ownership;
mod remove;
mod shape;
mod typecheck;

#[cfg(test)]
mod tests;

pub use conflict::Conflict;
use ownership::{Changes, take_over};
use shape::Shape;

/// Who writes, through what, and when.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// The subresource the request is for, `None` for the resource itself.
    pub subresource: Option<&'a str>,
    /// The API version of the request, such as `networking.datumapis.com/v1alpha`.
    pub api_version: &'a str,
    /// The time that changed entries get, cut to whole seconds.
    pub now: Timestamp,
}

impl Writer<'_> {
    fn key(&self, operation: Operation) -> ManagerKey {
        ManagerKey {
            manager: self.manager.to_owned(),
            operation,
            api_version: if operation == Operation::Apply {
                String::new()
            } else {
                self.api_version.to_owned()
            },
            subresource: self.subresource.unwrap_or_default().to_owned(),
        }
    }
}

/// Why a configuration could not be applied.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ApplyError {
    /// Others own what would change; answered with 409 and a cause for each field.
    #[error("{}", conflict::summary(.0))]
    Conflicts(Vec<Conflict>),
    /// The request itself is wrong; answered with 400.
    #[error("{0}")]
    BadRequest(String),
    /// A value does not have the shape that the schema declares; answered with 500, as kube-apiserver does.
    #[error("{0}")]
    Untypable(String),
}

/// The manager that is made owner of everything when the first apply meets an object without any entry.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Applies `applied` to `live` (absent when the object is created). Neither value's `managedFields` are looked at:
/// `managers` holds the stored entries. Answers the merged object without `managedFields`, and the new entries.
///
/// # Errors
/// Conflicts unless `force`, and configurations or stored objects that the schema cannot type.
pub fn apply(
    schema: &CompiledSchema,
    state: (Option<&Value>, &ManagedFields),
    applied: &Value,
    writer: Writer<'_>,
    force: bool,
) -> Result<(Value, ManagedFields), ApplyError> {
    let (live, managers) = state;
    check_request(applied, &writer)?;
    let live = without_managed_fields(live.unwrap_or(&Value::Null), applied);
    let shape = Shape::root(schema);
    let ignored = ownership::ignored(schema, writer.subresource);
    let managers = if managers.is_empty() {
        owners_before_first_apply((shape, ignored), &live, managers, &writer)?
    } else {
        managers.of_group(writer.api_version)
    };
    typecheck::check(shape, applied, false).map_err(|errors| {
        ApplyError::Untypable(format!(
            "failed to create typed patch object ({}): {errors}",
            describe(applied)
        ))
    })?;
    typecheck::check(shape, &live, true).map_err(|errors| {
        ApplyError::Untypable(format!("failed to create typed live object ({}): {errors}", describe(&live)))
    })?;
    merge_intent((shape, ignored), (&live, applied), managers, &writer, force)
}

fn merge_intent(
    (shape, ignored): (Shape<'_>, &FieldSet),
    (live, applied): (&Value, &Value),
    mut managers: ManagedFields,
    writer: &Writer<'_>,
    force: bool,
) -> Result<(Value, ManagedFields), ApplyError> {
    let key = writer.key(Operation::Apply);
    let merged = merge::merge(shape, live, applied);
    let sent = ownership::all_fields(shape, applied);
    let intent = sent.difference(ownership::never_owned()).outside(ignored);
    let last = managers.entries.get(&key).map(|managed| managed.fields.clone());
    let time = managers.entries.get(&key).and_then(|managed| managed.time);
    let entry = Managed { api_version: writer.api_version.to_owned(), time, fields: intent };
    managers.entries.insert(key.clone(), entry);
    let object = match &last {
        Some(last) => remove::drop_left_out(shape, merged, (last, &sent), &managers),
        None => merged,
    };
    let changes = Changes::between(shape, live, &object).outside(ignored);
    let conflicts = take_over(&mut managers, &changes, Some(&key));
    if !force && !conflicts.is_empty() {
        return Err(ApplyError::Conflicts(conflict::list(&conflicts)));
    }
    if object != *live
        && let Some(entry) = managers.entries.get_mut(&key)
    {
        entry.time = Some(whole_seconds(writer.now));
    }
    Ok((object, managers))
}

/// The ownership after an update (create, replace, any patch but apply): changed and added fields become the
/// writer's, removed fields nobody's. An object that had no entries before gets none, and when the object does not
/// have the shape of its schema all entries are dropped, as kube-apiserver does.
#[must_use]
pub fn record_update(
    schema: &CompiledSchema,
    live: Option<&Value>,
    new: &Value,
    managers: &ManagedFields,
    writer: Writer<'_>,
) -> ManagedFields {
    if live.is_some() && managers.is_empty() {
        return ManagedFields::default();
    }
    let shape = Shape::root(schema);
    let live = live.unwrap_or(schema.empty());
    if typecheck::check(shape, new, true).is_err() || typecheck::check(shape, live, true).is_err() {
        return ManagedFields::default();
    }
    let ignored = ownership::ignored(schema, writer.subresource);
    update((shape, ignored), (live, new), managers.of_group(writer.api_version), &writer)
}

fn update(
    (shape, ignored): (Shape<'_>, &FieldSet),
    (live, new): (&Value, &Value),
    mut managers: ManagedFields,
    writer: &Writer<'_>,
) -> ManagedFields {
    let changes = Changes::between(shape, live, new).outside(ignored);
    take_over(&mut managers, &changes, None);
    let taken = changes.changed();
    if !taken.is_empty() {
        let entry = managers.entries.entry(writer.key(Operation::Update)).or_insert_with(|| Managed {
            api_version: writer.api_version.to_owned(),
            time: None,
            fields: FieldSet::default(),
        });
        entry.fields = entry.fields.union(&taken);
        entry.time = Some(whole_seconds(writer.now));
    }
    ownership::cap_updaters(&mut managers);
    managers
}

fn owners_before_first_apply(
    (shape, ignored): (Shape<'_>, &FieldSet),
    live: &Value,
    managers: &ManagedFields,
    writer: &Writer<'_>,
) -> Result<ManagedFields, ApplyError> {
    typecheck::check(shape, live, true).map_err(|errors| {
        let object = describe(live);
        ApplyError::Untypable(format!(
            "failed to create manager for existing fields: failed to convert new object ({object}) to smd typed: {errors}"
        ))
    })?;
    let before = Writer { manager: BEFORE_FIRST_APPLY, ..*writer };
    Ok(update((shape, ignored), (&Value::Null, live), managers.clone(), &before))
}

fn check_request(applied: &Value, writer: &Writer<'_>) -> Result<(), ApplyError> {
    if applied.pointer("/metadata/managedFields").is_some_and(|value| !value.is_null()) {
        return Err(ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()));
    }
    let version = applied.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if version != writer.api_version {
        return Err(ApplyError::BadRequest(format!(
            "Incorrect version specified in apply patch. Specified patch version: {version}, expected: {}",
            writer.api_version
        )));
    }
    Ok(())
}

/// The stored object as the merge sees it; a new one has nothing but its kind.
fn without_managed_fields(live: &Value, applied: &Value) -> Value {
    let mut object = live.clone();
    if object.is_null() {
        let type_fields = ["apiVersion", "kind"].into_iter();
        let named = type_fields.filter_map(|name| Some((name.to_owned(), applied.get(name)?.clone())));
        return Value::Object(named.collect());
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}

/// `namespace/name; group/version, Kind=Kind`
fn describe(object: &Value) -> String {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    let (version, kind) = (text("/apiVersion"), text("/kind"));
    let version = if version.contains('/') { version } else { format!("/{version}") };
    format!("{namespace}/{name}; {version}, Kind={kind}")
}
