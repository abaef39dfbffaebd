//! Explanations for people.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Explained, Question};

/// The whole text. Writing to a string does not fail, so results are dropped.
pub(super) fn render(question: &Question, explained: &[Explained]) -> String {
    let mut text = String::new();
    for plane in explained {
        let _ = writeln!(text, "{} on {}", question.object_text(), plane.plane);
        for explanation in &plane.explanations {
            one(&mut text, explanation);
        }
    }
    text
}

fn one(text: &mut String, explanation: &Value) {
    let string = |field: &str| explanation.get(field).and_then(Value::as_str).unwrap_or_default();
    let _ = writeln!(text, "\n  {} of {}", string("controller"), string("key"));
    verdict(text, explanation);
    reads(text, explanation);
    steps(text, explanation);
    attempts(text, explanation);
}

fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn verdict(text: &mut String, explanation: &Value) {
    let waiting = explanation.pointer("/verdict/Waiting");
    let since = waiting.and_then(|_| since(explanation.get("object")?));
    let since = since.map(|since| format!(", since {since}")).unwrap_or_default();
    let _ = match waiting {
        None => writeln!(text, "    verdict: settled"),
        Some(waiting) => {
            let part = |field| waiting.get(field).and_then(Value::as_str).unwrap_or_default();
            writeln!(text, "    verdict: waiting ({}{since})\n      {}", part("reason"), part("message"))
        }
    };
    if waiting.is_some() {
        let deadlines: Vec<&str> = list(explanation, "deadlines").filter_map(Value::as_str).collect();
        let at =
            if deadlines.is_empty() { String::new() } else { format!(", or at {}", deadlines.join(", ")) };
        let _ = writeln!(text, "    ends when: one of the facts read below changes{at}");
    }
}

/// Since when the object is as it is: since its deletion was asked for, else since its condition last changed, else
/// since it exists.
fn since(object: &Value) -> Option<&str> {
    let metadata = |field: &str| object.get("metadata")?.get(field)?.as_str();
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
    let answered = ready.filter(|condition| condition["reason"] != "Pending");
    let changed = answered.and_then(|condition| condition["lastTransitionTime"].as_str());
    metadata("deletionTimestamp").or(changed).or_else(|| metadata("creationTimestamp"))
}

fn reads(text: &mut String, explanation: &Value) {
    let _ = writeln!(text, "    read:");
    for read in list(explanation, "reads") {
        let part = |field| read.get(field).and_then(Value::as_str).unwrap_or_default();
        let said = match read.get("said") {
            Some(Value::String(said)) => said.clone(),
            Some(said) => said.to_string(),
            None => String::new(),
        };
        let _ = writeln!(text, "      {:<14} {}: {said}", part("cluster"), part("read"));
    }
}

fn steps(text: &mut String, explanation: &Value) {
    let mut steps = list(explanation, "steps").peekable();
    if steps.peek().is_none() {
        let _ = writeln!(text, "    would write: nothing");
        return;
    }
    let _ = writeln!(text, "    would write:");
    for step in steps {
        let part = |pointer: &str| step.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let action = step.get("action").and_then(Value::as_object).and_then(|action| action.keys().next());
        let namespace = part("/target/key/namespace");
        let name = part("/target/key/name");
        let object = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
        let _ = writeln!(
            text,
            "      {:<14} {} {} {object}: {}",
            part("/target/cluster"),
            action.map_or("", String::as_str),
            part("/target/resource/kind"),
            part("/why")
        );
    }
}

fn attempts(text: &mut String, explanation: &Value) {
    for attempt in list(explanation, "attempts") {
        let _ = writeln!(
            text,
            "    refused: {} ({} times, tried again at {})",
            attempt["message"].as_str().unwrap_or_default(),
            attempt["count"],
            attempt["due"].as_str().unwrap_or_default()
        );
    }
}

#[cfg(test)]
mod tests {
    use api::networking::NetworkBinding;
    use api::{Kind, NamespaceName, ObjectKey};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wait_is_told_with_object_plane_reason_since_and_what_ends_it() {
        let question = Question {
            kind: NetworkBinding::RESOURCE,
            object: ObjectKey::namespaced(NamespaceName::new("h"), "b"),
            plane: None,
            patience: std::time::Duration::ZERO,
        };
        let explanation = json!({
            "controller": "network-binding", "key": "NetworkBinding h/b on hub",
            "object": {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}, "status": {"conditions": [
                {"type": "Ready", "reason": "LocationNotAvailable", "lastTransitionTime": "2026-01-02T00:00:00Z"}]}},
            "verdict": {"Waiting": {"reason": "LocationNotAvailable", "message": "no Location dfw"}},
            "reads": [{"cluster": "project/p", "read": "Location dfw", "said": "absent"}],
            "steps": [{"target": {"cluster": "hub", "resource": {"kind": "NetworkBinding"},
                "key": {"namespace": "h", "name": "b"}}, "action": {"ApplyStatus": {}}, "why": "answer"}],
            "attempts": [], "deadlines": ["2026-01-03T00:00:00Z"],
        });
        let explained = [Explained { plane: api::ClusterName::Hub, explanations: vec![explanation] }];
        let text = render(&question, &explained);
        for part in [
            "NetworkBinding h/b on hub",
            "waiting (LocationNotAvailable, since 2026-01-02T00:00:00Z)",
            "or at 2026-01-03T00:00:00Z",
            "project/p      Location dfw: absent",
            "ApplyStatus NetworkBinding h/b: answer",
        ] {
            assert!(text.contains(part), "{text}\nlacks {part:?}");
        }
    }

    #[test]
    fn since_is_the_deletion_then_the_condition_then_the_creation() {
        let mut object = json!({"metadata": {"creationTimestamp": "a"},
            "status": {"conditions": [{"type": "Ready", "reason": "Pending", "lastTransitionTime": "1970"}]}});
        assert_eq!(since(&object), Some("a"));
        object["status"]["conditions"][0]["reason"] = "NetworkNotFound".into();
        assert_eq!(since(&object), Some("1970"));
        object["metadata"]["deletionTimestamp"] = "d".into();
        assert_eq!(since(&object), Some("d"));
    }
}
