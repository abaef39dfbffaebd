//! Server-side apply against answers recorded from kube-apiserver.

use serde_json::{Value, json};

use super::{ApplyError, Writer, apply, record_update};
use crate::managed_fields::ManagedFields;
use crate::schema::CompiledSchema;

const VERSION: &str = "conformance.example.com/v1";

fn schema() -> CompiledSchema {
    let text = json!({ "type": "string" });
    let document = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": {
        "color": text, "size": { "type": "integer" }, "when": { "type": "string", "format": "date-time" },
        "tags": { "type": "array", "x-kubernetes-list-type": "set", "items": text },
        "rules": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key", "port"],
            "items": { "type": "object", "required": ["key", "port"], "properties": {
                "key": text, "port": { "type": "integer", "default": 80 }, "value": text } } },
        "labels": { "type": "object", "additionalProperties": text },
        "whole": { "type": "object", "x-kubernetes-map-type": "atomic", "properties": { "x": text } },
        "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        "nested": { "type": "object", "properties": { "deep": { "type": "object" } } } } } } });
    CompiledSchema::compile(&document, "schema").unwrap()
}

fn object(spec: &Value) -> Value {
    json!({ "apiVersion": VERSION, "kind": "Sample", "metadata": { "name": "sa" }, "spec": spec })
}

fn writer(manager: &str, second: i64) -> Writer<'_> {
    let now = jiff::Timestamp::from_second(second).unwrap();
    Writer { manager, subresource: None, api_version: VERSION, now }
}

type Stored = (Option<Value>, ManagedFields);

fn applied(stored: &Stored, spec: &Value, manager: &str, force: bool) -> Result<Stored, ApplyError> {
    let state = (stored.0.as_ref(), &stored.1);
    let (object, managers) = apply(&schema(), state, &object(spec), writer(manager, 100), force)?;
    Ok((Some(object), managers))
}

fn fields_of(stored: &Stored, manager: &str) -> Value {
    let entries = stored.1.to_value();
    let entry = entries.as_array().unwrap().iter().find(|entry| entry["manager"] == manager).cloned();
    entry.map_or(Value::Null, |entry| entry["fieldsV1"]["f:spec"].clone())
}

fn spec_of(stored: &Stored) -> &Value {
    &stored.0.as_ref().unwrap()["spec"]
}

fn first() -> Stored {
    let spec = json!({ "color": "red", "labels": { "a": "1" }, "rules": [{ "key": "a" }], "tags": ["x"], "nested": {},
        "free": { "a": { "b": 1 }, "l": [1] }, "whole": { "x": "1" } });
    applied(&(None, ManagedFields::default()), &spec, "one", false).unwrap()
}

#[test]
fn an_applier_owns_leaves_items_and_free_entries() {
    let expected = json!({ "f:color": {}, "f:free": { "f:a": { ".": {}, "f:b": {} }, "f:l": {} },
        "f:labels": { "f:a": {} }, "f:nested": {}, "f:tags": { "v:\"x\"": {} }, "f:whole": {},
        "f:rules": { "k:{\"key\":\"a\",\"port\":80}": { ".": {}, "f:key": {} } } });
    assert_eq!(fields_of(&first(), "one"), expected);
}

#[test]
fn agreeing_makes_both_owners_and_sets_no_time() {
    let stored = applied(&first(), &json!({ "color": "red" }), "two", false).unwrap();
    assert_eq!(fields_of(&stored, "two"), json!({ "f:color": {} }));
    let entries = stored.1.to_value();
    assert_eq!(entries[0]["manager"], "two");
    assert_eq!(entries[0].get("time"), None);
    assert_eq!(entries[1]["time"], "1970-01-01T00:01:40Z");
}

#[test]
fn changing_what_others_own_is_a_conflict_by_manager_and_field() {
    let stored = applied(&first(), &json!({ "color": "red" }), "two", false).unwrap();
    let error =
        applied(&stored, &json!({ "color": "blue", "labels": { "a": "2" } }), "three", false).unwrap_err();
    let expected = "Apply failed with 3 conflicts: conflicts with \"one\":\n- .spec.color\n- .spec.labels.a\n\
                    conflicts with \"two\":\n- .spec.color";
    assert_eq!(error.to_string(), expected);
    let error = applied(&stored, &json!({ "color": "blue" }), "two", false).unwrap_err();
    assert_eq!(error.to_string(), "Apply failed with 1 conflict: conflict with \"one\": .spec.color");
}

