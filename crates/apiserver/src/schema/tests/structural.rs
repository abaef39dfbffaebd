//! Schemas that kube-apiserver 1.36.3 refuses, with its findings.

use serde_json::{Value, json};

use crate::schema::CompiledSchema;

fn refusals(schema: &Value) -> Vec<String> {
    let document = json!({ "type": "object", "properties": { "x": schema } });
    let findings = CompiledSchema::compile(&document, "P").err().unwrap_or_default();
    findings.iter().map(|finding| format!("{} | {}", finding.field, finding.message)).collect()
}

fn keyed(items: &Value, keys: &Value) -> Value {
    json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items })
}

#[test]
fn a_level_must_say_its_type_and_use_only_known_keywords() {
    for (schema, expected) in [
        (
            json!({ "properties": { "a": { "type": "string" } } }),
            "P.properties[x].type | Required value: must not be empty for specified object fields",
        ),
        (
            json!({ "type": "strin" }),
            "P.properties[x].type | Unsupported value: \"strin\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
        ),
        (json!({ "type": "array" }), "P.properties[x].items | Required value: must be specified"),
        (
            json!({ "type": "array", "items": {} }),
            "P.properties[x].items.type | Required value: must not be empty for specified array items",
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" }, "properties": { "a": { "type": "string" } } }),
            "P.properties[x].additionalProperties | Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            json!({ "type": "array", "uniqueItems": true, "items": { "type": "string" } }),
            "P.properties[x].uniqueItems | Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
        (
            json!({ "type": "string", "anyOf": [{ "type": "string" }] }),
            "P.properties[x].anyOf[0].type | Forbidden: must be empty to be structural",
        ),
        (
            json!({ "type": "string", "not": { "default": "x" } }),
            "P.properties[x].not.default | Forbidden: must be undefined to be structural",
        ),
        (
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": false }),
            "P.properties[x].x-kubernetes-preserve-unknown-fields | Invalid value: false: must be true or undefined",
        ),
        (
            json!({ "type": "object", "x-kubernetes-embedded-resource": true }),
            "P.properties[x].properties | Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        ),
    ] {
        assert_eq!(refusals(&schema), [expected]);
    }
}

#[test]
fn list_and_map_types_must_fit_their_level() {
    let item =
        json!({ "type": "object", "properties": { "k": { "type": "string" }, "o": { "type": "object" } } });
    let required =
        |key: &str| json!({ "type": "object", "required": [key], "properties": item["properties"] });
    let keys = "P.properties[x].x-kubernetes-list-map-keys";
    for (schema, expected) in [
        (
            json!({ "type": "object", "x-kubernetes-list-type": "set" }),
            "P.properties[x].type | Invalid value: \"object\": must be array if x-kubernetes-list-type is specified".to_owned(),
        ),
        (
            json!({ "type": "array", "x-kubernetes-list-type": "set", "items": item }),
            "P.properties[x].items.x-kubernetes-map-type | Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set".to_owned(),
        ),
        (keyed(&item, &json!([])), format!("{keys} | Required value: must not be empty if x-kubernetes-list-type is map")),
        (
            keyed(&required("k"), &json!(["k", "k"])),
            format!("{keys} | Invalid value: [\"k\",\"k\"]: must not contain duplicate entries"),
        ),
        (
            keyed(&required("z"), &json!(["z"])),
            format!("{keys} | Invalid value: [\"z\"]: entries must all be names of item properties"),
        ),
        (
            keyed(&required("o"), &json!(["o"])),
            "P.properties[x].items.properties[o].type | Invalid value: \"object\": must be a scalar type if parent array's x-kubernetes-list-type is map".to_owned(),
        ),
        (
            keyed(&item, &json!(["k"])),
            "P.properties[x].items.properties[k].default | Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property".to_owned(),
        ),
        (
            json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-map-type": "atomic" }),
            "P.properties[x].type | Invalid value: \"array\": must be object if x-kubernetes-map-type is specified".to_owned(),
        ),
    ] {
        assert_eq!(refusals(&schema), [expected]);
    }
}

#[test]
fn a_default_must_be_a_valid_value() {
    for (schema, expected) in [
        (
            json!({ "type": "integer", "default": "x" }),
            "P.properties[x].default | Invalid value: \"string\":  in body must be of type integer: \"string\"",
        ),
        (
            json!({ "type": "integer", "maximum": 3, "default": 5 }),
            "P.properties[x].default | Invalid value: 5:  in body should be less than or equal to 3",
        ),
        (
            json!({ "type": "object", "default": { "z": 1 }, "properties": { "a": { "type": "string" } } }),
            "P.properties[x].default | Invalid value: {\"z\":1}: must not have unknown fields",
        ),
        (
            json!({ "type": "object", "default": { "a": 5 }, "properties": { "a": { "type": "string" } } }),
            "P.properties[x].default.a | Invalid value: \"integer\": a in body must be of type string: \"integer\"",
        ),
        (
            json!({ "type": "integer", "default": 5, "x-kubernetes-validations": [{ "rule": "self > 9" }] }),
            "P.properties[x].default | Invalid value: 5: failed rule: self > 9",
        ),
    ] {
        assert_eq!(refusals(&schema), [expected]);
    }
    assert!(refusals(&json!({ "type": "string", "default": null })).is_empty());
}

#[test]
fn the_root_is_an_object_and_leaves_metadata_alone() {
    let root = |properties: Value| {
        let document = json!({ "type": "object", "properties": properties });
        let findings = CompiledSchema::compile(&document, "P").err().unwrap_or_default();
        findings.iter().map(|finding| format!("{} | {}", finding.field, finding.message)).collect::<Vec<_>>()
    };
    let labels =
        json!({ "metadata": { "type": "object", "properties": { "labels": { "type": "object" } } } });
    let expected = "P.properties[metadata] | Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified";
    assert_eq!(root(labels), [expected]);
    assert_eq!(
        root(json!({ "kind": { "type": "integer" } })),
        ["P.properties[kind].type | Invalid value: \"integer\": must be string"]
    );
    let named = json!({ "metadata": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 5 } } } });
    assert!(root(named).is_empty());
    let empty = CompiledSchema::compile(&json!({ "properties": {} }), "P").unwrap_err();
    assert_eq!(empty[0].message, "Required value: must not be empty at the root");
}
