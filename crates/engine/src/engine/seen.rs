//! Whether the caches have seen what somebody outside knows to be on the servers.

use api::{ClusterName, ObjectKey, Uid};

use super::Engine;
use crate::ids::{StepId, StoreId};
use crate::informer::Informer;
use crate::request::collection_path;
use crate::store::{Store, StoreState, version_number};

/// What a server answered somebody, as a cache will see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The collection is at this version at least.
    Version(u64),
    /// This life of the object is gone.
    Gone(ObjectKey, Uid),
}

/// News of a collection, such as `/apis/networking.datumapis.com/v1alpha/networks`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The plane.
    pub cluster: ClusterName,
    /// Path of the collection in all namespaces.
    pub collection: String,
    /// What is known of it.
    pub news: News,
}

impl Engine {
    /// Whether the watches have told all of this, as far as the caches hold such kinds, and every own write. What a cache
    /// cannot see now is not waited for.
    #[must_use]
    pub fn has_seen(&self, marks: &[Mark]) -> bool {
        let mut synced = self.world.stores().filter(|(_, store)| store.state() == StoreState::Synced);
        synced.all(|(id, store)| {
            let cluster = self.world.cluster(store.cluster).map(|cluster| &cluster.name);
            let position = self.informers.get(&id).map_or(0, Informer::position);
            let collection = collection_path(store.kind.resource, None);
            let mut of_store =
                marks.iter().filter(|mark| Some(&mark.cluster) == cluster && mark.collection == collection);
            store.own_writes() == 0 && of_store.all(|mark| is_told(&mark.news, store, position))
        })
    }
}

/// For whoever checks that what passes see only ever gets newer.
impl Engine {
    /// Whose objects a store holds.
    #[must_use]
    pub fn plane_of(&self, store: StoreId) -> Option<&ClusterName> {
        let cluster = self.world.store(store)?.cluster;
        self.world.cluster(cluster).map(|cluster| &cluster.name)
    }

    /// The version at which passes see an object; `None` if they see none.
    #[must_use]
    pub fn version_seen(&self, store: StoreId, key: &ObjectKey) -> Option<u64> {
        let object = self.world.store(store)?.find(key)?.object()?;
        Some(version_number(&object.meta.version))
    }

    /// The object that a step on the wire writes.
    #[must_use]
    pub fn written_by(&self, step: StepId) -> Option<(StoreId, ObjectKey)> {
        let target = self.on_wire.get(&step)?.target()?;
        let (store, _) = self.world.store_named(&target.cluster, target.resource)?;
        Some((store, target.key.clone()))
    }
}

fn is_told(news: &News, store: &Store, position: u64) -> bool {
    match news {
        News::Version(version) => position >= *version,
        News::Gone(key, uid) => {
            let base = store.find(key).and_then(|slot| slot.base());
            base.is_none_or(|object| object.meta.uid != *uid)
        }
    }
}