#[test]
fn a_field_left_out_goes_unless_somebody_else_owns_it() {
    let stored = applied(&first(), &json!({ "color": "red", "labels": { "a": "1" } }), "two", false).unwrap();
    let stored = applied(&stored, &json!({ "size": 1 }), "one", false).unwrap();
    assert_eq!(*spec_of(&stored), json!({ "color": "red", "labels": { "a": "1" }, "size": 1 }));
    assert_eq!(fields_of(&stored, "one"), json!({ "f:size": {} }));
}

#[test]
fn forcing_takes_the_field_from_its_owner() {
    let stored = applied(&first(), &json!({ "color": "blue" }), "two", true).unwrap();
    assert_eq!(spec_of(&stored)["color"], "blue");
    assert_eq!(fields_of(&stored, "one").get("f:color"), None);
    assert_eq!(fields_of(&stored, "two"), json!({ "f:color": {} }));
}

#[test]
fn an_update_takes_changed_fields_and_owns_the_maps_it_makes() {
    let (live, managers) = first();
    let live = live.unwrap();
    let mut new = live.clone();
    new["spec"]["color"] = json!("green");
    new["spec"]["free"]["z"] = json!({ "y": 1 });
    new["spec"]["tags"] = json!(["x", "y"]);
    new["metadata"]["labels"] = json!({ "q": "1" });
    let managers = record_update(&schema(), Some(&live), &new, &managers, writer("upd", 200));
    let stored = (Some(new), managers);
    let expected =
        json!({ "f:color": {}, "f:free": { "f:z": { ".": {}, "f:y": {} } }, "f:tags": { "v:\"y\"": {} } });
    assert_eq!(fields_of(&stored, "upd"), expected);
    assert_eq!(fields_of(&stored, "one").get("f:color"), None);
    assert_eq!(
        stored.1.to_value()[1]["fieldsV1"]["f:metadata"],
        json!({ "f:labels": { ".": {}, "f:q": {} } })
    );
    let error = applied(&stored, &json!({ "color": "red" }), "one", false).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("Apply failed with 1 conflict: conflict with \"upd\" using {VERSION}: .spec.color")
    );
}

#[test]
fn an_update_that_only_removes_takes_nothing_and_keeps_the_time() {
    let (live, managers) = first();
    let live = live.unwrap();
    let mut new = live.clone();
    new["spec"].as_object_mut().unwrap().remove("color");
    let after = record_update(&schema(), Some(&live), &new, &managers, writer("upd", 200));
    assert_eq!(after.iter().count(), 1);
    let (_, one) = after.iter().next().unwrap();
    assert_eq!(one.time.unwrap().as_second(), 100);
    assert!(!one.fields.paths().contains(&".spec.color".to_owned()));
}

#[test]
fn the_first_apply_to_an_object_without_entries_leaves_the_rest_to_its_past() {
    let past = object(&json!({ "color": "red", "size": 3 }));
    let stored =
        applied(&(Some(past), ManagedFields::default()), &json!({ "color": "red" }), "one", false).unwrap();
    assert_eq!(fields_of(&stored, "before-first-apply"), json!({ ".": {}, "f:color": {}, "f:size": {} }));
    assert_eq!(fields_of(&stored, "one"), json!({ "f:color": {} }));
}

#[test]
fn an_object_without_entries_gets_none_from_an_update() {
    let past = object(&json!({ "color": "red" }));
    let new = object(&json!({ "color": "blue" }));
    let managers = record_update(&schema(), Some(&past), &new, &ManagedFields::default(), writer("upd", 1));
    assert!(managers.is_empty());
    assert!(!record_update(&schema(), None, &new, &ManagedFields::default(), writer("upd", 1)).is_empty());
}

