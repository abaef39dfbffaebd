//! Field sets against wire forms recorded from kube-apiserver.

use serde_json::json;

use super::FieldSet;

fn recorded() -> serde_json::Value {
    json!({ "f:spec": { ".": {}, "f:free": { "f:a": { ".": {}, "f:b": {} } }, "f:tags": { "v:\"x\"": {} },
        "f:rules": { "k:{\"key\":\"a\",\"port\":80}": { ".": {}, "f:key": {} } } } })
}

#[test]
fn the_wire_form_reads_back_as_itself() {
    let set = FieldSet::from_value(&recorded()).unwrap();
    assert_eq!(set.to_value(), recorded());
}

#[test]
fn paths_are_written_as_conflicts_show_them() {
    let set = FieldSet::from_value(&recorded()).unwrap();
    let expected = [
        ".spec",
        ".spec.free.a",
        ".spec.free.a.b",
        ".spec.rules[key=\"a\",port=80]",
        ".spec.rules[key=\"a\",port=80].key",
        ".spec.tags[=\"x\"]",
    ];
    assert_eq!(set.paths(), expected);
}

#[test]
fn a_path_can_leave_the_set_without_what_lies_below_it() {
    let set = FieldSet::from_value(&recorded()).unwrap();
    let mut spec = FieldSet::default();
    spec.insert_fields(&["spec"]);
    let rest = set.difference(&spec);
    assert!(!rest.paths().contains(&".spec".to_owned()));
    assert_eq!(rest.paths().len() + 1, set.paths().len());
    assert_eq!(set.intersection(&spec), spec);
    assert_eq!(rest.union(&spec), set);
}

#[test]
fn a_key_without_a_known_prefix_is_refused() {
    assert!(FieldSet::from_value(&json!({ "spec": {} })).is_err());
    assert!(FieldSet::from_value(&json!({ "k:nonsense": {} })).is_err());
    assert!(FieldSet::from_value(&json!([])).is_err());
}
