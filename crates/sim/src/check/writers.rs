//! S4: each field has one writer. A manager changes only what its contract names, on every kind.

use serde_json::{Map, Value};

use super::{Check, Finding};
use crate::truth::Truth;
use crate::world::{Author, Observation};

/// Fields a manager may change, by plural: prefixes of JSON pointers. Kinds that are not here it may not touch.
const ALLOWED: &[(&str, &[&str])] = &[
    ("networks", &["/metadata/finalizers", "/status/conditions"]),
    (
        "networkbindings",
        &[
            "/metadata/labels/networking.datumapis.com~1network-uid",
            "/status/conditions",
            "/status/networkContextRef",
        ],
    ),
    (
        "networkcontexts",
        &[
            "/metadata/labels/networking.datumapis.com~1",
            "/metadata/labels/meta.datumapis.com~1upstream-cluster-name",
            "/metadata/labels/meta.datumapis.com~1upstream-namespace",
            "/metadata/annotations/networking.datumapis.com~1unclaimed-since",
            "/metadata/ownerReferences",
            "/metadata/deletionTimestamp",
            "/metadata/deletionGracePeriodSeconds",
            "/spec",
            "/status/conditions",
        ],
    ),
    ("leases", &["/spec"]),
];

/// Kinds whose objects a manager makes.
const MADE: &[&str] = &["networkcontexts", "events", "leases"];
/// Kinds whose objects a manager removes.
const REMOVED: &[&str] = &["networkcontexts", "networks"];
/// What every write moves, whoever makes it.
const ALWAYS: &[&str] = &["/metadata/managedFields", "/metadata/resourceVersion", "/metadata/generation"];

pub(super) struct Writers;

impl Check for Writers {
    fn rule(&self) -> &'static str {
        "S4 one writer"
    }

    fn look(&mut self, _: &Truth, observation: &Observation) -> Option<Finding> {
        let Observation::Commit(commit) = observation else { return None };
        if !matches!(commit.author, Author::Manager(_)) {
            return None;
        }
        let (object, plural) = (&commit.changed.object, commit.changed.object.plural());
        let complaint = match (&commit.changed.before, &commit.changed.after) {
            (None, Some(_)) => (!MADE.contains(&plural)).then(|| "was made by a manager".to_owned()),
            (Some(_), None) => (!REMOVED.contains(&plural)).then(|| "was removed by a manager".to_owned()),
            (Some(before), Some(after)) => foreign(plural, before, after)
                .map(|path| format!("was changed by a manager at {path}, which is not its own")),
            (None, None) => None,
        };
        complaint.map(|text| Finding::of(&commit.changed.cluster, object, text))
    }
}

/// The first changed field that a manager may not change.
fn foreign(plural: &str, before: &Value, after: &Value) -> Option<String> {
    let allowed = ALLOWED.iter().find(|(kind, _)| *kind == plural).map_or(&[][..], |(_, fields)| *fields);
    let mut changed = Vec::new();
    differences(before, after, &mut String::new(), &mut changed);
    let may = |path: &String| allowed.iter().chain(ALWAYS).any(|prefix| path.starts_with(prefix));
    changed.into_iter().find(|path| !may(path))
}

/// JSON pointers of the leaves that differ; lists count as leaves.
pub(crate) fn differences(before: &Value, after: &Value, at: &mut String, found: &mut Vec<String>) {
    let empty = Map::new();
    let (old, new) = match (before, after) {
        (Value::Object(old), Value::Object(new)) => (old, new),
        (Value::Object(old), Value::Null) => (old, &empty),
        (Value::Null, Value::Object(new)) => (&empty, new),
        _ => {
            if before != after {
                found.push(at.clone());
            }
            return;
        }
    };
    for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        let (was, is) = (old.get(key).unwrap_or(&Value::Null), new.get(key).unwrap_or(&Value::Null));
        differences(was, is, at, found);
        at.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_of_somebody_else_is_found_and_an_own_one_is_not() {
        let before = json!({"metadata": {"labels": {"a/b": "1"}, "finalizers": []}, "spec": {"mtu": 1}});
        let mut own = before.clone();
        own["metadata"]["finalizers"] = json!(["x"]);
        own["metadata"]["resourceVersion"] = json!("2");
        assert_eq!(foreign("networks", &before, &own), None);
        let mut other = own.clone();
        other["metadata"]["labels"]["a/b"] = json!("2");
        assert_eq!(foreign("networks", &before, &other), Some("/metadata/labels/a~1b".to_owned()));
        let mut spec = before.clone();
        spec["spec"]["mtu"] = json!(2);
        assert_eq!(foreign("networks", &before, &spec), Some("/spec/mtu".to_owned()));
        assert_eq!(foreign("networkcontexts", &before, &spec), None);
    }
}
