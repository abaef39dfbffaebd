//! The definitions of crate `api` on this server: each compiles, and each rule accepts and rejects what
//! `crates/api/facts/rules/` says. The same files were held against kube-apiserver 1.36.

#![allow(clippy::unwrap_used, clippy::panic, reason = "everything in this file is a test")]

use std::collections::BTreeMap;
use std::path::Path;

use api::crd::{ENTRIES, Entry};
use apiserver::schema::CompiledSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Examples of one rule.
#[derive(Deserialize)]
struct Examples {
    rule: String,
    accepts: Vec<Example>,
    rejects: Vec<Example>,
}

/// A creation, or with `old` an update; both are the object without type and metadata.
#[derive(Deserialize)]
struct Example {
    new: BTreeMap<String, Value>,
    old: Option<BTreeMap<String, Value>>,
}

fn compile(entry: &Entry) -> CompiledSchema {
    let body = entry.definition().unwrap();
    let schema = &body["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    CompiledSchema::compile(schema, "spec.validation.openAPIV3Schema")
        .unwrap_or_else(|findings| panic!("{}: {findings:#?}", entry.resource))
}

fn object(entry: &Entry, schema: &CompiledSchema, parts: &BTreeMap<String, Value>) -> Value {
    let mut object = json!(parts);
    object["apiVersion"] = json!(entry.resource.api_version());
    object["kind"] = json!(entry.resource.kind);
    object["metadata"] = json!({"name": "example"});
    schema.apply_defaults(&mut object);
    object
}

fn findings(entry: &Entry, schema: &CompiledSchema, example: &Example) -> Vec<String> {
    let new = object(entry, schema, &example.new);
    let old = example.old.as_ref().map(|parts| object(entry, schema, parts));
    schema.validate(&new, old.as_ref()).iter().map(ToString::to_string).collect()
}

fn examples(entry: &Entry) -> Vec<Examples> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../api/facts/rules")
        .join(format!("{}.yaml", entry.resource));
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        }
        Err(_) => Vec::new(),
    }
}

#[test]
fn every_definition_compiles() {
    for entry in ENTRIES {
        compile(entry);
    }
}

#[test]
fn a_status_that_nobody_wrote_shows_the_pending_conditions() {
    for entry in ENTRIES.iter().filter(|entry| !entry.pending.is_empty()) {
        let schema = compile(entry);
        let parts = BTreeMap::from([("status".to_owned(), json!(null)), ("spec".to_owned(), json!({}))]);
        let shown = object(entry, &schema, &parts);
        let types: Vec<&Value> =
            shown["status"]["conditions"].as_array().unwrap().iter().map(|entry| &entry["type"]).collect();
        let pending: Vec<&str> = entry.pending.iter().map(|type_| type_.as_str()).collect();
        assert_eq!(json!(types), json!(pending), "{}", entry.resource);
    }
}

#[test]
fn what_a_rule_accepts_is_accepted() {
    let mut seen = 0;
    for entry in ENTRIES {
        let schema = compile(entry);
        for examples in examples(entry) {
            for example in &examples.accepts {
                let findings = findings(entry, &schema, example);
                assert!(findings.is_empty(), "{}: {}: {findings:#?}", entry.resource, examples.rule);
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "no examples found beside crate api");
}

#[test]
fn what_a_rule_rejects_is_rejected_with_its_message() {
    for entry in ENTRIES {
        let schema = compile(entry);
        for examples in examples(entry) {
            for example in &examples.rejects {
                let findings = findings(entry, &schema, example);
                let told = findings.iter().any(|finding| finding.contains(&examples.rule));
                assert!(told, "{}: {}: {:?}: {findings:#?}", entry.resource, examples.rule, example.new);
            }
        }
    }
}
