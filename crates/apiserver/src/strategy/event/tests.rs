//! Events through both groups.

use serde_json::{Value, json};

use crate::testing::{APPLY, MERGE, World};

const CORE: &str = "/api/v1/namespaces/default/events";
const NEWER: &str = "/apis/events.k8s.io/v1/namespaces/default/events";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const TIME: &str = "2026-01-01T00:00:00.123456Z";

/// An event with everything that the newer group asks for.
fn newer(name: &str) -> Value {
    json!({"metadata": {"name": name}, "regarding": {"kind": "Pod", "namespace": "default", "name": "p"},
        "reason": "R", "note": "n", "type": "Normal", "eventTime": TIME, "action": "A",
        "reportingController": "example.com/c", "reportingInstance": "i"})
}

fn without(mut event: Value, field: &str) -> Value {
    event.as_object_mut().unwrap().remove(field);
    event
}

fn with(mut event: Value, field: &str, value: Value) -> Value {
    event[field] = value;
    event
}

/// The code and the fields of an answer's causes.
fn refusal((code, answer): (u16, Value)) -> (u16, Vec<String>) {
    let causes = answer["details"]["causes"].as_array().cloned().unwrap_or_default();
    (code, causes.iter().map(|cause| cause["field"].as_str().unwrap().to_owned()).collect())
}

fn refused(fields: &[&str]) -> (u16, Vec<String>) {
    (422, fields.iter().map(|field| (*field).to_owned()).collect())
}

/// The object's content without type and metadata.
fn content(mut event: Value) -> Value {
    for field in ["metadata", "apiVersion", "kind"] {
        event.as_object_mut().unwrap().remove(field);
    }
    event
}

#[test]
fn an_event_of_the_core_group_has_the_newer_groups_names_there_and_no_others() {
    let mut world = World::new();
    let about = json!({"kind": "Pod", "namespace": "default", "name": "p"});
    let event = json!({"metadata": {"name": "a"}, "involvedObject": about, "reason": "R", "message": "m", "count": 2,
        "source": {"component": "c"}, "firstTimestamp": "2026-01-01T00:00:00Z", "type": "Normal"});
    world.post(CORE, &event);
    let shown = json!({"regarding": about, "reason": "R", "note": "m", "deprecatedCount": 2, "eventTime": null,
        "deprecatedSource": {"component": "c"}, "deprecatedFirstTimestamp": "2026-01-01T00:00:00Z",
        "deprecatedLastTimestamp": null, "type": "Normal"});
    assert_eq!(content(world.get(&format!("{NEWER}/a")).1), shown);
}

#[test]
fn an_event_of_the_newer_group_has_the_core_groups_names_there_and_no_others() {
    let mut world = World::new();
    world.post(NEWER, &newer("a"));
    let shown = json!({"involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"}, "reason": "R",
        "message": "n", "type": "Normal", "eventTime": TIME, "action": "A", "reportingComponent": "example.com/c",
        "reportingInstance": "i", "source": {}, "firstTimestamp": null, "lastTimestamp": null});
    assert_eq!(content(world.get(&format!("{CORE}/a")).1), shown);
    let watch = world.send("GET", &format!("{CORE}?watch=true&resourceVersion=0"), "", "");
    assert_eq!(content(world.frames[&watch][0]["object"].clone()), shown);
}

#[test]
fn what_nobody_set_is_shown_and_owned_by_nobody() {
    let mut world = World::new();
    let (_, event) = world.post(CORE, &json!({"metadata": {"name": "a"}, "source": {"component": "c"}}));
    let owned = &event["metadata"]["managedFields"][0]["fieldsV1"];
    assert_eq!(owned, &json!({"f:source": {"f:component": {}}}));
    assert_eq!(event["involvedObject"], json!({}));
    let (_, newer) = world.get(&format!("{NEWER}/a"));
    assert_eq!(newer.get("reportingController"), None);
    let (_, lease) = world.post(LEASES, &json!({"metadata": {"name": "l"}}));
    assert_eq!((&lease["spec"], lease["metadata"].get("managedFields")), (&json!({}), None));
}

#[test]
fn a_new_event_of_the_newer_group_says_when_and_who_and_sets_nothing_deprecated() {
    let mut world = World::new();
    assert_eq!(
        refusal(world.post(NEWER, &json!({"metadata": {"name": "a"}}))),
        refused(&["eventTime", "type"])
    );
    for field in ["reason", "action", "reportingInstance", "type"] {
        assert_eq!(refusal(world.post(NEWER, &without(newer("a"), field))), refused(&[field]));
    }
    let nobody = without(newer("a"), "reportingController");
    assert_eq!(refusal(world.post(NEWER, &nobody)), refused(&["reportingController"; 3]));
    let counted = with(newer("a"), "deprecatedCount", json!(3));
    assert_eq!(refusal(world.post(NEWER, &counted)), refused(&["count"]));
    let once = with(newer("a"), "series", json!({"count": 1}));
    assert_eq!(refusal(world.post(NEWER, &once)), refused(&["series.count", "series.lastObservedTime"]));
    let (code, answer) = world.post(NEWER, &with(newer("a"), "type", json!("Odd")));
    assert_eq!(
        answer["message"],
        "Event \"a\" is invalid: type: Invalid value: \"\": has invalid value: Odd"
    );
    assert_eq!((code, world.post(NEWER, &newer("a")).0), (422, 201));
}

