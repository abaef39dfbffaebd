//! Pages, revisions, selectors and forms of reads.

use crate::testing::{THINGS, World, thing};

fn names(list: &serde_json::Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

fn world() -> World {
    let mut world = World::with_things();
    for (name, color) in [("a", "red"), ("b", "blue"), ("c", "red"), ("d", "red"), ("e", "red")] {
        world.post(THINGS, &thing(name, color));
    }
    world
}

#[test]
fn pages_show_one_state_though_it_changes_between_them() {
    let mut world = world();
    let (_, first) = world.get(&format!("{THINGS}?limit=2"));
    assert_eq!(names(&first), ["a", "b"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    world.delete(&format!("{THINGS}/c"), &serde_json::Value::Null);
    world.post(THINGS, &thing("aa", "red"));
    let token = first["metadata"]["continue"].as_str().unwrap().to_owned();
    let (_, rest) = world.get(&format!("{THINGS}?limit=5&continue={token}"));
    assert_eq!(names(&rest), ["c", "d", "e"]);
    assert_eq!(rest["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    assert_eq!(rest["metadata"]["continue"], "");
}

#[test]
fn a_continue_token_expires_after_five_minutes() {
    let mut world = world();
    let (_, first) = world.get(&format!("{THINGS}?limit=2"));
    let token = first["metadata"]["continue"].as_str().unwrap().to_owned();
    world.post(THINGS, &thing("z", "red"));
    world.pass(301);
    assert_eq!(world.get(&format!("{THINGS}?continue={token}")).0, 410);
    assert_eq!(world.get(&format!("{THINGS}?continue=nonsense")).0, 400);
}

#[test]
fn an_exact_revision_shows_the_past_and_a_future_one_is_refused() {
    let mut world = world();
    let (_, before) = world.get(THINGS);
    world.delete(&format!("{THINGS}/a"), &serde_json::Value::Null);
    let revision = before["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let exact = format!("{THINGS}?resourceVersion={revision}&resourceVersionMatch=Exact");
    assert_eq!(names(&world.get(&exact).1), ["a", "b", "c", "d", "e"]);
    assert_eq!(names(&world.get(&format!("{THINGS}?resourceVersion={revision}")).1), ["b", "c", "d", "e"]);
    let id = world.send("GET", &format!("{THINGS}?resourceVersion=99999"), "", "");
    world.pass(3);
    let response = world.answer(id).unwrap();
    let refused: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(
        (response.status, &refused["details"]["causes"][0]["reason"]),
        (504, &"ResourceVersionTooLarge".into())
    );
}

#[test]
fn selectors_narrow_a_list_and_a_table_shows_columns() {
    let mut world = world();
    let (_, blue) = world.get(&format!("{THINGS}?fieldSelector=spec.color%3Dblue"));
    assert_eq!(names(&blue), ["b"]);
    assert_eq!(names(&world.get(&format!("{THINGS}?fieldSelector=metadata.name%3Dc")).1), ["c"]);
    assert_eq!(world.get(&format!("{THINGS}?fieldSelector=spec.size%3D3")).0, 400);
    world.accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
    let (_, table) = world.get(THINGS);
    assert_eq!(table["rows"][0]["cells"], serde_json::json!(["a", "red"]));
    world.accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io".to_owned();
    let (_, list) = world.get(THINGS);
    assert_eq!(list["items"][0]["kind"], "PartialObjectMetadata");
    assert!(list["items"][0]["spec"].is_null());
}
