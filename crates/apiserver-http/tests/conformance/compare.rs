//! Two answers made comparable: what must differ between servers is replaced by what it stands for.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::sequence::{NEWEST, Request};

/// Code and body.
pub(crate) type Answer = (u16, Value);

/// What is known of the two servers.
#[derive(Default)]
pub(crate) struct Comparison {
    /// Uids in the order they were seen, for each server.
    uids: [BTreeMap<String, usize>; 2],
    /// The newest resourceVersion of each object, for each server.
    newest: [BTreeMap<String, String>; 2],
}

impl Comparison {
    /// The request's body for one of the servers.
    pub(crate) fn body(&self, side: usize, request: &Request) -> Value {
        let path = request.path.split('?').next().unwrap_or_default();
        let version = self.newest[side].get(path).cloned().unwrap_or_default();
        replaced(&request.body, &version)
    }

    /// Whether both answered alike; else both answers.
    pub(crate) fn judge(&mut self, request: &Request, answers: [Answer; 2]) -> Result<(), String> {
        for (side, (_, body)) in answers.iter().enumerate() {
            self.learn(side, request, body);
        }
        let [left, right] = answers;
        let left = (left.0, self.cleaned(0, "", &left.1));
        let right = (right.0, self.cleaned(1, "", &right.1));
        if left == right {
            return Ok(());
        }
        Err(format!("kube-apiserver: {} {}\nembedded: {} {}", left.0, left.1, right.0, right.1))
    }

    fn learn(&mut self, side: usize, request: &Request, body: &Value) {
        let name = body.pointer("/metadata/name").and_then(Value::as_str);
        let version = body.pointer("/metadata/resourceVersion").and_then(Value::as_str);
        if let (Some(name), Some(version)) = (name, version)
            && !request.path.contains("dryRun")
        {
            let path = request.path.split('?').next().unwrap_or_default();
            let all = path.split("/samples").next().unwrap_or_default();
            self.newest[side].insert(format!("{all}/samples/{name}"), version.to_owned());
        }
    }

    fn cleaned(&mut self, side: usize, field: &str, value: &Value) -> Value {
        match (field, value) {
            ("uid", Value::String(uid)) => {
                let next = self.uids[side].len();
                json!(self.uids[side].entry(uid.clone()).or_insert(next))
            }
            ("resourceVersion" | "continue", Value::String(text)) if !text.is_empty() => json!("set"),
            ("creationTimestamp" | "deletionTimestamp" | "time", Value::String(_)) => json!("a time"),
            // Texts name uids and revisions, and list findings in the random order of Go's maps.
            ("message", Value::String(_)) => Value::Null,
            (_, Value::Object(fields)) => {
                let cleaned =
                    fields.iter().map(|(name, value)| (name.clone(), self.cleaned(side, name, value)));
                Value::Object(cleaned.collect::<Map<_, _>>())
            }
            (_, Value::Array(items)) => {
                let mut cleaned: Vec<Value> = items.iter().map(|item| self.cleaned(side, "", item)).collect();
                if matches!(field, "managedFields" | "causes") {
                    cleaned.sort_by_key(Value::to_string);
                }
                Value::Array(cleaned)
            }
            _ => value.clone(),
        }
    }
}

fn replaced(value: &Value, version: &str) -> Value {
    match value {
        Value::String(text) if text == NEWEST => json!(version),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), replaced(value, version))).collect()
        }
        Value::Array(items) => items.iter().map(|item| replaced(item, version)).collect(),
        other => other.clone(),
    }
}
