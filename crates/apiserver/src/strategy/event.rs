//! Events: one stored object, two groups that name its facts differently, and stricter rules in the newer group.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::field_error::FieldError;
use crate::metadata;
use crate::metadata::validate::{invalid, qualified_problems, required};
use crate::resource::Resource;

/// Names in the core group and in `events.k8s.io`.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// What the core group always shows and the newer one leaves out when empty.
const SHOWN_EMPTY: [&str; 2] = ["reportingComponent", "reportingInstance"];

const TEXT_MAX: usize = 128;
const MESSAGE_MAX: usize = 1024;

/// Names the fields of a stored event as the resource's group does.
pub(crate) fn convert(resource: &Resource, event: &mut Value) {
    let was_core = is_core(event);
    let Some(fields) = event.as_object_mut() else { return };
    if was_core == resource.group.is_empty() {
        return;
    }
    if was_core {
        for name in SHOWN_EMPTY {
            if fields.get(name) == Some(&json!("")) {
                fields.remove(name);
            }
        }
    }
    for (core, events) in NAMES {
        let (from, to) = if was_core { (core, events) } else { (events, core) };
        if let Some(value) = fields.remove(from) {
            fields.insert(to.to_owned(), value);
        }
    }
}

fn is_core(event: &Value) -> bool {
    event.get("apiVersion") == Some(&json!("v1"))
}

/// An event by the names of the core group, which findings use whatever group was asked.
struct Event<'a> {
    fields: Option<&'a Map<String, Value>>,
    namespace: &'a str,
    is_core: bool,
}

impl<'a> Event<'a> {
    fn of(event: &'a Value) -> Self {
        Self { fields: event.as_object(), namespace: metadata::namespace(event), is_core: is_core(event) }
    }

    /// A field, unless it is absent or as an empty event has it.
    fn field(&self, core: &str) -> Option<&'a Value> {
        let other = NAMES.iter().find(|(name, _)| *name == core).map_or(core, |(_, other)| other);
        let found = self.fields?.get(if self.is_core { core } else { other })?;
        let is_empty = found.is_null()
            || found == &json!("")
            || found == &json!(0)
            || found.as_object().is_some_and(Map::is_empty);
        (!is_empty).then_some(found)
    }

    fn text(&self, core: &str) -> &'a str {
        self.field(core).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Findings about a new event or a change of one.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let event = Event::of(new);
    let mut errors = Vec::new();
    match event.field("eventTime") {
        None => check_namespace(&mut errors, &event),
        Some(_) => check_reporting(&mut errors, &event),
    }
    if event.is_core {
        return errors;
    }
    match old.map(Event::of) {
        None => check_new(&mut errors, &event),
        Some(old) => check_change(&mut errors, &event, &old),
    }
    errors
}

/// An event of the older kind lives beside what it is about; those about cluster-scoped objects in `default`.
fn check_namespace(errors: &mut Vec<FieldError>, event: &Event<'_>) {
    let about = event.field("involvedObject").and_then(|about| about.get("namespace"));
    let about = about.and_then(Value::as_str).unwrap_or_default();
    let fits =
        if about.is_empty() { matches!(event.namespace, "" | "default") } else { about == event.namespace };
    if !fits {
        errors.push(invalid("involvedObject.namespace", about, "does not match event.namespace"));
    }
}

/// An event with a time says who reports what, and why.
fn check_reporting(errors: &mut Vec<FieldError>, event: &Event<'_>) {
    let about = event.field("involvedObject").and_then(|about| about.get("namespace"));
    let is_about_cluster = about.and_then(Value::as_str).unwrap_or_default().is_empty();
    if is_about_cluster && !matches!(event.namespace, "default" | "kube-system") {
        errors.push(invalid("involvedObject.namespace", "", "does not match event.namespace"));
    }
    let controller = event.text("reportingComponent");
    let field = if event.is_core { "reportingComponent" } else { "reportingController" };
    if controller.is_empty() {
        errors.push(required(field, ""));
    }
    errors.extend(qualified_problems(controller).iter().map(|why| invalid(field, controller, why)));
    for field in ["reportingInstance", "action", "reason"] {
        let text = event.text(field);
        if text.is_empty() {
            errors.push(required(field, ""));
        }
        check_length(errors, field, text, TEXT_MAX);
    }
    check_length(errors, "message", event.text("message"), MESSAGE_MAX);
}

fn check_length(errors: &mut Vec<FieldError>, field: &str, text: &str, longest: usize) {
    if text.len() > longest {
        errors.push(invalid(field, "", &format!("can have at most {longest} characters")));
    }
}

fn check_series(errors: &mut Vec<FieldError>, event: &Event<'_>) {
    let Some(series) = event.field("series") else { return };
    if series.get("count").and_then(Value::as_i64).unwrap_or_default() < 2 {
        errors.push(invalid("series.count", "", "should be at least 2"));
    }
    if series.get("lastObservedTime").is_none_or(Value::is_null) {
        errors.push(required("series.lastObservedTime", ""));
    }
}

/// What the newer group asks of an event that is made through it.
fn check_new(errors: &mut Vec<FieldError>, event: &Event<'_>) {
    check_series(errors, event);
    if event.field("eventTime").is_none() {
        errors.push(required("eventTime", ""));
    }
    let kind = event.text("type");
    if !matches!(kind, "Normal" | "Warning") {
        errors.push(invalid("type", "", &format!("has invalid value: {kind}")));
    }
    for field in ["firstTimestamp", "lastTimestamp", "count", "source"] {
        if event.field(field).is_some() {
            errors.push(invalid(field, "", "needs to be unset"));
        }
    }
}

/// Through the newer group only the series and the metadata of an event change.
fn check_change(errors: &mut Vec<FieldError>, new: &Event<'_>, old: &Event<'_>) {
    // The reason is looked at twice (measured).
    const FIXED: [&str; 14] = [
        "involvedObject",
        "reason",
        "message",
        "source",
        "firstTimestamp",
        "lastTimestamp",
        "count",
        "reason",
        "type",
        "eventTime",
        "action",
        "related",
        "reportingComponent",
        "reportingInstance",
    ];
    if new.field("series") != old.field("series") {
        check_series(errors, new);
    }
    for field in FIXED {
        if new.field(field) != old.field(field) {
            let name = if field == "reportingComponent" { "reportingController" } else { field };
            errors.push(immutable(name, new.field(field)));
        }
    }
}

fn immutable(field: &str, value: Option<&Value>) -> FieldError {
    let shown = match value {
        None => json!("").to_string(),
        Some(Value::Object(fields)) => in_go(fields, if field == "source" { &SOURCE } else { &REFERENCE }),
        Some(other) => other.to_string(),
    };
    FieldError { message: format!("Invalid value: {shown}: field is immutable"), ..invalid(field, "", "") }
}

const REFERENCE: [(&str, &str); 7] = [
    ("Kind", "kind"),
    ("Namespace", "namespace"),
    ("Name", "name"),
    ("UID", "uid"),
    ("APIVersion", "apiVersion"),
    ("ResourceVersion", "resourceVersion"),
    ("FieldPath", "fieldPath"),
];
const SOURCE: [(&str, &str); 2] = [("Component", "component"), ("Host", "host")];

/// A value by the names it has inside kube-apiserver, which shows it so.
fn in_go(fields: &Map<String, Value>, names: &[(&str, &str)]) -> String {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let shown: Vec<String> =
        names.iter().map(|(go, name)| format!("\"{go}\":{}", json!(text(name)))).collect();
    format!("{{{}}}", shown.join(","))
}
