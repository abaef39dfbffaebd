//! Namespaces that end, with and without finalizers inside.

use serde_json::{Value, json};

use crate::testing::{CRDS, MERGE, THINGS, World, thing};

const NAMESPACE: &str = "/api/v1/namespaces/n";

fn things() -> String {
    THINGS.replace("default", "n")
}

fn world() -> World {
    let mut world = World::with_things();
    world.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}}));
    world
}

#[test]
fn a_namespace_goes_with_everything_in_it() {
    let mut world = world();
    for index in 0..250 {
        world.post(&things(), &thing(&format!("t{index}"), "red"));
    }
    world.delete(NAMESPACE, &Value::Null);
    world.settle();
    assert_eq!(world.get(NAMESPACE).0, 404);
    assert_eq!(world.get(&things()).1["items"], json!([]));
}

#[test]
fn a_held_object_keeps_its_namespace_which_takes_nothing_new() {
    let mut world = world();
    let mut held = thing("a", "red");
    held["metadata"]["finalizers"] = json!(["example.com/x"]);
    world.post(&things(), &held);
    let (_, pending) = world.delete(NAMESPACE, &Value::Null);
    assert_eq!(pending["status"]["phase"], "Terminating");
    world.settle();
    let (_, shown) = world.get(NAMESPACE);
    assert_eq!(shown["status"]["conditions"][0]["type"], "NamespaceContentRemaining", "{shown}");
    let (code, refused) = world.post(&things(), &thing("b", "red"));
    assert_eq!((code, &refused["details"]["causes"][0]["reason"]), (403, &json!("NamespaceTerminating")));
    world.patch(&format!("{}/a", things()), &json!({"metadata": {"finalizers": null}}), MERGE);
    world.settle();
    assert_eq!(world.get(NAMESPACE).0, 404);
}

#[test]
fn the_servers_own_namespaces_stay() {
    let mut world = world();
    assert_eq!(world.delete("/api/v1/namespaces/default", &Value::Null).0, 403);
}

#[test]
fn a_namespace_waits_for_a_controller_from_outside_and_a_definition_does_not() {
    let mut world = World::beside_external_controllers();
    world.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}}));
    world.post(&things(), &thing("a", "red"));
    world.delete(NAMESPACE, &Value::Null);
    world.settle();
    let (code, namespace) = world.get(NAMESPACE);
    assert_eq!((code, &namespace["status"]["phase"]), (200, &json!("Terminating")));
    assert_eq!(world.get(&format!("{}/a", things())).0, 200);
    let definition = format!("{CRDS}/things.example.com");
    world.delete(&definition, &Value::Null);
    world.settle();
    assert_eq!(world.get(&definition).0, 404);
}
