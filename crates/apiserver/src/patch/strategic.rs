//! Strategic merge patch, for built-in kinds.
//!
//! Like a merge patch, except that sets and keyed lists are merged item by item, and that directives inside the patch
//! replace, delete, keep or order: `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/x` and `$setElementOrder/x`.
//! A keyed list is merged by the first of its keys.

use serde_json::{Map, Value};

use super::strategic_list::{ListKey, check_order, merge_lists, order_by, remove_values};
use super::{PatchError, go_kind};
use crate::schema::CompiledSchema;
use crate::schema::metadata::METADATA;
use crate::schema::node::{ListType, Node};
use crate::schema::text::go_text;

/// The object with the patch merged in.
///
/// # Errors
/// [`PatchError::Malformed`] when the patch is no object, [`PatchError::Contradictory`] when its directives are
/// unknown or do not fit together.
pub fn strategic_merge_patch(
    schema: &CompiledSchema,
    object: &Value,
    patch: &Value,
) -> Result<Value, PatchError> {
    let Value::Object(patch) = patch else {
        let kind = go_kind(patch);
        let text = format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}");
        return Err(PatchError::Malformed(text));
    };
    let original = object.as_object().cloned().unwrap_or_default();
    let level = Level { node: Some(schema.root()), root: true };
    merge_maps(original, patch, level).map(Value::Object)
}

/// What is declared where a value stands.
#[derive(Clone, Copy)]
pub(super) struct Level<'a> {
    node: Option<&'a Node>,
    root: bool,
}

impl<'a> Level<'a> {
    fn field(self, name: &str) -> Self {
        let node = match (self.root, name) {
            (true, "metadata") => Some(&*METADATA),
            _ => self.node.and_then(|node| node.child(name)),
        };
        Self { node, root: false }
    }

    /// The level of the items of a list.
    pub(super) fn items(self) -> Self {
        Self { node: self.node.and_then(|node| node.items.as_deref()), root: false }
    }

    /// How items are told apart; none if the list is replaced as a whole.
    fn list_key(self) -> Option<ListKey<'a>> {
        match &self.node?.list_type {
            ListType::Atomic => None,
            ListType::Set => Some(ListKey::Value),
            ListType::Map(keys) => keys.first().map(|key| ListKey::Field(key)),
        }
    }
}

const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const ORDER: &str = "$setElementOrder/";

/// Merges a patch into a map.
pub(super) fn merge_maps(
    mut original: Map<String, Value>,
    patch: &Map<String, Value>,
    level: Level<'_>,
) -> Result<Map<String, Value>, PatchError> {
    match patch.get("$patch").map(|directive| directive.as_str().unwrap_or_default()) {
        None | Some("merge") => {}
        Some("replace") => return Ok(without_directives(patch)),
        Some("delete") => return Ok(Map::new()),
        Some(unknown) => {
            let map = go_text(&Value::Object(patch.clone()));
            return Err(PatchError::Contradictory(format!("unknown patch type: {unknown} in map: {map}")));
        }
    }
    if let Some(Value::Array(kept)) = patch.get("$retainKeys") {
        original.retain(|name, _| kept.iter().any(|kept| kept == name));
    }
    for (name, value) in patch {
        if let Some(field) = name.strip_prefix(DELETE_FROM) {
            remove_values(original.get_mut(field), value);
        } else if !name.starts_with('$') {
            merge_entry(&mut original, name, value, level)?;
        }
    }
    for (name, order) in patch {
        if let (Some(field), Value::Array(order)) = (name.strip_prefix(ORDER), order) {
            set_order(&mut original, (field, order), patch, level.field(field))?;
        }
    }
    Ok(original)
}

fn merge_entry(
    original: &mut Map<String, Value>,
    name: &str,
    value: &Value,
    level: Level<'_>,
) -> Result<(), PatchError> {
    let here = level.field(name);
    let merged = match (original.remove(name), value) {
        (_, Value::Null) => return Ok(()),
        (Some(Value::Object(old)), Value::Object(new)) => Value::Object(merge_maps(old, new, here)?),
        (_, Value::Object(new)) => Value::Object(merge_maps(Map::new(), new, here)?),
        (Some(Value::Array(old)), Value::Array(new)) => match here.list_key() {
            Some(key) => Value::Array(merge_lists(&old, new, key, here)?),
            None => value.clone(),
        },
        (_, other) => other.clone(),
    };
    original.insert(name.to_owned(), merged);
    Ok(())
}

fn set_order(
    original: &mut Map<String, Value>,
    (field, order): (&str, &[Value]),
    patch: &Map<String, Value>,
    level: Level<'_>,
) -> Result<(), PatchError> {
    let key = level.list_key().unwrap_or(ListKey::Value);
    if let Some(Value::Array(items)) = patch.get(field) {
        check_order(items, order, key)?;
    }
    if let Some(Value::Array(items)) = original.get_mut(field) {
        *items = order_by(items, order, key);
    }
    Ok(())
}

fn without_directives(patch: &Map<String, Value>) -> Map<String, Value> {
    let kept = patch.iter().filter(|(name, value)| !name.starts_with('$') && !value.is_null());
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}
