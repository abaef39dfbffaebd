//! Schemas against answers recorded from kube-apiserver 1.36.3.

use serde_json::{Value, json};

use super::CompiledSchema;

mod rules;
mod structural;

fn compile(properties: &Value) -> CompiledSchema {
    let document =
        json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": properties } } });
    CompiledSchema::compile(&document, "spec.versions[0].schema.openAPIV3Schema").unwrap()
}

/// The findings for one field `x` with this schema and value, as `field | message`.
fn findings(schema: &Value, value: &Value) -> Vec<String> {
    let schema = compile(&json!({ "x": schema }));
    let object = json!({ "spec": { "x": value } });
    schema
        .validate(&object, None)
        .iter()
        .map(|finding| format!("{} | {}", finding.field, finding.message))
        .collect()
}

fn assert_table(rows: &[(Value, Value, &[&str])]) {
    for (schema, value, expected) in rows {
        assert_eq!(findings(schema, value), *expected, "{value} under {schema}");
    }
}

#[test]
fn values_outside_their_bounds_are_found() {
    let text = json!({ "type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$" });
    let whole = json!({ "type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 3 });
    let open = json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1.5, "exclusiveMaximum": true });
    assert_table(&[
        (
            text.clone(),
            json!("A"),
            &["spec.x | Invalid value: \"A\": spec.x in body should be at least 2 chars long"],
        ),
        (
            text.clone(),
            json!("AB"),
            &["spec.x | Invalid value: \"AB\": spec.x in body should match '^[a-z]+$'"],
        ),
        (text.clone(), json!("abcde"), &["spec.x | Too long: may not be more than 4 bytes"]),
        (text, json!("\u{e4}\u{f6}\u{fc}\u{df}\u{e4}"), &["spec.x | Too long: may not be more than 4 bytes"]),
        (
            whole.clone(),
            json!(0),
            &["spec.x | Invalid value: 0: spec.x in body should be greater than or equal to 1"],
        ),
        (
            whole.clone(),
            json!(12),
            &["spec.x | Invalid value: 12: spec.x in body should be less than or equal to 9"],
        ),
        (whole.clone(), json!(4), &["spec.x | Invalid value: 4: spec.x in body should be a multiple of 3"]),
        (whole, json!(3.0), &[]),
        (open.clone(), json!(0), &["spec.x | Invalid value: 0: spec.x in body should be greater than 0"]),
        (open, json!(1.5), &["spec.x | Invalid value: 1.5: spec.x in body should be less than 1.5"]),
    ]);
}

#[test]
fn values_of_the_wrong_type_are_found() {
    let port = json!({ "x-kubernetes-int-or-string": true });
    assert_table(&[
        (
            json!({ "type": "string" }),
            json!(5),
            &["spec.x | Invalid value: \"integer\": spec.x in body must be of type string: \"integer\""],
        ),
        (json!({ "type": "string", "nullable": true }), json!(null), &[]),
        (
            json!({ "type": "integer" }),
            json!(1.5),
            &[
                "spec.x | Invalid value: \"number\": spec.x in body must be of type integer: \"number\"",
                "<nil> | Invalid value: \"\": Checked value must be of type integer (default format) in spec.x",
            ],
        ),
        (
            json!({ "type": "integer", "format": "int32" }),
            json!(3_000_000_000_u64),
            &[
                "<nil> | Invalid value: \"\": Checked value must be of type integer with format int32 in spec.x",
            ],
        ),
        (
            json!({ "type": "string", "format": "date-time" }),
            json!(5),
            &["spec.x | Invalid value: \"int64\": spec.x in body must be of type date-time: \"int64\""],
        ),
        (json!({ "type": "string", "format": "date-time" }), json!([]), &[]),
        (port.clone(), json!("x"), &[]),
        (
            port,
            json!(true),
            &[
                "spec.x | Invalid value: \"boolean\": spec.x in body must be of type integer,string: \"boolean\"",
            ],
        ),
    ]);
}

#[test]
fn combinations_show_the_alternative_that_came_closest() {
    let with = |keyword: &str| {
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
            keyword: [{ "required": ["a"] }, { "required": ["b"] }] })
    };
    let one_of =
        "<nil> | Invalid value: \"\": \"spec.x\" must validate one and only one schema (oneOf). Found";
    assert_table(&[
        (with("oneOf"), json!({}), &[&format!("{one_of} none valid"), "spec.x.a | Required value"]),
        (with("oneOf"), json!({ "a": "", "b": "" }), &[&format!("{one_of} 2 valid alternatives")]),
        (
            with("anyOf"),
            json!({}),
            &[
                "<nil> | Invalid value: \"\": \"spec.x\" must validate at least one schema (anyOf)",
                "spec.x.a | Required value",
            ],
        ),
        (
            with("allOf"),
            json!({}),
            &[
                "spec.x.a | Required value",
                "spec.x.b | Required value",
                "<nil> | Invalid value: \"\": \"spec.x\" must validate all the schemas (allOf). None validated",
            ],
        ),
    ]);
}