#[test]
fn what_the_schema_cannot_type_is_refused_with_its_path() {
    let refuse = |spec: Value| applied(&first(), &spec, "one", false).unwrap_err().to_string();
    let start = format!("failed to create typed patch object (/sa; {VERSION}, Kind=Sample): ");
    for (spec, text) in [
        (json!({ "bogus": 1 }), ".spec.bogus: field not declared in schema"),
        (json!({ "size": "x" }), ".spec.size: expected numeric (int or float), got string"),
        (json!({ "color": 5 }), ".spec.color: expected string, got &value.valueUnstructured{Value:5}"),
        (json!({ "rules": {} }), ".spec.rules: expected list, got &{map[]}"),
        (json!({ "when": {} }), ".spec.when: expected any scalar, got &{map[]}"),
        (
            json!({ "rules": [{ "key": "b" }, { "key": "b" }] }),
            ".spec.rules: duplicate entries for key [key=\"b\",port=80]",
        ),
        (json!({ "tags": ["a", "a"] }), ".spec.tags: duplicate entries for key [=\"a\"]"),
        (
            json!({ "labels": [], "whole": [] }),
            "errors:\n  .spec.labels: expected map, got &{[]}\n  .spec.whole: expected map, got &{[]}",
        ),
    ] {
        assert_eq!(refuse(spec), format!("{start}{text}"));
    }
}

#[test]
fn an_intent_for_another_version_or_with_entries_is_a_bad_request() {
    let mut intent = object(&json!({ "color": "red" }));
    intent["metadata"]["managedFields"] = json!([]);
    let none = ManagedFields::default();
    let error = apply(&schema(), (None, &none), &intent, writer("one", 1), false).unwrap_err();
    assert_eq!(error, ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()));
    let other = Writer { api_version: "conformance.example.com/v2", ..writer("one", 1) };
    let error = apply(&schema(), (None, &none), &object(&json!({})), other, false).unwrap_err();
    assert!(matches!(error, ApplyError::BadRequest(_)));
}

#[test]
fn a_write_through_status_owns_nothing_else_and_the_other_way_round() {
    let schema = schema().with_separate_status();
    let none = ManagedFields::default();
    let intent = json!({ "apiVersion": VERSION, "kind": "Sample", "metadata": { "name": "sa", "labels": { "a": "1" } },
        "spec": { "color": "red" } });
    let status = Writer { subresource: Some("status"), ..writer("one", 1) };
    assert!(record_update(&schema, None, &intent, &none, status).is_empty());
    let past = object(&json!({ "color": "red" }));
    let (_, managers) = apply(&schema, (Some(&past), &none), &past, status, false).unwrap();
    assert!(managers.is_empty());
}

#[test]
fn more_than_ten_updaters_are_folded_into_one() {
    let schema = schema();
    let mut managers = ManagedFields::default();
    let mut live: Option<Value> = None;
    for number in 0..12 {
        let mut new = live.clone().unwrap_or_else(|| object(&json!({ "labels": {} })));
        new["spec"]["labels"][format!("k{number}")] = json!("v");
        let name = format!("manager-{number:02}");
        managers = record_update(&schema, live.as_ref(), &new, &managers, writer(&name, 100 + number));
        live = Some(new);
    }
    assert_eq!(managers.iter().count(), 10);
    let (key, folded) = managers.iter().next().unwrap();
    assert_eq!(key.manager, "ancient-changes");
    assert!(folded.fields.paths().contains(&".spec.labels.k2".to_owned()));
}

#[test]
fn what_nobody_owns_stays_where_the_map_around_it_stays() {
    let labels = |spec: Value| json!({ "labels": spec });
    let stored =
        applied(&(None, ManagedFields::default()), &labels(json!({ "a": "1" })), "one", false).unwrap();
    let mut stored = applied(&stored, &labels(json!({ "c": "3" })), "two", false).unwrap();
    stored.0.as_mut().unwrap()["spec"]["labels"]["b"] = json!("2");
    let stored = applied(&stored, &json!({ "color": "red" }), "one", false).unwrap();
    assert_eq!(*spec_of(&stored), json!({ "color": "red", "labels": { "b": "2", "c": "3" } }));
}
