//! Brings a derived schema into the form that API servers expect.

use serde_json::{Map, Number, Value, json};

use super::DefinitionError;

/// What one definition needs to know while its schema is walked.
pub(super) struct Normaliser<'a> {
    /// For messages.
    pub(super) resource: &'a str,
    /// Whether fields that the type does not name are kept.
    pub(super) open: bool,
}

impl Normaliser<'_> {
    /// Walks the schema of the whole object.
    pub(super) fn root(&self, schema: &mut Value) -> Result<(), DefinitionError> {
        let open_root = Self { resource: self.resource, open: false };
        if let Some(fields) = schema.as_object_mut() {
            open_root.own_keywords(fields, "");
            for (name, field) in properties(fields) {
                self.node(field, name)?;
            }
        }
        Ok(())
    }

    fn node(&self, schema: &mut Value, path: &str) -> Result<(), DefinitionError> {
        let Some(fields) = schema.as_object_mut() else {
            return Ok(());
        };
        self.own_keywords(fields, path);
        for (name, field) in properties(fields) {
            self.node(field, &format!("{path}.{name}"))?;
        }
        if let Some(items) = fields.get_mut("items") {
            self.node(items, &format!("{path}[]"))?;
        }
        if let Some(values) = fields.get_mut("additionalProperties") {
            self.node(values, &format!("{path}{{}}"))?;
        }
        self.check_list_keys(fields, path)
    }

    fn own_keywords(&self, fields: &mut Map<String, Value>, path: &str) {
        fields.remove("title");
        fields.remove("nullable");
        whole_bounds(fields);
        signed_format(fields);
        list_type(fields, path);
        if self.open && fields.contains_key("properties") {
            fields.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
        }
    }

    fn check_list_keys(&self, fields: &Map<String, Value>, path: &str) -> Result<(), DefinitionError> {
        let Some(keys) = fields.get("x-kubernetes-list-map-keys").and_then(Value::as_array) else {
            return Ok(());
        };
        let required = fields.get("items").and_then(|items| items.get("required")).and_then(Value::as_array);
        match keys.iter().find(|key| !required.is_some_and(|required| required.contains(key))) {
            None => Ok(()),
            Some(key) => Err(DefinitionError::OptionalKey {
                resource: self.resource.to_owned(),
                path: path.to_owned(),
                key: key.to_string(),
            }),
        }
    }
}

fn properties(fields: &mut Map<String, Value>) -> impl Iterator<Item = (&String, &mut Value)> {
    fields.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
}

/// The derive writes every bound as a float; servers keep `1300.0` and print it.
fn whole_bounds(fields: &mut Map<String, Value>) {
    for keyword in ["minimum", "maximum"] {
        let Some(bound) = fields.get_mut(keyword) else { continue };
        if let Some(whole) = bound.as_f64().and_then(whole_number) {
            *bound = Value::Number(whole);
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "only numbers without a fraction and within 2^53 are cast"
)]
fn whole_number(bound: f64) -> Option<Number> {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    (bound.fract() == 0.0 && bound.abs() <= EXACT_MAX).then(|| Number::from(bound as i64))
}

/// `uint32` and its like are no formats of the API.
fn signed_format(fields: &mut Map<String, Value>) {
    let signed = match fields.get("format").and_then(Value::as_str) {
        Some("uint8" | "uint16" | "int8" | "int16") => "int32",
        Some("uint32" | "uint64" | "uint" | "int") => "int64",
        _ => return,
    };
    fields.insert("format".to_owned(), signed.into());
}

/// Every list says how it is merged: conditions by `type`, all others as a whole unless their type says more.
fn list_type(fields: &mut Map<String, Value>, path: &str) {
    if fields.get("type").and_then(Value::as_str) != Some("array")
        || fields.contains_key("x-kubernetes-list-type")
    {
        return;
    }
    if path == "status.conditions" {
        fields.insert("x-kubernetes-list-type".to_owned(), "map".into());
        fields.insert("x-kubernetes-list-map-keys".to_owned(), json!(["type"]));
    } else {
        fields.insert("x-kubernetes-list-type".to_owned(), "atomic".into());
    }
}
