//! Delete and deletecollection: preconditions, finalizers, propagation.

use std::sync::Arc;

use serde_json::{Value, json};

use super::prepare;
use crate::decode::{BodyFormat, decode};
use crate::identity::User;
use crate::metadata;
use crate::metadata::validate::not_supported;
use crate::registry::Writing;
use crate::request::invalid_options;
use crate::resource::{BuiltIn, Resource};
use crate::server::{Call, Response, Server};
use crate::shape::{opened, shaped};
use crate::status::{Failure, deleted};
use crate::store::{Key, Opened, Stored, WriteSet};
use crate::strategy;

/// The finalizer that keeps an owner until its dependents are gone.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer that keeps an owner until its dependents have forgotten it.
pub(crate) const ORPHAN: &str = "orphan";

/// What becomes of dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// Collected after the owner.
    Background,
    /// Collected before the owner.
    Foreground,
    /// Kept.
    Orphan,
}

/// How an object is to be deleted.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) dry_run: bool,
    /// `orphanDependents: false` was given: pending deletions are answered with 202.
    pub(crate) accepted_code: bool,
}

/// What a deletion came to.
pub(crate) enum Deleted {
    /// The object is gone.
    Gone(Arc<Stored>),
    /// Finalizers hold it; this is its new state.
    Pending(Arc<Stored>),
}

impl DeleteOptions {
    fn parse(call: &Call<'_>) -> Result<Self, Failure> {
        let body = &call.request.body;
        let options = if body.iter().all(u8::is_ascii_whitespace) {
            Value::Null
        } else {
            let format = BodyFormat::of_object(&call.request.headers.content_type, false)?;
            decode(body, format).map_err(Failure::bad_request)?.value
        };
        if let Some(kind) = options.get("kind").and_then(Value::as_str)
            && kind != "DeleteOptions"
        {
            return Err(Failure::bad_request(format!(
                "decoded object cannot be converted to DeleteOptions: {kind}"
            )));
        }
        let text = |pointer: &str| options.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        // kube-apiserver looks at the query only when there is no body (measured: a body makes it forget `dryRun`).
        let query = |name: &str| options.is_null() && call.query.has(name);
        let from_query = |name: &str| query(name).then(|| call.query.get(name).to_owned());
        let policy = text("/propagationPolicy").or_else(|| from_query("propagationPolicy"));
        let orphan = options
            .get("orphanDependents")
            .and_then(Value::as_bool)
            .or_else(|| query("orphanDependents").then(|| call.query.flag("orphanDependents")));
        let in_body =
            options.get("dryRun").and_then(Value::as_array).is_some_and(|values| !values.is_empty());
        Ok(Self {
            uid: text("/preconditions/uid"),
            resource_version: text("/preconditions/resourceVersion"),
            propagation: propagation(policy.as_deref(), orphan)?,
            dry_run: in_body || (query("dryRun") && call.query.dry_run("DeleteOptions")?),
            accepted_code: orphan == Some(false),
        })
    }
}

fn propagation(policy: Option<&str>, orphan: Option<bool>) -> Result<Option<Propagation>, Failure> {
    const FIELD: &str = "propagationPolicy";
    if policy.is_some() && orphan.is_some() {
        let why = "orphanDependents and deletionPropagation cannot be both set";
        let error = crate::metadata::validate::invalid(FIELD, policy.unwrap_or_default(), why);
        return Err(invalid_options("DeleteOptions", &[error]));
    }
    match (policy, orphan) {
        (Some("Background"), _) | (None, Some(false)) => Ok(Some(Propagation::Background)),
        (Some("Foreground"), _) => Ok(Some(Propagation::Foreground)),
        (Some("Orphan"), _) | (None, Some(true)) => Ok(Some(Propagation::Orphan)),
        (None, None) => Ok(None),
        (Some(other), _) => {
            let error = not_supported(FIELD, other, &["Foreground", "Background", "Orphan", "nil"]);
            Err(invalid_options("DeleteOptions", &[error]))
        }
    }
}

impl Server {
    pub(crate) fn delete(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let options = DeleteOptions::parse(call)?;
        let key = call.key(call.name());
        match self.delete_object(&call.resource, &key, &options, Some(&call.user))? {
            Deleted::Gone(last) if answers_object(&call.resource) => Ok(self.present(call, 200, &last)),
            Deleted::Gone(last) => {
                let status = deleted(&call.resource, call.name(), last.uid());
                Ok(crate::read::encoded(call.accepted, 200, &status))
            }
            Deleted::Pending(stored) => {
                let code = if options.accepted_code { 202 } else { 200 };
                Ok(self.present(call, code, &stored))
            }
        }
    }

