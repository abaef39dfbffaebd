//! From body bytes to an object of the resource.

use serde_json::Value;

use super::Options;
use crate::decode::{BodyFormat, Decoded, decode};
use crate::metadata;
use crate::metadata::normalize::normalize;
use crate::request::FieldValidation;
use crate::resource::Resource;
use crate::server::Call;
use crate::shape::retype;
use crate::status::Failure;
use crate::strategy;

const SHOWN_MAX: usize = 1024;

/// The object of a create or update body, with its type checked and its namespace settled.
pub(super) fn read(call: &Call<'_>) -> Result<(Decoded, bool), Failure> {
    let resource = &call.resource;
    let format = BodyFormat::of_object(&call.request.headers.content_type, resource.custom)?;
    let body = &call.request.body;
    let mut decoded = decode(body, format).map_err(|error| {
        unrecognized(resource, &format!("couldn't get version/kind; json parse error: {error}"), body)
    })?;
    if !decoded.value.is_object() {
        return Err(unrecognized(resource, "couldn't get version/kind; json parse error", body));
    }
    let wrong_kind = check_type(resource, &mut decoded.value, body)?;
    Ok((decoded, wrong_kind))
}

fn unrecognized(resource: &Resource, why: &str, body: &[u8]) -> Failure {
    let shown = shown(body);
    let message =
        format!("the object provided is unrecognized (must be of type {}): {why} ({shown})", resource.kind);
    Failure::bad_request(message)
}

fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let mut short: String = text.chars().take(SHOWN_MAX).collect();
    if short.len() < text.len() {
        short.push_str(" [truncated]");
    }
    short
}

/// Checks `apiVersion` and `kind`. Answers whether the kind is another than the resource's.
fn check_type(resource: &Resource, value: &mut Value, body: &[u8]) -> Result<bool, Failure> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (kind, version) = (text("kind"), text("apiVersion"));
    if resource.custom {
        for (field, found) in [("Kind", &kind), ("apiVersion", &version)] {
            if found.is_empty() {
                let why = format!("Object '{field}' is missing in '{}'", shown(body));
                return Err(unrecognized(resource, &why, body));
            }
        }
    }
    let expected = resource.api_version();
    if !version.is_empty() && version != expected {
        return Err(Failure::bad_request(format!(
            "the API version in the data ({version}) does not match the expected API version ({expected})"
        )));
    }
    if !kind.is_empty() && kind != resource.kind {
        if resource.custom {
            return Ok(true);
        }
        let message = format!(
            "{kind} in version \"{}\" cannot be handled as a {}: converting (v1.{kind}) to (core.{}): unknown \
             conversion",
            resource.version, resource.kind, resource.kind
        );
        return Err(Failure::bad_request(message));
    }
    retype(resource, value);
    Ok(false)
}

/// Whether an object calls itself something else than the resource's objects are called.
pub(super) fn is_other_type(resource: &Resource, value: &Value) -> bool {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    text("kind") != resource.kind || text("apiVersion") != resource.api_version()
}

/// Drops what nobody knows, by the writer's wish silently, with warnings, or not at all, and sets defaults.
pub(super) fn conform(call: &Call<'_>, decoded: Decoded, options: &Options) -> Result<Value, Failure> {
    let resource = &call.resource;
    let Decoded { mut value, duplicates } = decoded;
    let normalized = normalize(&mut value).map_err(|wrong| cannot_be_handled(resource, &wrong.0))?;
    let mut unknown = normalized.unknown;
    unknown.extend(resource.schema.prune(&mut value));
    unknown.sort();
    let mut findings: Vec<String> =
        duplicates.iter().map(|path| format!("duplicate field \"{path}\"")).collect();
    findings.extend(unknown.iter().map(|path| format!("unknown field \"{path}\"")));
    match options.validation {
        FieldValidation::Ignore => {}
        FieldValidation::Strict if !findings.is_empty() => {
            let why = format!("strict decoding error: {}", findings.join(", "));
            return Err(cannot_be_handled(resource, &why));
        }
        _ => call.warn(findings),
    }
    resource.schema.apply_defaults(&mut value);
    strategy::default(resource, &mut value);
    Ok(value)
}

/// 400 for a body that is no such object.
pub(super) fn cannot_be_handled(resource: &Resource, why: &str) -> Failure {
    let (kind, version) = (&resource.kind, &resource.version);
    Failure::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"))
}

/// Gives the object the namespace of the path.
pub(super) fn settle_namespace(call: &Call<'_>, value: &mut Value) -> Result<(), Failure> {
    let asked = call.place.namespace.as_deref().unwrap_or_default();
    let found = metadata::namespace(value);
    if !found.is_empty() && found != asked {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if asked.is_empty() {
        metadata::unset(value, "namespace");
    } else {
        metadata::set(value, "namespace", asked);
    }
    Ok(())
}
