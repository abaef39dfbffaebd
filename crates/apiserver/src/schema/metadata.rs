//! The schema of `metadata`, which no resource declares and every resource has.

use std::sync::LazyLock;

use serde_json::json;

use super::node::Node;
use super::parse;

/// Object metadata: labels and annotations are merged by key, finalizers are a set, owners a map by uid.
pub(crate) static METADATA: LazyLock<Node> = LazyLock::new(|| {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "object", "additionalProperties": text });
    let time = json!({ "type": "string", "format": "date-time" });
    let owner = json!({ "type": "object", "x-kubernetes-map-type": "atomic", "properties": {
        "apiVersion": text, "kind": text, "name": text, "uid": text,
        "controller": { "type": "boolean" }, "blockOwnerDeletion": { "type": "boolean" } } });
    let manager = json!({ "type": "object", "properties": {
        "manager": text, "operation": text, "apiVersion": text, "subresource": text, "time": time, "fieldsType": text,
        "fieldsV1": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } });
    let document = json!({ "type": "object", "properties": {
        "name": text, "generateName": text, "namespace": text, "selfLink": text, "uid": text, "resourceVersion": text,
        "generation": { "type": "integer", "format": "int64" },
        "creationTimestamp": time, "deletionTimestamp": time,
        "deletionGracePeriodSeconds": { "type": "integer", "format": "int64" },
        "labels": texts, "annotations": texts,
        "ownerReferences": { "type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["uid"], "items": owner },
        "finalizers": { "type": "array", "x-kubernetes-list-type": "set", "items": text },
        "managedFields": { "type": "array", "x-kubernetes-list-type": "atomic", "items": manager } } });
    parse::trusted(&document)
});