    pub(crate) fn delete_collection(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let options = DeleteOptions::parse(call)?;
        let selector = call.selector()?;
        let prefix = call.prefix();
        let selected: Vec<(Key, Arc<Stored>)> = self
            .store
            .head_under(&prefix)
            .map(|(key, stored)| (key.clone(), shaped(&call.resource, stored)))
            .filter(|(_, stored)| selector.is_empty() || selector.matches(&stored.value()))
            .collect();
        let revision = self.store.revision();
        let mut items = Vec::new();
        for (key, stored) in selected {
            match self.delete_object(&call.resource, &key, &options, Some(&call.user)) {
                // What was found is shown, not what became of it (measured).
                Ok(_) => items.push(stored.value()),
                Err(failure) if failure.code == 404 => {}
                Err(failure) => return Err(failure),
            }
        }
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if call.resource.custom
            && let Some(fields) = metadata.as_object_mut()
        {
            fields.insert("continue".to_owned(), json!(""));
        }
        let list = json!({"kind": call.resource.list_kind, "apiVersion": call.resource.api_version(),
            "metadata": metadata, "items": items});
        Ok(crate::read::encoded(call.accepted, 200, &list))
    }

    /// Deletes one object, or marks it for those who still hold it. Requests and the inside clients share this.
    pub(crate) fn delete_object(
        &mut self,
        resource: &Resource,
        key: &Key,
        options: &DeleteOptions,
        user: Option<&User>,
    ) -> Result<Deleted, Failure> {
        let stored = self.store.head(key).ok_or_else(|| Failure::not_found(resource, key.name()))?;
        let old = opened(resource, stored);
        check_preconditions(resource, &old.value, options)?;
        strategy::may_delete(resource, &old.value)?;
        let mut new = Value::clone(&old.value);
        metadata::set_finalizers(&mut new, finalizers_after(resource, &old.value, options.propagation));
        let held =
            metadata::finalizers(&new).next().is_some() || strategy::holds(resource, &mut new, key.name());
        let writing = Writing { user, dry_run: options.dry_run, ..Writing::inside(resource, key, self.now) };
        let begins = !old.stored.is_deleting();
        let mut writes = self.consult(resource, |strategy, objects| {
            if begins {
                strategy.delete(&writing, &old.value, objects)?;
            }
            if held { Ok(()) } else { strategy.remove(&writing, &old.value, objects) }
        })?;
        if !held {
            writes.delete(key.clone());
            self.commit_unless(options.dry_run, writes);
            return Ok(Deleted::Gone(old.stored));
        }
        if old.stored.is_deleting() {
            if new == *old.value {
                return Ok(Deleted::Pending(old.stored));
            }
        } else {
            prepare::mark_deleting(resource, &mut new, super::time(self.now));
            strategy::mark_deleting(resource, &mut new, self.now);
        }
        Ok(Deleted::Pending(self.put_pending(resource, (key, new), writes, options.dry_run)))
    }

    fn commit_unless(&mut self, dry_run: bool, writes: WriteSet) {
        if !dry_run {
            self.commit(writes);
        }
    }

    fn put_pending(
        &mut self,
        resource: &Resource,
        (key, new): (&Key, Value),
        mut writes: WriteSet,
        dry_run: bool,
    ) -> Arc<Stored> {
        if dry_run {
            let revision = metadata::revision(&new).unwrap_or_default();
            return Opened::new(new, revision, resource.stamp).stored;
        }
        let opened = Opened::new(new, self.store.revision() + 1, resource.stamp);
        let stored = opened.stored.clone();
        writes.put_opened(key.clone(), opened);
        self.commit(writes);
        stored
    }
}

/// Kinds whose deletion is answered with the object and not with a Status.
fn answers_object(resource: &Resource) -> bool {
    resource.storage.as_ref() == "/pods" || resource.storage.as_ref() == "/serviceaccounts"
}

fn check_preconditions(resource: &Resource, old: &Value, options: &DeleteOptions) -> Result<(), Failure> {
    let name = metadata::name(old);
    if let Some(asked) = &options.uid
        && asked != metadata::uid(old)
    {
        let found = metadata::uid(old);
        let why = format!(
            "the UID in the precondition ({asked}) does not match the UID in record ({found}). The object might have \
             been deleted and then recreated"
        );
        return Err(Failure::precondition(resource, name, &why));
    }
    if let Some(asked) = &options.resource_version
        && asked != metadata::text(old, "resourceVersion")
    {
        let found = metadata::text(old, "resourceVersion");
        let why = format!(
            "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record ({found}). \
             The object might have been modified"
        );
        return Err(Failure::precondition(resource, name, &why));
    }
    Ok(())
}

/// The finalizers with those of the garbage collector set as the propagation asks.
fn finalizers_after(resource: &Resource, old: &Value, propagation: Option<Propagation>) -> Vec<String> {
    let mut finalizers: Vec<String> = metadata::finalizers(old).map(str::to_owned).collect();
    let Some(propagation) = propagation else { return finalizers };
    finalizers.retain(|name| name != FOREGROUND && name != ORPHAN);
    // Events and namespaces own nothing that is collected.
    if resource.built_in == BuiltIn::Event {
        return finalizers;
    }
    match propagation {
        Propagation::Background => {}
        Propagation::Foreground => finalizers.push(FOREGROUND.to_owned()),
        Propagation::Orphan => finalizers.push(ORPHAN.to_owned()),
    }
    finalizers
}
