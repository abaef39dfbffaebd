//! The generated definitions against what the reference serves (`facts/`): every difference is listed with its reason
//! in `facts/differences.yaml`, and nothing is listed that is no difference.

#![allow(clippy::unwrap_used, clippy::panic, reason = "everything in this file is a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use api::crd::{ENTRIES, Entry, Origin, RULES};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    version: String,
    kind: String,
    scope: String,
    short_names: Vec<String>,
    subresources: Vec<String>,
    selectable_fields: Vec<String>,
    standard_conditions: bool,
    printer_columns: Vec<BTreeMap<String, Value>>,
    fields: BTreeMap<String, BTreeMap<String, Value>>,
}

/// One listed difference; `reference` and `ours` are the two values, null where there is none.
#[derive(Deserialize)]
struct Listed {
    kinds: Vec<String>,
    field: String,
    what: String,
    reference: Value,
    ours: Value,
    reason: String,
}

/// (resource, field, attribute, reference, ours), values as JSON text.
type Difference = (String, String, String, String, String);

/// What a schema says about one field, in the words of the facts.
type Field = BTreeMap<String, Value>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("facts")
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_difference_to_the_reference_is_listed_and_nothing_else() {
    let found: BTreeSet<Difference> = ENTRIES.iter().flat_map(differences).collect();
    let listed: BTreeSet<Difference> =
        read::<Vec<Listed>>("differences.yaml").iter().flat_map(Listed::each).collect();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&found).collect();
    assert!(unlisted.is_empty(), "not listed in facts/differences.yaml:\n{unlisted:#?}");
    assert!(stale.is_empty(), "listed, but no difference:\n{stale:#?}");
}

#[test]
fn every_difference_has_a_reason() {
    for listed in read::<Vec<Listed>>("differences.yaml") {
        assert!(listed.reason.len() > 20, "{} {}: {:?}", listed.field, listed.what, listed.reason);
    }
}

#[test]
fn every_facts_file_is_about_a_kind_that_is_defined() {
    let known: BTreeSet<String> = ENTRIES.iter().map(|entry| format!("{}.yaml", entry.resource)).collect();
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| !["README.md", "condition.yaml", "differences.yaml", "rules"].contains(&&**name))
        .collect();
    assert_eq!(files, known);
}

impl Listed {
    fn each(&self) -> impl Iterator<Item = Difference> + '_ {
        self.kinds.iter().map(|kind| {
            (
                kind.clone(),
                self.field.clone(),
                self.what.clone(),
                self.reference.to_string(),
                self.ours.to_string(),
            )
        })
    }
}

fn differences(entry: &Entry) -> Vec<Difference> {
    let resource = entry.resource.to_string();
    let facts: Facts = read(&format!("{resource}.yaml"));
    let body = entry.definition().unwrap();
    let (stated, defined) = (stated(&facts, entry), defined(&body, &facts));
    let empty = Field::new();
    let paths: BTreeSet<&String> = stated.keys().chain(defined.keys()).collect();
    let mut found = Vec::new();
    for path in paths {
        let (left, right) = (stated.get(path).unwrap_or(&empty), defined.get(path).unwrap_or(&empty));
        let words: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
        for word in words.into_iter().filter(|word| !(entry.open && *word == "preserve-unknown")) {
            let (left, right) = (left.get(word), right.get(word));
            if left != right {
                let text = |value: Option<&Value>| value.map_or("null".to_owned(), Value::to_string);
                found.push((resource.clone(), path.clone(), word.clone(), text(left), text(right)));
            }
        }
    }
    found
}

/// The facts as fields, with what they leave to the reader filled in.
fn stated(facts: &Facts, entry: &Entry) -> BTreeMap<String, Field> {
    let mut all: BTreeMap<String, Field> = BTreeMap::new();
    for (path, words) in &facts.fields {
        add_parents(&mut all, path);
        let words = words.iter().filter(|(word, _)| is_schema_word(word, entry));
        all.entry(path.clone()).or_default().extend(words.map(|(word, value)| (word.clone(), value.clone())));
    }
    if facts.standard_conditions {
        all.insert("status.conditions[]".to_owned(), Field::from([("type".to_owned(), json!("object"))]));
        let condition: BTreeMap<String, BTreeMap<String, Field>> = read("condition.yaml");
        for (name, words) in &condition["fields"] {
            all.insert(format!("status.conditions[].{name}"), words.clone());
        }
    }
    all.values_mut().for_each(use_one_wording);
    all.insert(String::new(), stated_root(facts));
    all
}

/// `a.b[].c` implies objects `a` and a list `a.b` of objects.
fn add_parents(all: &mut BTreeMap<String, Field>, path: &str) {
    let kind = |name: &str| Field::from([("type".to_owned(), json!(name))]);
    for (at, _) in path.match_indices('.') {
        let parent = &path[..at];
        all.entry(parent.to_owned()).or_insert_with(|| kind("object"));
        if let Some(list) = parent.strip_suffix("[]") {
            all.entry(list.to_owned()).or_insert_with(|| kind("array"));
        }
    }
}

/// What the address service does beyond its schema is its own code's business, tested there.
fn is_schema_word(word: &str, entry: &Entry) -> bool {
    let behaviour = [
        "emitEmpty",
        "immutable",
        "serverChecked",
        "serverRequired",
        "effectiveDefault",
        "setBy",
        "onCreate",
        "decimals",
        "rules",
    ];
    entry.origin != Origin::AddressService || !behaviour.contains(&word)
}

