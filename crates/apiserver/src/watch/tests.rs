//! What a watch shows, from where, and until when.

use serde_json::json;

use crate::testing::{MERGE, THINGS, World, thing};

fn one(name: &str) -> String {
    format!("{THINGS}/{name}")
}

fn watch(world: &mut World, query: &str) -> u64 {
    world.send("GET", &format!("{THINGS}?watch=true&{query}"), "", "")
}

#[test]
fn a_watch_without_a_revision_begins_with_the_state() {
    let mut world = World::with_things();
    world.post(THINGS, &thing("a", "red"));
    let id = watch(&mut world, "");
    world.post(THINGS, &thing("b", "red"));
    world.delete(&one("a"), &json!(null));
    assert_eq!(world.events(id), ["ADDED a", "ADDED b", "DELETED a"]);
}

#[test]
fn a_watch_from_a_revision_shows_what_came_after_it_and_nothing_twice() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    world.post(THINGS, &thing("b", "red"));
    let revision = made["metadata"]["resourceVersion"].as_str().unwrap();
    let id = watch(&mut world, &format!("resourceVersion={revision}"));
    world.patch(&one("a"), &json!({"spec": {"color": "blue"}}), MERGE);
    assert_eq!(world.events(id), ["ADDED b", "MODIFIED a"]);
}

#[test]
fn a_deletion_carries_its_own_revision() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    let id = watch(&mut world, "");
    world.delete(&one("a"), &json!(null));
    let gone = &world.frames[&id][1]["object"]["metadata"];
    assert_eq!(gone["uid"], made["metadata"]["uid"]);
    let number = |value: &serde_json::Value| value.as_str().unwrap().parse::<u64>().unwrap();
    assert!(number(&gone["resourceVersion"]) > number(&made["metadata"]["resourceVersion"]));
}

#[test]
fn entering_and_leaving_a_selection_are_added_and_deleted() {
    let mut world = World::with_things();
    world.post(THINGS, &thing("a", "red"));
    let id = watch(&mut world, "fieldSelector=spec.color%3Dblue");
    world.patch(&one("a"), &json!({"spec": {"color": "blue"}}), MERGE);
    world.patch(&one("a"), &json!({"spec": {"size": 4}}), MERGE);
    world.patch(&one("a"), &json!({"spec": {"color": "red"}}), MERGE);
    assert_eq!(world.events(id), ["ADDED a", "MODIFIED a", "DELETED a"]);
    let left = world.frames[&id][2]["object"].clone();
    assert_eq!(left["spec"]["color"], "blue", "the object is shown as it was when it was selected");
    let now = world.get(&one("a")).1;
    assert_eq!(left["metadata"]["resourceVersion"], now["metadata"]["resourceVersion"]);
}

#[test]
fn initial_events_end_with_a_marked_bookmark() {
    let mut world = World::with_things();
    world.post(THINGS, &thing("a", "red"));
    let query = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
    let id = watch(&mut world, query);
    assert_eq!(world.events(id), ["ADDED a", "BOOKMARK "]);
    let mark = &world.frames[&id][1]["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"];
    assert_eq!(mark, "true");
    let bare = watch(&mut world, "sendInitialEvents=true");
    assert_eq!(world.answer(bare).unwrap().status, 422);
}

#[test]
fn bookmarks_come_every_minute_and_before_the_end() {
    let mut world = World::with_things();
    let id = watch(&mut world, "allowWatchBookmarks=true&timeoutSeconds=90");
    world.pass(59);
    assert_eq!(world.events(id).len(), 0);
    world.pass(1);
    assert_eq!(world.events(id), ["BOOKMARK "]);
    world.pass(28);
    assert_eq!(world.events(id), ["BOOKMARK ", "BOOKMARK "], "two seconds before the end");
    world.pass(2);
    assert_eq!(world.events(id).len(), 2);
    assert_eq!(world.ended, [id]);
}

/// As kube-apiserver 1.36.3 does it.
#[test]
fn a_watch_from_a_revision_that_has_not_happened_yet_is_told_nothing_until_then() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    let revision = made["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap();
    let query = format!("allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion={}", revision + 1);
    let id = watch(&mut world, &query);
    world.pass(70);
    assert_eq!(world.events(id).len(), 0);
    world.post(THINGS, &thing("b", "red"));
    world.post(THINGS, &thing("c", "red"));
    world.pass(70);
    assert_eq!(world.events(id), ["ADDED c", "BOOKMARK "]);
}

#[test]
fn a_revision_that_is_no_longer_kept_is_an_error_inside_the_stream() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    world.post(THINGS, &thing("b", "red"));
    world.pass(301);
    world.post(THINGS, &thing("c", "red"));
    let revision = made["metadata"]["resourceVersion"].as_str().unwrap();
    let id = watch(&mut world, &format!("resourceVersion={revision}"));
    assert_eq!(world.frames[&id][0]["type"], "ERROR");
    assert_eq!(world.frames[&id][0]["object"]["code"], 410);
    assert_eq!(world.ended, [id]);
}

#[test]
fn a_cancelled_watch_is_forgotten() {
    let mut world = World::with_things();
    let id = watch(&mut world, "");
    assert_eq!(world.server.open_watches(), 1);
    world.cancel(id);
    world.post(THINGS, &thing("a", "red"));
    assert_eq!((world.server.open_watches(), world.events(id).len()), (0, 0));
}
