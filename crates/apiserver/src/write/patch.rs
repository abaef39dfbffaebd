//! The four patch types.

use std::sync::Arc;

use serde_json::Value;

use super::update::merge_kept;
use super::{Draft, Options, body, steady};
use crate::decode::{BodyFormat, decode};
use crate::field_error::FieldError;
use crate::limits::JSON_PATCH_OPERATIONS_MAX;
use crate::media::essence;
use crate::metadata;
use crate::metadata::normalize::normalize;
use crate::metadata::validate::{forbidden, invalid, required};
use crate::ownership;
use crate::patch::{self, PatchError};
use crate::request::{FieldValidation, invalid_options};
use crate::server::{Call, Response, Server};
use crate::shape::shaped;
use crate::status::Failure;
use crate::store::Stored;
use crate::strategy;

/// A patch type, by content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Merge,
    Strategic,
    Apply,
}

const ACCEPTED: &str =
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

const ACCEPTED_BUILT_IN: &str = "application/json-patch+json, application/merge-patch+json, \
    application/strategic-merge-patch+json, application/apply-patch+yaml";

impl Kind {
    fn of(call: &Call<'_>) -> Result<Self, Failure> {
        match essence(&call.request.headers.content_type) {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/apply-patch+yaml" => Ok(Self::Apply),
            "application/strategic-merge-patch+json" if !call.resource.custom => Ok(Self::Strategic),
            _ if call.resource.custom => Err(Failure::unsupported_media_type(ACCEPTED)),
            _ => Err(Failure::unsupported_media_type(ACCEPTED_BUILT_IN)),
        }
    }
}

impl Server {
    pub(crate) fn patch(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let kind = Kind::of(call)?;
        let options = patch_options(call, kind)?;
        let key = call.key(call.name());
        let old = self.store.head(&key).map(|stored| shaped(&call.resource, stored));
        if kind == Kind::Apply {
            return self.apply(call, old, &options);
        }
        let old = old.ok_or_else(|| Failure::not_found(&call.resource, call.name()))?.open();
        let (patched, findings) = patched(call, kind, &old.value)?;
        let mut new = conform(call, patched, &options, findings)?;
        check_identity(call, &mut new, &old.value)?;
        let wrong_kind = body::is_other_type(&call.resource, &new);
        self.own(call, Some(&old.value), &mut new, &options);
        self.admit_write(call, &new)?;
        let new = merge_kept(call, new, &old.value);
        let draft = Draft { old: Some(old), new, wrong_kind };
        self.finish_write(call, draft, &options)
    }

    fn apply(
        &mut self,
        call: &Call<'_>,
        old: Option<Arc<Stored>>,
        options: &Options,
    ) -> Result<Response, Failure> {
        if old.is_none() && !call.subresource().is_empty() {
            return Err(Failure::not_found(&call.resource, call.name()));
        }
        let fingerprint = steady::fingerprint(&call.resource, call.request).filter(|_| !options.dry_run);
        if let (Some(fingerprint), Some(old)) = (&fingerprint, &old)
            && self.steady.holds(fingerprint, old)
        {
            return Ok(self.present(call, 200, old));
        }
        let (applied, duplicates) = apply_body(call)?;
        check_applied_type(call, &applied)?;
        let old = old.map(|old| old.open());
        let live = old.as_ref().map(|old| &*old.value);
        let writer =
            ownership::Writer { manager: &options.manager, subresource: call.subresource(), now: self.now };
        let force = call.query.flag("force");
        let mut new = ownership::apply(&call.resource, live, &applied, &writer, force)?;
        judge(call, duplicates, options)?;
        check_applied_identity(call, &applied, live)?;
        normalize(&mut new).map_err(|wrong| body::cannot_be_handled(&call.resource, &wrong.0))?;
        call.resource.schema.fill_defaults(&mut new);
        strategy::default(&call.resource, &mut new);
        match old {
            None => {
                body::settle_namespace(call, &mut new)?;
                let draft = Draft { old: None, new, wrong_kind: false };
                self.create_object(call, draft, options)
            }
            Some(old) => {
                self.admit_write(call, &new)?;
                let new = merge_kept(call, new, &old.value);
                let draft = Draft { old: Some(old.clone()), new, wrong_kind: false };
                let response = self.finish_write(call, draft, options)?;
                self.learn_steady(call, fingerprint, &old.stored);
                Ok(response)
            }
        }
    }

