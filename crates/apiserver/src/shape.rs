//! A stored object in the shape of one version of its resource.

use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::resource::{BuiltIn, Resource};
use crate::store::{Opened, Stored};
use crate::strategy::event;

/// The object as this resource shows it: as stored when this very resource wrote it, else pruned and defaulted anew
/// (the schema changed since, or it was written in another version).
pub(crate) fn shaped(resource: &Resource, stored: &Arc<Stored>) -> Arc<Stored> {
    if stored.stamp == resource.stamp { stored.clone() } else { reshaped(resource, stored).stored }
}

/// The object as this resource shows it, with its parsed form.
pub(crate) fn opened(resource: &Resource, stored: &Arc<Stored>) -> Opened {
    if stored.stamp == resource.stamp { stored.open() } else { reshaped(resource, stored) }
}

fn reshaped(resource: &Resource, stored: &Stored) -> Opened {
    let mut value = Value::clone(&stored.value());
    if resource.built_in == BuiltIn::Event {
        event::convert(resource, &mut value);
    }
    retype(resource, &mut value);
    resource.schema.prune(&mut value);
    resource.schema.apply_defaults(&mut value);
    Opened::new(value, stored.revision, resource.stamp)
}

/// Gives an object the resource's `apiVersion` and `kind`.
pub(crate) fn retype(resource: &Resource, value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.insert("apiVersion".to_owned(), Value::String(resource.api_version()));
        fields.insert("kind".to_owned(), Value::String(resource.kind.clone()));
    }
}

/// The stamp of a resource: the same for the same names and schema, also in another process.
pub(crate) fn stamp(api_version: &str, kind: &str, schema: &Value) -> u64 {
    let digest = Sha256::digest(format!("{api_version}\n{kind}\n{schema}"));
    digest.iter().take(8).fold(0, |stamp, byte| (stamp << 8) | u64::from(*byte)).max(1)
}
