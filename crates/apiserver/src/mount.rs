//! Mounting planes: what a plane holds from the start, and planes that come and go with Project objects.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::crd;
use crate::metadata;
use crate::plane::{PROJECTS, Plane, PlaneSpec, project_plane, project_prefix};
use crate::rbac::{Rules, bootstrap};
use crate::resource::Resource;
use crate::server::{Server, StartError};
use crate::shape::shaped;
use crate::store::{Change, Key, WriteSet};

const PROJECT_STORAGE: &str = "resourcemanager.miloapis.com/projects";
const DROP_AT_ONCE: usize = 500;

/// The definition of Project, where Projects mount planes and nobody has given it.
fn project_definition(spec: &PlaneSpec) -> Result<Option<Value>, StartError> {
    let (group, _, plural) = PROJECTS;
    let name = format!("{plural}.{group}");
    let is_given = spec.crds.iter().any(|definition| metadata::name(definition) == name);
    if is_given || !spec.mounts_projects {
        return Ok(None);
    }
    let entry = api::crd::ENTRIES.iter().find(|entry| entry.resource.to_string() == name);
    let definition = entry.map(api::crd::Entry::definition).transpose();
    definition.map_err(|error| StartError::Kind { kind: name, error: error.to_string() })
}

impl Server {
    /// Mounts a plane: its catalog, its namespaces, its roles, its definitions. What is stored already stays.
    pub(crate) fn mount(&mut self, spec: &PlaneSpec) -> Result<(), StartError> {
        let mut catalog = self.builtins.catalog();
        self.registry.serve(&mut catalog, &spec.name, spec.project.is_some());
        self.planes.insert(Plane {
            name: spec.name.as_str().into(),
            prefix: spec.prefix.clone(),
            catalog: Arc::new(catalog),
            rules: Rules::default(),
            mounts_projects: spec.mounts_projects,
        });
        self.seed(spec)?;
        self.reload(&spec.name);
        Ok(())
    }

    /// The objects every plane has, in one writes.
    fn seed(&mut self, spec: &PlaneSpec) -> Result<(), StartError> {
        let mut wanted: Vec<(&str, Value)> = Vec::new();
        for name in ["default", "kube-system"] {
            wanted.push(("/namespaces", bootstrap::namespace(name)));
        }
        wanted.extend(bootstrap::roles());
        wanted.extend(spec.project.as_deref().map(bootstrap::project_owner));
        let mut writes = WriteSet::default();
        for (storage, mut value) in wanted {
            let key = Key::new(&spec.name, storage, None, metadata::name(&value));
            if self.store.head(&key).is_none() {
                self.stamp_new(&mut value);
                let stamp = self.resource_of(&key).map(|resource| resource.stamp).unwrap_or_default();
                writes.put(key, value, stamp);
            }
        }
        for definition in spec.crds.iter().chain(project_definition(spec)?.as_ref()) {
            self.seed_definition(&mut writes, &spec.name, definition)?;
        }
        self.commit(writes);
        Ok(())
    }