#[test]
fn the_core_group_asks_less() {
    let mut world = World::new();
    assert_eq!(world.post(CORE, &json!({"metadata": {"name": "a"}})).0, 201);
    let timed = json!({"metadata": {"name": "b"}, "eventTime": TIME, "action": "A", "reason": "R",
        "reportingComponent": "c", "reportingInstance": "i", "count": 3, "type": "Odd"});
    assert_eq!(world.post(CORE, &timed).0, 201);
    assert_eq!(refusal(world.post(CORE, &without(timed, "action"))), refused(&["action"]));
    let elsewhere = json!({"metadata": {"name": "c"}, "involvedObject": {"namespace": "kube-system"}});
    assert_eq!(refusal(world.post(CORE, &elsewhere)), refused(&["involvedObject.namespace"]));
}

#[test]
fn through_the_newer_group_only_series_and_metadata_change() {
    let mut world = World::new();
    world.post(NEWER, &newer("a"));
    let (one, core) = (format!("{NEWER}/a"), format!("{CORE}/a"));
    let note = json!({"note": "other"});
    assert_eq!(refusal(world.patch(&one, &note, MERGE)), refused(&["message"]));
    let about = json!({"regarding": {"name": "q"}});
    let (_, answer) = world.patch(&one, &about, MERGE);
    let told = "involvedObject: Invalid value: {\"Kind\":\"Pod\",\"Namespace\":\"default\",\"Name\":\"q\",";
    assert!(answer["message"].as_str().unwrap().contains(told), "{answer}");
    let series =
        json!({"series": {"count": 2, "lastObservedTime": TIME}, "metadata": {"labels": {"a": "b"}}});
    assert_eq!(world.patch(&one, &series, MERGE).0, 200);
    assert_eq!(world.patch(&core, &json!({"message": "other", "count": 4}), MERGE).0, 200);
    assert_eq!(world.get(&one).1["deprecatedCount"], 4);
}

#[test]
fn a_write_through_one_group_drops_the_entries_of_the_other() {
    let mut world = World::new();
    world.post(NEWER, &newer("a"));
    let (_, changed) = world.patch(&format!("{CORE}/a"), &json!({"message": "other"}), MERGE);
    let entries = changed["metadata"]["managedFields"].as_array().unwrap();
    let shown: Vec<(&Value, &Value)> =
        entries.iter().map(|entry| (&entry["apiVersion"], &entry["fieldsV1"])).collect();
    assert_eq!(shown, [(&json!("v1"), &json!({"f:message": {}}))]);
    let applied =
        json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"labels": {"a": "b"}}});
    let (_, changed) = world.patch(&format!("{NEWER}/a?fieldManager=m"), &applied, APPLY);
    let entries = changed["metadata"]["managedFields"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["manager"]), (1, &json!("m")));
}

#[test]
fn each_group_is_selected_and_shown_by_its_own_names() {
    let mut world = World::new();
    world.post(NEWER, &newer("a"));
    world.post(CORE, &json!({"metadata": {"name": "b"}, "source": {"component": "c"}}));
    let mut found = |path: &str| {
        let (code, list) = world.get(path);
        (code, list["items"].as_array().map_or(0, Vec::len))
    };
    assert_eq!(found(&format!("{CORE}?fieldSelector=involvedObject.kind=Pod")), (200, 1));
    assert_eq!(found(&format!("{NEWER}?fieldSelector=regarding.kind=Pod")), (200, 1));
    assert_eq!(found(&format!("{CORE}?fieldSelector=source=c")), (200, 1));
    assert_eq!(found(&format!("{CORE}?fieldSelector=source=example.com/c")), (200, 1));
    assert_eq!(found(&format!("{NEWER}?fieldSelector=reportingController=example.com/c")), (200, 1));
    assert_eq!(found(&format!("{NEWER}?fieldSelector=involvedObject.kind=Pod")).0, 400);
    assert_eq!(found(&format!("{CORE}?fieldSelector=regarding.kind=Pod")).0, 400);
    world.accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
    for path in [CORE, NEWER] {
        let (_, table) = world.get(&format!("{path}/a"));
        let cells = &table["rows"][0]["cells"];
        assert_eq!((&cells[4], &cells[5]), (&json!("pod/p"), &json!("n")), "{table}");
    }
}

#[test]
fn times_of_events_and_leases_have_six_digits_of_a_second() {
    let mut world = World::new();
    for time in
        ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.1234567Z", "yesterday"]
    {
        let lease = json!({"metadata": {"name": "l"}, "spec": {"renewTime": time}});
        assert_eq!(world.post(LEASES, &lease).0, 400, "{time}");
        assert_eq!(world.post(NEWER, &with(newer("a"), "eventTime", json!(time))).0, 400, "{time}");
    }
    let lease = json!({"metadata": {"name": "l"}, "spec": {"renewTime": "2026-01-01T00:00:00.000000+01:00"}});
    assert_eq!(world.post(LEASES, &lease).0, 201);
}
