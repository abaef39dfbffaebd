//! The scale subresource: three fields of an object as an `autoscaling/v1 Scale`.

use serde_json::{Map, Value, json};

use super::{Draft, Options, body, prepare};
use crate::decode::{BodyFormat, decode};
use crate::metadata;
use crate::resource::value_at;
use crate::server::{Call, Response, Server};
use crate::shape::opened;
use crate::status::Failure;

/// The scale of an object.
pub(crate) fn show(call: &Call<'_>, object: &Value) -> Result<Response, Failure> {
    let paths = call.resource.scale.as_ref().ok_or_else(Failure::no_such_resource)?;
    let count = |path: &str| value_at(object, path).and_then(Value::as_i64).unwrap_or_default();
    let mut status = Map::new();
    status.insert("replicas".to_owned(), json!(count(&paths.status_replicas)));
    let selector =
        paths.label_selector.as_deref().and_then(|path| value_at(object, path)).and_then(Value::as_str);
    if let Some(selector) = selector {
        status.insert("selector".to_owned(), json!(selector));
    }
    let mut shown = Map::new();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = metadata::field(object, field) {
            shown.insert(field.to_owned(), value.clone());
        }
    }
    let scale = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": shown,
        "spec": {"replicas": count(&paths.spec_replicas)}, "status": status});
    Ok(crate::read::encoded(call.accepted, 200, &scale))
}

impl Server {
    pub(crate) fn scale(&mut self, call: &Call<'_>, verb: &str) -> Result<Response, Failure> {
        let paths = call.resource.scale.clone().ok_or_else(Failure::no_such_resource)?;
        let options = Options::parse(call, if verb == "patch" { "PatchOptions" } else { "UpdateOptions" })?;
        let stored = self.store.head(&call.key(call.name()));
        let old = stored.map(|stored| opened(&call.resource, stored));
        let old = old.ok_or_else(|| Failure::not_found(&call.resource, call.name()))?;
        let decoded = decode(&call.request.body, BodyFormat::Json).map_err(Failure::bad_request)?;
        let asked =
            decoded.value.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
        if !asked.is_empty() && asked != metadata::text(&old.value, "resourceVersion") {
            return Err(Failure::modified(&call.resource, call.name()));
        }
        let Some(replicas) = decoded.value.pointer("/spec/replicas").and_then(Value::as_i64) else {
            return Err(body::cannot_be_handled(
                &call.resource,
                "spec.replicas of the Scale must be a whole number",
            ));
        };
        let mut new = Value::clone(&old.value);
        set_at(&mut new, &paths.spec_replicas, json!(replicas));
        prepare::count_generation(&call.resource, &mut new, &old.value);
        self.own(call, Some(&old.value), &mut new, &options);
        let draft = Draft { old: Some(old), new, wrong_kind: false };
        let answer = self.finish_write(call, draft, &options)?;
        let key = call.key(call.name());
        match self.store.head(&key) {
            Some(stored) => show(call, &stored.value()),
            None => Ok(answer),
        }
    }
}

fn set_at(object: &mut Value, path: &str, value: Value) {
    let mut at = object;
    for segment in path.trim_start_matches('.').split('.') {
        if !at.is_object() {
            *at = json!({});
        }
        let Some(fields) = at.as_object_mut() else { return };
        at = fields.entry(segment).or_insert(Value::Null);
    }
    *at = value;
}
