//! Patches against answers recorded from kube-apiserver.

use serde_json::{Value, json};

use super::{PatchError, check_merge_patch, json_patch, merge_patch};

fn object() -> Value {
    json!({ "spec": { "color": "red", "size": 3, "tags": ["a", "b"] } })
}

fn tags_after(operations: &Value) -> Value {
    json_patch(&object(), operations).unwrap()["spec"]["tags"].clone()
}

fn status(operations: &Value) -> u16 {
    json_patch(&object(), operations).map_or_else(|error| error.status(), |_| 200)
}

#[test]
fn list_positions_may_be_negative_or_behind_the_end() {
    assert_eq!(
        tags_after(&json!([{ "op": "add", "path": "/spec/tags/-", "value": "c" }])),
        json!(["a", "b", "c"])
    );
    assert_eq!(
        tags_after(&json!([{ "op": "add", "path": "/spec/tags/0", "value": "c" }])),
        json!(["c", "a", "b"])
    );
    assert_eq!(
        tags_after(&json!([{ "op": "add", "path": "/spec/tags/-1", "value": "z" }])),
        json!(["a", "b", "z"])
    );
    assert_eq!(tags_after(&json!([{ "op": "remove", "path": "/spec/tags/-1" }])), json!(["a"]));
}

#[test]
fn a_missing_field_can_be_replaced_copied_and_tested_for_null() {
    assert_eq!(status(&json!([{ "op": "replace", "path": "/spec/nope", "value": 1 }])), 200);
    assert_eq!(status(&json!([{ "op": "copy", "from": "/spec/nope", "path": "/spec/name" }])), 200);
    assert_eq!(status(&json!([{ "op": "test", "path": "/spec/nope", "value": null }])), 200);
    assert_eq!(status(&json!([{ "op": "add", "path": "/spec/size" }])), 200);
}

#[test]
fn what_does_not_fit_is_unprocessable() {
    for operation in [
        json!({ "op": "bad", "path": "/x" }),
        json!({ "op": "test", "path": "/spec/color", "value": "blue" }),
        json!({ "op": "test", "path": "/spec/size", "value": 3.0 }),
        json!({ "op": "test", "path": "/spec/nope/x", "value": null }),
        json!({ "op": "test", "path": "/spec/tags/7", "value": 1 }),
        json!({ "op": "remove", "path": "/spec/nope" }),
        json!({ "op": "remove", "path": "/spec/tags/5" }),
        json!({ "op": "replace", "path": "/nope/x", "value": 1 }),
        json!({ "op": "replace", "path": "/spec/tags/-", "value": 1 }),
        json!({ "op": "add", "path": "/spec/tags/9", "value": "c" }),
        json!({ "op": "add", "path": "/spec/tags/x", "value": "c" }),
        json!({ "op": "add", "path": "/spec/color/x", "value": 1 }),
        json!({ "op": "add", "path": "", "value": {} }),
        json!({ "op": "add", "path": "nope", "value": 1 }),
        json!({ "op": "move", "from": "/spec/nope", "path": "/spec/name" }),
        json!({ "op": "add" }),
        json!({ "path": "/spec/nope", "value": 1 }),
    ] {
        assert_eq!(status(&json!([operation])), 422, "{operation}");
    }
}

#[test]
fn what_is_no_list_of_operations_is_a_bad_request() {
    let text = |patch: Value| json_patch(&object(), &patch).unwrap_err().to_string();
    let wanted = "error decoding patch: json: cannot unmarshal";
    assert_eq!(
        text(json!({ "op": "add" })),
        format!("{wanted} object into Go value of type []handlers.jsonPatchOp")
    );
    assert_eq!(text(json!([5])), format!("{wanted} number into Go value of type handlers.jsonPatchOp"));
    assert_eq!(
        check_merge_patch(&json!([])).unwrap_err().to_string(),
        format!("{wanted} array into Go value of type map[string]interface {{}}")
    );
    assert_eq!(check_merge_patch(&Value::Null), Err(PatchError::Malformed("Invalid JSON Patch".to_owned())));
}

#[test]
fn merging_removes_nulls_at_every_level() {
    let mut merged = object();
    merge_patch(&mut merged, &json!({ "spec": { "size": null, "free": { "a": null, "b": { "c": null } } } }));
    assert_eq!(merged, json!({ "spec": { "color": "red", "tags": ["a", "b"], "free": { "b": {} } } }));
}