    fn seed_definition(
        &mut self,
        writes: &mut WriteSet,
        plane: &str,
        definition: &Value,
    ) -> Result<(), StartError> {
        let name = metadata::name(definition).to_owned();
        let key = Key::new(plane, crd::STORAGE, None, &name);
        let mut value = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name}, "spec": definition.get("spec").cloned().unwrap_or_default()});
        let stored = self.store.head(&key).map(|stored| stored.value());
        if let Some(old) = &stored {
            value = Value::clone(old);
            if let (Some(fields), Some(spec)) = (value.as_object_mut(), definition.get("spec")) {
                fields.insert("spec".to_owned(), spec.clone());
            }
        }
        crd::default(&mut value);
        crd::prepare(&mut value, stored.as_deref());
        let errors = crd::validate(&value, None);
        if !errors.is_empty() {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Err(StartError::Kind { kind: name, error: texts.join(", ") });
        }
        if stored.is_none() {
            self.stamp_new(&mut value);
            metadata::set(&mut value, "generation", 1);
        } else if stored.as_deref() == Some(&value) {
            return Ok(());
        }
        let stamp = self.resource_of(&key).map(|resource| resource.stamp).unwrap_or_default();
        writes.put(key, value, stamp);
        Ok(())
    }

    fn stamp_new(&mut self, value: &mut Value) {
        let uid = self.new_uid();
        metadata::set(value, "uid", uid);
        metadata::set(value, "creationTimestamp", metadata::time_text(self.now));
    }

    /// Serves what the store already holds for a plane: after a restart nothing else would.
    fn reload(&mut self, plane: &str) {
        let prefix = Key::prefix(plane, crd::STORAGE, None);
        let definitions: Vec<Arc<Value>> =
            self.store.head_under(&prefix).map(|(_, stored)| stored.value()).collect();
        for definition in definitions {
            self.install(plane, &definition);
        }
        self.reload_rules(plane);
        self.terminations.begin(plane, &self.store);
        self.collector.begin(plane, &self.store);
    }

    /// Mounts the planes of the Projects that are stored.
    pub(crate) fn mount_projects(&mut self) -> Result<(), StartError> {
        let holders: Vec<(String, String)> = self
            .planes
            .iter()
            .filter(|plane| plane.mounts_projects)
            .map(|plane| (plane.name.to_string(), plane.prefix.clone()))
            .collect();
        for (holder, prefix) in holders {
            let under = Key::prefix(&holder, PROJECT_STORAGE, None);
            let names: Vec<String> =
                self.store.head_under(&under).map(|(key, _)| key.name().to_owned()).collect();
            for name in names {
                self.mount_project(&prefix, &name)?;
            }
        }
        Ok(())
    }

    fn mount_project(&mut self, holder_prefix: &str, project: &str) -> Result<(), StartError> {
        let name = project_plane(project);
        if self.planes.get(&name).is_some() {
            return Ok(());
        }
        let prefix = project_prefix(holder_prefix, project);
        let project = Some(project.to_owned());
        self.mount(&PlaneSpec {
            name,
            prefix,
            crds: self.project_crds.clone(),
            mounts_projects: false,
            project,
        })
    }

    /// Mounts the plane of a new Project and says so; drops the plane of one that is gone.
    pub(crate) fn react_to_project(&mut self, change: &Change) {
        let holder = change.key.plane().to_owned();
        let holds = self.planes.get(&holder).is_some_and(|plane| plane.mounts_projects);
        if !holds || change.key.storage() != PROJECT_STORAGE {
            return;
        }
        let project = change.key.name().to_owned();
        if change.deleted {
            self.unmount(&project_plane(&project));
            return;
        }
        let prefix = self.planes.get(&holder).map(|plane| plane.prefix.clone()).unwrap_or_default();
        let ready = match self.mount_project(&prefix, &project) {
            Ok(()) => ("True", "Ready", "The control plane answers.".to_owned()),
            Err(error) => ("False", "MountFailed", error.to_string()),
        };
        self.report_project(&change.key, ready);
    }

    fn report_project(&mut self, key: &Key, (status, reason, message): (&str, &str, String)) {
        let Some(stored) = self.store.head(key) else { return };
        let mut new = Value::clone(&stored.value());
        let generation = metadata::generation(&new);
        let conditions =
            new.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
        let is_ready = |one: &Value| crd::text(one, "/type") == "Ready";
        let old = conditions.iter().find(|one| is_ready(one)).cloned();
        let since = match &old {
            Some(old) if crd::text(old, "/status") == status => old.get("lastTransitionTime").cloned(),
            _ => None,
        };
        let since = since.unwrap_or_else(|| json!(metadata::time_text(self.now)));
        let made = json!({"type": "Ready", "status": status, "reason": reason, "message": message,
            "observedGeneration": generation, "lastTransitionTime": since});
        let mut kept: Vec<Value> = conditions.into_iter().filter(|one| !is_ready(one)).collect();
        kept.push(made);
        if let Some(fields) = new.as_object_mut() {
            let status = fields.entry("status").or_insert_with(|| json!({}));
            if let Some(status) = status.as_object_mut() {
                status.insert("conditions".to_owned(), Value::Array(kept));
            }
        }
        self.put_internal(key, new);
    }

    /// Unmounts a plane and drops what it held, in portions small enough for the sink.
    fn unmount(&mut self, plane: &str) {
        self.planes.remove(plane);
        self.end_watches(&format!("{plane}|"));
        self.collector.forget(plane);
        self.terminations.forget(plane);
        let prefix = format!("{plane}|");
        let keys: Vec<Key> = self.store.head_under(&prefix).map(|(key, _)| key.clone()).collect();
        for portion in keys.chunks(DROP_AT_ONCE) {
            let mut writes = WriteSet::default();
            for key in portion {
                writes.delete(key.clone());
            }
            self.commit(writes);
        }
    }

    /// Shapes what the sink kept by the resources that are served now.
    pub(crate) fn reshape_loaded(&mut self) {
        let planes = &self.planes;
        self.store.reshape(|key, stored| {
            let catalog = planes.get(key.plane()).map(|plane| &plane.catalog);
            let value = stored.value();
            let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
            let written = catalog.and_then(|catalog| catalog.find_kind(text("apiVersion"), text("kind")));
            let resource =
                written.or_else(|| catalog.and_then(|catalog| catalog.find_storage(key.storage())));
            resource.map_or_else(|| stored.clone(), |resource| shaped(resource, stored))
        });
    }

    /// The resource whose objects are stored under a key.
    pub(crate) fn resource_of(&self, key: &Key) -> Option<Arc<Resource>> {
        self.planes.get(key.plane())?.catalog.find_storage(key.storage()).cloned()
    }
}
