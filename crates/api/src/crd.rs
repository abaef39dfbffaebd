//! Resource definitions generated from the types, brought into the form that API servers expect.
//!
//! The derive says the shape; [`rules`] adds validation, [`catalogue`] the defaults and which plane serves a kind,
//! and the normaliser removes what the derive gets wrong (`nullable` on every optional field, bounds as floats,
//! list types left open). `facts/` states what the reference serves; the tests compare the two.

pub mod catalogue;
mod normalise;
pub mod rules;
mod schema_path;

use serde_json::{Map, Value, json};

pub use catalogue::{ENTRIES, Entry, Exception, Origin, for_plane};
pub use rules::{RULES, Rule};

use crate::condition::ConditionType;
use schema_path::node_mut;

/// A definition that cannot be brought into form: an error in this crate, met by its tests.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// The derived definition is no JSON.
    #[error("the definition of {resource} cannot be written as JSON: {source}; see its type in crate api")]
    NotJson {
        /// The resource.
        resource: String,
        /// Why.
        source: serde_json::Error,
    },
    /// A rule or default points nowhere.
    #[error(
        "the definition of {resource} has no field {path}, which a rule or default names; correct crd::{table}"
    )]
    NoSuchField {
        /// The resource.
        resource: String,
        /// The path.
        path: String,
        /// The table that names it.
        table: &'static str,
    },
    /// A list is keyed by a field that may be absent.
    #[error("{resource}: entries of {path} are told apart by {key}, which is not required; require it")]
    OptionalKey {
        /// The resource.
        resource: String,
        /// The list.
        path: String,
        /// The key.
        key: String,
    },
}

impl Entry {
    /// The definition as a request body.
    ///
    /// # Errors
    /// If type and tables of this crate contradict each other.
    pub fn definition(&self) -> Result<Value, DefinitionError> {
        let resource = self.resource.to_string();
        let mut body = serde_json::to_value((self.derived)())
            .map_err(|source| DefinitionError::NotJson { resource: resource.clone(), source })?;
        if let Some(root) = body.pointer_mut("/spec/versions/0/schema/openAPIV3Schema") {
            normalise::Normaliser { resource: &resource, open: self.open }.root(root)?;
            self.apply_exceptions(root)?;
            self.add_status_default(root)?;
            self.relax_spec(root);
            self.add_rules(root)?;
        }
        Ok(body)
    }

    fn apply_exceptions(&self, root: &mut Value) -> Result<(), DefinitionError> {
        for (path, exception) in self.exceptions {
            let fields = self.fields(root, path, "catalogue")?;
            match exception {
                Exception::Nullable => {
                    fields.insert("nullable".to_owned(), true.into());
                }
                Exception::NoDefault => {
                    fields.remove("default");
                }
                Exception::Required => self.require(root, path)?,
            }
        }
        Ok(())
    }

    fn require(&self, root: &mut Value, path: &str) -> Result<(), DefinitionError> {
        let (parent, field) = path.rsplit_once('.').unwrap_or(("", path));
        let fields = self.fields(root, parent, "catalogue")?;
        let required = fields.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.push(field.into());
            required.sort_by(|left, right| left.as_str().cmp(&right.as_str()));
        }
        Ok(())
    }

    fn add_status_default(&self, root: &mut Value) -> Result<(), DefinitionError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let conditions: Vec<Value> = self.pending.iter().copied().map(pending_condition).collect();
        let status = self.fields(root, "status", "catalogue")?;
        status.insert("default".to_owned(), json!({ "conditions": conditions }));
        Ok(())
    }

    fn relax_spec(&self, root: &mut Value) {
        if !self.spec_required
            && let Some(fields) = root.as_object_mut()
        {
            fields.remove("required");
        }
    }

    fn add_rules(&self, root: &mut Value) -> Result<(), DefinitionError> {
        for rule in rules::of(&self.resource) {
            let fields = self.fields(root, rule.path, "rules")?;
            let list = fields.entry("x-kubernetes-validations").or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(json!({ "rule": rule.cel, "message": rule.message }));
            }
        }
        Ok(())
    }

    fn fields<'a>(
        &self,
        root: &'a mut Value,
        path: &str,
        table: &'static str,
    ) -> Result<&'a mut Map<String, Value>, DefinitionError> {
        node_mut(root, path).and_then(Value::as_object_mut).ok_or_else(|| DefinitionError::NoSuchField {
            resource: self.resource.to_string(),
            path: path.to_owned(),
            table,
        })
    }
}

/// The entry an object has before any controller has looked at it.
fn pending_condition(type_: ConditionType) -> Value {
    json!({
        "type": type_.as_str(),
        "status": "Unknown",
        "reason": "Pending",
        "message": "Waiting for controller",
        "lastTransitionTime": "1970-01-01T00:00:00Z",
    })
}

#[cfg(test)]
mod tests;
