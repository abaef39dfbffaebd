//! What a strategy reads and writes beside the object in question: any object of any plane, committed all together.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use rand_chacha::ChaCha12Rng;
use serde_json::Value;

use crate::limits::OBJECT_BYTES_MAX;
use crate::metadata;
use crate::plane::Planes;
use crate::resource::Resource;
use crate::shape::retype;
use crate::status::Failure;
use crate::store::{Key, Store, WriteSet};
use crate::write::prepare;

/// Several objects of one commit. Reads see the newest committed state and the transaction's own writes.
///
/// The object that the strategy was asked about is written by the server itself: a write of it here is overridden.
#[derive(Debug)]
pub struct Transaction<'a> {
    store: &'a Store,
    planes: &'a Planes,
    generator: &'a mut ChaCha12Rng,
    now: Timestamp,
    /// `None` for an object that goes; with the stamp of its resource.
    changed: BTreeMap<Key, Option<(Arc<Value>, u64)>>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn begin(
        store: &'a Store,
        planes: &'a Planes,
        generator: &'a mut ChaCha12Rng,
        now: Timestamp,
    ) -> Self {
        Self { store, planes, generator, now, changed: BTreeMap::new() }
    }

    /// An object, as it will be after what was written here.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Arc<Value>> {
        match self.changed.get(key) {
            Some(changed) => changed.as_ref().map(|(value, _)| value.clone()),
            None => self.store.head(key).map(|stored| stored.value()),
        }
    }

    /// The objects whose keys begin with a prefix (see [`Key::prefix`]), in order of their keys.
    #[must_use]
    pub fn under<'b>(&'b self, prefix: &'b str) -> Vec<(&'b Key, Arc<Value>)> {
        let stored = self.store.head_under(prefix).map(|(key, stored)| (key, stored.value()));
        if self.changed.is_empty() {
            return stored.collect();
        }
        let mut all: BTreeMap<&Key, Arc<Value>> = stored.collect();
        let begin = Key::from_text(prefix);
        for (key, value) in
            self.changed.range(begin..).take_while(|(key, _)| key.as_str().starts_with(prefix))
        {
            match value {
                Some((value, _)) => all.insert(key, value.clone()),
                None => all.remove(key),
            };
        }
        all.into_iter().collect()
    }

    /// Stores an object under a key. Name, namespace, type and the fields that only the server sets are put right: a new
    /// object gets a uid and a time of creation, a changed one keeps them and counts its generation. Nothing is written
    /// where nothing changes. The strategy of the written object's resource is not asked.
    ///
    /// # Errors
    /// 404 or 403 for a new object whose namespace is absent or going away; 500 for a key that no plane serves and for
    /// an object that its schema refuses, which are mistakes of the strategy.
    pub fn put(&mut self, key: Key, mut value: Value) -> Result<(), Failure> {
        let resource = self.resource(&key)?;
        retype(resource, &mut value);
        metadata::set(&mut value, "name", key.name());
        if let Some(namespace) = key.namespace() {
            metadata::set(&mut value, "namespace", namespace);
        }
        resource.schema.apply_defaults(&mut value);
        let old = self.get(&key);
        let old = old.as_deref();
        if old == Some(&value) {
            return Ok(());
        }
        check(resource, &key, (old, &value))?;
        if let Some(old) = old {
            prepare::keep_identity(&mut value, old);
            prepare::count_generation(resource, &mut value, old);
        } else {
            self.admit_namespace(resource, &key)?;
            prepare::begin(resource, &mut value);
            metadata::set(&mut value, "uid", crate::identity::new_uid(self.generator));
            metadata::set(&mut value, "creationTimestamp", metadata::time_text(self.now));
        }
        let stamp = resource.stamp;
        self.changed.insert(key, Some((Arc::new(value), stamp)));
        Ok(())
    }

    /// Deletes an object; one that finalizers hold is marked as being deleted. An absent one is left absent. The strategy
    /// of the object's resource is not asked.
    ///
    /// # Errors
    /// 500 for a key that no plane serves, which is a mistake of the strategy.
    pub fn delete(&mut self, key: &Key) -> Result<(), Failure> {
        let Some(old) = self.get(key) else { return Ok(()) };
        let resource = self.resource(key)?;
        if metadata::finalizers(&old).next().is_none() {
            self.changed.insert(key.clone(), None);
        } else if !metadata::is_deleting(&old) {
            let mut value = Value::clone(&old);
            prepare::mark_deleting(resource, &mut value, metadata::time_text(self.now).into());
            let stamp = resource.stamp;
            self.changed.insert(key.clone(), Some((Arc::new(value), stamp)));
        }
        Ok(())
    }

    pub(crate) fn into_writes(self) -> WriteSet {
        let mut writes = WriteSet::default();
        for (key, value) in self.changed {
            match value {
                Some((value, stamp)) => writes.put(key, Arc::unwrap_or_clone(value), stamp),
                None => writes.delete(key),
            }
        }
        writes
    }

    fn resource(&self, key: &Key) -> Result<&'a Resource, Failure> {
        let found = self.planes.get(key.plane()).and_then(|plane| plane.catalog.find_storage(key.storage()));
        found.map(AsRef::as_ref).ok_or_else(|| {
            Failure::internal(format!(
                "a strategy wrote {key}, which no plane serves; register its resource there"
            ))
        })
    }

    fn admit_namespace(&self, resource: &Resource, key: &Key) -> Result<(), Failure> {
        let Some(namespace) = key.namespace() else { return Ok(()) };
        let holder = Key::new(key.plane(), "/namespaces", None, namespace);
        match self.get(&holder) {
            None => Err(Failure::no_such_namespace(namespace)),
            Some(found) if metadata::is_deleting(&found) => {
                Err(Failure::namespace_terminating(resource, key.name(), namespace))
            }
            Some(_) => Ok(()),
        }
    }
}

fn check(resource: &Resource, key: &Key, (old, new): (Option<&Value>, &Value)) -> Result<(), Failure> {
    let findings = resource.schema.validate(new, old);
    if let Some(first) = findings.first() {
        return Err(Failure::internal(format!("a strategy wrote an invalid {key}: {first}")));
    }
    if new.to_string().len() > OBJECT_BYTES_MAX {
        return Err(Failure::internal(format!(
            "a strategy wrote {key} larger than {OBJECT_BYTES_MAX} bytes"
        )));
    }
    Ok(())
}
