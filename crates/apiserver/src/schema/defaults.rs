//! Defaulting in the order of kube-apiserver: nulls that may not stay go first, then defaults fill what is missing.

use serde_json::Value;

use super::node::Node;

/// Removes nulls from the metadata, where they never mean anything.
pub(crate) fn drop_metadata_nulls(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|_, value| !value.is_null());
    }
}

/// Removes nulls of fields that are neither nullable nor defaulted, at every level.
pub(crate) fn drop_nulls(value: &mut Value, node: &Node) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, entry| {
                !node
                    .child(name)
                    .is_some_and(|child| is_forbidden_null(entry, child) && child.default.is_none())
            });
            for (name, entry) in fields {
                if let Some(child) = node.child(name) {
                    drop_nulls(entry, child);
                }
            }
        }
        Value::Array(items) => {
            if let Some(child) = &node.items {
                for item in items {
                    drop_nulls(item, child);
                }
            }
        }
        _ => {}
    }
}

fn is_forbidden_null(value: &Value, node: &Node) -> bool {
    value.is_null() && !node.nullable
}

/// Sets defaults where a field is missing or null although it may not be, at every level.
pub(crate) fn fill(value: &mut Value, node: &Node) {
    if !node.has_defaults {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, child) in &node.properties {
                let Some(default) = &child.default else { continue };
                if fields.get(name).is_none_or(|present| is_forbidden_null(present, child)) {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, entry) in fields {
                if let Some(child) = node.child(name) {
                    fill_entry(entry, child);
                }
            }
        }
        Value::Array(items) => {
            if let Some(child) = &node.items {
                for item in items {
                    fill_entry(item, child);
                }
            }
        }
        _ => {}
    }
}

fn fill_entry(value: &mut Value, node: &Node) {
    if let Some(default) = &node.default
        && is_forbidden_null(value, node)
    {
        *value = default.clone();
    }
    fill(value, node);
}
