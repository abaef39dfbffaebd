//! The conditions of a definition: `NamesAccepted`, `Established`, `Terminating`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::text;
use crate::metadata;
use crate::server::Server;
use crate::store::{Key, WriteSet};

/// A condition to set.
pub(super) struct Condition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

/// Names that another definition has already.
pub(crate) struct Conflict {
    reason: &'static str,
    message: String,
}

/// The status of a condition, empty when it is not there.
pub(super) fn condition<'a>(definition: &'a Value, kind: &str) -> &'a str {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    let found = conditions.into_iter().flatten().find(|condition| text(condition, "/type") == kind);
    found.map(|condition| text(condition, "/status")).unwrap_or_default()
}

/// Sets a condition; its time changes only with its status.
pub(super) fn set(definition: &mut Value, condition: &Condition<'_>, now: Timestamp) {
    let Some(fields) = definition.as_object_mut() else { return };
    let status = fields.entry("status").or_insert_with(|| json!({}));
    let Some(status) = status.as_object_mut() else { return };
    let conditions = status.entry("conditions").or_insert_with(|| json!([]));
    let Some(conditions) = conditions.as_array_mut() else { return };
    let known = conditions.iter().position(|one| text(one, "/type") == condition.kind);
    let same = known.and_then(|at| conditions.get(at)).filter(|one| text(one, "/status") == condition.status);
    let since = match same {
        Some(one) => one.get("lastTransitionTime").cloned().unwrap_or_default(),
        None => json!(metadata::time_text(now)),
    };
    let made = json!({"type": condition.kind, "status": condition.status, "reason": condition.reason,
        "message": condition.message, "lastTransitionTime": since});
    match known.and_then(|at| conditions.get_mut(at)) {
        Some(place) => *place = made,
        None => conditions.push(made),
    }
}

/// Whether two definitions of one group want one name.
pub(super) fn conflict(definition: &Value, other: &Value) -> Option<Conflict> {
    const NAMES: [(&str, &str, &str); 3] = [
        ("/spec/names/singular", "singular", "SingularConflict"),
        ("/spec/names/kind", "kind", "KindConflict"),
        ("/spec/names/listKind", "listKind", "ListKindConflict"),
    ];
    let (pointer, _, reason) = NAMES.into_iter().find(|(pointer, _, _)| {
        !text(definition, pointer).is_empty() && text(definition, pointer) == text(other, pointer)
    })?;
    Some(Conflict { reason, message: format!("\"{}\" is already in use", text(definition, pointer)) })
}

impl Server {
    /// Writes `NamesAccepted` and Established, if they are not as they should be.
    pub(super) fn establish(&mut self, key: &Key, conflict: Option<&Conflict>) {
        let Some(stored) = self.store.head(key) else { return };
        if stored.is_deleting() {
            return;
        }
        let mut new = Value::clone(&stored.value());
        let (accepted, reason, message) = match conflict {
            None => ("True", "NoConflicts", "no conflicts found".to_owned()),
            Some(conflict) => ("False", conflict.reason, conflict.message.clone()),
        };
        let names = Condition { kind: "NamesAccepted", status: accepted, reason, message: &message };
        set(&mut new, &names, self.now);
        let established = match conflict {
            None => ("True", "InitialNamesAccepted", "the initial names have been accepted"),
            Some(_) if condition(&new, "Established") == "True" => return,
            Some(_) => ("False", "NotAccepted", "not all names are accepted"),
        };
        let (status, reason, message) = established;
        set(&mut new, &Condition { kind: "Established", status, reason, message }, self.now);
        if accepted == "True"
            && let Some(names) = new.pointer("/spec/names").cloned()
            && let Some(status) = new.get_mut("status").and_then(Value::as_object_mut)
        {
            status.insert("acceptedNames".to_owned(), names);
        }
        self.put_internal(key, new);
    }

    /// Stores what the server itself decided about an object, owned by the server, if it changes anything.
    pub(crate) fn put_internal(&mut self, key: &Key, mut new: Value) {
        let Some(old) = self.store.head(key).map(|stored| stored.value()) else { return };
        if *old == new {
            return;
        }
        let Some(resource) = self.resource_of(key) else { return };
        let writer =
            crate::ownership::Writer { manager: "kube-apiserver", subresource: "status", now: self.now };
        crate::ownership::record(&resource, Some(&old), &mut new, &writer);
        let mut commit = WriteSet::default();
        commit.put(key.clone(), new, resource.stamp);
        self.commit(commit);
    }
}
