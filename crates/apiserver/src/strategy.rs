//! What data cannot say about built-in kinds: a few rules each, by [`BuiltIn`].

pub(crate) mod event;
mod secret;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::field_error::FieldError;
use crate::metadata;
use crate::metadata::validate::{NameRule, invalid, not_supported, required};
use crate::resource::{BuiltIn, Resource};
use crate::server::{Call, Server};
use crate::status::Failure;

/// How the names of a resource are formed.
pub(crate) fn name_rule(resource: &Resource) -> NameRule {
    match resource.built_in {
        BuiltIn::Namespace => NameRule::Label,
        BuiltIn::Rbac => NameRule::PathSegment,
        _ => NameRule::Subdomain,
    }
}

/// Whether a replace without resourceVersion is taken as "whatever is there" (built-in kinds, mostly).
pub(crate) fn unconditional_update(resource: &Resource) -> bool {
    !resource.custom
        && resource.registered.is_none()
        && resource.built_in != BuiltIn::CustomResourceDefinition
        && &*resource.storage != "coordination.k8s.io/leases"
}

/// Fields that follow from what was sent, as if it had been sent so.
pub(crate) fn default(resource: &Resource, new: &mut Value) {
    if let Some(strategy) = &resource.registered {
        strategy.fill(new);
    }
    match resource.built_in {
        BuiltIn::Namespace => label_namespace(new),
        BuiltIn::Secret => secret::fold_texts(new),
        BuiltIn::CustomResourceDefinition => crate::crd::default(new),
        _ => {}
    }
}

/// Fields that the server alone decides; nobody owns them by writing.
pub(crate) fn prepare(resource: &Resource, new: &mut Value, old: Option<&Value>) {
    match resource.built_in {
        BuiltIn::Namespace => prepare_namespace(new, old),
        BuiltIn::CustomResourceDefinition => crate::crd::prepare(new, old),
        _ => {}
    }
}

fn label_namespace(new: &mut Value) {
    let name = metadata::name(new).to_owned();
    if name.is_empty() {
        return;
    }
    if let Some(metadata) = metadata::of_mut(new) {
        let labels = metadata.entry("labels").or_insert_with(|| json!({}));
        if let Some(labels) = labels.as_object_mut() {
            labels.insert("kubernetes.io/metadata.name".to_owned(), json!(name));
        }
    }
}

fn prepare_namespace(new: &mut Value, old: Option<&Value>) {
    label_namespace(new);
    let Some(fields) = new.as_object_mut() else { return };
    match old {
        None => {
            fields.insert("spec".to_owned(), json!({"finalizers": ["kubernetes"]}));
            fields.insert("status".to_owned(), json!({"phase": "Active"}));
        }
        // The finalizers of a namespace change through its finalize subresource alone.
        Some(old) => {
            fields.insert("spec".to_owned(), old.get("spec").cloned().unwrap_or_default());
        }
    }
}

/// Findings beyond the schema.
pub(crate) fn validate(resource: &Resource, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    if let Some(strategy) = &resource.registered {
        return strategy.validate(new, old);
    }
    match resource.built_in {
        BuiltIn::Secret => secret::validate(new, old),
        BuiltIn::ConfigMap => secret::validate_immutable(new, old, &["data", "binaryData"]),
        BuiltIn::CustomResourceDefinition => crate::crd::validate(new, old),
        BuiltIn::Rbac => validate_rbac(resource, new, old),
        BuiltIn::Event => event::validate(new, old),
        _ => Vec::new(),
    }
}

fn validate_rbac(resource: &Resource, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let Some(reference) = new.get("roleRef") else {
        let is_binding = resource.kind.ends_with("Binding");
        return if is_binding { vec![required("roleRef", "")] } else { Vec::new() };
    };
    let mut errors = Vec::new();
    let text = |field: &str| reference.get(field).and_then(Value::as_str).unwrap_or_default();
    if text("apiGroup") != "rbac.authorization.k8s.io" {
        errors.push(not_supported("roleRef.apiGroup", text("apiGroup"), &["rbac.authorization.k8s.io"]));
    }
    let kinds: &[&str] = if resource.namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&text("kind")) {
        errors.push(not_supported("roleRef.kind", text("kind"), kinds));
    }
    if text("name").is_empty() {
        errors.push(required("roleRef.name", ""));
    }
    if old.is_some_and(|old| old.get("roleRef") != Some(reference)) {
        errors.push(invalid("roleRef", &reference.to_string(), "cannot change roleRef"));
    }
    errors
}

/// Whether an object without metadata finalizers may really go.
pub(crate) fn may_go(resource: &Resource, new: &Value) -> bool {
    resource.built_in != BuiltIn::Namespace || !has_namespace_finalizers(new)
}

fn has_namespace_finalizers(object: &Value) -> bool {
    object.pointer("/spec/finalizers").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

/// Whether something beyond metadata finalizers holds a deleted object; may add what holds it.
pub(crate) fn holds(resource: &Resource, new: &mut Value, name: &str) -> bool {
    match resource.built_in {
        BuiltIn::Namespace => has_namespace_finalizers(new),
        BuiltIn::CustomResourceDefinition => {
            crate::crd::hold(new, name);
            true
        }
        _ => false,
    }
}

/// Namespaces that the server itself needs are not deleted.
pub(crate) fn may_delete(resource: &Resource, old: &Value) -> Result<(), Failure> {
    let name = metadata::name(old);
    if resource.built_in == BuiltIn::Namespace && matches!(name, "default" | "kube-system" | "kube-public") {
        return Err(Failure::forbidden(resource, name, "this namespace may not be deleted"));
    }
    Ok(())
}

/// Fields that say a deletion has begun.
pub(crate) fn mark_deleting(resource: &Resource, new: &mut Value, now: Timestamp) {
    match resource.built_in {
        BuiltIn::Namespace => {
            if let Some(fields) = new.as_object_mut() {
                let status = fields.entry("status").or_insert_with(|| json!({}));
                if let Some(status) = status.as_object_mut() {
                    status.insert("phase".to_owned(), json!("Terminating"));
                }
            }
        }
        BuiltIn::CustomResourceDefinition => crate::crd::mark_terminating(new, now),
        _ => {}
    }
}

impl Server {
    /// Admission that needs to see other objects.
    pub(crate) fn admit_write(&self, call: &Call<'_>, new: &Value) -> Result<(), Failure> {
        match call.resource.built_in {
            BuiltIn::Rbac => self.admit_rbac(call, new),
            BuiltIn::CustomResourceDefinition => self.admit_crd(call, new),
            _ => Ok(()),
        }
    }
}
