//! Custom resource definitions: what makes one valid, what it serves, and how it goes.
//!
//! A definition is compiled when it becomes visible; its Established condition says that it is served. A changed one
//! ends the watches of its resource and touches no stored object.

mod compile;
mod status;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::field_error::FieldError;
use crate::metadata;
use crate::metadata::validate::{invalid, not_supported, required};
use crate::server::{Call, Server};
use crate::status::Failure;
use crate::store::{Change, Key};

pub(crate) use compile::{SchemaCache, compile_registered};

/// Where definitions are stored.
pub(crate) const STORAGE: &str = "apiextensions.k8s.io/customresourcedefinitions";
/// What keeps a deleted definition until its objects are gone.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// A text at a JSON pointer, empty when absent.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A definition's versions.
pub(crate) fn versions(definition: &Value) -> impl Iterator<Item = &Value> {
    definition.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten()
}

fn is_true(value: &Value, field: &str) -> bool {
    value.get(field) == Some(&Value::Bool(true))
}

/// Names that follow from others.
pub(crate) fn default(new: &mut Value) {
    let kind = text(new, "/spec/names/kind").to_owned();
    if let Some(names) = new.pointer_mut("/spec/names").and_then(Value::as_object_mut) {
        for (field, value) in [("singular", kind.to_lowercase()), ("listKind", format!("{kind}List"))] {
            if names.get(field).and_then(Value::as_str).unwrap_or_default().is_empty() {
                names.insert(field.to_owned(), json!(value));
            }
        }
    }
    if let Some(spec) = new.get_mut("spec").and_then(Value::as_object_mut) {
        spec.entry("conversion").or_insert_with(|| json!({"strategy": "None"}));
    }
}

/// The status of a new definition, and the versions in which objects are stored.
pub(crate) fn prepare(new: &mut Value, old: Option<&Value>) {
    let storage = versions(new).find(|version| is_true(version, "storage"));
    let storage = storage.map(|version| json!(text(version, "/name")));
    let Some(fields) = new.as_object_mut() else { return };
    if old.is_none() {
        fields.insert(
            "status".to_owned(),
            json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": [], "storedVersions": []}),
        );
    }
    let status = fields.get_mut("status").and_then(Value::as_object_mut);
    let stored = status.map(|status| status.entry("storedVersions").or_insert_with(|| json!([])));
    if let (Some(Value::Array(stored)), Some(storage)) = (stored, storage)
        && !stored.contains(&storage)
    {
        stored.push(storage);
    }
}

/// Findings beyond the schema of definitions.
pub(crate) fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (group, plural) = (text(new, "/spec/group"), text(new, "/spec/names/plural"));
    let wanted = format!("{plural}.{group}");
    if metadata::name(new) != wanted {
        let why = format!("must be spec.names.plural+\".\"+spec.group, so '{wanted}' is required");
        errors.push(invalid("metadata.name", metadata::name(new), &why.replace('\'', "\"")));
    }
    for (pointer, field) in [
        ("/spec/group", "spec.group"),
        ("/spec/names/plural", "spec.names.plural"),
        ("/spec/names/kind", "spec.names.kind"),
    ] {
        if text(new, pointer).is_empty() {
            errors.push(required(field, ""));
        }
    }
    if !matches!(text(new, "/spec/scope"), "Cluster" | "Namespaced") {
        errors.push(not_supported("spec.scope", text(new, "/spec/scope"), &["Cluster", "Namespaced"]));
    }
    validate_versions(&mut errors, new);
    if let Some(old) = old {
        validate_immutable(&mut errors, new, old);
    }
    errors
}

fn validate_versions(errors: &mut Vec<FieldError>, new: &Value) {
    let storing = versions(new).filter(|version| is_true(version, "storage")).count();
    if storing != 1 {
        let shown = new.pointer("/spec/versions").cloned().unwrap_or_default().to_string();
        errors.push(invalid(
            "spec.versions",
            &shown,
            "must have exactly one version marked as storage version",
        ));
    }
    if text(new, "/spec/conversion/strategy") == "Webhook" {
        let why = "conversion webhooks are not called by this server; serve one version, or versions with equal fields";
        errors.push(crate::metadata::validate::forbidden("spec.conversion.strategy", why));
    }
    for (index, version) in versions(new).enumerate() {
        let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
        match version.pointer("/schema/openAPIV3Schema") {
            None => errors.push(required(&path, "schemas are required")),
            Some(schema) => {
                if let Err(found) = crate::schema::CompiledSchema::compile(schema, &path) {
                    errors.extend(found);
                }
            }
        }
        errors.extend(compile::check_columns(version, index));
    }
}