    fn learn_steady(&mut self, call: &Call<'_>, fingerprint: Option<steady::Fingerprint>, old: &Stored) {
        let unchanged =
            self.store.head(&call.key(call.name())).is_some_and(|stored| stored.revision == old.revision);
        if let Some(fingerprint) = fingerprint
            && unchanged
            && call.warnings.borrow().is_empty()
        {
            self.steady.learn(fingerprint, old);
        }
    }
}

fn patch_options(call: &Call<'_>, kind: Kind) -> Result<Options, Failure> {
    const KIND: &str = "PatchOptions";
    let mut errors: Vec<FieldError> = Vec::new();
    if kind == Kind::Apply {
        if call.query.get("fieldManager").is_empty() {
            errors.push(required("fieldManager", "is required for apply patch"));
        }
    } else if call.query.has("force") && call.query.flag("force") {
        errors.push(forbidden("force", "may not be specified for non-apply patch"));
    }
    errors.extend(call.query.field_validation_error());
    if errors.is_empty() { Options::parse(call, KIND) } else { Err(invalid_options(KIND, &errors)) }
}

/// The object with the patch in it, and the duplicate fields of the patch.
fn patched(call: &Call<'_>, kind: Kind, old: &Value) -> Result<(Value, Vec<String>), Failure> {
    let decoded = decode(&call.request.body, BodyFormat::Json)
        .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
    let findings = decoded.duplicates.iter().map(|path| format!("duplicate field \"{path}\"")).collect();
    let new = match kind {
        Kind::Json => json_patch(old, &decoded.value),
        Kind::Strategic => strategic(call, old, &decoded.value),
        _ => merge_patch(old, &decoded.value),
    };
    let new = new.map_err(|error| refuse(&error))?;
    Ok((new, findings))
}

fn strategic(call: &Call<'_>, old: &Value, document: &Value) -> Result<Value, PatchError> {
    patch::strategic_merge_patch(&call.resource.schema, old, document)
}

fn merge_patch(old: &Value, document: &Value) -> Result<Value, PatchError> {
    patch::check_merge_patch(document)?;
    let mut new = old.clone();
    patch::merge_patch(&mut new, document);
    Ok(new)
}

fn json_patch(old: &Value, operations: &Value) -> Result<Value, PatchError> {
    let count = operations.as_array().map_or(0, Vec::len);
    if count > JSON_PATCH_OPERATIONS_MAX {
        return Err(PatchError::Malformed(format!(
            "The allowed maximum operations in a JSON patch is {JSON_PATCH_OPERATIONS_MAX}, got {count}"
        )));
    }
    patch::json_patch(old, operations)
}

fn refuse(error: &PatchError) -> Failure {
    match error.status() {
        400 => Failure::bad_request(error.to_string()),
        422 => {
            let message = "the server rejected our request due to an error in our request";
            Failure::new(422, "Invalid", message).with_details(serde_json::json!({}))
        }
        code => Failure::new(code, "", error.to_string()),
    }
}

/// The patched object pruned and defaulted. What is wrong with it is a finding about the patch.
fn conform(
    call: &Call<'_>,
    patched: Value,
    options: &Options,
    mut findings: Vec<String>,
) -> Result<Value, Failure> {
    let resource = &call.resource;
    let shown = patched.to_string();
    let mut new = patched;
    let normalized = normalize(&mut new).map_err(|wrong| unfit(&shown, &wrong.0))?;
    let mut unknown = normalized.unknown;
    unknown.extend(resource.schema.prune(&mut new));
    unknown.sort();
    findings.extend(unknown.iter().map(|path| format!("unknown field \"{path}\"")));
    resource.schema.apply_defaults(&mut new);
    strategy::default(resource, &mut new);
    match options.validation {
        FieldValidation::Ignore => {}
        FieldValidation::Strict if !findings.is_empty() => {
            return Err(unfit(&shown, &format!("strict decoding error: {}", findings.join(", "))));
        }
        _ => call.warn(findings),
    }
    Ok(new)
}

