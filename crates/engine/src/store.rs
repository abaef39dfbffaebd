//! The cache of one kind on one cluster: objects by name, own writes on top of them, declared indexes, and who read what.
//!
//! A change is told to exactly the readers whose recorded hash it changes.

mod index;
mod overlay;
mod slot;

#[cfg(test)]
mod tests;

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use api::{NamespaceName, ObjectKey};
use reconcile::{Content, FacetEntry, IndexEntry, IndexValue, KindEntry, Object, Sight, Unknown};

pub use self::index::Membership;
use self::index::{IndexData, scoped};
pub use self::overlay::Overlay;
pub use self::slot::{Look, Slot, Subscription};
use crate::ids::{ClusterId, Reader, SlotId};

/// What the informer last learnt about the kind as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreState {
    /// The first list has not finished.
    Starting,
    /// Synced at least once.
    Synced,
    /// Never synced, and the cluster does not answer.
    Unreachable,
    /// The server refuses to show the kind.
    Forbidden,
    /// The server does not serve the kind.
    NotServed,
}

/// What became of an own write that was laid over an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laid {
    /// List or watch had shown it, or something later, before it was answered.
    Shown,
    /// It is ahead of list and watch.
    Ahead,
    /// A deletion, whose version no answer tells.
    Tombstone,
}

/// Objects of one kind on one cluster.
pub struct Store {
    /// Whose objects.
    pub cluster: ClusterId,
    /// Which kind.
    pub kind: &'static KindEntry,
    state: StoreState,
    state_readers: BTreeSet<Reader>,
    names: BTreeMap<ObjectKey, SlotId>,
    slots: Vec<Slot>,
    free: Vec<SlotId>,
    indexes: BTreeMap<TypeId, IndexData>,
    invalid: BTreeSet<ObjectKey>,
    /// Own writes that the watch has not passed, by version, with the time of their answer.
    overlays: BTreeMap<(u64, SlotId), Duration>,
    present: usize,
    own_writes: usize,
}

impl Store {
    /// An empty store whose first list has not finished.
    #[must_use]
    pub fn new(cluster: ClusterId, kind: &'static KindEntry) -> Self {
        Self {
            cluster,
            kind,
            state: StoreState::Starting,
            state_readers: BTreeSet::new(),
            names: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            indexes: BTreeMap::new(),
            invalid: BTreeSet::new(),
            overlays: BTreeMap::new(),
            present: 0,
            own_writes: 0,
        }
    }

    /// What reads of this store can say at all.
    #[must_use]
    pub fn state(&self) -> StoreState {
        self.state
    }

