//! Endings that take other objects along: a namespace with everything in it, a definition with all its objects.
//!
//! A client inside the server, in bounded portions. What finalizers hold is waited for: its removal is a commit, and
//! every commit in a place that is ending has it looked at again.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::crd;
use crate::metadata;
use crate::resource::Resource;
use crate::server::Server;
use crate::store::{Change, Key, Store, Stored};
use crate::write::{DeleteOptions, Propagation};

const PORTION: usize = 100;
const NAMESPACES: &str = "/namespaces";

/// What is ending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ending {
    /// The namespace's or the definition's key.
    key: Key,
}

/// What is ending, and what to look at next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terminations {
    ending: BTreeSet<Ending>,
    queue: VecDeque<Ending>,
    /// Whether somebody outside ends namespaces instead; definitions are always ended here.
    skips_namespaces: bool,
}

impl Terminations {
    pub(crate) fn new(ends_namespaces: bool) -> Self {
        Self { skips_namespaces: !ends_namespaces, ..Self::default() }
    }

    /// Learns what a plane was ending before a restart.
    pub(crate) fn begin(&mut self, plane: &str, store: &Store) {
        for storage in [NAMESPACES, crd::STORAGE] {
            let prefix = Key::prefix(plane, storage, None);
            for (key, stored) in store.head_under(&prefix) {
                self.learn(key, Some(stored));
            }
        }
    }

    /// Forgets a plane that is gone.
    pub(crate) fn forget(&mut self, plane: &str) {
        self.ending.retain(|ending| ending.key.plane() != plane);
        self.queue.retain(|ending| ending.key.plane() != plane);
    }

    /// Learns a commit.
    pub(crate) fn observe(&mut self, change: &Change) {
        if matches!(change.key.storage(), NAMESPACES | crd::STORAGE) {
            self.learn(&change.key, (!change.deleted).then_some(&change.current));
        }
        if self.ending.is_empty() {
            return;
        }
        let key = &change.key;
        let touched: Vec<Ending> = self.ending.iter().filter(|ending| ending.covers(key)).cloned().collect();
        for ending in touched {
            self.push(ending);
        }
    }

    fn learn(&mut self, key: &Key, object: Option<&Arc<Stored>>) {
        if self.skips_namespaces && key.storage() == NAMESPACES {
            return;
        }
        let ending = Ending { key: key.clone() };
        match object {
            Some(object) if object.is_deleting() => {
                self.ending.insert(ending.clone());
                self.push(ending);
            }
            Some(_) => {}
            None => drop(self.ending.remove(&ending)),
        }
    }

    /// Whether something is to be done at once.
    pub(crate) fn has_work(&self) -> bool {
        !self.queue.is_empty()
    }

    fn push(&mut self, ending: Ending) {
        if !self.queue.contains(&ending) {
            self.queue.push_back(ending);
        }
    }
}

impl Ending {
    fn covers(&self, key: &Key) -> bool {
        if self.key.plane() != key.plane() {
            return false;
        }
        if self.key.storage() == NAMESPACES {
            return key.namespace() == Some(self.key.name());
        }
        let (plural, group) = self.key.name().split_once('.').unwrap_or_default();
        key.storage().split_once('/') == Some((group, plural))
    }
}

impl Server {
    /// Does a bounded portion.
    pub(crate) fn terminate_some(&mut self) {
        if let Some(ending) = self.terminations.queue.pop_front() {
            if ending.key.storage() == NAMESPACES {
                self.end_namespace(&ending);
            } else {
                self.end_definition(&ending);
            }
        }
    }

    fn end_namespace(&mut self, ending: &Ending) {
        let key = &ending.key;
        let Some(stored) = self.store.head(key).cloned() else { return };
        let mut storages: BTreeSet<String> = BTreeSet::new();
        if let Some(plane) = self.planes.get(key.plane()) {
            let namespaced =
                plane.catalog.iter().filter(|resource| resource.namespaced && !resource.is_review());
            storages.extend(namespaced.map(|resource| resource.storage.to_string()));
        }
        let prefixes: Vec<String> =
            storages.iter().map(|storage| Key::prefix(key.plane(), storage, Some(key.name()))).collect();
        match self.delete_portion(&prefixes) {
            Left::Nothing => self.finish_namespace(key, &stored.value()),
            Left::More => self.terminations.push(ending.clone()),
            Left::Held(count) => self.report_held(key, &stored.value(), count),
        }
    }

