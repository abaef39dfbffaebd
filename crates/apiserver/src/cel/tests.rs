//! Expressions against verdicts and failures recorded from kube-apiserver 1.36.3.

use serde_json::{Value as Json, json};

use crate::schema::CompiledSchema;

/// The schema the verdicts were recorded with.
fn object_schema() -> Json {
    json!({ "type": "object", "properties": {
        "a": { "type": "integer" }, "n": { "type": "number" }, "u": { "type": "string", "nullable": true },
        "s": { "type": "string", "maxLength": 20 },
        "l": { "type": "array", "maxItems": 5, "items": { "type": "integer" } },
        "m": { "type": "object", "maxProperties": 5, "additionalProperties": { "type": "string", "maxLength": 5 } },
        "p": { "x-kubernetes-int-or-string": true },
        "d": { "type": "string", "format": "date-time" }, "du": { "type": "string", "format": "duration" },
        "da": { "type": "string", "format": "date" }, "by": { "type": "string", "format": "byte", "maxLength": 20 },
        "free": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        "a_b": { "type": "integer" }, "a__b": { "type": "integer" }, "x-y": { "type": "integer" }, "in": { "type": "integer" },
        "emb": { "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "spec": { "type": "object" } } },
        "set": { "type": "array", "maxItems": 5, "x-kubernetes-list-type": "set",
            "items": { "type": "string", "maxLength": 5 } },
        "map": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": { "type": "object", "required": ["k"], "properties": { "k": { "type": "string" }, "v": { "type": "integer" } } } } } })
}

fn compile(rule: &Json) -> Result<CompiledSchema, String> {
    let mut spec = object_schema();
    spec["x-kubernetes-validations"] = json!([rule]);
    let document = json!({ "type": "object", "properties": { "spec": spec } });
    CompiledSchema::compile(&document, "schema").map_err(|findings| findings[0].message.clone())
}

/// `ok`, or the first line of what is wrong with a rule.
fn verdict(expression: &str) -> String {
    let Err(message) = compile(&json!({ "rule": expression })) else { return "ok".to_owned() };
    let start = ["compilation failed", "cel expression"].iter().find_map(|start| message.find(start));
    message[start.unwrap_or(0)..].lines().next().unwrap_or_default().to_owned()
}

#[test]
fn every_expression_is_judged_as_the_reference_judges_it() {
    let mut differences = Vec::new();
    for row in include_str!("tests/verdicts.txt").lines() {
        let (expression, expected) = row.split_once(" => ").unwrap();
        let found = verdict(expression);
        if found != expected {
            differences.push(format!("{expression}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

/// The object the answers were recorded with.
fn object() -> Json {
    json!({ "a": 7, "n": 1, "u": null, "s": "héllo wörld", "l": [3, 1, 2], "m": { "a": "x", "b": "y" }, "p": 5,
        "d": "2026-11-30T17:05:06.789Z", "du": "1h30m", "da": "2026-02-03", "by": "aGk=", "a_b": 1, "a__b": 2,
        "x-y": 3, "in": 4, "emb": { "apiVersion": "v1", "kind": "K", "metadata": { "name": "n" }, "spec": {} },
        "set": ["a", "b"], "map": [{ "k": "x", "v": 1 }, { "k": "y", "v": 2 }] })
}

/// `true`, `false`, or the failure of a rule on the object.
fn answer(expression: &str) -> String {
    let schema = match compile(&json!({ "rule": expression, "message": "M" })) {
        Ok(schema) => schema,
        Err(message) => return format!("refused {message}"),
    };
    let findings = schema.validate(&json!({ "spec": object() }), None);
    let Some(finding) = findings.first() else { return "true".to_owned() };
    if finding.message == "Invalid value: M" {
        return "false".to_owned();
    }
    let text = finding.message.trim_start_matches("Invalid value: \"object\": ");
    let text = text.trim_end_matches(" evaluating rule: M").trim_end_matches(" for rule: M");
    format!("error {text}")
}

#[test]
fn every_expression_gives_the_answer_of_the_reference() {
    let mut differences = Vec::new();
    for row in include_str!("tests/answers.txt").lines() {
        let (expression, expected) = row.split_once(" => ").unwrap();
        let found = answer(expression);
        if found != expected {
            differences.push(format!("{expression}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
