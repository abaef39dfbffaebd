//! S5: no write reaches another life of its object. Deletions and applies carry the uid, removals test it, and a status
//! that turns a condition True carries the version.

use serde_json::Value;

use super::{Check, Finding};
use crate::network::Sent;
use crate::truth::Truth;
use crate::world::Observation;

pub(super) struct Incarnations;

impl Check for Incarnations {
    fn rule(&self) -> &'static str {
        "S5 writes name the life of their object"
    }

    fn look(&mut self, _: &Truth, observation: &Observation) -> Option<Finding> {
        let Observation::Sent(_, sent) = observation else { return None };
        if sent.request.path.contains("/leases") || sent.request.method == "POST" {
            return None;
        }
        let text = format!("{} {} {}", sent.request.method, sent.request.path, complaint(sent)?);
        Some(Finding { cluster: Some(sent.cluster.clone()), object: None, text })
    }
}

fn complaint(sent: &Sent) -> Option<&'static str> {
    let body: Value = serde_json::from_slice(&sent.request.body).unwrap_or(Value::Null);
    let is_status = sent.request.path.ends_with("/status");
    match (sent.request.method.as_str(), sent.request.headers.content_type.as_str()) {
        ("DELETE", _) => {
            body.pointer("/preconditions/uid").is_none().then_some("is deleted without naming its uid")
        }
        ("PATCH", "application/json-patch+json") => {
            let tests = |operation: &Value| operation["op"] == "test" && operation["path"] == "/metadata/uid";
            let is_tested = body.as_array().is_some_and(|operations| operations.iter().any(tests));
            (!is_tested).then_some("is patched without testing its uid")
        }
        ("PATCH", _) if is_status => {
            let conditions = body.pointer("/status/conditions").and_then(Value::as_array);
            let turns = conditions.into_iter().flatten().any(|condition| condition["status"] == "True");
            let is_bare = body.pointer("/metadata/resourceVersion").is_none();
            (turns && is_bare).then_some("is called True without naming the version that was read")
        }
        ("PATCH", _) => {
            body.pointer("/metadata/uid").is_none().then_some("is applied without naming its uid")
        }
        _ => Some("is replaced as a whole"),
    }
}
