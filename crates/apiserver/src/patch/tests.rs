//! Patches against answers recorded from kube-apiserver.

use serde_json::{Value, json};

use super::{PatchError, check_merge_patch, json_patch, merge_patch};
use crate::limits::NESTING_MAX;

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

fn config_map() -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "k": "v" },
        "metadata": { "name": "c", "labels": { "x": "1" }, "finalizers": ["a.b/c"] } })
}

fn strategic(patch: &Value) -> Result<Value, PatchError> {
    let document = json!({ "type": "object", "properties": {
        "data": { "type": "object", "additionalProperties": { "type": "string" } } } });
    let schema = crate::schema::CompiledSchema::compile(&document, "schema").unwrap();
    super::strategic_merge_patch(&schema, &config_map(), patch)
}

#[test]
fn a_strategic_patch_merges_lists_and_obeys_directives() {
    let data = |patch: Value| strategic(&patch).unwrap().get("data").cloned().unwrap_or_default();
    assert_eq!(data(json!({ "data": { "k": null, "z": "1" } })), json!({ "z": "1" }));
    assert_eq!(data(json!({ "data": { "$patch": "replace", "y": "1" } })), json!({ "y": "1" }));
    assert_eq!(data(json!({ "data": { "$patch": "delete" } })), json!({}));
    assert_eq!(data(json!({ "data": { "$retainKeys": ["q"], "q": "2" } })), json!({ "q": "2" }));
    let finalizers =
        |patch: Value| strategic(&json!({ "metadata": patch })).unwrap()["metadata"]["finalizers"].clone();
    assert_eq!(finalizers(json!({ "finalizers": ["b.c/d"] })), json!(["b.c/d", "a.b/c"]));
    assert_eq!(finalizers(json!({ "finalizers": [] })), json!(["a.b/c"]));
    assert_eq!(finalizers(json!({ "$deleteFromPrimitiveList/finalizers": ["a.b/c"] })), json!([]));
    let ordered = json!({ "$setElementOrder/finalizers": ["b.c/d", "a.b/c"], "finalizers": ["b.c/d"] });
    assert_eq!(finalizers(ordered), json!(["b.c/d", "a.b/c"]));
    let deleted = json!({ "metadata": { "ownerReferences": [{ "uid": "u1", "kind": "A" }] } });
    assert_eq!(
        strategic(&deleted).unwrap()["metadata"]["ownerReferences"],
        deleted["metadata"]["ownerReferences"]
    );
}

#[test]
fn a_strategic_patch_that_contradicts_itself_is_refused() {
    let refused = |patch: Value| strategic(&patch).unwrap_err();
    let unknown = refused(json!({ "data": { "$patch": "bad" } }));
    assert_eq!(unknown.to_string(), "unknown patch type: bad in map: map[$patch:bad]");
    assert_eq!(unknown.status(), 500);
    let order = json!({ "metadata": { "$setElementOrder/finalizers": ["x"], "finalizers": ["b.c/d"] } });
    let expected = "The order in patch list:\n[b.c/d]\n doesn't match $setElementOrder list:\n[x]\n";
    assert_eq!(refused(order).to_string(), expected);
    let list = refused(json!([]));
    assert_eq!(
        list.to_string(),
        "json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
    assert_eq!(list.status(), 400);
}

#[test]
fn a_json_patch_cannot_nest_deeper_than_what_can_be_read_back() {
    let nested = (0..NESTING_MAX - 20).fold(json!(1), |inner, _| json!({ "a": inner }));
    let deep = "/a".repeat(NESTING_MAX - 20);
    let fits = json!([{ "op": "add", "path": "/spec/a", "value": nested }]);
    let patched = json_patch(&object(), &fits).unwrap();
    assert!(serde_json::from_str::<Value>(&patched.to_string()).is_ok());
    let below = json!({ "op": "add", "path": format!("/spec{deep}"), "value": nested });
    assert_eq!(status(&json!([fits[0], below])), 422);
    let copied = json!({ "op": "copy", "from": "/spec", "path": format!("/spec{deep}") });
    assert_eq!(status(&json!([fits[0], copied])), 422);
}

#[test]
fn copies_of_a_json_patch_cannot_double_without_end() {
    let double = |number: usize| json!({ "op": "copy", "from": "/spec", "path": format!("/spec/c{number}") });
    let patch = |count: usize| Value::Array((0..count).map(double).collect());
    assert_eq!(status(&patch(5)), 200);
    assert_eq!(status(&patch(60)), 422);
}