fn use_one_wording(words: &mut Field) {
    if let Some(format) = words.remove("format") {
        words.insert("type".to_owned(), json!(format!("string({})", format.as_str().unwrap())));
    }
    if words.get("type") == Some(&json!("array")) {
        words.entry("list-type".to_owned()).or_insert_with(|| json!("atomic"));
    }
    if let Some(rules) = words.get_mut("rules").and_then(Value::as_array_mut) {
        rules.sort_by(|left, right| left.as_str().cmp(&right.as_str()));
    }
}

fn stated_root(facts: &Facts) -> Field {
    let columns: Vec<&BTreeMap<String, Value>> =
        facts.printer_columns.iter().filter(|column| column.get("format") != Some(&json!("name"))).collect();
    let selectable: Vec<&String> =
        facts.selectable_fields.iter().filter(|field| !field.starts_with("metadata.")).collect();
    root_field(
        (&facts.version, &facts.kind, &facts.scope),
        [
            ("shortNames", json!(facts.short_names)),
            ("subresources", json!(facts.subresources)),
            ("selectableFields", json!(selectable)),
        ],
        &json!(columns),
    )
}

fn root_field(
    (version, kind, scope): (&str, &str, &str),
    lists: [(&str, Value); 3],
    columns: &Value,
) -> Field {
    let mut field = Field::from(
        [("version", version), ("kind", kind), ("scope", scope)]
            .map(|(word, value)| (word.to_owned(), json!(value))),
    );
    field.extend(lists.map(|(word, value)| (word.to_owned(), value)));
    for column in columns.as_array().into_iter().flatten() {
        let name = format!("column {}", column["name"].as_str().unwrap());
        let place = json!([column["type"], column["jsonPath"], column["priority"].as_i64().unwrap_or(0)]);
        field.insert(name, place);
    }
    field
}

/// The generated definition as fields.
fn defined(body: &Value, facts: &Facts) -> BTreeMap<String, Field> {
    let version = &body["spec"]["versions"][0];
    let mut all = BTreeMap::new();
    flatten(&version["schema"]["openAPIV3Schema"], "", false, &mut all);
    if !facts.standard_conditions {
        all.retain(|path, _| !path.starts_with("status.conditions[]"));
    }
    all.insert(String::new(), defined_root(body, version));
    all
}

fn defined_root(body: &Value, version: &Value) -> Field {
    let names = &body["spec"]["names"];
    let subresources: Vec<&String> =
        version["subresources"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let selectable: Vec<&str> = version["selectableFields"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|field| field["jsonPath"].as_str().unwrap().trim_start_matches('.'))
        .collect();
    root_field(
        (
            version["name"].as_str().unwrap(),
            names["kind"].as_str().unwrap(),
            body["spec"]["scope"].as_str().unwrap(),
        ),
        [
            ("shortNames", json!(names["shortNames"].as_array().cloned().unwrap_or_default())),
            ("subresources", json!(subresources)),
            ("selectableFields", json!(selectable)),
        ],
        &version["additionalPrinterColumns"],
    )
}

fn flatten(schema: &Value, path: &str, required: bool, all: &mut BTreeMap<String, Field>) {
    all.insert(path.to_owned(), own_words(schema, required));
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        flatten(field, &path, required.contains(&json!(name)), all);
    }
    for (keyword, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(inner) = schema.get(keyword) {
            flatten(inner, &format!("{path}{suffix}"), false, all);
        }
    }
}

fn own_words(schema: &Value, required: bool) -> Field {
    let kept = [
        ("default", "default"),
        ("enum", "enum"),
        ("minimum", "minimum"),
        ("maximum", "maximum"),
        ("minLength", "minLength"),
        ("maxLength", "maxLength"),
        ("minItems", "minItems"),
        ("maxItems", "maxItems"),
        ("minProperties", "minProperties"),
        ("maxProperties", "maxProperties"),
        ("pattern", "pattern"),
        ("nullable", "nullable"),
        ("x-kubernetes-list-type", "list-type"),
        ("x-kubernetes-list-map-keys", "list-map-keys"),
        ("x-kubernetes-map-type", "map-type"),
        ("x-kubernetes-preserve-unknown-fields", "preserve-unknown"),
    ];
    let mut words: Field = kept
        .iter()
        .filter_map(|(keyword, word)| Some(((*word).to_owned(), schema.get(*keyword)?.clone())))
        .collect();
    let format = schema["format"].as_str().map(|format| format!("({format})")).unwrap_or_default();
    words.insert("type".to_owned(), json!(format!("{}{format}", schema["type"].as_str().unwrap_or("any"))));
    if required {
        words.insert("required".to_owned(), json!(true));
    }
    if let Some(rules) = schema["x-kubernetes-validations"].as_array() {
        let messages: Vec<&Value> = rules.iter().map(|rule| &rule["message"]).collect();
        words.insert("rules".to_owned(), json!(messages));
        use_one_wording(&mut words);
    }
    words
}

/// Examples of one rule; `facts/rules/<resource>.yaml` is a list of them.
#[derive(Deserialize)]
struct Examples {
    rule: String,
    accepts: Vec<Value>,
    rejects: Vec<Value>,
}

#[test]
fn every_rule_has_an_object_it_accepts_and_one_it_rejects() {
    let mut by_resource: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for rule in RULES {
        by_resource.entry(rule.resource.to_string()).or_default().insert(rule.message.to_owned());
    }
    for (resource, messages) in by_resource {
        let examples: Vec<Examples> = read(&format!("rules/{resource}.yaml"));
        let shown: BTreeSet<String> = examples.iter().map(|example| example.rule.clone()).collect();
        assert_eq!(shown, messages, "{resource}");
        for example in examples {
            assert!(
                !example.accepts.is_empty() && !example.rejects.is_empty(),
                "{resource}: {}",
                example.rule
            );
        }
    }
}
