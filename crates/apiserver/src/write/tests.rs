//! The pipeline of every write, verb by verb.

use serde_json::{Value, json};

use crate::testing::{APPLY, JSON, MERGE, THINGS, World, thing};

fn one(name: &str) -> String {
    format!("{THINGS}/{name}")
}

#[test]
fn a_created_object_is_defaulted_stamped_and_shown() {
    let mut world = World::with_things();
    let (code, made) = world.post(THINGS, &thing("a", "red"));
    assert_eq!(code, 201, "{made}");
    assert_eq!(made["spec"], json!({"color": "red", "size": 3}));
    assert_eq!(made["metadata"]["generation"], 1);
    assert_eq!(made["metadata"]["managedFields"][0]["manager"], "test");
    assert_eq!(world.get(&one("a")), (200, made));
    let (code, again) = world.post(THINGS, &thing("a", "red"));
    assert_eq!((code, &again["reason"]), (409, &json!("AlreadyExists")));
}

#[test]
fn what_the_schema_refuses_is_invalid_with_causes() {
    let mut world = World::with_things();
    let (code, refused) = world.post(THINGS, &thing("a", "pink"));
    assert_eq!(code, 422);
    assert_eq!(refused["details"]["causes"][0]["field"], "spec.color");
    assert_eq!(world.get(&one("a")).0, 404);
}

#[test]
fn unknown_fields_warn_or_refuse_as_asked() {
    let mut world = World::with_things();
    let mut odd = thing("a", "red");
    odd["spec"]["odd"] = json!(1);
    let id = world.send("POST", THINGS, &odd.to_string(), "");
    let response = world.answer(id).unwrap().clone();
    assert_eq!(response.status, 201);
    assert_eq!(response.headers, [("Warning", "299 - \"unknown field \\\"spec.odd\\\"\"".to_owned())]);
    let (code, refused) = world.post(&format!("{THINGS}?fieldValidation=Strict"), &odd);
    assert_eq!(code, 400);
    assert!(refused["message"].as_str().unwrap().contains("unknown field \"spec.odd\""));
}

#[test]
fn a_dry_run_answers_as_if_and_stores_nothing() {
    let mut world = World::with_things();
    let (code, shown) = world.post(&format!("{THINGS}?dryRun=All"), &thing("a", "red"));
    assert_eq!(code, 201);
    assert!(shown["metadata"]["uid"].is_string());
    assert!(shown["metadata"]["resourceVersion"].is_null());
    assert_eq!(world.get(&one("a")).0, 404);
}

#[test]
fn a_stale_update_conflicts_and_an_equal_one_keeps_the_revision() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    let (code, same) = world.put(&one("a"), &made);
    assert_eq!((code, &same), (200, &made));
    let mut next = made.clone();
    next["spec"]["color"] = json!("blue");
    let (code, changed) = world.put(&one("a"), &next);
    assert_eq!((code, &changed["metadata"]["generation"]), (200, &json!(2)));
    assert_ne!(changed["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"]);
    let (code, stale) = world.put(&one("a"), &next);
    assert_eq!((code, &stale["reason"]), (409, &json!("Conflict")));
    let (code, blind) = world.put(&one("a"), &thing("a", "red"));
    assert_eq!(code, 422, "{blind}");
}

#[test]
fn status_is_written_through_its_own_path_only() {
    let mut world = World::with_things();
    let mut wanted = thing("a", "red");
    wanted["status"] = json!({"seen": 1});
    let (_, made) = world.post(THINGS, &wanted);
    assert!(made["status"].is_null());
    let patch = json!({"spec": {"color": "blue"}, "status": {"seen": 2}, "metadata": {"labels": {"a": "b"}}});
    let (code, shown) = world.patch(&format!("{}/status", one("a")), &patch, MERGE);
    assert_eq!(code, 200);
    assert_eq!((&shown["spec"]["color"], &shown["status"]["seen"]), (&json!("red"), &json!(2)));
    assert!(shown["metadata"]["labels"].is_null());
    assert_eq!(shown["metadata"]["generation"], 1);
}

