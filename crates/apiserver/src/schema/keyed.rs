//! Items of keyed lists: finding an item by its keys, and duplicates in sets and keyed lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::node::{ListType, Node};
use super::path::Path;
use super::text::show;
use crate::field_error::{FieldError, FieldErrorKind};

/// The key values of an item, in the order of the schema's key list, as comparable text.
fn key_text(keys: &[String], item: &Value) -> Option<String> {
    let fields = item.as_object()?;
    let mut text = String::new();
    for key in keys {
        text.push_str(&fields.get(key).map_or_else(|| "null".to_owned(), Value::to_string));
        text.push('\u{0}');
    }
    Some(text)
}

/// The items of a keyed list, by key. An item whose key occurs twice is paired with the last one.
pub(crate) struct KeyedItems<'a> {
    keys: &'a [String],
    by_key: BTreeMap<String, &'a Value>,
}

impl<'a> KeyedItems<'a> {
    /// Indexes `items` of a list described by `node`.
    pub(crate) fn new(node: &'a Node, items: &'a [Value]) -> Self {
        let keys = node.list_keys();
        let keyed = items.iter().filter_map(|item| Some((key_text(keys, item)?, item)));
        Self { keys, by_key: keyed.collect() }
    }

    /// The item with the same keys as `item`.
    pub(crate) fn get(&self, item: &Value) -> Option<&'a Value> {
        self.by_key.get(&key_text(self.keys, item)?).copied()
    }
}

/// Finds duplicates in sets and keyed lists, at every level.
pub(crate) fn duplicates(node: &Node, path: &Path<'_>, value: &Value, findings: &mut Vec<FieldError>) {
    match value {
        Value::Object(fields) => {
            for (name, entry) in fields {
                if let Some(child) = node.properties.get(name) {
                    duplicates(child, &path.field(name), entry, findings);
                } else if let Some(child) = node.additional.schema() {
                    duplicates(child, &path.key(name), entry, findings);
                }
            }
        }
        Value::Array(items) => {
            list_duplicates(node, path, items, findings);
            if let Some(child) = &node.items {
                for (position, item) in items.iter().enumerate() {
                    duplicates(child, &path.index(position), item, findings);
                }
            }
        }
        _ => {}
    }
}

/// Each repeated value is named once, at its second place.
fn list_duplicates(node: &Node, path: &Path<'_>, items: &[Value], findings: &mut Vec<FieldError>) {
    let identity = |item: &Value| match &node.list_type {
        ListType::Atomic => None,
        ListType::Set => Some(item.to_string()),
        ListType::Map(keys) => key_text(keys, item),
    };
    let (mut seen, mut told) = (BTreeSet::new(), BTreeSet::new());
    for (position, item) in items.iter().enumerate() {
        let Some(identity) = identity(item) else { continue };
        if !seen.insert(identity.clone()) && told.insert(identity) {
            findings.push(FieldError {
                kind: FieldErrorKind::Duplicate,
                field: path.index(position).bracketed(),
                message: format!("Duplicate value: {}", show(&identifying_part(node, item))),
            });
        }
    }
}

/// The item itself in a set, its keys in a keyed list.
fn identifying_part(node: &Node, item: &Value) -> Value {
    let keys = node.list_keys();
    if keys.is_empty() {
        return item.clone();
    }
    let pairs = keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
    Value::Object(pairs.collect::<Map<String, Value>>())
}
