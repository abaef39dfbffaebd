//! The cache of one kind on one cluster: objects by name, own writes on top of them, declared indexes, and who read what.
//!
//! A change is told to exactly the readers whose recorded hash it changes.

mod by_hash;
mod few_or_many;
mod index;
mod overlay;
mod slot;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use api::{NamespaceName, ObjectKey};
use reconcile::{Content, IndexEntry, IndexValue, KindEntry, Object, Sight, Unknown};
use serde_json::Value;

use self::by_hash::ByHash;
use self::index::IndexData;
pub use self::index::Membership;
pub use self::overlay::Overlay;
pub use self::slot::{Look, Slot};
use crate::ids::{ClusterId, IndexId, LookId, Reader, SlotId, ValueId};

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

/// Objects of one kind on one cluster.
pub struct Store {
    /// Whose objects.
    pub cluster: ClusterId,
    /// Which kind.
    pub kind: &'static KindEntry,
    state: StoreState,
    state_readers: BTreeSet<Reader>,
    names: ByHash<SlotId>,
    slots: Vec<Slot>,
    free: Vec<SlotId>,
    looks: Vec<Look>,
    indexes: Vec<IndexData>,
    invalid: BTreeSet<ObjectKey>,
    /// Own writes that the watch has not passed, by version, with the time of their answer.
    overlays: BTreeMap<(u64, SlotId), Duration>,
    /// When deletions were answered, by the slots they emptied.
    tombstones: BTreeMap<SlotId, Duration>,
    /// Slots that keep their object as JSON since the last [`Store::take_encoded`].
    encoded: Vec<SlotId>,
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
            names: ByHash::default(),
            slots: Vec::new(),
            free: Vec::new(),
            looks: Vec::new(),
            indexes: Vec::new(),
            invalid: BTreeSet::new(),
            overlays: BTreeMap::new(),
            tombstones: BTreeMap::new(),
            encoded: Vec::new(),
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
        if let Some(id) = self.find_id(key) {
            return id;
        }
        let id = match self.free.pop() {
            Some(id) => id,
            None => SlotId(u32::try_from(self.slots.len()).unwrap_or(u32::MAX)),
        };
        match self.slots.get_mut(id.0 as usize) {
            Some(slot) => *slot = Slot::new(key.clone()),
            None => self.slots.push(Slot::new(key.clone())),
        }
        self.names.insert(key, id);
        id
    }

    /// Gives a name back where nothing is and nobody looks, so that names that came and went cost nothing.
    fn release(&mut self, id: SlotId) {
        let Some(slot) = self.slots.get(id.0 as usize).filter(|slot| slot.is_unused()) else { return };
        let key = slot.key.clone();
        if self.find_id(&key) == Some(id) {
            self.names.remove(&key, id);
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
        self.names.find(key, SlotId(0), |id| self.slot(id).is_some_and(|slot| slot.key == *key))
    }

    /// The slot of a name, if something is there or somebody looks.
    #[must_use]
    pub fn find(&self, key: &ObjectKey) -> Option<&Slot> {
        self.find_id(key).and_then(|id| self.slot(id))
    }

    /// A slot by number.
    #[must_use]
    pub fn slot(&self, id: SlotId) -> Option<&Slot> {
        self.slots.get(id.0 as usize)
    }

    /// All slots, also those that were given back.
    fn numbered(&self) -> impl Iterator<Item = (SlotId, &Slot)> {
        (0_u32..).map(SlotId).zip(&self.slots)
    }

    /// All slots that hold an object.
    pub fn objects(&self) -> impl Iterator<Item = (SlotId, &Object)> {
        self.numbered().filter_map(|(id, slot)| Some((id, slot.object()?)))
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

    /// One object.
    #[must_use]
    pub fn read(&self, key: &ObjectKey) -> Sight<Arc<dyn Any + Send + Sync>> {
        self.read_slot(self.find(key))
    }

    fn read_slot(&self, slot: Option<&Slot>) -> Sight<Arc<dyn Any + Send + Sync>> {
        match (slot.and_then(Slot::object), self.unreadable()) {
            (_, Some(unreadable)) => unreadable,
            (Some(Object { content: Content::Typed(object), .. }), None) => {
                Sight::Present(Arc::clone(object))
            }
            (Some(Object { content: Content::Invalid(text), .. }), None) => Sight::Invalid(text.clone()),
            (None, None) => Sight::Absent,
        }
    }

    /// One object, for a reader who is told when what it looked at changes.
    pub fn read_as(
        &mut self,
        key: &ObjectKey,
        look: &Look,
        reader: Reader,
    ) -> (Sight<Arc<dyn Any + Send + Sync>>, SlotId, LookId) {
        let slot = self.slot_id(key);
        let look = self.subscribe(slot, reader, look);
        (self.read_slot(self.slot(slot)), slot, look)
    }

    /// The keys under an index value, in order. An invalid object makes the answer of its namespace unknown.
    pub fn read_names(
        &mut self,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<ObjectKey>> {
        self.read_index(index, namespace, value).map(|(index, value)| {
            let members = self.indexes.get(usize::from(index.0)).zip(value);
            let members = members.into_iter().flat_map(|(data, value)| data.members(value));
            let mut keys: Vec<ObjectKey> =
                members.filter_map(|id| self.slot(id).map(|slot| slot.key.clone())).collect();
            keys.sort_unstable();
            keys
        })
    }

    /// How many are under an index value; as uncertain as who they are.
    pub fn read_count(
        &mut self,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<usize> {
        self.read_index(index, namespace, value).map(|(index, value)| {
            let members = self.indexes.get(usize::from(index.0)).zip(value);
            members.map_or(0, |(data, value)| data.count(value))
        })
    }

    /// Number of the index, and of the value if it has one.
    fn read_index(
        &mut self,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<(IndexId, Option<ValueId>)> {
        let id = self.index_id(index);
        if let Some(unreadable) = self.unreadable() {
            return unreadable;
        }
        if let Some(key) = self.invalid_in(namespace) {
            return Sight::Unknown(Unknown::InvalidMember(key.to_string()));
        }
        let data = self.indexes.get_mut(usize::from(id.0));
        Sight::Present((id, data.and_then(|data| data.find(namespace, value))))
    }

    fn invalid_in(&self, namespace: Option<&NamespaceName>) -> Option<&ObjectKey> {
        self.invalid.iter().find(|key| namespace.is_none() || key.namespace.as_ref() == namespace)
    }

    /// The number of an index; one that is asked for the first time is built.
    fn index_id(&mut self, index: IndexEntry) -> IndexId {
        let number = |at: usize| IndexId(u16::try_from(at).unwrap_or(u16::MAX));
        if let Some(at) = self.indexes.iter().position(|data| data.is(index)) {
            return number(at);
        }
        let mut data = IndexData::new(index);
        for (id, slot) in self.numbered() {
            if let Some(Object { content: Content::Typed(object), meta }) = slot.object() {
                data.insert(id, meta.key.namespace.as_ref(), &**object);
            }
        }
        self.indexes.push(data);
        number(self.indexes.len() - 1)
    }

    /// Records that `reader` looked at an object as it is now.
    pub fn subscribe(&mut self, id: SlotId, reader: Reader, look: &Look) -> LookId {
        let at = self.looks.iter().position(|known| known.is(look)).unwrap_or_else(|| {
            self.looks.push(look.clone());
            self.looks.len() - 1
        });
        let number = LookId(u16::try_from(at).unwrap_or(u16::MAX));
        if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            let kept = slot.keeps_encoded();
            slot.subscribe(self.kind, reader, (number, look));
            self.encoded.extend((!kept && slot.keeps_encoded()).then_some(id));
        }
        number
    }

    /// The effective object as JSON. It is kept, because a pass, its step and the answer all look at it.
    pub fn encoded(&mut self, id: SlotId) -> Option<Arc<Value>> {
        let (value, is_new) = self.slots.get_mut(id.0 as usize)?.encoded(self.kind)?;
        self.encoded.extend(is_new.then_some(id));
        Some(value)
    }

    /// Slots whose object was kept as JSON since the last call.
    pub fn take_encoded(&mut self) -> Vec<SlotId> {
        std::mem::take(&mut self.encoded)
    }

    /// How many objects are kept as JSON.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.keeps_encoded()).count()
    }

    /// Lets the JSON of a slot go.
    pub fn forget_encoded(&mut self, id: SlotId) {
        if let Some(slot) = self.slots.get_mut(id.0 as usize) {
            slot.forget_encoded();
        }
    }

    /// Forgets one look.
    pub fn unsubscribe(&mut self, id: SlotId, reader: Reader, look: LookId) {
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
    ) -> (IndexId, ValueId) {
        let id = self.index_id(index);
        let data = self.indexes.get_mut(usize::from(id.0));
        (id, data.map_or(ValueId(u32::MAX), |data| data.subscribe(namespace, value, asked)))
    }

    /// Forgets that.
    pub fn unsubscribe_index(&mut self, index: IndexId, value: ValueId, reader: Reader) {
        if let Some(data) = self.indexes.get_mut(usize::from(index.0)) {
            data.unsubscribe(value, reader);
        }
    }

    /// Puts what a list or watch said in place of the object, and tells the readers it matters to.
    pub fn set_base(&mut self, key: &ObjectKey, object: Option<Object>, woken: &mut Vec<Reader>) -> SlotId {
        let id = self.slot_id(key);
        self.change(id, woken, |slot| slot.set_base(object));
        id
    }

    /// Takes in what a list says of an object. A server that came back with an older state may show another content under a
    /// version that was seen before, so this looks at what is there and not at its version.
    pub fn set_listed(&mut self, key: &ObjectKey, object: Object, woken: &mut Vec<Reader>) -> SlotId {
        let id = self.slot_id(key);
        self.replace(id, woken, true, |slot| slot.set_base(Some(object)));
        id
    }

    /// Names of all objects of which the last list or watch told, for the sweep after a list.
    pub fn base_slots(&self) -> impl Iterator<Item = SlotId> {
        self.numbered().filter(|(_, slot)| slot.base().is_some()).map(|(id, _)| id)
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
        self.replace(id, woken, false, change);
    }

    /// Changes a slot; what has the same life and version as before is the same unless it is listed.
    fn replace(
        &mut self,
        id: SlotId,
        woken: &mut Vec<Reader>,
        is_listed: bool,
        change: impl FnOnce(&mut Slot),
    ) {
        let Some(slot) = self.slots.get_mut(id.0 as usize) else { return };
        let before = slot.identity();
        let was_present = before.is_some();
        let was_own = slot.has_overlay();
        change(slot);
        self.own_writes = self.own_writes + usize::from(slot.has_overlay()) - usize::from(was_own);
        if slot.identity() == before && !is_listed {
            return self.release(id);
        }
        slot.wake_changed(self.kind, &self.looks, woken);
        self.encoded.extend(slot.keeps_encoded().then_some(id));
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
        for data in &mut self.indexes {
            data.update(
                id,
                object.as_ref().map(|(namespace, typed)| (namespace.as_ref(), &**typed as _)),
                woken,
            );
        }
        if was_invalid != is_invalid {
            self.indexes.iter().for_each(|data| data.all_readers(woken));
        }
        self.release(id);
    }
}

/// A resourceVersion as a number, for comparisons within one resource of one server (KEP-5504); zero if it is none.
#[must_use]
pub fn version_number(version: &api::names::ResourceVersion) -> u64 {
    version.as_str().parse().unwrap_or(0)
}