#[test]
fn json_and_merge_patches_change_what_they_name() {
    let mut world = World::with_things();
    world.post(THINGS, &thing("a", "red"));
    let operations = json!([{"op": "test", "path": "/spec/color", "value": "red"}, {"op": "replace", "path": "/spec/color", "value": "green"}]);
    assert_eq!(world.patch(&one("a"), &operations, JSON).1["spec"]["color"], "green");
    assert_eq!(world.patch(&one("a"), &operations, JSON).0, 422);
    assert_eq!(world.patch(&one("a"), &json!({"spec": {"size": 5}}), MERGE).1["spec"]["size"], 5);
    assert_eq!(world.patch(&one("a"), &json!({"metadata": {"resourceVersion": "1"}}), MERGE).0, 409);
    assert_eq!(world.patch(&one("a"), &json!({}), "text/plain").0, 415);
}

#[test]
fn applying_creates_then_conflicts_and_force_takes_over() {
    let mut world = World::with_things();
    let path = |manager: &str| format!("{}?fieldManager={manager}", one("a"));
    let (code, made) = world.patch(&path("one"), &thing("a", "red"), APPLY);
    assert_eq!(code, 201, "{made}");
    assert_eq!(made["metadata"]["managedFields"][0]["operation"], "Apply");
    let (code, refused) = world.patch(&path("two"), &thing("a", "blue"), APPLY);
    assert_eq!((code, &refused["details"]["causes"][0]["reason"]), (409, &json!("FieldManagerConflict")));
    let (code, taken) = world.patch(&format!("{}&force=true", path("two")), &thing("a", "blue"), APPLY);
    assert_eq!((code, &taken["spec"]["color"]), (200, &json!("blue")));
    assert_eq!(world.patch(&one("a"), &thing("a", "blue"), APPLY).0, 422, "an apply names its manager");
}

#[test]
fn an_apply_that_leaves_its_last_label_out_keeps_the_rest_of_the_metadata() {
    let mut world = World::with_things();
    let path = format!("{}?fieldManager=one", one("a"));
    let mut labelled = thing("a", "red");
    labelled["metadata"]["labels"] = json!({});
    world.patch(&path, &labelled, APPLY);
    let (code, kept) = world.patch(&path, &thing("a", "blue"), APPLY);
    assert_eq!((code, &kept["metadata"]["name"]), (200, &json!("a")), "{kept}");
    labelled["metadata"]["labels"] = json!({"a": "b"});
    world.patch(&path, &labelled, APPLY);
    let (code, kept) = world.patch(&path, &thing("a", "blue"), APPLY);
    assert_eq!((code, &kept["metadata"]["labels"]), (200, &Value::Null), "{kept}");
}

#[test]
fn a_delete_with_a_body_does_not_look_at_the_query() {
    let mut world = World::with_things();
    world.post(THINGS, &thing("a", "red"));
    assert_eq!(world.delete(&format!("{}?dryRun=All", one("a")), &Value::Null).0, 200);
    assert_eq!(world.get(&one("a")).0, 200);
    let options = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
    assert_eq!(world.delete(&format!("{}?dryRun=All", one("a")), &options).0, 200);
    assert_eq!(world.get(&one("a")).0, 404);
}

#[test]
fn an_apply_with_a_uid_never_brings_an_object_back() {
    let mut world = World::with_things();
    let mut applied = thing("a", "red");
    applied["metadata"]["uid"] = json!("gone");
    assert_eq!(world.patch(&format!("{}?fieldManager=m", one("a")), &applied, APPLY).0, 409);
    assert_eq!(world.get(&one("a")).0, 404);
}

/// As kube-apiserver 1.36.3 answers it: the uid of another life is found after the revision, and a status write ignores it.
#[test]
fn an_apply_for_another_life_of_an_object_is_invalid_and_no_conflict() {
    let mut world = World::with_things();
    let (_, made) = world.post(THINGS, &thing("a", "red"));
    let mut applied = thing("a", "blue");
    applied["metadata"]["uid"] = json!("gone");
    let path = format!("{}?fieldManager=m&force=true", one("a"));
    let (code, refused) = world.patch(&path, &applied, APPLY);
    assert_eq!((code, &refused["reason"]), (422, &json!("Invalid")), "{refused}");
    let cause = &refused["details"]["causes"][0];
    assert_eq!((&cause["field"], &cause["reason"]), (&json!("metadata.uid"), &json!("FieldValueInvalid")));
    applied["metadata"]["resourceVersion"] = json!("1");
    let (code, refused) = world.patch(&path, &applied, APPLY);
    assert_eq!((code, &refused["reason"]), (409, &json!("Conflict")), "{refused}");
    let of_status = format!("{}/status?fieldManager=m&force=true", one("a"));
    let mut status = json!({"apiVersion": made["apiVersion"], "kind": made["kind"],
        "metadata": {"name": "a", "uid": "gone"}, "status": {"seen": 1}});
    let (code, written) = world.patch(&of_status, &status, APPLY);
    assert_eq!((code, &written["status"]["seen"]), (200, &json!(1)), "{written}");
    assert_eq!(written["metadata"]["uid"], made["metadata"]["uid"]);
    status["metadata"]["resourceVersion"] = json!("1");
    assert_eq!(world.patch(&of_status, &status, APPLY).0, 409);
}