#[test]
fn lists_and_maps_are_counted_and_duplicates_named_once() {
    let list = json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string" } });
    let set = json!({ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } });
    let keyed = json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
        "items": { "type": "object", "required": ["k"], "properties": { "k": { "type": "string" } } } });
    assert_table(&[
        (
            list.clone(),
            json!([]),
            &["spec.x | Invalid value: 0: spec.x in body should have at least 1 items"],
        ),
        (list, json!(["a", "b", "c"]), &["spec.x | Too many: 3: must have at most 2 items"]),
        (set, json!(["a", "a", "a"]), &["spec.x[1] | Duplicate value: \"a\""]),
        (keyed, json!([{ "k": "a" }, { "k": "a" }]), &["spec.x[1] | Duplicate value: {\"k\":\"a\"}"]),
    ]);
}

#[test]
fn enumerations_name_what_is_supported() {
    assert_table(&[
        (
            json!({ "type": "string", "enum": ["a", "b"] }),
            json!("c"),
            &["spec.x | Unsupported value: \"c\": supported values: \"a\", \"b\""],
        ),
        (
            json!({ "type": "integer", "enum": [1, 2] }),
            json!(3),
            &["spec.x | Unsupported value: 3: supported values: \"1\", \"2\""],
        ),
    ]);
}

#[test]
fn every_format_accepts_and_refuses() {
    for (format, good, bad) in [
        ("date", "2026-11-30", "2026-13-01"),
        ("date-time", "2026-11-30T17:00:00Z", "2026-11-30"),
        ("duration", "1h30m", "soon"),
        ("uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("ipv6", "fd00::1", "10.0.0.1"),
        ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
        ("mac", "00:11:22:33:44:55", "00:11"),
        ("uri", "https://example.com/a", "not a uri"),
        ("email", "a@example.com", "a.example.com"),
        ("hostname", "example.com", "exa mple"),
        ("byte", "aGk=", "!!"),
        ("bsonobjectid", "507f1f77bcf86cd799439011", "507f"),
        ("hexcolor", "#fff", "#ff"),
        ("rgbcolor", "rgb(1,2,3)", "rgb(1,2,300)"),
        ("isbn10", "0-321-75104-3", "0321751044"),
        ("isbn13", "978-0-321-75104-1", "9780321751040"),
        ("k8s-short-name", "a-b", "A"),
        ("k8s-long-name", "a.b", "a..b"),
    ] {
        let schema = json!({ "type": "string", "format": format });
        assert_eq!(findings(&schema, &json!(good)), Vec::<String>::new(), "{format} accepts {good}");
        let expected =
            format!("spec.x | Invalid value: \"{bad}\": spec.x in body must be of type {format}: \"{bad}\"");
        assert_eq!(findings(&schema, &json!(bad)), [expected]);
    }
}

#[test]
fn an_unchanged_part_is_not_held_against_an_update() {
    let schema = compile(&json!({ "x": { "type": "string", "maxLength": 1 }, "y": { "type": "string" } }));
    let old = json!({ "spec": { "x": "long" } });
    assert!(!schema.validate(&old, None).is_empty());
    assert!(schema.validate(&json!({ "spec": { "x": "long", "y": "" } }), Some(&old)).is_empty());
    assert!(!schema.validate(&json!({ "spec": { "x": "other" } }), Some(&old)).is_empty());
}

#[test]
fn defaults_fill_what_is_missing_and_nulls_without_default_go() {
    let schema = compile(&json!({
        "size": { "type": "integer", "default": 3 },
        "nothing": { "type": "string", "nullable": true },
        "name": { "type": "string" },
        "nested": { "type": "object", "default": {}, "properties": {
            "deep": { "type": "object", "default": { "level": 1 }, "properties": { "level": { "type": "integer" } } } } },
    }));
    let mut object = json!({ "spec": { "size": null, "nothing": null, "name": null } });
    schema.apply_defaults(&mut object);
    assert_eq!(
        object,
        json!({ "spec": { "size": 3, "nothing": null, "nested": { "deep": { "level": 1 } } } })
    );
}

#[test]
fn unknown_fields_are_removed_and_named() {
    let schema = compile(&json!({
        "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        "rules": { "type": "array", "items": { "type": "object", "properties": { "key": { "type": "string" } } } },
    }));
    let mut object = json!({ "kind": "K", "metadata": { "name": "n", "color": 1 }, "other": 1, "spec": {
        "free": { "a": { "b": 1 } }, "bogus": {}, "rules": [{ "key": "a" }, { "key": "b", "colour": 1 }] } });
    assert_eq!(schema.prune(&mut object), ["metadata.color", "other", "spec.bogus", "spec.rules[1].colour"]);
    let expected = json!({ "kind": "K", "metadata": { "name": "n" }, "spec": {
        "free": { "a": { "b": 1 } }, "rules": [{ "key": "a" }, { "key": "b" }] } });
    assert_eq!(object, expected);
}
