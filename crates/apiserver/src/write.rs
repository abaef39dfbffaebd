//! The one pipeline of every write: options, body, admission, change, ownership, validation, commit.
//!
//! Dry run stops before the commit. A write that changes nothing keeps the revision.

mod body;
mod create;
mod delete;
mod patch;
pub(crate) mod prepare;
pub(crate) mod scale;
mod steady;
#[cfg(test)]
mod tests;
mod update;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::field_error::{FieldError, FieldErrorKind};
use crate::limits::OBJECT_BYTES_MAX;
use crate::metadata;
use crate::metadata::validate as rules;
use crate::ownership;
use crate::registry::Writing;
use crate::request::{FieldValidation, default_manager};
use crate::resource::{BuiltIn, Resource};
use crate::server::{Call, Response, Server};
use crate::status::Failure;
use crate::store::{Opened, Stored, WriteSet};
use crate::strategy;

pub(crate) use delete::{DeleteOptions, FOREGROUND, ORPHAN, Propagation};
pub(crate) use steady::SteadyApplies;

/// The options every write has.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) dry_run: bool,
    pub(crate) validation: FieldValidation,
    pub(crate) manager: String,
}

impl Options {
    fn parse(call: &Call<'_>, kind: &str) -> Result<Self, Failure> {
        let validation = call.query.field_validation(kind)?;
        let dry_run = call.query.dry_run(kind)?;
        let manager = call.query.field_manager(kind)?.map(str::to_owned);
        let manager = manager.unwrap_or_else(|| default_manager(&call.request.headers.user_agent));
        Ok(Self { dry_run, validation, manager })
    }
}

/// An object about to be written.
pub(crate) struct Draft {
    /// The stored state, in the shape of this resource; `None` for a creation.
    pub(crate) old: Option<Opened>,
    /// The wanted state.
    pub(crate) new: Value,
    /// Whether the body named another kind: then it is neither pruned nor defaulted, only refused.
    pub(crate) wrong_kind: bool,
}

/// What a write came to.
pub(crate) enum Written {
    /// Stored, or as it would be stored by a dry run.
    Stored(Arc<Stored>),
    /// Nothing changed.
    Unchanged(Arc<Stored>),
    /// The last finalizer went, and the object with it.
    Removed(Arc<Stored>),
}

impl Server {
    /// Records in the wanted state what the writer takes over. This looks at what was sent, before the server's own
    /// fields and those of other subresources are put back (an object that its schema cannot type owns nothing).
    fn own(&self, call: &Call<'_>, live: Option<&Value>, new: &mut Value, options: &Options) {
        let writer =
            ownership::Writer { manager: &options.manager, subresource: call.subresource(), now: self.now };
        ownership::record(&call.resource, live, new, &writer);
    }

    /// Validation, commit; then the answer.
    pub(crate) fn finish_write(
        &mut self,
        call: &Call<'_>,
        draft: Draft,
        options: &Options,
    ) -> Result<Response, Failure> {
        let created = draft.old.is_none();
        let written = self.store_draft(call, draft, options)?;
        let stored = match &written {
            Written::Stored(stored) | Written::Unchanged(stored) | Written::Removed(stored) => stored,
        };
        let code = if created { 201 } else { 200 };
        Ok(self.present(call, code, stored))
    }

    fn store_draft(
        &mut self,
        call: &Call<'_>,
        mut draft: Draft,
        options: &Options,
    ) -> Result<Written, Failure> {
        let resource = &call.resource;
        if resource.has_status && !draft.wrong_kind {
            // A status that was dropped shows its default again, as every read of the object will.
            resource.schema.fill_status(&mut draft.new);
        }
        validate(call, &draft)?;
        if let Some(old) = &draft.old {
            if same(&old.value, &draft.new) {
                return Ok(Written::Unchanged(old.stored.clone()));
            }
            if metadata::is_deleting(&draft.new)
                && metadata::finalizers(&draft.new).next().is_none()
                && strategy::may_go(resource, &draft.new)
            {
                return self.remove_finalized(call, old, draft.new, options);
            }
        } else {
            self.check_new(call, &draft.new)?;
        }
        let Draft { old, mut new, .. } = draft;
        let writing = self.writing(call, options);
        let beside = self.consult(resource, |strategy, objects| match &old {
            None => strategy.create(&writing, &mut new, objects),
            Some(old) => strategy.update(&writing, (&old.value, &mut new), objects),
        })?;
        let stored = self.put(call, new, beside, options.dry_run)?;
        Ok(Written::Stored(stored))
    }

    fn check_new(&self, call: &Call<'_>, new: &Value) -> Result<(), Failure> {
        if metadata::field(new, "resourceVersion").is_some() {
            return Err(Failure::new(500, "", "resourceVersion should not be set on objects to be created"));
        }
        let name = metadata::name(new);
        let Some(taken) = self.store.head(&call.key(name)) else { return Ok(()) };
        let mut failure = Failure::already_exists(&call.resource, name);
        if taken.is_deleting() {
            failure.message = format!("object is being deleted: {}", failure.message);
        }
        Err(failure)
    }

    fn writing<'a>(&self, call: &'a Call<'_>, options: &Options) -> Writing<'a> {
        Writing {
            plane: &call.plane,
            resource: &call.resource,
            subresource: call.subresource(),
            user: Some(&call.user),
            dry_run: options.dry_run,
            now: self.now,
        }
    }

