//! Owners and dependents: background, foreground and orphaned, down whole chains.

use serde_json::{Value, json};

use crate::testing::{THINGS, World, thing};

fn owned(name: &str, owner: &Value, blocks: bool) -> Value {
    let mut object = thing(name, "red");
    object["metadata"]["ownerReferences"] = json!([{"apiVersion": "example.com/v1", "kind": "Thing",
        "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"], "blockOwnerDeletion": blocks}]);
    object
}

fn code(world: &mut World, name: &str) -> u16 {
    world.get(&format!("{THINGS}/{name}")).0
}

#[test]
fn dependents_go_after_their_owner_down_the_whole_chain() {
    let mut world = World::with_things();
    let (_, a) = world.post(THINGS, &thing("a", "red"));
    let (_, b) = world.post(THINGS, &owned("b", &a, false));
    world.post(THINGS, &owned("c", &b, false));
    world.settle();
    assert_eq!(code(&mut world, "c"), 200);
    world.delete(&format!("{THINGS}/a"), &Value::Null);
    world.settle();
    assert_eq!((code(&mut world, "b"), code(&mut world, "c")), (404, 404));
}

#[test]
fn a_dependent_of_an_owner_that_never_was_is_collected() {
    let mut world = World::with_things();
    let ghost = json!({"metadata": {"name": "ghost", "uid": "nobody"}});
    world.post(THINGS, &owned("b", &ghost, false));
    world.settle();
    assert_eq!(code(&mut world, "b"), 404);
}

#[test]
fn foreground_deletion_keeps_the_owner_until_blocking_dependents_are_gone() {
    let mut world = World::with_things();
    let (_, a) = world.post(THINGS, &thing("a", "red"));
    let mut held = owned("b", &a, true);
    held["metadata"]["finalizers"] = json!(["example.com/x"]);
    world.post(THINGS, &held);
    world.delete(&format!("{THINGS}/a"), &json!({"propagationPolicy": "Foreground"}));
    world.settle();
    assert_eq!(world.get(&format!("{THINGS}/a")).1["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert!(world.get(&format!("{THINGS}/b")).1["metadata"]["deletionTimestamp"].is_string());
    world.patch(&format!("{THINGS}/b"), &json!({"metadata": {"finalizers": null}}), crate::testing::MERGE);
    world.settle();
    assert_eq!((code(&mut world, "a"), code(&mut world, "b")), (404, 404));
}

#[test]
fn orphaned_dependents_stay_and_forget_their_owner() {
    let mut world = World::with_things();
    let (_, a) = world.post(THINGS, &thing("a", "red"));
    world.post(THINGS, &owned("b", &a, true));
    world.delete(&format!("{THINGS}/a"), &json!({"propagationPolicy": "Orphan"}));
    world.settle();
    assert_eq!(code(&mut world, "a"), 404);
    let (code, b) = world.get(&format!("{THINGS}/b"));
    assert_eq!(code, 200);
    assert!(b["metadata"]["ownerReferences"].is_null());
}

#[test]
fn an_object_with_one_living_owner_stays_and_forgets_the_dead_one() {
    let mut world = World::with_things();
    let (_, a) = world.post(THINGS, &thing("a", "red"));
    let (_, z) = world.post(THINGS, &thing("z", "red"));
    let mut both = owned("b", &a, false);
    let second = owned("b", &z, false)["metadata"]["ownerReferences"][0].clone();
    both["metadata"]["ownerReferences"].as_array_mut().unwrap().push(second);
    world.post(THINGS, &both);
    world.delete(&format!("{THINGS}/a"), &Value::Null);
    world.settle();
    let (code, b) = world.get(&format!("{THINGS}/b"));
    assert_eq!((code, b["metadata"]["ownerReferences"].as_array().unwrap().len()), (200, 1));
}

#[test]
fn an_owner_that_waits_is_seen_until_the_collector_has_its_turn() {
    for (policy, finalizer) in [("Orphan", "orphan"), ("Foreground", "foregroundDeletion")] {
        let mut world = World::with_things();
        world.post(THINGS, &thing("a", "red"));
        world.settle();
        let watch = world.send("GET", &format!("{THINGS}?watch=true&resourceVersion=0"), "", "");
        let body = json!({"propagationPolicy": policy}).to_string();
        world.send_only("DELETE", &format!("{THINGS}/a"), &body, "application/json");
        let get = world.send_only("GET", &format!("{THINGS}/a"), "", "");
        let seen: Value = serde_json::from_slice(&world.answer(get).unwrap().body).unwrap();
        assert_eq!(seen["metadata"]["finalizers"], json!([finalizer]));
        world.settle();
        assert_eq!(code(&mut world, "a"), 404);
        assert_eq!(world.events(watch), ["ADDED a", "MODIFIED a", "DELETED a"]);
    }
}

#[test]
fn owners_wait_for_a_collector_from_outside_where_the_server_has_none() {
    let mut world = World::beside_external_controllers();
    let (_, a) = world.post(THINGS, &thing("a", "red"));
    world.post(THINGS, &owned("b", &a, true));
    world.delete(&format!("{THINGS}/a"), &json!({"propagationPolicy": "Orphan"}));
    world.settle();
    assert_eq!(world.get(&format!("{THINGS}/a")).1["metadata"]["finalizers"], json!(["orphan"]));
    world.patch(&format!("{THINGS}/a"), &json!({"metadata": {"finalizers": null}}), crate::testing::MERGE);
    world.settle();
    assert_eq!((code(&mut world, "a"), code(&mut world, "b")), (404, 200));
}
