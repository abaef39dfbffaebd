//! Secrets and config maps: base64 data, the write-only `stringData`, and `immutable`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::field_error::FieldError;
use crate::metadata::validate::{forbidden, invalid};

/// Folds `stringData` into `data`; the type defaults to `Opaque`.
pub(super) fn fold_texts(new: &mut Value) {
    let Some(fields) = new.as_object_mut() else { return };
    fields.entry("type").or_insert_with(|| json!("Opaque"));
    let Some(Value::Object(texts)) = fields.remove("stringData") else { return };
    let data = fields.entry("data").or_insert_with(|| json!({}));
    if let Some(data) = data.as_object_mut() {
        for (key, text) in texts {
            let encoded = STANDARD.encode(text.as_str().unwrap_or_default());
            data.insert(key, Value::String(encoded));
        }
    }
}

/// Data must be base64, and an immutable secret and every secret's type stay as they are.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let data = new.get("data").and_then(Value::as_object);
    for (key, value) in data.into_iter().flatten() {
        let text = value.as_str().unwrap_or_default();
        if STANDARD.decode(text).is_err() {
            errors.push(invalid(&format!("data[{key}]"), text, "must be base64"));
        }
    }
    if let Some(old) = old
        && old.get("type") != new.get("type")
    {
        let shown = new.get("type").and_then(Value::as_str).unwrap_or_default();
        errors.push(invalid("type", shown, "field is immutable"));
    }
    errors.extend(validate_immutable(new, old, &["data"]));
    errors
}

/// Once `immutable` is true, neither it nor the data changes.
pub(super) fn validate_immutable(new: &Value, old: Option<&Value>, fields: &[&str]) -> Vec<FieldError> {
    let Some(old) = old.filter(|old| old.get("immutable") == Some(&Value::Bool(true))) else {
        return Vec::new();
    };
    let why = "field is immutable when `immutable` is set";
    std::iter::once(&"immutable")
        .chain(fields)
        .filter(|field| old.get(**field) != new.get(**field))
        .map(|field| forbidden(field, why))
        .collect()
}
