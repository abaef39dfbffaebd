//! Which fields differ between two versions of an object.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::shape::{Atom, Shape};
use crate::field_set::{FieldSet, PathElement};
use crate::schema::node::ListType;

/// The fields that differ, by how.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// In both, with other values.
    pub(super) modified: FieldSet,
    /// Only in the newer one.
    pub(super) added: FieldSet,
    /// Only in the older one.
    pub(super) removed: FieldSet,
}

/// The two versions of one value; at least one is present.
type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

/// The entries of a map, if there is one.
type Fields<'v> = Option<&'v Map<String, Value>>;

impl Changes {
    /// Compares two values of one shape; a null stands for an object that is not there yet.
    pub(super) fn between(shape: Shape<'_>, old: &Value, new: &Value) -> Self {
        let mut changes = Self::default();
        let empty = Value::Object(Map::new());
        let old = if old.is_null() { &empty } else { old };
        changes.compare(shape, (Some(old), Some(new)), &mut Vec::new());
        let never = super::ownership::never_owned();
        for set in [&mut changes.modified, &mut changes.added, &mut changes.removed] {
            *set = set.difference(never);
        }
        changes
    }

    /// The changes without those at or below the given fields.
    pub(super) fn outside(self, ignored: &FieldSet) -> Self {
        Self {
            modified: self.modified.outside(ignored),
            added: self.added.outside(ignored),
            removed: self.removed.outside(ignored),
        }
    }

    /// What the writer of the newer version takes: modified and added fields.
    pub(super) fn changed(&self) -> FieldSet {
        self.modified.union(&self.added)
    }

    fn compare(&mut self, shape: Shape<'_>, (old, new): Pair<'_>, path: &mut Vec<PathElement>) {
        let (old_atom, new_atom) = (old.map(|old| shape.atom(old)), new.map(|new| shape.atom(new)));
        let mut leaf = false;
        match (old_atom, new_atom) {
            (Some(old_atom), Some(new_atom)) if old_atom != new_atom => {
                self.descend(old_atom, shape, (old, new), path);
                leaf |= self.descend(new_atom, shape, (old, new), path);
            }
            (_, Some(atom)) | (Some(atom), None) => leaf |= self.descend(atom, shape, (old, new), path),
            (None, None) => {}
        }
        if !leaf {
            match (old, new) {
                (None, _) => self.added.insert(path),
                (_, None) => self.removed.insert(path),
                _ => {}
            }
        }
    }

    /// Compares as `atom`; true if the values were compared as one.
    fn descend(
        &mut self,
        atom: Atom<'_>,
        shape: Shape<'_>,
        pair: Pair<'_>,
        path: &mut Vec<PathElement>,
    ) -> bool {
        match atom {
            Atom::Leaf(_) | Atom::AnyLeaf => self.leaf(pair, path),
            Atom::Map { atomic } => {
                let (old, new) = (pair.0.and_then(Value::as_object), pair.1.and_then(Value::as_object));
                let empty = old.is_none_or(Map::is_empty) && new.is_none_or(Map::is_empty);
                if atomic || empty {
                    return self.leaf(pair, path);
                }
                self.fields(shape, (old, new), path);
                false
            }
            Atom::List(list_type) => {
                let (old, new) = (pair.0.and_then(Value::as_array), pair.1.and_then(Value::as_array));
                let empty = old.is_none_or(Vec::is_empty) && new.is_none_or(Vec::is_empty);
                if *list_type == ListType::Atomic || empty {
                    return self.leaf(pair, path);
                }
                self.items(shape, list_type, (items_of(old), items_of(new)), path);
                false
            }
        }
    }

    fn leaf(&mut self, pair: Pair<'_>, path: &[PathElement]) -> bool {
        match pair {
            (None, _) => self.added.insert(path),
            (_, None) => self.removed.insert(path),
            (Some(old), Some(new)) if !same(old, new) => self.modified.insert(path),
            _ => {}
        }
        true
    }

    fn fields(
        &mut self,
        shape: Shape<'_>,
        (old, new): (Fields<'_>, Fields<'_>),
        path: &mut Vec<PathElement>,
    ) {
        let mut step = |name: &String, pair: Pair<'_>| {
            if let Some(child) = shape.field(name) {
                path.push(PathElement::Field(name.clone()));
                self.compare(child, pair, path);
                path.pop();
            }
        };
        for (name, value) in old.into_iter().flatten() {
            step(name, (Some(value), new.and_then(|new| new.get(name))));
        }
        for (name, value) in new.into_iter().flatten() {
            if old.is_none_or(|old| !old.contains_key(name)) {
                step(name, (None, Some(value)));
            }
        }
    }

    fn items(
        &mut self,
        shape: Shape<'_>,
        list_type: &ListType,
        (old, new): (&[Value], &[Value]),
        path: &mut Vec<PathElement>,
    ) {
        let mut by_step: BTreeMap<PathElement, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        for item in old {
            if let Ok(step) = shape.item_step(list_type, item) {
                by_step.entry(step).or_default().0.push(item);
            }
        }
        for item in new {
            if let Ok(step) = shape.item_step(list_type, item) {
                by_step.entry(step).or_default().1.push(item);
            }
        }
        for (step, (old, new)) in by_step {
            path.push(step);
            self.item(shape.items(), (&old, &new), path);
            path.pop();
        }
    }

    /// Items whose step occurs more than once are one value: only the step itself can be owned.
    fn item(&mut self, shape: Shape<'_>, (old, new): (&[&Value], &[&Value]), path: &mut Vec<PathElement>) {
        match (old, new) {
            ([] | [_], [] | [_]) => self.compare(shape, (old.first().copied(), new.first().copied()), path),
            ([_, _, ..], [_, _, ..]) => {
                if old != new {
                    self.modified.insert(path);
                }
            }
            ([_, _, ..], _) => {
                if let Some(only) = new.first() {
                    self.compare(shape, (None, Some(only)), path);
                }
                self.removed.insert(path);
            }
            (_, [_, _, ..]) => {
                if let Some(only) = old.first() {
                    self.compare(shape, (Some(only), None), path);
                }
                self.added.insert(path);
            }
        }
    }
}

fn items_of(list: Option<&Vec<Value>>) -> &[Value] {
    list.map_or(&[], Vec::as_slice)
}

/// Equality in which 1 and 1.0 are the same number.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right
                || left
                    .as_f64()
                    .zip(right.as_f64())
                    .is_some_and(|(left, right)| left.total_cmp(&right).is_eq())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}