#[test]
fn deletes_obey_preconditions_and_wait_for_finalizers() {
    let mut world = World::with_things();
    let mut held = thing("a", "red");
    held["metadata"]["finalizers"] = json!(["example.com/x"]);
    world.post(THINGS, &held);
    assert_eq!(world.delete(&one("a"), &json!({"preconditions": {"uid": "other"}})).0, 409);
    let (code, pending) = world.delete(&one("a"), &Value::Null);
    assert_eq!(code, 200);
    assert!(pending["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(pending["metadata"]["generation"], 2);
    let adding = json!({"metadata": {"finalizers": ["example.com/x", "example.com/y"]}});
    let (code, refused) = world.patch(&one("a"), &adding, MERGE);
    assert_eq!(code, 422, "{refused}");
    let (code, last) = world.patch(&one("a"), &json!({"metadata": {"finalizers": null}}), MERGE);
    assert_eq!(code, 200);
    assert_eq!(last["metadata"]["resourceVersion"], pending["metadata"]["resourceVersion"]);
    assert_eq!(world.get(&one("a")).0, 404);
}

#[test]
fn a_collection_is_deleted_by_selector() {
    let mut world = World::with_things();
    for (name, color) in [("a", "red"), ("b", "blue"), ("c", "red")] {
        world.post(THINGS, &thing(name, color));
    }
    let (code, list) = world.delete(&format!("{THINGS}?fieldSelector=spec.color%3Dred"), &Value::Null);
    assert_eq!((code, list["items"].as_array().unwrap().len()), (200, 2));
    assert_eq!(world.get(THINGS).1["items"][0]["metadata"]["name"], "b");
}

#[test]
fn generated_names_differ_and_a_missing_namespace_refuses() {
    let mut world = World::with_things();
    let mut generated = thing("", "red");
    generated["metadata"] = json!({"generateName": "x-"});
    let (_, first) = world.post(THINGS, &generated);
    let (_, second) = world.post(THINGS, &generated);
    assert_ne!(first["metadata"]["name"], second["metadata"]["name"]);
    assert_eq!(first["metadata"]["name"].as_str().unwrap().len(), 7);
    let elsewhere = THINGS.replace("default", "nowhere");
    assert_eq!(world.post(&elsewhere, &thing("a", "red")).1["details"]["kind"], "namespaces");
}

#[test]
fn an_apply_that_is_known_to_change_nothing_is_judged_again_when_anything_it_depends_on_changes() {
    let mut world = World::with_things();
    let path = format!("{THINGS}/a?fieldManager=one");
    let intent = thing("a", "red");
    assert_eq!(world.patch(&path, &intent, APPLY).0, 201);
    let (_, first) = world.patch(&path, &intent, APPLY);
    let (_, again) = world.patch(&path, &intent, APPLY);
    assert_eq!(first, again);
    // Another manager takes the field: the same apply now conflicts.
    assert_eq!(
        world.patch(&format!("{THINGS}/a?fieldManager=two&force=true"), &thing("a", "blue"), APPLY).0,
        200
    );
    assert_eq!(world.patch(&path, &intent, APPLY).0, 409);
    // Forced it wins, and the object goes and comes back: then it creates.
    assert_eq!(world.patch(&format!("{path}&force=true"), &intent, APPLY).1["spec"]["color"], "red");
    world.patch(&path, &intent, APPLY);
    world.delete(&format!("{THINGS}/a"), &Value::Null);
    assert_eq!(world.patch(&path, &intent, APPLY).0, 201);
    // A schema that lost the field refuses what it took before.
    assert_eq!(world.patch(&path, &intent, APPLY).0, 200);
    let mut narrower = crate::testing::thing_crd();
    let version = &mut narrower["spec"]["versions"][0];
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] =
        json!({"size": {"type": "integer"}});
    version.as_object_mut().unwrap().remove("selectableFields");
    let crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com";
    assert_eq!(world.patch(crd, &narrower, MERGE).0, 200);
    assert_eq!(world.patch(&path, &intent, APPLY).0, 500, "the field is not declared any more");
}

#[test]
fn a_status_that_nobody_wrote_shows_its_default_at_once() {
    let mut world = World::new();
    let mut crd = crate::testing::thing_crd();
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["default"] =
        json!({"seen": 1});
    world.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &crd);
    let mut sent = thing("a", "red");
    sent["status"] = json!({"seen": 9});
    assert_eq!(world.post(THINGS, &sent).1["status"], json!({"seen": 1}));
    assert_eq!(world.get(&format!("{THINGS}/a")).1["status"], json!({"seen": 1}));
}

