//! Definitions: established, refused, changed and deleted.

use serde_json::{Value, json};

use crate::testing::{THINGS, World, thing, thing_crd};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[test]
fn a_definition_is_established_and_its_resource_served() {
    let mut world = World::new();
    assert_eq!(world.get(THINGS).0, 404);
    assert_eq!(world.post(CRDS, &thing_crd()).0, 201);
    let (_, shown) = world.get(&format!("{CRDS}/things.example.com"));
    assert_eq!(shown["status"]["conditions"][1]["type"], "Established", "{shown}");
    assert_eq!(shown["status"]["storedVersions"], json!(["v1"]));
    assert_eq!(shown["spec"]["names"]["listKind"], "ThingList");
    assert_eq!(world.get(THINGS).0, 200);
}

#[test]
fn a_broken_schema_is_refused() {
    let mut world = World::new();
    let mut broken = thing_crd();
    broken["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["color"]
        ["pattern"] = json!("(");
    assert_eq!(world.post(CRDS, &broken).0, 422);
    let mut misnamed = thing_crd();
    misnamed["metadata"]["name"] = json!("other.example.com");
    assert_eq!(world.post(CRDS, &misnamed).0, 422);
}

#[test]
fn a_changed_definition_ends_watches_and_shows_old_objects_with_new_defaults() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    let id = world.send("GET", &format!("{THINGS}?watch=true"), "", "");
    let (_, mut crd) = world.get(&format!("{CRDS}/things.example.com"));
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["shape"] =
        json!({"type": "string", "default": "round"});
    assert_eq!(world.put(&format!("{CRDS}/things.example.com"), &crd).0, 200);
    assert_eq!(world.ended, [id]);
    let (_, shown) = world.get(&format!("{THINGS}/a"));
    assert_eq!(shown["spec"]["shape"], "round");
    assert_eq!(shown["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"]);
}

#[test]
fn a_deleted_definition_takes_its_objects_along() {
    let mut world = World::with_things();
    let mut held = thing("a", "red");
    held["metadata"]["finalizers"] = json!(["example.com/x"]);
    world.post(THINGS, &held);
    world.post(THINGS, &thing("b", "red"));
    world.delete(&format!("{CRDS}/things.example.com"), &Value::Null);
    world.settle();
    let (code, shown) = world.get(&format!("{CRDS}/things.example.com"));
    assert_eq!(
        (code, &shown["metadata"]["finalizers"][0]),
        (200, &json!("customresourcecleanup.apiextensions.k8s.io"))
    );
    assert_eq!(world.get(&format!("{THINGS}/b")).0, 404);
    assert_eq!(world.post(THINGS, &thing("c", "red")).0, 405);
    world.patch(&format!("{THINGS}/a"), &json!({"metadata": {"finalizers": null}}), crate::testing::MERGE);
    world.settle();
    assert_eq!(world.get(&format!("{CRDS}/things.example.com")).0, 404);
    assert_eq!(world.get(THINGS).0, 404);
}