    /// How many objects are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.present
    }

    /// Whether no object is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.present == 0
    }

    /// How many own writes the watch has not told yet.
    #[must_use]
    pub fn own_writes(&self) -> usize {
        self.own_writes
    }

    /// Changes the state; all its readers are woken by a change.
    pub fn set_state(&mut self, state: StoreState, woken: &mut Vec<Reader>) {
        if self.state != state {
            self.state = state;
            woken.extend(self.state_readers.iter().copied());
        }
    }

    /// The slot of a name, made if there is none.
    pub fn slot_id(&mut self, key: &ObjectKey) -> SlotId {
        if let Some(id) = self.names.get(key) {
            return *id;
        }
        let id = match self.free.pop() {
            Some(id) => id,
            None => SlotId(u32::try_from(self.slots.len()).unwrap_or(u32::MAX)),
        };
        match self.slots.get_mut(id.0 as usize) {
            Some(slot) => *slot = Slot::new(key.clone()),
            None => self.slots.push(Slot::new(key.clone())),
        }
        self.names.insert(key.clone(), id);
        id
    }

    /// Gives a name back where nothing is and nobody looks, so that names that came and went cost nothing.
    fn release(&mut self, id: SlotId) {
        let Some(slot) = self.slots.get(id.0 as usize).filter(|slot| slot.is_unused()) else { return };
        if self.names.get(&slot.key) == Some(&id) {
            self.names.remove(&slot.key);
            self.free.push(id);
        }
    }

    /// How many names are kept, of objects and of whatever somebody looks for.
    #[must_use]
    pub fn names_len(&self) -> usize {
        self.names.len()
    }

    /// The slot of a name, if there is one.
    #[must_use]
    pub fn find_id(&self, key: &ObjectKey) -> Option<SlotId> {
        self.names.get(key).copied()
    }

    /// The slot of a name, if something is there or somebody looks.
    #[must_use]
    pub fn find(&self, key: &ObjectKey) -> Option<&Slot> {
        self.names.get(key).and_then(|id| self.slot(*id))
    }

    /// A slot by number.
    #[must_use]
    pub fn slot(&self, id: SlotId) -> Option<&Slot> {
        self.slots.get(id.0 as usize)
    }

    /// All slots that hold an object.
    pub fn objects(&self) -> impl Iterator<Item = (SlotId, &Object)> {
        self.names.values().filter_map(|id| Some((*id, self.slot(*id)?.object()?)))
    }

    /// Whether reading can give anything but Unknown or `NotServed`.
    fn unreadable<T>(&self) -> Option<Sight<T>> {
        match self.state {
            StoreState::Synced => None,
            StoreState::Starting => Some(Sight::Unknown(Unknown::Starting)),
            StoreState::Unreachable => Some(Sight::Unknown(Unknown::Unreachable)),
            StoreState::Forbidden => Some(Sight::Unknown(Unknown::Forbidden)),
            StoreState::NotServed => Some(Sight::NotServed),
        }
    }

    /// One object. An object that is there can be read before the first list has finished; only absence cannot.
    #[must_use]
    pub fn read(&self, key: &ObjectKey) -> Sight<Arc<dyn Any + Send + Sync>> {
        match (self.find(key).and_then(Slot::object), self.unreadable()) {
            (_, Some(unreadable)) => unreadable,
            (Some(Object { content: Content::Typed(object), .. }), None) => {
                Sight::Present(Arc::clone(object))
            }
            (Some(Object { content: Content::Invalid(text), .. }), None) => Sight::Invalid(text.clone()),
            (None, None) => Sight::Absent,
        }
    }

    /// The keys under an index value, in order. An invalid object makes the answer of its namespace unknown.
    pub fn read_names(
        &mut self,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<ObjectKey>> {
        self.ensure_index(index);
        if let Some(unreadable) = self.unreadable() {
            return unreadable;
        }
        if let Some(key) = self.invalid_in(namespace) {
            return Sight::Unknown(Unknown::InvalidMember(key.to_string()));
        }
        let members = self.indexes.get(&index.id).map(|data| data.members(&scoped(namespace, value)));
        let mut keys: Vec<ObjectKey> = members
            .unwrap_or_default()
            .into_iter()
            .filter_map(|id| self.slot(id).map(|slot| slot.key.clone()))
            .collect();
        keys.sort_unstable();
        Sight::Present(keys)
    }

    fn invalid_in(&self, namespace: Option<&NamespaceName>) -> Option<&ObjectKey> {
        self.invalid.iter().find(|key| namespace.is_none() || key.namespace.as_ref() == namespace)
    }

    fn ensure_index(&mut self, index: IndexEntry) {
        if self.indexes.contains_key(&index.id) {
            return;
        }
        let mut data = IndexData::new(index);
        for id in self.names.values() {
            let slot = self.slots.get(id.0 as usize);
            if let Some(Object { content: Content::Typed(object), meta }) = slot.and_then(Slot::object) {
                data.insert(*id, meta.key.namespace.as_ref(), &**object);
            }
        }
        self.indexes.insert(index.id, data);
    }

    /// Records that `reader` looked at an object, with what it saw.
    pub fn subscribe(&mut self, id: SlotId, reader: Reader, look: &Look) {
        if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            slot.subscribe(reader, look);
        }
    }

    /// Forgets one look.
    pub fn unsubscribe(&mut self, id: SlotId, reader: Reader, look: &Look) {
        if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            slot.unsubscribe(reader, look);
            self.release(id);
        }
    }

    /// Records that `reader` depends on the state of the store.
    pub fn subscribe_state(&mut self, reader: Reader) {
        self.state_readers.insert(reader);
    }

    /// Forgets that.
    pub fn unsubscribe_state(&mut self, reader: Reader) {
        self.state_readers.remove(&reader);
    }

    /// Records that `reader` asked for an index value.
    pub fn subscribe_index(
        &mut self,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
        asked: (Reader, Membership),
    ) -> Arc<str> {
        self.ensure_index(index);
        let text = scoped(namespace, value);
        match self.indexes.get_mut(&index.id) {
            Some(data) => data.subscribe(&text, asked.0, asked.1),
            None => text.into(),
        }
    }

    /// Forgets that.
    pub fn unsubscribe_index(&mut self, index: TypeId, value: &str, reader: Reader) {
        if let Some(data) = self.indexes.get_mut(&index) {
            data.unsubscribe(value, reader);
        }
    }

    /// Puts what a list or watch said in place of the object, and tells the readers it matters to.
    pub fn set_base(&mut self, key: &ObjectKey, object: Option<Object>, woken: &mut Vec<Reader>) -> SlotId {
        let id = self.slot_id(key);
        self.change(id, woken, |slot| slot.set_base(object));
        id
    }

    /// Lays an own write over the object until the watch has passed it; `now` is when it was answered.
    pub fn set_overlay(
        &mut self,
        key: &ObjectKey,
        overlay: Overlay,
        now: Duration,
        woken: &mut Vec<Reader>,
    ) -> Laid {
        let id = self.slot_id(key);
        let Overlay::Object(object) = &overlay else {
            self.change(id, woken, |slot| slot.set_overlay(overlay));
            return Laid::Tombstone;
        };
        let version = version_number(&object.meta.version);
        if self
            .slot(id)
            .and_then(Slot::base)
            .is_some_and(|base| version_number(&base.meta.version) >= version)
        {
            return Laid::Shown;
        }
        self.overlays.insert((version, id), now);
        self.change(id, woken, |slot| slot.set_overlay(overlay));
        Laid::Ahead
    }

    /// Drops own writes that the watch has passed: it has reached `position`. Says when each of them was answered.
    pub fn drop_overlays(&mut self, position: u64, woken: &mut Vec<Reader>) -> Vec<Duration> {
        let mut passed = Vec::new();
        while let Some(((version, id), answered)) =
            self.overlays.first_key_value().map(|(at, now)| (*at, *now))
        {
            if version > position {
                break;
            }
            self.overlays.pop_first();
            passed.push(answered);
            self.change(id, woken, |slot| slot.drop_overlay(position));
        }
        passed
    }

    /// Names of all objects of which the last list or watch told, for the sweep after a list.
    pub fn base_slots(&self) -> impl Iterator<Item = SlotId> {
        self.names.values().copied().filter(|id| self.slot(*id).is_some_and(|slot| slot.base().is_some()))
    }

    /// The key of a slot.
    #[must_use]
    pub fn key_of(&self, id: SlotId) -> Option<&ObjectKey> {
        self.slot(id).map(|slot| &slot.key)
    }

    /// Everybody who reads anything here, for when the store goes.
    pub fn all_readers(&self, woken: &mut Vec<Reader>) {
        woken.extend(self.state_readers.iter().copied());
    }

    /// One change of one slot: indexes, counts and readers follow the effective object.
    fn change(&mut self, id: SlotId, woken: &mut Vec<Reader>, change: impl FnOnce(&mut Slot)) {
        let Some(slot) = self.slots.get_mut(id.0 as usize) else { return };
        let before = slot.identity();
        let was_present = before.is_some();
        let was_own = slot.has_overlay();
        change(slot);
        self.own_writes = self.own_writes + usize::from(slot.has_overlay()) - usize::from(was_own);
        if slot.identity() == before {
            return self.release(id);
        }
        slot.wake_changed(self.kind, woken);
        let is_present = slot.object().is_some();
        self.present = self.present + usize::from(is_present) - usize::from(was_present);
        let was_invalid = self.invalid.contains(&slot.key);
        let is_invalid = matches!(slot.object(), Some(Object { content: Content::Invalid(_), .. }));
        if is_invalid {
            self.invalid.insert(slot.key.clone());
        } else {
            self.invalid.remove(&slot.key);
        }
        let object = slot.object().and_then(|object| match &object.content {
            Content::Typed(typed) => Some((object.meta.key.namespace.clone(), Arc::clone(typed))),
            Content::Invalid(_) => None,
        });
        for data in self.indexes.values_mut() {
            data.update(
                id,
                object.as_ref().map(|(namespace, typed)| (namespace.as_ref(), &**typed as _)),
                woken,
            );
        }
        if was_invalid != is_invalid {
            self.indexes.values().for_each(|data| data.all_readers(woken));
        }
        self.release(id);
    }
}

/// A resourceVersion as a number, for comparisons within one resource of one server (KEP-5504); zero if it is none.
#[must_use]
pub fn version_number(version: &api::names::ResourceVersion) -> u64 {
    version.as_str().parse().unwrap_or(0)
}

/// What a reader of `facet` sees, as a hash: the object's life and its facts.
#[must_use]
pub fn facet_look(slot: Option<&Slot>, facet: FacetEntry) -> Look {
    let hash = slot.map_or(0, |slot| slot.hash_facet(facet.hash));
    Look::Facet { id: facet.id, hash_of: facet.hash, hash }
}
