//! Replace, status writes, and a namespace's finalize.

use serde_json::Value;

use super::{Draft, Options, body, prepare};
use crate::field_error::{FieldError, FieldErrorKind};
use crate::metadata;
use crate::server::{Call, Response, Server};
use crate::shape::opened;
use crate::status::Failure;
use crate::strategy;

impl Server {
    pub(crate) fn update(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let options = Options::parse(call, "UpdateOptions")?;
        let (decoded, wrong_kind) = body::read(call)?;
        let mut new = if wrong_kind { decoded.value } else { body::conform(call, decoded, &options)? };
        body::settle_namespace(call, &mut new)?;
        check_name(call, &mut new)?;
        let stored = self.store.head(&call.key(call.name()));
        let old = stored.map(|stored| opened(&call.resource, stored));
        let old = old.ok_or_else(|| Failure::not_found(&call.resource, call.name()))?;
        check_versions(call, &mut new, &old.value)?;
        self.own(call, Some(&old.value), &mut new, &options);
        self.admit_write(call, &new)?;
        let new = merge_kept(call, new, &old.value);
        let draft = Draft { old: Some(old), new, wrong_kind };
        self.finish_write(call, draft, &options)
    }

    /// Replaces `spec.finalizers` of a namespace; with the last one it may go.
    pub(crate) fn finalize(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let options = Options::parse(call, "UpdateOptions")?;
        let (decoded, _) = body::read(call)?;
        let mut new = body::conform(call, decoded, &options)?;
        check_name(call, &mut new)?;
        let stored = self.store.head(&call.key(call.name()));
        let old = stored.map(|stored| opened(&call.resource, stored));
        let old = old.ok_or_else(|| Failure::not_found(&call.resource, call.name()))?;
        check_versions(call, &mut new, &old.value)?;
        let mut kept = Value::clone(&old.value);
        prepare::set(&mut kept, "spec", new.get("spec").cloned().unwrap_or_default());
        self.own(call, Some(&old.value), &mut kept, &options);
        let draft = Draft { old: Some(old), new: kept, wrong_kind: false };
        self.finish_write(call, draft, &options)
    }
}

/// What an update through this (sub)resource may change, over what is stored.
pub(super) fn merge_kept(call: &Call<'_>, mut new: Value, old: &Value) -> Value {
    if call.subresource() == "status" {
        return prepare::keep_all_but_status(&new, old);
    }
    prepare::keep_system_fields(&call.resource, &mut new, old);
    strategy::prepare(&call.resource, &mut new, Some(old));
    prepare::count_generation(&call.resource, &mut new, old);
    new
}

/// The body's name must be the path's; an absent one is taken from the path.
fn check_name(call: &Call<'_>, new: &mut Value) -> Result<(), Failure> {
    let found = metadata::name(new);
    if found.is_empty() {
        metadata::set(new, "name", call.name());
    } else if found != call.name() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({})",
            call.name()
        )));
    }
    Ok(())
}

/// Uid and resourceVersion of the body against the stored object.
fn check_versions(call: &Call<'_>, new: &mut Value, old: &Value) -> Result<(), Failure> {
    let (resource, name) = (&call.resource, call.name());
    let (asked, found) = (metadata::uid(new), metadata::uid(old));
    if !asked.is_empty() && asked != found {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition \
             failed: UID in precondition: {asked}, UID in object meta: {found}",
            registry_key(call)
        );
        return Err(Failure::conflict(resource, name, &why));
    }
    match metadata::text(new, "resourceVersion") {
        "" | "0" if strategy::unconditional_update(resource) => metadata::copy(old, new, "resourceVersion"),
        "" | "0" => {
            let error = FieldError {
                kind: FieldErrorKind::Invalid,
                field: "metadata.resourceVersion".to_owned(),
                message: "Invalid value: 0: must be specified for an update".to_owned(),
            };
            return Err(Failure::invalid(&resource.group, &resource.plural, name, &[error]));
        }
        text => check_revision(call, text, old)?,
    }
    Ok(())
}

fn check_revision(call: &Call<'_>, text: &str, old: &Value) -> Result<(), Failure> {
    if text.parse::<u64>().is_err() {
        let message = format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
        return Err(Failure::new(500, "", message));
    }
    if text != metadata::text(old, "resourceVersion") {
        return Err(Failure::modified(&call.resource, call.name()));
    }
    Ok(())
}

/// How kube-apiserver names the stored object in this message.
fn registry_key(call: &Call<'_>) -> String {
    let resource = &call.resource;
    let namespace =
        call.place.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let has_group = resource.custom || resource.group == "apiextensions.k8s.io";
    let group = if has_group { format!("{}/", resource.group) } else { String::new() };
    format!("/registry/{group}{}/{namespace}{}", resource.plural, call.name())
}
