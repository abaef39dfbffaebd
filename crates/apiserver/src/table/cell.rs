//! One cell: a path into the object, or for built-in kinds one of a few computed texts.
//!
//! A column's path may be `count:.data`, `age:.metadata.creationTimestamp`, `role:`, `subjects:User`, `pod:ready`,
//! `pod:restarts` or `event:regarding`; anything else is a path as CRDs write it.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::json_path::JsonPath;
use crate::resource::{Column, value_at};

pub(super) fn cell(column: &Column, object: &Value, now: Timestamp) -> Value {
    match column.path.split_once(':') {
        Some(("count", paths)) => count(object, paths),
        Some(("age", path)) => age(value_at(object, path), now),
        Some(("role", _)) => json!(role(object)),
        Some(("subjects", kind)) => json!(subjects(object, kind)),
        Some(("pod", what)) => pod(object, what),
        Some(("event", field)) => json!(reference(object.get(field))),
        _ => by_path(column, object, now),
    }
}

fn count(object: &Value, paths: &str) -> Value {
    let size = |path: &str| match value_at(object, path) {
        Some(Value::Object(fields)) => fields.len(),
        Some(Value::Array(items)) => items.len(),
        _ => 0,
    };
    json!(paths.split(',').map(size).sum::<usize>())
}

fn by_path(column: &Column, object: &Value, now: Timestamp) -> Value {
    let Ok(path) = JsonPath::parse(&column.path) else { return Value::Null };
    let found = path.find(object);
    let Some(first) = found.first().copied() else { return Value::Null };
    match (column.column_type.as_str(), first) {
        (_, Value::Null) => Value::Null,
        ("date", value) => age(Some(value), now),
        ("integer", Value::Number(number)) => {
            number.as_i64().map_or_else(|| float_to_whole(number), Value::from)
        }
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => first.clone(),
        ("string", _) => json!(found.iter().map(|value| text(value)).collect::<Vec<_>>().join(" ")),
        _ => Value::Null,
    }
}

/// A float in an integer column loses its fraction, as kube-apiserver's conversion does.
fn float_to_whole(number: &serde_json::Number) -> Value {
    let text = number.to_string();
    text.split('.').next().and_then(|whole| whole.parse::<i64>().ok()).map_or(Value::Null, Value::from)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn age(value: Option<&Value>, now: Timestamp) -> Value {
    let Some(text) = value.and_then(Value::as_str) else { return json!("<unknown>") };
    match text.parse::<Timestamp>() {
        Ok(then) => json!(duration_text(now.as_second() - then.as_second())),
        Err(_) => json!("<invalid>"),
    }
}

/// A duration as kubectl prints ages: two units at most, coarser as it grows.
pub(super) fn duration_text(seconds: i64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let (days, years) = (hours / 24, hours / 24 / 365);
    let pair = |big: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{big}{unit}"),
        _ => format!("{big}{unit}{small}{small_unit}"),
    };
    match () {
        () if seconds < -1 => "<invalid>".to_owned(),
        () if seconds < 0 => "0s".to_owned(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if days < 8 => pair(days, "d", hours % 24, "h"),
        () if years < 2 => format!("{days}d"),
        () if years < 8 => pair(years, "y", days % 365, "d"),
        () => format!("{years}y"),
    }
}

fn role(object: &Value) -> String {
    let part =
        |name: &str| value_at(object, &format!("roleRef.{name}")).and_then(Value::as_str).unwrap_or_default();
    format!("{}/{}", part("kind"), part("name"))
}

fn subjects(object: &Value, kind: &str) -> String {
    let part = |subject: &Value, name: &str| {
        subject.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let named = |subject: &Value| match kind {
        "ServiceAccount" => format!("{}/{}", part(subject, "namespace"), part(subject, "name")),
        _ => part(subject, "name"),
    };
    let all = object.get("subjects").and_then(Value::as_array).into_iter().flatten();
    all.filter(|subject| part(subject, "kind") == kind).map(named).collect::<Vec<_>>().join(", ")
}

fn pod(object: &Value, what: &str) -> Value {
    let statuses =
        || value_at(object, "status.containerStatuses").and_then(Value::as_array).into_iter().flatten();
    if what == "restarts" {
        let restarts =
            |status: &Value| status.get("restartCount").and_then(Value::as_i64).unwrap_or_default();
        return json!(statuses().map(restarts).sum::<i64>().to_string());
    }
    let ready = statuses().filter(|status| status.get("ready") == Some(&Value::Bool(true))).count();
    let containers = value_at(object, "spec.containers").and_then(Value::as_array).map_or(0, Vec::len);
    json!(format!("{ready}/{containers}"))
}

fn reference(about: Option<&Value>) -> String {
    let part =
        |name: &str| about.and_then(|about| about.get(name)).and_then(Value::as_str).unwrap_or_default();
    format!("{}/{}", part("kind").to_lowercase(), part("name"))
}
