//! An intent is `{set, absent}`: fields to hold and fields that must not be there.
//!
//! It equals the observed object when every set value matches and every absent field is missing; then nothing is sent.
//! Set travels by server-side apply, absent by a JSON patch: leaving a field out of an apply does not remove it while
//! another manager owns it too.

use serde::Serialize;
use serde_json::Value;

use crate::step::{Expect, Step, Target};

/// A field that must not be there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Absent {
    /// This entry of `metadata.finalizers`.
    Finalizer(&'static str),
    /// This field, as a JSON pointer (RFC 6901).
    Field(String),
}

impl Absent {
    /// The annotation of this key.
    #[must_use]
    pub fn annotation(key: &str) -> Self {
        Self::Field(format!("/metadata/annotations/{}", escape(key)))
    }

    /// The label of this key.
    #[must_use]
    pub fn label(key: &str) -> Self {
        Self::Field(format!("/metadata/labels/{}", escape(key)))
    }

    /// Whether the field is there.
    #[must_use]
    pub fn is_violated_by(&self, object: &Value) -> bool {
        match self {
            Self::Finalizer(finalizer) => {
                let finalizers = object.pointer("/metadata/finalizers").and_then(Value::as_array);
                finalizers.is_some_and(|list| list.iter().any(|entry| entry == finalizer))
            }
            Self::Field(pointer) => object.pointer(pointer).is_some(),
        }
    }
}

fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Fields of one object that one group holds or keeps away.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intent {
    /// Fields of the main resource to hold; `Null` holds none.
    pub set: Value,
    /// Fields to keep away.
    pub absent: Vec<Absent>,
}

impl Intent {
    /// The intent as at most two steps, what is held first. Nothing is left out here: the engine drops what matches.
    #[must_use]
    pub fn steps(self, target: &Target, expect: Expect, why: &'static str) -> Vec<Step> {
        let mut steps = Vec::with_capacity(2);
        if !self.set.is_null() {
            steps.push(Step { expect, ..Step::apply(target.clone(), self.set, why) });
        }
        if !self.absent.is_empty() {
            steps.push(Step { expect, ..Step::remove(target.clone(), self.absent, why) });
        }
        steps
    }
}

/// Whether every value of `set` is in `object`. Objects match field by field; lists whose items have a `type`, `uid` or
/// `name` in `set` match item by item on it (they are maps on the wire); other lists whose items are texts match as sets
/// when they are finalizers, and as a whole otherwise.
#[must_use]
pub fn is_held(set: &Value, object: &Value) -> bool {
    is_held_at(set, object, "")
}

fn is_held_at(set: &Value, object: &Value, field: &str) -> bool {
    match (set, object) {
        (Value::Object(set), Value::Object(object)) => set
            .iter()
            .all(|(name, value)| object.get(name).is_some_and(|other| is_held_at(value, other, name))),
        (Value::Array(set), Value::Array(object)) => is_list_held(set, object, field),
        _ => set == object,
    }
}

fn is_list_held(set: &[Value], object: &[Value], field: &str) -> bool {
    let identity = match field {
        "conditions" => "type",
        "ownerReferences" => "uid",
        "finalizers" => return set.iter().all(|entry| object.contains(entry)),
        _ => {
            return set.len() == object.len()
                && set.iter().zip(object).all(|(one, two)| is_held_at(one, two, ""));
        }
    };
    set.iter().all(|item| {
        let found = object.iter().find(|other| other.get(identity) == item.get(identity));
        found.is_some_and(|other| is_held_at(item, other, ""))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_set_value_is_held_when_the_object_has_more() {
        let object = json!({"spec": {"mtu": 1460, "ipFamilies": ["IPv6"]}, "metadata": {"labels": {"a": "1", "b": "2"}}});
        assert!(is_held(&json!({"spec": {"mtu": 1460}, "metadata": {"labels": {"a": "1"}}}), &object));
        assert!(!is_held(&json!({"spec": {"mtu": 1500}}), &object));
        assert!(!is_held(&json!({"spec": {"ipFamilies": ["IPv6", "IPv4"]}}), &object));
    }

    #[test]
    fn conditions_are_compared_by_type_and_finalizers_as_a_set() {
        let object = json!({"metadata": {"finalizers": ["x", "y"]},
            "status": {"conditions": [{"type": "A", "status": "True"}, {"type": "Ready", "status": "False", "reason": "r"}]}});
        assert!(is_held(&json!({"status": {"conditions": [{"type": "Ready", "status": "False"}]}}), &object));
        assert!(!is_held(&json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}), &object));
        assert!(is_held(&json!({"metadata": {"finalizers": ["y"]}}), &object));
    }

    #[test]
    fn an_absent_annotation_is_found_by_its_escaped_pointer() {
        let absent = Absent::annotation("networking.datumapis.com/unclaimed-since");
        let object = json!({"metadata": {"annotations": {"networking.datumapis.com/unclaimed-since": "t"}}});
        assert!(absent.is_violated_by(&object));
        assert!(!absent.is_violated_by(&json!({"metadata": {}})));
    }
}
