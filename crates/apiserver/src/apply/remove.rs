//! Removing what a manager applied before and leaves out now.

use serde_json::{Map, Value};

use super::ownership::{all_fields, with_declared_parents};
use super::shape::{Atom, Shape};
use crate::field_set::{FieldSet, PathElement};
use crate::managed_fields::ManagedFields;
use crate::schema::node::ListType;

/// The merged object without the fields that only `last` (what the manager applied before) speaks for: fields that
/// any manager owns stay, and so does what the manager did not apply itself. `sent` is all that the manager applies now,
/// its name included, which nobody owns: without it the metadata would go with its last owned field.
pub(super) fn drop_left_out(
    shape: Shape<'_>,
    merged: Value,
    (last, sent): (&FieldSet, &FieldSet),
    managers: &ManagedFields,
) -> Value {
    if last.is_empty() {
        return merged;
    }
    let last = with_declared_parents(shape, last);
    let pruned = remove(shape, &merged, &last);
    let owned = managers.iter().fold(sent.clone(), |owned, (_, managed)| owned.union(&managed.fields));
    let before = with_declared_parents(shape, &all_fields(shape, &merged));
    let kept = with_declared_parents(shape, &all_fields(shape, &pruned))
        .union(&with_declared_parents(shape, &owned));
    let pruned = remove(shape, &merged, &before.difference(&kept));
    let still = with_declared_parents(shape, &all_fields(shape, &pruned));
    remove(shape, &merged, &before.difference(&still).intersection(&last))
}

/// The value without the given fields.
fn remove(shape: Shape<'_>, value: &Value, fields: &FieldSet) -> Value {
    match (shape.atom(value), value) {
        (Atom::Map { atomic: false }, Value::Object(entries)) if !entries.is_empty() => {
            remove_fields(shape, entries, fields)
        }
        (Atom::List(list_type), Value::Array(items))
            if *list_type != ListType::Atomic && !items.is_empty() =>
        {
            remove_items(shape, list_type, items, fields)
        }
        _ => value.clone(),
    }
}

fn remove_fields(shape: Shape<'_>, entries: &Map<String, Value>, fields: &FieldSet) -> Value {
    let mut kept = Map::new();
    for (name, value) in entries {
        let step = PathElement::field(name);
        if fields.owns(&step) {
            continue;
        }
        let rest = match (fields.below(&step), shape.field(name)) {
            (Some(below), Some(child)) => remove(child, value, below),
            _ => value.clone(),
        };
        kept.insert(name.clone(), rest);
    }
    if kept.is_empty() { Value::Null } else { Value::Object(kept) }
}

fn remove_items(shape: Shape<'_>, list_type: &ListType, items: &[Value], fields: &FieldSet) -> Value {
    let mut kept = Vec::new();
    for item in items {
        let Ok(step) = shape.item_step(list_type, item) else { continue };
        if fields.owns(&step) {
            continue;
        }
        kept.push(match fields.below(&step) {
            Some(below) => remove(shape.items(), item, below),
            None => item.clone(),
        });
    }
    if kept.is_empty() { Value::Null } else { Value::Array(kept) }
}
