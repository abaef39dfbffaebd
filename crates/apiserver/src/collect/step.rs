//! What the collector does with one object.

use serde_json::Value;

use crate::metadata;
use crate::registry::Writing;
use crate::resource::Resource;
use crate::server::Server;
use crate::store::Key;
use crate::write::{DeleteOptions, FOREGROUND, ORPHAN, Propagation};

/// How an owner stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Not there, or another life of the name.
    Absent,
    /// There.
    Solid,
    /// There, but waiting for its dependents to go first.
    Waiting,
    /// Its kind is not served here, or the reference cannot be resolved.
    Unknown,
}

impl Server {
    pub(super) fn collect_dependent(&mut self, key: &Key) {
        let Some(stored) = self.store.head(key).cloned() else { return };
        let object = &stored.value();
        let owners: Vec<(Value, Owner)> =
            metadata::owners(object).map(|owner| (owner.clone(), self.owner_state(key, owner))).collect();
        if owners.is_empty() || metadata::is_deleting(object) {
            return;
        }
        let any = |wanted: Owner| owners.iter().any(|(_, state)| *state == wanted);
        if any(Owner::Unknown) {
            self.collector.unresolved.insert(key.clone());
        } else if any(Owner::Solid) {
            if any(Owner::Absent) || any(Owner::Waiting) {
                let gone =
                    |owner: &Value| owners.iter().any(|(one, state)| one == owner && *state != Owner::Solid);
                self.drop_owners(key, object, &gone);
            }
        } else {
            let has_dependents = !self.collector.dependents_of(key.plane(), metadata::uid(object)).is_empty();
            let foreground = any(Owner::Waiting) && has_dependents;
            self.delete_garbage(key, object, foreground);
        }
    }

    fn owner_state(&self, key: &Key, owner: &Value) -> Owner {
        let text = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        let catalog = self.planes.get(key.plane()).map(|plane| &plane.catalog);
        let Some(resource) = catalog.and_then(|catalog| catalog.find_kind(text("apiVersion"), text("kind")))
        else {
            return Owner::Unknown;
        };
        if resource.namespaced && key.namespace().is_none() {
            return Owner::Unknown;
        }
        let namespace = key.namespace().filter(|_| resource.namespaced);
        let owner_key = Key::new(key.plane(), &resource.storage, namespace, text("name"));
        match self.store.head(&owner_key) {
            Some(stored) if stored.uid() == text("uid") => {
                let waits = stored.is_deleting()
                    && metadata::finalizers(&stored.value()).any(|name| name == FOREGROUND);
                if waits { Owner::Waiting } else { Owner::Solid }
            }
            _ => Owner::Absent,
        }
    }

    fn delete_garbage(&mut self, key: &Key, object: &Value, foreground: bool) {
        let Some(resource) = self.resource_of(key) else { return };
        let has = |name: &str| metadata::finalizers(object).any(|one| one == name);
        let propagation = if has(ORPHAN) {
            Propagation::Orphan
        } else if has(FOREGROUND) || foreground {
            Propagation::Foreground
        } else {
            Propagation::Background
        };
        let options = DeleteOptions {
            uid: Some(metadata::uid(object).to_owned()),
            propagation: Some(propagation),
            ..DeleteOptions::default()
        };
        // A refusal means that the object is another one by now; its commit has put it into the queue again.
        let _ = self.delete_object(&resource, key, &options, None);
    }

    /// Takes owners out of an object's references.
    fn drop_owners(&mut self, key: &Key, object: &Value, gone: &dyn Fn(&Value) -> bool) {
        let kept: Vec<Value> = metadata::owners(object).filter(|owner| !gone(owner)).cloned().collect();
        let mut new = object.clone();
        if kept.is_empty() {
            metadata::unset(&mut new, "ownerReferences");
        } else {
            metadata::set(&mut new, "ownerReferences", kept);
        }
        self.put_internal(key, new);
    }

    pub(super) fn collect_owner(&mut self, key: &Key) {
        let Some(stored) = self.store.head(key).cloned() else { return };
        let object = &stored.value();
        let has = |name: &str| metadata::finalizers(object).any(|one| one == name);
        let uid = metadata::uid(object).to_owned();
        let dependents = self.collector.dependents_of(key.plane(), &uid);
        if has(ORPHAN) {
            for dependent in &dependents {
                if let Some(stored) = self.store.head(dependent).cloned() {
                    let gone = |owner: &Value| owner.get("uid").and_then(Value::as_str) == Some(&uid);
                    self.drop_owners(dependent, &stored.value(), &gone);
                }
            }
            self.release(key, ORPHAN);
        } else if has(FOREGROUND) && !dependents.iter().any(|dependent| self.blocks(dependent, &uid)) {
            self.release(key, FOREGROUND);
        }
    }

    /// Whether a dependent holds up the owner's deletion.
    fn blocks(&self, dependent: &Key, uid: &str) -> bool {
        let Some(stored) = self.store.head(dependent) else { return false };
        metadata::owners(&stored.value()).any(|owner| {
            owner.get("uid").and_then(Value::as_str) == Some(uid)
                && owner.get("blockOwnerDeletion") == Some(&Value::Bool(true))
        })
    }

    /// Removes a finalizer; with the last one a deleted object goes.
    pub(crate) fn release(&mut self, key: &Key, finalizer: &str) {
        let (Some(stored), Some(resource)) = (self.store.head(key).cloned(), self.resource_of(key)) else {
            return;
        };
        let mut new = Value::clone(&stored.value());
        let kept: Vec<String> =
            metadata::finalizers(&new).filter(|name| *name != finalizer).map(str::to_owned).collect();
        metadata::set_finalizers(&mut new, kept);
        self.put_or_remove(&resource, key, new);
    }

    /// Stores an object that the server itself changed, or removes it when nothing holds it any more.
    pub(crate) fn put_or_remove(&mut self, resource: &Resource, key: &Key, new: Value) {
        let held = metadata::finalizers(&new).next().is_some() || !crate::strategy::may_go(resource, &new);
        if held || !metadata::is_deleting(&new) {
            self.put_internal(key, new);
        } else {
            self.remove_released(resource, key, &new);
        }
    }

    fn remove_released(&mut self, resource: &Resource, key: &Key, last: &Value) {
        let writing = Writing::inside(resource, key, self.now);
        // A strategy that refuses keeps the object as it is; whoever changes it next tries again.
        let Ok(mut writes) =
            self.consult(resource, |strategy, objects| strategy.remove(&writing, last, objects))
        else {
            return;
        };
        writes.delete(key.clone());
        self.commit(writes);
    }
}
