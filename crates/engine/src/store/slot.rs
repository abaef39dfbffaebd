//! One object name: what the server last said, an own write on top, and who looked at it.

use std::any::{Any, TypeId};
use std::sync::Arc;

use api::names::ResourceVersion;
use api::{ObjectKey, Uid};
use reconcile::facet::stable_hash;
use reconcile::{Content, FacetEntry, KindEntry, Object};
use serde_json::Value;

use super::few_or_many::FewOrMany;
use super::overlay::Overlay;
use super::version_number;
use crate::ids::{LookId, Reader};

/// Hash of an object that is not there.
const ABSENT: u64 = 0;
/// Hash of an object that does not decode.
const INVALID: u64 = 1;

/// A way to look at the objects of a kind.
#[derive(Clone)]
pub enum Look {
    /// Facts of the object.
    Facet {
        /// Tells facets apart.
        id: TypeId,
        /// Takes the hash of the facts.
        hash_of: fn(&dyn Any) -> u64,
    },
    /// Fields that a plan holds or keeps away, as JSON pointers: drift of an intent wakes its key.
    Fields(Vec<String>),
}

impl Look {
    /// The way a facet looks.
    #[must_use]
    pub fn of(facet: FacetEntry) -> Self {
        Self::Facet { id: facet.id, hash_of: facet.hash }
    }

    /// Whether the other is the same.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Facet { id, .. }, Self::Facet { id: other, .. }) => id == other,
            (Self::Fields(pointers), Self::Fields(other)) => pointers == other,
            _ => false,
        }
    }
}

/// One object name in a store.
pub struct Slot {
    /// Namespace and name.
    pub key: ObjectKey,
    base: Option<Object>,
    overlay: Option<Overlay>,
    /// What is seen now in each way that somebody looked; the same for all who look in that way.
    seen: Vec<(LookId, u64)>,
    /// Who looked in which way, and what was seen then.
    readers: FewOrMany<(Reader, LookId), u64>,
    /// The effective object as JSON, while it is kept.
    encoded: Option<Arc<Value>>,
}

impl Slot {
    /// A name where nothing is yet.
    #[must_use]
    pub fn new(key: ObjectKey) -> Self {
        Self {
            key,
            base: None,
            overlay: None,
            seen: Vec::new(),
            readers: FewOrMany::default(),
            encoded: None,
        }
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
        self.base.is_none() && self.overlay.is_none() && self.readers.is_empty()
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

    pub(super) fn drop_tombstone(&mut self) {
        if matches!(self.overlay, Some(Overlay::Tombstone(_))) {
            self.overlay = None;
        }
    }

    pub(super) fn drop_overlay(&mut self, position: u64) {
        if let Some(Overlay::Object(own)) = &self.overlay
            && version_number(&own.meta.version) <= position
        {
            self.overlay = None;
        }
    }

    /// Records that somebody looked.
    pub(super) fn subscribe(&mut self, kind: &'static KindEntry, reader: Reader, look: (LookId, &Look)) {
        let known = self.seen.iter().find(|(id, _)| *id == look.0).map(|(_, hash)| *hash);
        let hash = known.unwrap_or_else(|| {
            let hash = self.hash(kind, look.1);
            self.seen.push((look.0, hash));
            hash
        });
        self.readers.insert((reader, look.0), hash);
    }

    pub(super) fn unsubscribe(&mut self, reader: Reader, look: LookId) {
        self.readers.remove((reader, look));
        if self.readers.is_empty() {
            self.seen = Vec::new();
        }
    }

    /// The effective object as JSON, kept until it changes or [`Slot::forget_encoded`]; whether it was made just now.
    pub(super) fn encoded(&mut self, kind: &'static KindEntry) -> Option<(Arc<Value>, bool)> {
        if let Some(encoded) = &self.encoded {
            return Some((Arc::clone(encoded), false));
        }
        let Content::Typed(typed) = &self.object()?.content else { return None };
        let encoded = Arc::new((kind.encode)(&**typed));
        self.encoded = Some(Arc::clone(&encoded));
        Some((encoded, true))
    }

    /// Lets the JSON go.
    pub(super) fn forget_encoded(&mut self) {
        self.encoded = None;
    }

    /// Whether the JSON is kept.
    pub(super) fn keeps_encoded(&self) -> bool {
        self.encoded.is_some()
    }

    /// What is seen of the effective object, its life included, as a hash.
    fn hash(&mut self, kind: &'static KindEntry, look: &Look) -> u64 {
        match (self.object(), look) {
            (None, _) => ABSENT,
            (Some(Object { content: Content::Invalid(_), .. }), _) => INVALID,
            (Some(Object { content: Content::Typed(typed), meta }), Look::Facet { hash_of, .. }) => {
                stable_hash(&(meta.uid.as_str(), hash_of(&**typed)))
            }
            (Some(Object { content: Content::Typed(_), meta }), Look::Fields(pointers)) => {
                let uid = meta.uid.clone();
                let encoded = self.encoded(kind);
                encoded.map_or(INVALID, |(encoded, _)| hash_values(uid.as_str(), &encoded, pointers))
            }
        }
    }

    /// The object changed: collects the readers that saw something else than is seen now.
    pub(super) fn wake_changed(&mut self, kind: &'static KindEntry, looks: &[Look], woken: &mut Vec<Reader>) {
        let mut seen = std::mem::take(&mut self.seen);
        let mut has_changed = false;
        self.encoded = None;
        for (id, hash) in &mut seen {
            let Some(look) = looks.get(usize::from(id.0)) else { continue };
            let now = self.hash(kind, look);
            has_changed |= std::mem::replace(hash, now) != now;
        }
        self.seen = seen;
        // Who saw something else before has been told already.
        if has_changed {
            let now = |look| self.seen.iter().find(|(id, _)| *id == look).map(|(_, hash)| *hash);
            let changed = self.readers.iter().filter(|((_, look), hash)| now(*look) != Some(*hash));
            woken.extend(changed.map(|((reader, _), _)| reader));
        }
    }
}

/// Hash of the values at some pointers of an encoded object.
fn hash_values(uid: &str, encoded: &Value, pointers: &[String]) -> u64 {
    let values: Vec<Option<String>> =
        pointers.iter().map(|pointer| encoded.pointer(pointer).map(Value::to_string)).collect();
    stable_hash(&(uid, values))
}
