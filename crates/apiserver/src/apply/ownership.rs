//! Who owns which fields, and how ownership changes hands.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

pub(super) use super::compare::Changes;
use super::shape::{Atom, Shape};
use crate::field_set::{FieldSet, PathElement};
use crate::managed_fields::{ManagedFields, ManagerKey, Operation};
use crate::schema::CompiledSchema;
use crate::schema::node::ListType;

/// What the server sets or what names the object: no manager ever owns it.
pub(super) fn never_owned() -> &'static FieldSet {
    static NEVER: LazyLock<FieldSet> = LazyLock::new(|| {
        let mut set = top_level(&["apiVersion", "kind", "metadata"]);
        for name in [
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        ] {
            set.insert_fields(&["metadata", name]);
        }
        set
    });
    &NEVER
}

/// What a write through a subresource, or around one, leaves alone whatever it says: these fields are not owned by it.
pub(super) fn ignored(schema: &CompiledSchema, subresource: Option<&str>) -> &'static FieldSet {
    static NOTHING: FieldSet = FieldSet::EMPTY;
    static STATUS: LazyLock<FieldSet> = LazyLock::new(|| top_level(&["status"]));
    static ALL_BUT_STATUS: LazyLock<FieldSet> = LazyLock::new(|| top_level(&["metadata", "spec"]));
    match subresource {
        Some("status") => &ALL_BUT_STATUS,
        None if schema.has_separate_status() => &STATUS,
        _ => &NOTHING,
    }
}

fn top_level(names: &[&str]) -> FieldSet {
    let mut set = FieldSet::default();
    for name in names {
        set.insert_fields(&[name]);
    }
    set
}

/// All fields of a value: its leaves, its items, and the entries of maps with free keys.
pub(super) fn all_fields(shape: Shape<'_>, value: &Value) -> FieldSet {
    let mut set = FieldSet::default();
    match (shape.atom(value), value) {
        (Atom::Map { atomic: false }, Value::Object(entries)) => {
            for (name, entry) in entries {
                let Some(child) = shape.field(name) else { continue };
                let step = PathElement::field(name);
                let empty = entry.as_object().is_some_and(serde_json::Map::is_empty);
                if is_leaf(child, entry) || entry.is_null() || empty || !shape.declares(name) {
                    set.own(step.clone());
                }
                set.attach(step, all_fields(child, entry));
            }
        }
        (Atom::List(list_type), Value::Array(items)) if *list_type != ListType::Atomic => {
            for item in items {
                let Ok(step) = shape.item_step(list_type, item) else { continue };
                set.own(step.clone());
                set.attach(step, all_fields(shape.items(), item));
            }
        }
        _ => {}
    }
    set
}

fn is_leaf(shape: Shape<'_>, value: &Value) -> bool {
    match shape.atom(value) {
        Atom::Leaf(_) | Atom::AnyLeaf => true,
        Atom::Map { atomic } => atomic,
        Atom::List(list_type) => *list_type == ListType::Atomic,
    }
}

/// The set with every declared field that has something below it: removing the field removes all of it.
pub(super) fn with_declared_parents(shape: Shape<'_>, set: &FieldSet) -> FieldSet {
    let mut result = FieldSet::default();
    for (step, owned, below) in set.steps() {
        let child = match step {
            PathElement::Field(name) => shape.field(name).unwrap_or(Shape::Deduced),
            _ => shape.items(),
        };
        let declared = matches!(step, PathElement::Field(name) if shape.declares(name));
        if owned || declared {
            result.own(step.clone());
        }
        result.attach(step.clone(), with_declared_parents(child, below));
    }
    result
}

/// Takes changed and removed fields from every manager but the writer, and drops managers left with nothing.
/// Answers what was taken that the writer has set to something else: conflicts, if it did not force them.
pub(super) fn take_over(
    managers: &mut ManagedFields,
    changes: &Changes,
    writer: Option<&ManagerKey>,
) -> BTreeMap<ManagerKey, FieldSet> {
    let taken = changes.changed();
    let mut conflicts = BTreeMap::new();
    for (key, managed) in &mut managers.entries {
        if Some(key) == writer {
            continue;
        }
        let conflict = managed.fields.intersection(&taken);
        managed.fields = managed.fields.difference(&conflict).difference(&changes.removed);
        if !conflict.is_empty() {
            let shown = ManagerKey { api_version: managed.api_version.clone(), ..key.clone() };
            conflicts.insert(shown, conflict);
        }
    }
    managers.drop_empty();
    conflicts
}

/// How many managers may be on record for updates.
const UPDATERS_MAX: usize = 10;
/// The manager that the oldest ones are folded into.
const FOLDED: &str = "ancient-changes";

/// Folds the oldest update entries of one version into one, while there are too many.
pub(super) fn cap_updaters(managers: &mut ManagedFields) {
    let mut updaters: Vec<(i64, ManagerKey)> = managers
        .entries
        .iter()
        .filter(|(key, _)| key.operation == Operation::Update)
        .map(|(key, managed)| (managed.time.map_or(0, jiff::Timestamp::as_second), key.clone()))
        .collect();
    let mut count = updaters.len();
    if count <= UPDATERS_MAX {
        return;
    }
    updaters.sort();
    let mut first_of_version: BTreeMap<String, ManagerKey> = BTreeMap::new();
    for (_, key) in updaters {
        if count <= UPDATERS_MAX {
            break;
        }
        match first_of_version.get(&key.api_version).cloned() {
            None => {
                first_of_version.insert(key.api_version.clone(), key);
            }
            Some(first) => {
                fold(managers, &first, &key);
                count -= 1;
            }
        }
    }
}

fn fold(managers: &mut ManagedFields, first: &ManagerKey, key: &ManagerKey) {
    let bucket = ManagerKey {
        manager: FOLDED.to_owned(),
        operation: Operation::Update,
        api_version: key.api_version.clone(),
        subresource: String::new(),
    };
    if !managers.entries.contains_key(&bucket)
        && let Some(managed) = managers.entries.remove(first)
    {
        managers.entries.insert(bucket.clone(), managed);
    }
    let Some(managed) = managers.entries.remove(key) else { return };
    if let Some(folded) = managers.entries.get_mut(&bucket) {
        folded.fields = folded.fields.union(&managed.fields);
        folded.time = managed.time;
    }
}
