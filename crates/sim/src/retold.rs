//! Path independence: what is declared in a world at rest is told to a fresh world in which nothing goes wrong, and the two
//! must come to the same end, byte for byte but for what [`Canonical`] leaves out.
//!
//! One thing may differ: a presence that is refused now, but was not always, keeps its context as it was then (decisions 3),
//! and a fresh world never makes one. Contexts of refused pairs are left out on both sides.

use std::collections::BTreeSet;
use std::time::Duration;

use api::{ClusterName, labels};
use jiff::SignedDuration;
use serde_json::{Map, Value, json};

use crate::canonical::Canonical;
use crate::declared::refusal;
use crate::manager::ManagerOptions;
use crate::plane::{ObjectRef, Templates, collection_of};
use crate::truth::contexts::{is_made_for_a_network, pair_of};
use crate::truth::{Truth, is_copy, is_going};
use crate::world::{World, WorldOptions};

/// Kinds whose objects users make.
const DECLARED: &[&str] = &[
    "projects",
    "namespaces",
    "locations",
    "locationbindings",
    "networks",
    "networkbindings",
    "networkinterfaces",
];
/// Kinds whose status users write too: nobody else does in a world of managers.
const WITH_STATUS: &[&str] = &["locations", "locationbindings"];
/// Metadata that users write.
const METADATA: &[&str] = &["name", "namespace", "labels", "annotations"];
/// How long a world in which nothing goes wrong takes to come to rest at most.
const REST: SignedDuration = SignedDuration::from_mins(5);
/// How often it is looked.
const LOOK: Duration = Duration::from_millis(500);

/// The first difference between a world at rest and a fresh one that was told the same declarations; `None` if there is none.
#[must_use]
pub fn difference(
    templates: &Templates,
    world: &World,
    truth: &Truth,
    options: &ManagerOptions,
) -> Option<String> {
    let mut fresh = World::with(templates.clone(), WorldOptions::calm(0));
    for telling in declared(world) {
        telling.tell(&mut fresh);
    }
    let manager = fresh.start_manager(options);
    let end = fresh.now() + REST;
    loop {
        fresh.advance(LOOK);
        if fresh.engine(manager).is_some_and(engine::Engine::may_act) && fresh.is_idle() {
            break;
        }
        if fresh.now() > end {
            return Some("a fresh world with the same declarations does not come to rest".to_owned());
        }
    }
    let refused = refused(truth, world);
    let end = |world: &World| Canonical::of(world).without(&refused);
    let difference = end(world).difference(&end(&fresh))?;
    Some(format!("{difference}, which is what a fresh world with the same declarations comes to"))
}

/// Contexts of pairs that are refused.
fn refused(truth: &Truth, world: &World) -> BTreeSet<(ClusterName, ObjectRef)> {
    let mut refused = BTreeSet::new();
    for plane in world.planes() {
        for (object, context) in plane.of_plural("networkcontexts") {
            let pair = pair_of(&plane.cluster, object, context);
            if pair.is_some_and(|pair| refusal(truth, &pair).is_some()) {
                refused.insert((plane.cluster.clone(), object.clone()));
            }
        }
    }
    refused
}

/// One object as a user would make it.
struct Telling {
    cluster: ClusterName,
    collection: String,
    name: String,
    body: Value,
    status: Option<Value>,
}

impl Telling {
    /// What exists already in every world is refused and needs not be told.
    fn tell(&self, world: &mut World) {
        let body = self.body.to_string();
        world.call(&self.cluster, "POST", &self.collection, ("application/json", &body));
        if let Some(status) = &self.status {
            let path = format!("{}/{}/status", self.collection, self.name);
            let body = json!({"status": status}).to_string();
            world.call(&self.cluster, "PATCH", &path, ("application/merge-patch+json", &body));
        }
    }
}

/// What users declare in a world, planes and kinds in order.
fn declared(world: &World) -> Vec<Telling> {
    let mut tellings = Vec::new();
    for plane in world.planes() {
        for (object, value) in &plane.objects {
            if !is_going(value) && is_declared(object, value) {
                tellings.extend(telling(&plane.cluster, object, value));
            }
        }
    }
    tellings
}

/// A context that bears no sign of a Network was made by hand, and a copy by whoever copies.
fn is_declared(object: &ObjectRef, value: &Value) -> bool {
    let plural = object.plural();
    let is_foreign = plural == "networkcontexts" && (!is_made_for_a_network(value) || is_copy(value));
    DECLARED.contains(&plural) || is_foreign
}

fn telling(cluster: &ClusterName, object: &ObjectRef, value: &Value) -> Option<Telling> {
    let collection = collection_of(object, value);
    let mut body = Map::new();
    for field in ["apiVersion", "kind", "spec"] {
        body.extend(value.get(field).map(|value| (field.to_owned(), value.clone())));
    }
    let written =
        value["metadata"].as_object()?.iter().filter(|(field, _)| METADATA.contains(&field.as_str()));
    let mut metadata: Map<String, Value> =
        written.map(|(field, value)| (field.clone(), value.clone())).collect();
    if object.plural() == "networkbindings"
        && let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut)
    {
        labels.remove(labels::NETWORK_UID);
    }
    body.insert("metadata".to_owned(), Value::Object(metadata));
    let status = value.get("status").filter(|_| WITH_STATUS.contains(&object.plural())).cloned();
    let (cluster, name) = (cluster.clone(), object.name.clone());
    Some(Telling { cluster, collection, name, body: Value::Object(body), status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{self, Size, Universe};

    /// A world in which everything is declared and done, and what is true of it.
    fn at_rest(templates: &Templates) -> (World, Truth) {
        let options = WorldOptions { is_observed: true, ..WorldOptions::calm(1) };
        let mut world = World::with(templates.clone(), options);
        let universe = Universe::of(Size::Small);
        let furniture = workload::furniture(&universe);
        let declarations = workload::declarations(&universe);
        for act in workload::beginning(&universe).iter().chain(&furniture).chain(&declarations) {
            let reply = world.call(&act.cluster, act.method, &act.path, (act.content_type, &act.body));
            assert_eq!(reply.code, 201, "{act}");
        }
        world.start_manager(&ManagerOptions::default());
        world.advance(Duration::from_mins(1));
        assert!(world.is_idle());
        let mut truth = Truth::default();
        world.observed.drain(..).for_each(|observation| truth.take(&observation));
        (world, truth)
    }

    #[test]
    fn a_world_that_was_told_once_is_as_one_that_is_told_again() {
        let templates = Templates::new().unwrap();
        let (world, truth) = at_rest(&templates);
        assert_eq!(difference(&templates, &world, &truth, &ManagerOptions::default()), None);
    }

    #[test]
    fn what_only_the_way_can_explain_is_a_difference() {
        let templates = Templates::new().unwrap();
        let (mut world, truth) = at_rest(&templates);
        let manager = world.managers()[0];
        world.kill_manager(manager);
        let path = "/apis/networking.datumapis.com/v1alpha/namespaces/default/networkcontexts/n0-l0";
        let body = r#"{"metadata":{"annotations":{"example.com/of-old":"yes"}}}"#;
        let project = ClusterName::Project("p0".into());
        let reply = world.call(&project, "PATCH", path, ("application/merge-patch+json", body));
        assert_eq!(reply.code, 200, "{reply:?}");
        let told = difference(&templates, &world, &truth, &ManagerOptions::default()).unwrap();
        assert!(told.starts_with("networkcontexts/default/n0-l0 of project/p0 has "), "{told}");
    }
}
