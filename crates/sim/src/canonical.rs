//! What a world holds, without what two runs to the same end may differ in: uids, versions, times, and who wrote when.
//! Two worlds are in the same state if this is equal.

use std::collections::{BTreeMap, BTreeSet};

use api::{ClusterName, labels};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::plane::{ObjectRef, Plane};
use crate::truth::{condition, text};
use crate::world::World;

/// Kinds that tell of the way instead of the state: events, and who leads.
const OF_THE_WAY: &[&str] = &["events", "leases"];
/// Metadata that counts writes or names the moment.
const METADATA: &[&str] = &["uid", "resourceVersion", "managedFields", "creationTimestamp", "generation"];
/// Characters of a uid.
const UID_LEN: usize = 36;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Canonical(BTreeMap<(ClusterName, ObjectRef), Value>);

impl Canonical {
    /// The state of a world.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let names = names(world);
        let mut held = BTreeMap::new();
        for plane in world.planes() {
            for (object, value) in &plane.objects {
                if !OF_THE_WAY.contains(&object.plural()) {
                    let mut value = masked_object(value, &names);
                    relate_to_network(&mut value, plane, &object.namespace);
                    if object.plural() == "networkbindings" {
                        forget_what_served(&mut value);
                    }
                    held.insert((plane.cluster.clone(), object.clone()), value);
                }
            }
        }
        Self(held)
    }

    /// The same without some objects.
    #[must_use]
    pub fn without(mut self, objects: &BTreeSet<(ClusterName, ObjectRef)>) -> Self {
        self.0.retain(|object, _| !objects.contains(object));
        self
    }

    /// The first difference to another state, in words; `None` if they are the same.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        let nothing = Value::Null;
        let keys = self.0.keys().chain(other.0.keys().filter(|key| !self.0.contains_key(*key)));
        for key in keys {
            let (one, two) = (self.0.get(key).unwrap_or(&nothing), other.0.get(key).unwrap_or(&nothing));
            let mut paths = Vec::new();
            crate::check::differences(one, two, &mut String::new(), &mut paths);
            if let Some(path) = paths.first() {
                let shown = |value: &Value| {
                    value.pointer(path).map_or_else(|| "nothing".to_owned(), Value::to_string)
                };
                let (is, should) = (shown(one), shown(two));
                return Some(format!("{} of {} has {is} instead of {should} at {path:?}", key.1, key.0));
            }
        }
        None
    }
}

/// Which object each uid is of.
fn names(world: &World) -> BTreeMap<String, String> {
    let objects = world.planes().flat_map(|plane| {
        plane.objects.iter().map(|(object, value)| {
            (text(value, "/metadata/uid").to_owned(), format!("uid of {object} on {}", plane.cluster))
        })
    });
    objects.collect()
}

fn masked_object(value: &Value, names: &BTreeMap<String, String>) -> Value {
    let mut value = value.clone();
    relate_generation(&mut value);
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !METADATA.contains(&field.as_str()));
        if let Some(at) = metadata.get_mut("deletionTimestamp") {
            *at = Value::from("a time");
        }
    }
    masked(&value, names)
}

/// A declaration that is refused still names what served it before, if anything did.
fn forget_what_served(binding: &mut Value) {
    if condition(binding, "Ready").is_some_and(|(status, _)| status == "True") {
        return;
    }
    for (parent, field) in [("/metadata/labels", labels::NETWORK_UID), ("/status", "networkContextRef")] {
        let parent = binding.pointer_mut(parent).and_then(Value::as_object_mut);
        parent.and_then(|parent| parent.remove(field));
    }
    let metadata = binding.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) =
        metadata.filter(|metadata| metadata.get("labels") == Some(&Value::Object(Map::new())))
    {
        metadata.remove("labels");
    }
}

/// What a context says of the generation of its Network is whether it is the current one.
fn relate_to_network(context: &mut Value, plane: &Plane, namespace: &str) {
    let network = text(context, "/spec/network/name").to_owned();
    let Some(carried) = context.pointer_mut("/spec/networkGeneration") else { return };
    let mut networks = plane.of_plural("networks");
    let network = networks.find(|(object, _)| object.namespace == namespace && object.name == network);
    let current = network.and_then(|(_, network)| network.pointer("/metadata/generation"));
    *carried = Value::from(if current == Some(&*carried) { "current" } else { "outdated" });
}

/// A generation counts the changes on the way; what a condition says of it is whether it is the current one.
fn relate_generation(object: &mut Value) {
    let generation = object.pointer("/metadata/generation").cloned();
    let conditions = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten() {
        if let Some(observed) = condition.get_mut("observedGeneration") {
            *observed =
                Value::from(if Some(&*observed) == generation.as_ref() { "current" } else { "outdated" });
        }
    }
}

fn masked(value: &Value, names: &BTreeMap<String, String>) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(field, value)| (field.clone(), masked(value, names)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| masked(item, names)).collect()),
        Value::String(text) => Value::from(masked_text(text, names)),
        other => other.clone(),
    }
}

fn masked_text(text: &str, names: &BTreeMap<String, String>) -> String {
    if let Some(name) = names.get(text) {
        return name.clone();
    }
    let is_uid = text.len() == UID_LEN
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    if is_uid {
        return "uid of something that is gone".to_owned();
    }
    let is_time = text.ends_with('Z') && text.parse::<Timestamp>().is_ok();
    if is_time { "a time".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_is_about_the_current_generation_or_not() {
        let of = |generation: i64| {
            let conditions = json!([{"type": "Ready", "observedGeneration": 2}]);
            let object =
                json!({"metadata": {"generation": generation}, "status": {"conditions": conditions}});
            masked_object(&object, &BTreeMap::new())["status"]["conditions"][0]["observedGeneration"].clone()
        };
        assert_eq!((of(2), of(3)), (json!("current"), json!("outdated")));
    }

    #[test]
    fn uids_and_times_are_masked_and_content_is_not() {
        let known = "0a1b2c3d-0000-4000-8000-000000000001";
        let names = BTreeMap::from([(known.to_owned(), "uid of it".to_owned())]);
        let value = json!({"metadata": {"uid": known, "resourceVersion": "4", "generation": 2, "labels": {"of": known}},
            "spec": {"mtu": 1460, "other": "0a1b2c3d-0000-4000-8000-000000000002", "at": "2027-01-15T08:00:00Z"}});
        let expected = json!({"metadata": {"labels": {"of": "uid of it"}},
            "spec": {"mtu": 1460, "other": "uid of something that is gone", "at": "a time"}});
        assert_eq!(masked_object(&value, &names), expected);
    }
}
