//! Objects of one plane, found by plural, namespace and name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::plane::ObjectRef;

type Named = BTreeMap<String, (ObjectRef, Arc<Value>)>;

/// See the module: plural, then namespace (empty where there is none), then name.
#[derive(Default)]
pub(super) struct Objects(BTreeMap<String, BTreeMap<String, Named>>);

impl Objects {
    /// What a plane holds.
    pub(super) fn of(objects: &BTreeMap<ObjectRef, Arc<Value>>) -> Self {
        let mut held = Self::default();
        for (object, value) in objects {
            held.put(object, value);
        }
        held
    }

    /// Takes an object in, in place of what was there.
    pub(super) fn put(&mut self, object: &ObjectRef, value: &Arc<Value>) {
        let held = (object.clone(), Arc::clone(value));
        self.named(object).insert(object.name.clone(), held);
    }

    /// An object is gone.
    pub(super) fn remove(&mut self, object: &ObjectRef) {
        self.named(object).remove(&object.name);
    }

    fn named(&mut self, object: &ObjectRef) -> &mut Named {
        let of_plural = self.0.entry(object.plural().to_owned()).or_default();
        of_plural.entry(object.namespace.clone()).or_default()
    }

    /// Objects of a plural, by namespace and name.
    pub(super) fn all<'a>(
        &'a self,
        plural: &str,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Value)> + use<'a> {
        let namespaces = self.0.get(plural).into_iter().flat_map(BTreeMap::values);
        namespaces.flat_map(BTreeMap::values).map(|(object, value)| (object, &**value))
    }

    /// One object.
    pub(super) fn get(&self, plural: &str, namespace: &str, name: &str) -> Option<&Value> {
        self.0.get(plural)?.get(namespace)?.get(name).map(|(_, value)| &**value)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.values().flat_map(BTreeMap::values).all(BTreeMap::is_empty)
    }
}