#[test]
fn a_name_whose_holder_is_going_says_so() {
    let mut world = World::with_things();
    let mut held = thing("a", "red");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    world.post(THINGS, &held);
    world.delete(&format!("{THINGS}/a"), &Value::Null);
    let (code, refused) = world.post(THINGS, &thing("a", "red"));
    let message = "object is being deleted: things.example.com \"a\" already exists";
    assert_eq!((code, &refused["message"]), (409, &json!(message)));
}

#[test]
fn all_that_is_wrong_with_the_options_of_an_apply_is_said_at_once() {
    let mut world = World::with_things();
    let (code, refused) =
        world.patch(&format!("{THINGS}/a?fieldValidation=Wrong"), &thing("a", "red"), APPLY);
    assert_eq!(code, 422);
    let fields = ["fieldManager", "fieldValidation"].map(|field| json!(field));
    let causes = refused["details"]["causes"].as_array().unwrap();
    assert_eq!(causes.iter().map(|cause| cause["field"].clone()).collect::<Vec<_>>(), fields);
}

#[test]
fn new_finalizers_of_a_deleted_object_are_named_in_order() {
    let mut world = World::with_things();
    let mut held = thing("a", "red");
    held["metadata"]["finalizers"] = json!(["example.com/x"]);
    world.post(THINGS, &held);
    world.delete(&format!("{THINGS}/a"), &Value::Null);
    let more = json!({"metadata": {"finalizers": ["example.com/x", "example.com/c", "example.com/b"]}});
    let (code, refused) = world.patch(&format!("{THINGS}/a"), &more, MERGE);
    let message = refused["message"].as_str().unwrap();
    let named = "found new finalizers []string{\"example.com/b\", \"example.com/c\"}";
    assert!(code == 422 && message.contains(named), "{message}");
}

#[test]
fn the_deletion_of_a_collection_shows_what_it_found_also_where_finalizers_hold_it() {
    let mut world = World::with_things();
    let mut held = thing("a", "red");
    held["metadata"]["finalizers"] = json!(["example.com/x"]);
    let (_, made) = world.post(THINGS, &held);
    let (code, list) = world.delete(THINGS, &Value::Null);
    assert_eq!((code, &list["items"]), (200, &json!([made])));
    let (_, marked) = world.get(&format!("{THINGS}/a"));
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(world.delete(THINGS, &Value::Null).1["items"], json!([marked]));
}

#[test]
fn only_times_of_managers_do_not_count_as_a_change() {
    let object = |time: Value, manager: &str, spec: i64| {
        json!({"metadata": {"name": "a", "managedFields": [{"manager": manager, "time": time}]},
            "spec": {"time": spec}})
    };
    let old = object(json!("2026-01-01T00:00:00Z"), "one", 1);
    let mut without = object(Value::Null, "one", 1);
    without["metadata"]["managedFields"][0].as_object_mut().unwrap().remove("time");
    assert!(super::same(&old, &object(json!("2026-01-02T00:00:00Z"), "one", 1)));
    assert!(super::same(&old, &without) && super::same(&without, &old));
    assert!(!super::same(&old, &object(json!("2026-01-01T00:00:00Z"), "two", 1)));
    assert!(!super::same(&old, &object(json!("2026-01-02T00:00:00Z"), "one", 2)));
    let mut unmanaged = old.clone();
    unmanaged["metadata"].as_object_mut().unwrap().remove("managedFields");
    assert!(!super::same(&old, &unmanaged) && !super::same(&unmanaged, &old));
}
