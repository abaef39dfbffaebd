//! Merging an applied configuration into the stored object.
//!
//! Maps are merged entry by entry, sets and keyed lists item by item; everything else is replaced. Items keep the
//! order of the configuration where it names them, and otherwise their old place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::shape::{Atom, Shape};
use crate::field_set::PathElement;
use crate::schema::node::ListType;

/// The stored object with the configuration merged in.
pub(super) fn merge(shape: Shape<'_>, live: &Value, applied: &Value) -> Value {
    merge_pair(shape, Some(live), Some(applied)).unwrap_or_else(|| Value::Object(Map::new()))
}

/// The merge of two values; nothing where neither leaves anything behind.
fn merge_pair(shape: Shape<'_>, live: Option<&Value>, applied: Option<&Value>) -> Option<Value> {
    let atom = shape.atom(applied.or(live)?);
    match atom {
        Atom::Leaf(_) | Atom::AnyLeaf => applied.or(live).cloned(),
        Atom::Map { atomic } => {
            let (old, new) = (live.and_then(Value::as_object), applied.and_then(Value::as_object));
            if atomic || old.is_none_or(Map::is_empty) && new.is_none_or(Map::is_empty) {
                return applied.or(live).cloned();
            }
            merge_fields(shape, old, new)
        }
        Atom::List(list_type) => {
            let (old, new) = (live.and_then(Value::as_array), applied.and_then(Value::as_array));
            if *list_type == ListType::Atomic
                || old.is_none_or(Vec::is_empty) && new.is_none_or(Vec::is_empty)
            {
                return applied.or(live).cloned();
            }
            let (old, new) = (old.map_or(&[][..], Vec::as_slice), new.map_or(&[][..], Vec::as_slice));
            merge_items(shape, list_type, old, new)
        }
    }
}

fn merge_fields(
    shape: Shape<'_>,
    old: Option<&Map<String, Value>>,
    new: Option<&Map<String, Value>>,
) -> Option<Value> {
    let mut merged = Map::new();
    let names: BTreeSet<&String> = old.into_iter().chain(new).flat_map(Map::keys).collect();
    for name in names {
        let Some(child) = shape.field(name) else { continue };
        let (old, new) = (old.and_then(|old| old.get(name)), new.and_then(|new| new.get(name)));
        if let Some(value) = merge_pair(child, old, new) {
            merged.insert(name.clone(), value);
        }
    }
    (!merged.is_empty()).then_some(Value::Object(merged))
}

/// Items of one list with their steps, in order, and by step (the first of duplicates counts as absent).
struct Indexed<'v> {
    order: Vec<(PathElement, &'v Value)>,
    by_step: BTreeMap<PathElement, Option<&'v Value>>,
}

impl<'v> Indexed<'v> {
    fn new(shape: Shape<'_>, list_type: &ListType, items: &'v [Value]) -> Self {
        let steps = items.iter().filter_map(|item| Some((shape.item_step(list_type, item).ok()?, item)));
        let order: Vec<(PathElement, &Value)> = steps.collect();
        let mut by_step = BTreeMap::new();
        for (step, item) in &order {
            by_step.entry(step.clone()).and_modify(|known| *known = None).or_insert(Some(*item));
        }
        Self { order, by_step }
    }

    fn item(&self, step: &PathElement) -> Option<&'v Value> {
        self.by_step.get(step).copied().flatten()
    }

    fn has(&self, step: &PathElement) -> bool {
        self.by_step.contains_key(step)
    }
}

fn merge_items(shape: Shape<'_>, list_type: &ListType, old: &[Value], new: &[Value]) -> Option<Value> {
    let (old, new) = (Indexed::new(shape, list_type, old), Indexed::new(shape, list_type, new));
    let merged = ItemMerge { shape: shape.items(), old: &old, new: &new }.run();
    (!merged.is_empty()).then_some(Value::Array(merged))
}

/// One pass over both lists: items of both are placed in the order of the configuration, and the old items between
/// them stay in front of the shared item they stood before.
struct ItemMerge<'a, 'v> {
    shape: Shape<'a>,
    old: &'a Indexed<'v>,
    new: &'a Indexed<'v>,
}

impl ItemMerge<'_, '_> {
    fn run(&self) -> Vec<Value> {
        let (mut merged, mut placed) = (Vec::new(), BTreeSet::new());
        let mut shared = self.new.order.iter().map(|(step, _)| step).filter(|step| self.old.has(step));
        let mut next_shared = shared.next();
        let (mut at_old, mut at_new) = (0, 0);
        loop {
            let (old, new) = (self.old.order.get(at_old), self.new.order.get(at_new));
            match (old, new) {
                (None, None) => return merged,
                (Some((old_step, _)), Some((new_step, _))) if old_step == new_step => {
                    placed.insert(old_step.clone());
                    merged.extend(self.merge_step(old_step));
                    (at_old, at_new) = (at_old + 1, at_new + 1);
                    next_shared = shared.next();
                    continue;
                }
                (Some((old_step, _)), Some(_))
                    if self.new.has(old_step) && next_shared.is_some_and(|wanted| wanted != old_step) =>
                {
                    at_old += 1;
                    continue;
                }
                (Some((old_step, item)), _) => {
                    if !self.new.has(old_step) {
                        merged.extend(merge_pair(self.shape, Some(item), None));
                        at_old += 1;
                        continue;
                    }
                    at_old += usize::from(placed.contains(old_step));
                }
                (None, Some(_)) => {}
            }
            if let Some((new_step, _)) = new {
                placed.insert(new_step.clone());
                merged.extend(self.merge_step(new_step));
                at_new += 1;
                if next_shared == Some(new_step) {
                    next_shared = shared.next();
                }
            }
        }
    }

    fn merge_step(&self, step: &PathElement) -> Option<Value> {
        merge_pair(self.shape, self.old.item(step), self.new.item(step))
    }
}