/// 422 for a patch whose result is no object of the resource; kube-apiserver names neither kind nor object here.
fn unfit(shown: &str, why: &str) -> Failure {
    Failure::invalid("", "", "", &[invalid("patch", shown, why)])
}

/// Duplicate fields of an applied body, by the writer's wish. (Unknown ones were refused when it was typed.)
fn judge(call: &Call<'_>, duplicates: Vec<String>, options: &Options) -> Result<(), Failure> {
    match options.validation {
        FieldValidation::Ignore => Ok(()),
        FieldValidation::Strict if !duplicates.is_empty() => {
            let why = format!("error strict decoding YAML: {}", duplicates.join(", "));
            Err(Failure::bad_request(why))
        }
        _ => {
            call.warn(duplicates);
            Ok(())
        }
    }
}

/// A patch may name uid, name and resourceVersion, but only those the object has.
fn check_identity(call: &Call<'_>, new: &mut Value, old: &Value) -> Result<(), Failure> {
    let (resource, name) = (&call.resource, call.name());
    if metadata::name(new) != name {
        return Err(Failure::bad_request(format!(
            "the name of the object ({}) does not match the name on the URL ({name})",
            metadata::name(new)
        )));
    }
    if metadata::namespace(new) != metadata::namespace(old) {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let asked = metadata::text(new, "resourceVersion").to_owned();
    if asked.is_empty() {
        metadata::copy(old, new, "resourceVersion");
    } else if asked != metadata::text(old, "resourceVersion") {
        return Err(Failure::modified(resource, name));
    }
    Ok(())
}

fn apply_body(call: &Call<'_>) -> Result<(Value, Vec<String>), Failure> {
    let decoded = decode(&call.request.body, BodyFormat::Yaml)
        .map_err(|error| Failure::bad_request(format!("error decoding YAML: {error}")))?;
    let duplicates = decoded.duplicates.iter().map(|path| format!("duplicate field \"{path}\"")).collect();
    if !decoded.value.is_object() {
        return Err(Failure::bad_request("error decoding YAML: the patch is not an object"));
    }
    Ok((decoded.value, duplicates))
}

fn check_applied_type(call: &Call<'_>, applied: &Value) -> Result<(), Failure> {
    if !body::is_other_type(&call.resource, applied) {
        return Ok(());
    }
    let text = |field: &str| applied.get(field).and_then(Value::as_str).unwrap_or_default();
    let version = text("apiVersion");
    let version = if version.contains('/') { version.to_owned() } else { format!("/{version}") };
    Err(Failure::bad_request(format!("invalid object type: {version}, Kind={}", text("kind"))))
}

/// The applied body names the object of the path, no other revision of it, and no life of it where there is none. That it
/// names another life than the present one is found when the result is validated.
fn check_applied_identity(call: &Call<'_>, applied: &Value, live: Option<&Value>) -> Result<(), Failure> {
    let resource = &call.resource;
    let named = metadata::name(applied);
    if named.is_empty() && live.is_none() {
        let name = call.name();
        let why =
            format!("the name of the object ({name} based on URL) was undeterminable: name must be provided");
        return Err(Failure::bad_request(why));
    }
    let namespace = metadata::namespace(applied);
    if !namespace.is_empty() && Some(namespace) != call.place.namespace.as_deref() {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if !named.is_empty() && named != call.name() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({named}) does not match the name on the URL ({})",
            call.name()
        )));
    }
    let asked = metadata::uid(applied);
    if !asked.is_empty() && live.is_none() {
        let why = format!(
            "uid mismatch: the provided object specified uid {asked}, and no existing object was found"
        );
        return Err(Failure::conflict(resource, call.name(), &why));
    }
    let revision = metadata::text(applied, "resourceVersion");
    if let Some(live) = live
        && !revision.is_empty()
        && revision != metadata::text(live, "resourceVersion")
    {
        return Err(Failure::modified(resource, call.name()));
    }
    Ok(())
}