    fn finish_namespace(&mut self, key: &Key, object: &Value) {
        let Some(resource) = self.resource_of(key) else { return };
        let mut new = object.clone();
        if let Some(spec) = new.get_mut("spec").and_then(Value::as_object_mut) {
            let kept: Vec<Value> = spec
                .get("finalizers")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter(|name| name.as_str() != Some("kubernetes"))
                .cloned()
                .collect();
            if kept.is_empty() {
                spec.remove("finalizers");
            } else {
                spec.insert("finalizers".to_owned(), Value::Array(kept));
            }
        }
        self.put_or_remove(&resource, key, new);
    }

    fn end_definition(&mut self, ending: &Ending) {
        let key = &ending.key;
        let Some(definition) = self.store.head(key).map(|stored| stored.value()) else { return };
        let held = metadata::finalizers(&definition).any(|name| name == crd::CLEANUP);
        if !held {
            return;
        }
        let (group, plural) =
            (crd::text(&definition, "/spec/group"), crd::text(&definition, "/spec/names/plural"));
        let prefix = Key::prefix(key.plane(), &format!("{group}/{plural}"), None);
        match self.delete_portion(&[prefix]) {
            Left::Nothing => self.release(key, crd::CLEANUP),
            Left::More => self.terminations.push(ending.clone()),
            Left::Held(_) => {}
        }
    }

    /// Deletes some of what is under the prefixes.
    fn delete_portion(&mut self, prefixes: &[String]) -> Left {
        let mut held = 0;
        let mut doomed: Vec<(Key, String)> = Vec::new();
        for prefix in prefixes {
            for (key, stored) in self.store.head_under(prefix) {
                if stored.is_deleting() {
                    held += 1;
                } else {
                    doomed.push((key.clone(), stored.uid().to_owned()));
                }
                if doomed.len() >= PORTION {
                    break;
                }
            }
        }
        let more = doomed.len() >= PORTION;
        for (key, uid) in doomed {
            held += usize::from(!self.delete_doomed(&key, uid));
        }
        match (more, held) {
            (true, _) => Left::More,
            (false, 0) => Left::Nothing,
            (false, held) => Left::Held(held),
        }
    }

    /// Deletes one object; answers whether it is gone at once.
    fn delete_doomed(&mut self, key: &Key, uid: String) -> bool {
        let Some(resource) = self.resource_of(key) else { return true };
        let resource: &Resource = &resource;
        let options = DeleteOptions {
            uid: Some(uid),
            propagation: Some(Propagation::Background),
            ..DeleteOptions::default()
        };
        let _ = self.delete_object(resource, key, &options, None);
        self.store.head(key).is_none()
    }

    /// Says on the namespace that finalizers hold its content.
    fn report_held(&mut self, key: &Key, object: &Value, count: usize) {
        let mut new = object.clone();
        let message =
            format!("Some resources are remaining: {count} resource instances wait for their finalizers");
        let since = json!(metadata::time_text(self.now));
        let Some(status) = new.get_mut("status").and_then(Value::as_object_mut) else { return };
        let conditions = status.entry("conditions").or_insert_with(|| json!([]));
        let Some(conditions) = conditions.as_array_mut() else { return };
        for (kind, reason) in [
            ("NamespaceContentRemaining", "SomeResourcesRemain"),
            ("NamespaceFinalizersRemaining", "SomeFinalizersRemain"),
        ] {
            let made = json!({"type": kind, "status": "True", "reason": reason, "message": message,
                "lastTransitionTime": since});
            match conditions.iter_mut().find(|one| crd::text(one, "/type") == kind) {
                Some(known) if crd::text(known, "/message") == message => {}
                Some(known) => *known = made,
                None => conditions.push(made),
            }
        }
        self.put_internal(key, new);
    }
}

/// What a portion left behind.
enum Left {
    /// Nothing at all.
    Nothing,
    /// Things not looked at yet.
    More,
    /// Only what finalizers hold.
    Held(usize),
}
