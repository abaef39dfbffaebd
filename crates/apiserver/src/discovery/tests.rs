//! What kubectl discovers, explains and validates with.

use serde_json::json;

use crate::testing::World;

#[test]
fn discovery_names_custom_and_built_in_resources() {
    let mut world = World::with_things();
    let (_, list) = world.get("/apis/example.com/v1");
    assert_eq!(list["resources"][0]["name"], "things");
    assert_eq!(list["resources"][1]["name"], "things/status");
    let (_, groups) = world.get("/apis");
    assert!(groups["groups"].as_array().unwrap().iter().any(|group| group["name"] == "coordination.k8s.io"));
    world.accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList".to_owned();
    let (_, all) = world.get("/apis");
    assert_eq!(all["kind"], "APIGroupDiscoveryList");
    let core = world.get("/api").1;
    assert!(core["items"][0]["versions"][0]["resources"].as_array().unwrap().len() > 4);
}

#[test]
fn the_openapi_document_lets_kubectl_validate_and_patch() {
    let mut world = World::with_things();
    let (_, index) = world.get("/openapi/v3");
    assert!(index["paths"]["apis/example.com/v1"]["serverRelativeURL"].is_string());
    let (_, document) = world.get("/openapi/v3/apis/example.com/v1");
    let patch = &document["paths"]["/apis/example.com/v1/namespaces/{namespace}/things/{name}"]["patch"];
    assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Thing");
    let names: Vec<_> =
        patch["parameters"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert!(names.contains(&json!("fieldValidation")));
    assert!(document["components"]["schemas"]["com.example.v1.Thing"]["properties"]["spec"].is_object());
}