fn validate_immutable(errors: &mut Vec<FieldError>, new: &Value, old: &Value) {
    let established = status::condition(old, "Established") == "True";
    let mut fields = vec![("/spec/group", "spec.group"), ("/spec/names/plural", "spec.names.plural")];
    if established {
        fields.extend([("/spec/scope", "spec.scope"), ("/spec/names/kind", "spec.names.kind")]);
    }
    for (pointer, field) in fields {
        if text(new, pointer) != text(old, pointer) {
            errors.push(invalid(field, text(new, pointer), "field is immutable"));
        }
    }
}

/// Adds what keeps a deleted definition until its objects are gone.
pub(crate) fn hold(new: &mut Value, _name: &str) {
    let mut finalizers: Vec<String> = metadata::finalizers(new).map(str::to_owned).collect();
    if !finalizers.iter().any(|name| name == CLEANUP) && !metadata::is_deleting(new) {
        finalizers.push(CLEANUP.to_owned());
        metadata::set_finalizers(new, finalizers);
    }
}

/// Says that the deletion has begun.
pub(crate) fn mark_terminating(new: &mut Value, now: Timestamp) {
    let condition = status::Condition {
        kind: "Terminating",
        status: "True",
        reason: "InstanceDeletionPending",
        message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    };
    status::set(new, &condition, now);
}

impl Server {
    /// A kind of the server itself cannot be defined anew.
    pub(crate) fn admit_crd(&self, call: &Call<'_>, new: &Value) -> Result<(), Failure> {
        let (group, plural) = (text(new, "/spec/group"), text(new, "/spec/names/plural"));
        let Some(plane) = self.planes.get(&call.plane) else { return Ok(()) };
        let taken = plane
            .catalog
            .iter()
            .find(|known| known.group == group && known.plural == plural && !known.custom);
        match taken {
            None => Ok(()),
            Some(known) => {
                let why = format!(
                    "{} is served by the server itself and cannot be defined here",
                    known.qualified()
                );
                Err(Failure::forbidden(&call.resource, metadata::name(new), &why))
            }
        }
    }

    /// Serves, changes or withdraws the resource of a definition that became visible.
    pub(crate) fn react_to_crd(&mut self, change: &Change) {
        if change.key.storage() != STORAGE {
            return;
        }
        let definition = &*change.current.value();
        let (group, plural) = (text(definition, "/spec/group"), text(definition, "/spec/names/plural"));
        if change.deleted {
            self.withdraw(change.key.plane(), group, plural);
        } else {
            let conflict = self.name_conflict(change.key.plane(), definition);
            if conflict.is_none() {
                self.install(change.key.plane(), definition);
            }
            self.establish(&change.key, conflict.as_ref());
        }
    }

    fn withdraw(&mut self, plane: &str, group: &str, plural: &str) {
        if let Some(plane) = self.planes.get_mut(plane) {
            std::sync::Arc::make_mut(&mut plane.catalog).remove(group, plural);
        }
        self.end_watches(&Key::prefix(plane, &format!("{group}/{plural}"), None));
    }

    /// Puts a definition's versions into the catalog. Nothing happens when they are there already.
    pub(crate) fn install(&mut self, plane: &str, definition: &Value) {
        let Ok(resources) = compile::resources(definition, &mut self.schemas) else { return };
        let (group, plural) = (text(definition, "/spec/group"), text(definition, "/spec/names/plural"));
        let Some(mounted) = self.planes.get_mut(plane) else { return };
        let served: Vec<u64> = mounted
            .catalog
            .iter()
            .filter(|known| known.group == group && known.plural == plural)
            .map(|known| known.stamp)
            .collect();
        let mut wanted: Vec<u64> = resources.iter().map(|resource| resource.stamp).collect();
        wanted.sort_unstable();
        let mut known = served.clone();
        known.sort_unstable();
        if known == wanted {
            return;
        }
        let catalog = std::sync::Arc::make_mut(&mut mounted.catalog);
        catalog.remove(group, plural);
        for resource in resources {
            catalog.insert(std::sync::Arc::new(resource));
        }
        if !served.is_empty() {
            self.end_watches(&Key::prefix(plane, &format!("{group}/{plural}"), None));
        }
    }

    /// Another definition of the same group that has taken one of the names.
    fn name_conflict(&self, plane: &str, definition: &Value) -> Option<status::Conflict> {
        let prefix = Key::prefix(plane, STORAGE, None);
        let others = self.store.head_under(&prefix).map(|(_, stored)| stored.value());
        let older = others.filter(|other| {
            metadata::name(other) != metadata::name(definition)
                && text(other, "/spec/group") == text(definition, "/spec/group")
                && status::condition(other, "NamesAccepted") == "True"
        });
        older.into_iter().find_map(|other| status::conflict(definition, &other))
    }
}
