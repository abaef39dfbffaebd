//! One object name: what the server last said, an own write on top, and who looked at it.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::Arc;

use api::names::ResourceVersion;
use api::{ObjectKey, Uid};
use reconcile::facet::stable_hash;
use reconcile::{Content, KindEntry, Object};
use serde_json::Value;

use super::overlay::Overlay;
use super::version_number;
use crate::ids::Reader;

/// Hash of an object that is not there.
const ABSENT: u64 = 0;
/// Hash of an object that does not decode.
const INVALID: u64 = 1;

/// What a reader saw of an object, and how to see it again.
#[derive(Clone)]
pub enum Look {
    /// Facts of the object.
    Facet {
        /// Tells facets apart.
        id: TypeId,
        /// Takes the hash of the facts.
        hash_of: fn(&dyn Any) -> u64,
        /// The hash when it was read.
        hash: u64,
    },
    /// Fields that a plan holds or keeps away, as JSON pointers: drift of an intent wakes its key.
    Fields {
        /// The pointers; shared between keys whose plans name the same fields.
        pointers: Arc<[String]>,
        /// The hash when it was read.
        hash: u64,
    },
}

/// Which look of a reader: one per facet, and one for fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LookKey {
    Facet(TypeId),
    Fields(Arc<[String]>),
}

impl Look {
    fn key(&self) -> LookKey {
        match self {
            Self::Facet { id, .. } => LookKey::Facet(*id),
            Self::Fields { pointers, .. } => LookKey::Fields(Arc::clone(pointers)),
        }
    }
}

/// A recorded look: the hash then, and the function for facets.
#[derive(Clone, Copy)]
pub struct Subscription {
    hash_of: Option<fn(&dyn Any) -> u64>,
    hash: u64,
}

/// One object name in a store.
pub struct Slot {
    /// Namespace and name.
    pub key: ObjectKey,
    base: Option<Object>,
    overlay: Option<Overlay>,
    subscriptions: BTreeMap<(Reader, LookKey), Subscription>,
}

impl Slot {
    /// A name where nothing is yet.
    #[must_use]
    pub fn new(key: ObjectKey) -> Self {
        Self { key, base: None, overlay: None, subscriptions: BTreeMap::new() }
    }

    /// The object as this process knows it: its own write where the watch has not passed it yet.
    #[must_use]
    pub fn object(&self) -> Option<&Object> {
        match &self.overlay {
            Some(Overlay::Object(object)) => Some(object),
            Some(Overlay::Tombstone(uid)) if self.base.as_ref().is_none_or(|base| base.meta.uid == *uid) => {
                None
            }
            _ => self.base.as_ref(),
        }
    }

    /// Which life and version is effective.
    pub(super) fn identity(&self) -> Option<(Uid, ResourceVersion)> {
        self.object().map(|object| (object.meta.uid.clone(), object.meta.version.clone()))
    }

    /// Whether nothing is here and nobody looks.
    pub(super) fn is_unused(&self) -> bool {
        self.base.is_none() && self.overlay.is_none() && self.subscriptions.is_empty()
    }

    /// What the server last told by list or watch.
    #[must_use]
    pub fn base(&self) -> Option<&Object> {
        self.base.as_ref()
    }

    /// Whether an own write lies over what the watch told.
    pub(super) fn has_overlay(&self) -> bool {
        self.overlay.is_some()
    }

    pub(super) fn set_base(&mut self, object: Option<Object>) {
        let passed = match (&self.overlay, &object) {
            (Some(Overlay::Object(own)), Some(new)) => {
                version_number(&new.meta.version) >= version_number(&own.meta.version)
            }
            (Some(Overlay::Tombstone(uid)), Some(new)) => new.meta.uid != *uid,
            (Some(Overlay::Tombstone(_)), None) => true,
            _ => false,
        };
        if passed {
            self.overlay = None;
        }
        self.base = object;
    }

    pub(super) fn set_overlay(&mut self, overlay: Overlay) {
        let newer = match (&overlay, self.object()) {
            (Overlay::Object(own), Some(held)) => {
                version_number(&own.meta.version) > version_number(&held.meta.version)
            }
            (Overlay::Tombstone(uid), Some(held)) => held.meta.uid == *uid,
            (Overlay::Object(_), None) => true,
            (Overlay::Tombstone(_), None) => false,
        };
        if newer {
            self.overlay = Some(overlay);
        }
    }

    pub(super) fn drop_overlay(&mut self, position: u64) {
        if let Some(Overlay::Object(own)) = &self.overlay
            && version_number(&own.meta.version) <= position
        {
            self.overlay = None;
        }
    }

    pub(super) fn subscribe(&mut self, reader: Reader, look: &Look) {
        let subscription = match look {
            Look::Facet { hash_of, hash, .. } => Subscription { hash_of: Some(*hash_of), hash: *hash },
            Look::Fields { hash, .. } => Subscription { hash_of: None, hash: *hash },
        };
        self.subscriptions.insert((reader, look.key()), subscription);
    }

    pub(super) fn unsubscribe(&mut self, reader: Reader, look: &Look) {
        self.subscriptions.remove(&(reader, look.key()));
    }

    /// Hash of a facet of the effective object, its life included.
    #[must_use]
    pub fn hash_facet(&self, hash_of: fn(&dyn Any) -> u64) -> u64 {
        match self.object() {
            None => ABSENT,
            Some(Object { content: Content::Invalid(_), .. }) => INVALID,
            Some(Object { content: Content::Typed(typed), meta }) => {
                stable_hash(&(meta.uid.as_str(), hash_of(&**typed)))
            }
        }
    }

    /// Hash of named fields of the effective object, its life included.
    #[must_use]
    pub fn hash_fields(&self, kind: &'static KindEntry, pointers: &[String]) -> u64 {
        match self.object() {
            None => ABSENT,
            Some(Object { content: Content::Invalid(_), .. }) => INVALID,
            Some(Object { content: Content::Typed(typed), meta }) => {
                hash_values(meta.uid.as_str(), &(kind.encode)(&**typed), pointers)
            }
        }
    }

    /// Collects the readers whose look is no longer what it was.
    pub(super) fn wake_changed(&mut self, kind: &'static KindEntry, woken: &mut Vec<Reader>) {
        let mut encoded: Option<Value> = None;
        let object = self.object();
        for ((reader, key), subscription) in &self.subscriptions {
            let hash = match (object, subscription.hash_of, key) {
                (None, ..) => ABSENT,
                (Some(Object { content: Content::Invalid(_), .. }), ..) => INVALID,
                (Some(Object { content: Content::Typed(typed), meta }), Some(hash_of), _) => {
                    stable_hash(&(meta.uid.as_str(), hash_of(&**typed)))
                }
                (Some(Object { content: Content::Typed(typed), meta }), None, LookKey::Fields(pointers)) => {
                    let encoded = encoded.get_or_insert_with(|| (kind.encode)(&**typed));
                    hash_values(meta.uid.as_str(), encoded, pointers)
                }
                (Some(_), None, LookKey::Facet(_)) => continue,
            };
            if hash != subscription.hash {
                woken.push(*reader);
            }
        }
    }
}

/// Hash of the values at some pointers of an encoded object.
fn hash_values(uid: &str, encoded: &Value, pointers: &[String]) -> u64 {
    let values: Vec<Option<String>> =
        pointers.iter().map(|pointer| encoded.pointer(pointer).map(Value::to_string)).collect();
    stable_hash(&(uid, values))
}
