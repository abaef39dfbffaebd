//! Rules on whole objects, against findings recorded from kube-apiserver.

use serde_json::{Value, json};

use crate::field_error::FieldErrorKind;
use crate::schema::CompiledSchema;

fn compile(spec: &Value) -> CompiledSchema {
    let document = json!({ "type": "object", "properties": { "spec": spec } });
    CompiledSchema::compile(&document, "schema").unwrap()
}

/// A struct under one rule.
fn ruled(rule: &Value) -> CompiledSchema {
    compile(&json!({ "type": "object", "x-kubernetes-validations": [rule], "properties": {
        "a": { "type": "integer" }, "s": { "type": "string", "maxLength": 20 }, "p": { "x-kubernetes-int-or-string": true },
        "l": { "type": "array", "items": { "type": "integer" } },
        "m": { "type": "object", "additionalProperties": { "type": "string" } } } }))
}

fn shown(schema: &CompiledSchema, new: &Value, old: Option<&Value>) -> Vec<String> {
    let wrap = |spec: &Value| json!({ "metadata": { "name": "n" }, "spec": spec });
    let old = old.map(wrap);
    let findings = schema.validate(&wrap(new), old.as_ref());
    findings.iter().map(|finding| format!("{} | {}", finding.field, finding.message)).collect()
}

#[test]
fn failures_and_broken_rules_are_worded_as_the_reference_words_them() {
    let value = json!({ "a": 1, "s": "abc", "l": [1, 2], "m": { "a": "b" }, "p": 5 });
    for (rule, expected) in [
        (
            json!({ "rule": "self.l[3] == 1" }),
            "spec | Invalid value: \"object\": index out of bounds: 3 evaluating rule: self.l[3] == 1",
        ),
        (
            json!({ "rule": "self.p > 'a'" }),
            "spec | Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, \
             function or macro signature for rule: self.p > 'a'",
        ),
        (
            json!({ "rule": "int(self.s) == 1" }),
            "spec | Invalid value: \"object\": type conversion error from 'string' to 'int' evaluating rule: int(self.s) == 1",
        ),
        (json!({ "rule": "self.s == 'zzz'" }), "spec | Invalid value: failed rule: self.s == 'zzz'"),
        (json!({ "rule": "self.a == 99", "message": " hi " }), "spec | Invalid value: hi"),
        (
            json!({ "rule": "self.a == 99", "messageExpression": "'a is ' + self.s" }),
            "spec | Invalid value: a is abc",
        ),
        (
            json!({ "rule": "self.a == 99", "messageExpression": "'x' + self.m['q']", "message": "fallback" }),
            "spec | Invalid value: fallback",
        ),
        (
            json!({ "rule": "self.a == 99", "messageExpression": "''" }),
            "spec | Invalid value: failed rule: self.a == 99",
        ),
        (
            json!({ "rule": "self.a == 99", "reason": "FieldValueForbidden" }),
            "spec | Forbidden: failed rule: self.a == 99",
        ),
        (
            json!({ "rule": "self.a == 99", "reason": "FieldValueRequired" }),
            "spec | Required value: failed rule: self.a == 99",
        ),
        (json!({ "rule": "self.a == 99", "reason": "FieldValueDuplicate" }), "spec | Duplicate value"),
        (
            json!({ "rule": "self.a == 99", "fieldPath": ".m['k.x']" }),
            "spec.m[k.x] | Invalid value: failed rule: self.a == 99",
        ),
    ] {
        assert_eq!(shown(&ruled(&rule), &value, None), [expected]);
    }
}

#[test]
fn rules_are_not_asked_about_an_object_of_the_wrong_shape() {
    let schema = ruled(&json!({ "rule": "self.a == 99" }));
    let findings = schema.validate(&json!({ "spec": { "a": "x" } }), None);
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0].kind, FieldErrorKind::TypeInvalid);
    assert_eq!(findings[1].field, "<nil>");
    assert!(findings[1].message.starts_with("Invalid value: null: some validation rules were not checked"));
}