    fn put(
        &mut self,
        call: &Call<'_>,
        new: Value,
        mut writes: WriteSet,
        dry_run: bool,
    ) -> Result<Arc<Stored>, Failure> {
        let revision =
            if dry_run { metadata::revision(&new).unwrap_or_default() } else { self.store.revision() + 1 };
        let stamp = call.resource.stamp;
        if dry_run {
            let shown = Opened::as_it_is(new, revision, stamp).stored;
            check_size(shown.bytes.len())?;
            return Ok(shown);
        }
        let key = call.key(metadata::name(&new));
        let opened = Opened::new(new, revision, stamp);
        let stored = opened.stored.clone();
        check_size(stored.bytes.len())?;
        writes.put_opened(key, opened);
        self.commit(writes);
        Ok(stored)
    }

    /// The last finalizer is gone: the object goes. The answer shows it without finalizers, under its old revision.
    fn remove_finalized(
        &mut self,
        call: &Call<'_>,
        old: &Opened,
        mut new: Value,
        options: &Options,
    ) -> Result<Written, Failure> {
        let writing = self.writing(call, options);
        let mut writes =
            self.consult(&call.resource, |strategy, objects| strategy.remove(&writing, &old.value, objects))?;
        metadata::set(&mut new, "resourceVersion", metadata::text(&old.value, "resourceVersion"));
        let shown = Opened::as_it_is(new, old.stored.revision, call.resource.stamp).stored;
        if !options.dry_run {
            writes.delete(call.key(metadata::name(&old.value)));
            self.commit(writes);
        }
        Ok(Written::Removed(shown))
    }
}

fn check_size(bytes: usize) -> Result<(), Failure> {
    if bytes > OBJECT_BYTES_MAX {
        return Err(Failure::new(500, "", "etcdserver: request is too large"));
    }
    Ok(())
}

/// Metadata rules, schema and rules of the kind.
fn validate(call: &Call<'_>, draft: &Draft) -> Result<(), Failure> {
    let resource = &call.resource;
    let old = draft.old.as_ref().map(|old| &*old.value);
    let mut errors = Vec::new();
    if draft.wrong_kind {
        errors.extend(wrong_type(resource, &draft.new));
    }
    match old {
        // Measured: metadata of a new object that calls itself another kind is not looked at.
        None if draft.wrong_kind => {}
        None => errors.extend(rules::object(&draft.new, strategy::name_rule(resource), resource.namespaced)),
        Some(old) => errors.extend(rules::update(&draft.new, old, resource.custom)),
    }
    errors.extend(strategy::validate(resource, &draft.new, old));
    let findings = if draft.wrong_kind {
        resource.schema.check_rules(&draft.new, old, &errors)
    } else if call.subresource() == "status" {
        resource.schema.check_status(&draft.new, old, &errors)
    } else {
        resource.schema.check(&draft.new, old, &errors)
    };
    call.warn(findings.warnings.iter().map(ToString::to_string));
    if !resource.custom
        && let Some(wrong) = findings.errors.iter().find(|error| error.kind == FieldErrorKind::TypeInvalid)
    {
        return Err(body::cannot_be_handled(resource, &wrong.to_string()));
    }
    errors.extend(findings.errors);
    if errors.is_empty() {
        return Ok(());
    }
    let text = |field: &str| draft.new.get(field).and_then(Value::as_str).unwrap_or_default();
    // An event is refused by its name in the core group, whichever group was asked (measured).
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
    let group = if resource.built_in == BuiltIn::Event { "" } else { group };
    Err(Failure::invalid(group, text("kind"), metadata::name(&draft.new), &errors))
}

/// An object that calls itself something else than the resource's objects.
fn wrong_type(resource: &Resource, new: &Value) -> Vec<FieldError> {
    let wanted = [("kind", resource.kind.clone()), ("apiVersion", resource.api_version())];
    let found = |field: &str| new.get(field).and_then(Value::as_str).unwrap_or_default();
    wanted
        .iter()
        .filter(|(field, wanted)| found(field) != wanted)
        .map(|(field, wanted)| rules::invalid(field, found(field), &format!("must be {wanted}")))
        .collect()
}

/// Whether nothing but times in managedFields differs; then the revision stays.
fn same(old: &Value, new: &Value) -> bool {
    same_but(&["metadata", "managedFields", "time"], old, new)
}

/// Whether two values are equal but for the field at a path, which leads through the items of lists.
fn same_but(path: &[&str], old: &Value, new: &Value) -> bool {
    match (path, old, new) {
        ([field, rest @ ..], Value::Object(old), Value::Object(new)) => {
            let is_other = |(name, _): &(&String, &Value)| name != field;
            let are_others_equal = old.iter().filter(is_other).eq(new.iter().filter(is_other));
            are_others_equal
                && match (old.get(*field), new.get(*field)) {
                    (Some(old), Some(new)) => rest.is_empty() || same_but(rest, old, new),
                    (None, None) => true,
                    _ => rest.is_empty(),
                }
        }
        (_, Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same_but(path, old, new))
        }
        _ => old == new,
    }
}

/// The present as metadata carries it.
fn time(now: Timestamp) -> Value {
    Value::String(metadata::time_text(now))
}

/// Kinds whose `metadata.generation` is kept.
fn keeps_generation(resource: &Resource) -> bool {
    resource.generation
}
