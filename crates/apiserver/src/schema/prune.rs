//! Pruning: fields that the schema does not declare are removed and named.
//!
//! Paths are written as kube-apiserver writes them in warnings and strict decoding errors: `spec.rules[0].colour`.

use serde_json::Value;

use super::metadata::METADATA;
use super::node::{Additional, Node};
use super::path::Path;

/// What was removed, as paths.
type Removed = Vec<String>;

/// Removes undeclared fields of a whole object, whose `apiVersion`, `kind` and `metadata` stay.
pub(crate) fn prune_object(object: &mut Value, node: &Node) -> Removed {
    let mut removed = Removed::new();
    prune_resource(object, node, &Path::ROOT, &mut removed);
    removed.sort();
    removed
}

/// Removes undeclared fields of a value that is no whole object.
pub(crate) fn prune_value(value: &mut Value, node: &Node) -> Removed {
    let mut removed = Removed::new();
    prune(value, Some(node), &Path::ROOT, &mut removed);
    removed
}

fn prune(value: &mut Value, node: Option<&Node>, path: &Path<'_>, removed: &mut Removed) {
    if let Some(node) = node
        && node.embedded_resource
    {
        return prune_resource(value, node, path, removed);
    }
    match value {
        Value::Object(fields) => fields.retain(|name, entry| keep(name, entry, node, path, removed)),
        Value::Array(items) => {
            let (item_node, preserve) =
                node.map_or((None, false), |node| (node.items.as_deref(), node.preserve_unknown));
            if item_node.is_some() || !preserve {
                for (position, item) in items.iter_mut().enumerate() {
                    prune(item, item_node, &path.index(position), removed);
                }
            }
        }
        _ => {}
    }
}

/// Prunes the entry `name`, and says whether it stays at all.
fn keep(name: &str, entry: &mut Value, node: Option<&Node>, path: &Path<'_>, removed: &mut Removed) -> bool {
    let here = path.field(name);
    if let Some(node) = node {
        if let Some(child) = node.child(name) {
            prune(entry, Some(child), &here, removed);
            return true;
        }
        if node.preserve_unknown {
            return true;
        }
        if matches!(node.additional, Additional::Any) {
            prune(entry, None, &here, removed);
            return true;
        }
    }
    removed.push(here.dotted());
    false
}

fn prune_resource(value: &mut Value, node: &Node, path: &Path<'_>, removed: &mut Removed) {
    let Value::Object(fields) = value else { return };
    fields.retain(|name, entry| match name.as_str() {
        "apiVersion" | "kind" => true,
        "metadata" => {
            prune(entry, Some(&METADATA), &path.field(name), removed);
            true
        }
        _ => keep(name, entry, Some(node), path, removed),
    });
}