#[test]
fn a_transition_rule_runs_only_where_there_is_something_to_compare() {
    let lock = json!({ "type": "object", "required": ["k"], "properties": { "k": { "type": "string" }, "lock": { "type": "string",
        "x-kubernetes-validations": [{ "rule": "self == oldSelf", "message": "locked" }] } } });
    let schema = compile(&json!({ "type": "object", "properties": {
        "keyed": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": lock },
        "atomic": { "type": "array", "items": lock } } }));
    let old = json!({ "keyed": [{ "k": "a", "lock": "1" }, { "k": "b", "lock": "2" }], "atomic": [{ "k": "a", "lock": "1" }] });
    let reordered = json!({ "keyed": [{ "k": "b", "lock": "2" }, { "k": "a", "lock": "1" }] });
    assert!(shown(&schema, &reordered, Some(&old)).is_empty());
    let swapped = json!({ "keyed": [{ "k": "a", "lock": "2" }, { "k": "c", "lock": "3" }], "atomic": [{ "k": "a", "lock": "2" }] });
    assert_eq!(shown(&schema, &swapped, Some(&old)), ["spec.keyed[0].lock | Invalid value: \"2\": locked"]);
    assert!(shown(&schema, &swapped, None).is_empty());
}

#[test]
fn an_optional_old_self_lets_a_rule_see_creation() {
    let rule = json!({ "rule": "oldSelf.hasValue() || self.a == 1", "optionalOldSelf": true });
    let schema = ruled(&rule);
    assert!(shown(&schema, &json!({ "a": 1 }), None).is_empty());
    assert_eq!(shown(&schema, &json!({ "a": 2 }), None).len(), 1);
    assert!(shown(&schema, &json!({ "a": 2 }), Some(&json!({ "a": 1 }))).is_empty());
}

#[test]
fn a_rule_broken_by_something_unchanged_is_only_a_warning() {
    let schema = compile(&json!({ "type": "object", "properties": {
        "x": { "type": "string", "x-kubernetes-validations": [{ "rule": "self.size() < 2" }] }, "y": { "type": "string" } } }));
    let old = json!({ "spec": { "x": "long" } });
    let findings = schema.check(&json!({ "spec": { "x": "long", "y": "1" } }), Some(&old), &[]);
    assert!(findings.errors.is_empty());
    assert_eq!(findings.warnings.len(), 1);
    assert_eq!(schema.check(&json!({ "spec": { "x": "other" } }), Some(&old), &[]).errors.len(), 1);
}

#[test]
fn a_rule_that_costs_too_much_stops_all_rules() {
    let rule = "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))";
    let schema = ruled(&json!({ "rule": rule }));
    let many: Vec<usize> = (0..100).collect();
    let expected = format!(
        "spec | Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation \
         rules will be run due to call cost exceeds limit for rule: {rule}"
    );
    assert_eq!(shown(&schema, &json!({ "l": many }), None), [expected]);
    assert!(shown(&schema, &json!({ "l": [1, 2, 3] }), None).is_empty());
}

#[test]
fn mistakes_in_rules_are_found_when_the_schema_is_compiled() {
    for (rule, field, message) in [
        (json!({ "rule": "" }), "rule", "Required value: rule is not specified"),
        (
            json!({ "rule": "true", "fieldPath": "a" }),
            "fieldPath",
            "Invalid value: \"a\": must be a valid path",
        ),
        (
            json!({ "rule": "true", "fieldPath": ".zzz" }),
            "fieldPath",
            "Invalid value: \".zzz\": must be a valid path",
        ),
        (
            json!({ "rule": "true", "message": "a\nb" }),
            "message",
            "Invalid value: \"a\\nb\": must not contain line breaks",
        ),
        (
            json!({ "rule": "true", "message": "  " }),
            "message",
            "Invalid value: \"  \": must be non-empty if specified",
        ),
        (
            json!({ "rule": "true", "reason": "Bad" }),
            "reason",
            "Unsupported value: \"Bad\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \
             \"FieldValueInvalid\", \"FieldValueRequired\"",
        ),
        (
            json!({ "rule": "true", "optionalOldSelf": true }),
            "optionalOldSelf",
            "Invalid value: true: may not be set if oldSelf is not used in rule",
        ),
        (
            json!({ "rule": "self.a > 'x'" }),
            "rule",
            "Invalid value: {\"Rule\":\"self.a \\u003e 'x'\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\
             \"FieldPath\":\"\",\"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:8: found no matching \
             overload for '_>_' applied to '(int, string)'\n | self.a > 'x'\n | .......^",
        ),
    ] {
        let document = json!({ "type": "object", "properties": { "a": { "type": "integer" } },
            "x-kubernetes-validations": [rule] });
        let findings = CompiledSchema::compile(&document, "schema").unwrap_err();
        assert_eq!(findings[0].field, format!("schema.x-kubernetes-validations[0].{field}"));
        assert_eq!(findings[0].message, message);
    }
}
