//! Roots: from objects to keys, as tracked derivations. They make a fresh process whole.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use api::{ClusterName, ObjectKey};
use reconcile::{Attempts, View};

use super::{Engine, Violation};
use crate::ids::{ControllerId, KeyId, Reader, RootId, SlotId, StoreId};
use crate::keys::KeyState;
use crate::recorder::Recorder;
use crate::registration::RootKind;
use crate::world::ReadSet;

/// One derivation of keys from one object.
pub(super) struct RootNode {
    controller: ControllerId,
    root: usize,
    store: StoreId,
    slot: SlotId,
    cluster: ClusterName,
    object: ObjectKey,
    reads: ReadSet,
    pub(super) keys: BTreeSet<KeyId>,
}

impl Engine {
    pub(super) fn controller_ids(&self) -> Vec<ControllerId> {
        (0..self.controllers.len())
            .map(|index| ControllerId(u16::try_from(index).unwrap_or(u16::MAX)))
            .collect()
    }

    pub(super) fn root_kinds(&self, controller: ControllerId) -> Vec<RootKind> {
        self.controllers.get(usize::from(controller.0)).map(|one| one.root_kinds()).unwrap_or_default()
    }

    /// An object of a root kind was stored: every root of its kind derives its keys, once; afterwards reads wake it.
    pub(super) fn root_object(&mut self, store: StoreId, slot: SlotId) {
        let Some(held) = self.world.store(store) else { return };
        if held.slot(slot).is_none_or(|one| one.object().is_none()) {
            return;
        }
        let Some(object) = held.key_of(slot).cloned() else { return };
        let Some(cluster) = self.world.cluster(held.cluster).map(|cluster| cluster.name.clone()) else {
            return;
        };
        for (controller, root) in self.rooted.get(&store).cloned().unwrap_or_default() {
            if self.root_of.contains_key(&(store, slot, controller, root)) {
                continue;
            }
            let id = RootId(self.next_root);
            self.next_root += 1;
            self.root_of.insert((store, slot, controller, root), id);
            let (cluster, object) = (cluster.clone(), object.clone());
            let (reads, keys) = (ReadSet::default(), BTreeSet::new());
            self.roots.insert(id, RootNode { controller, root, store, slot, cluster, object, reads, keys });
            self.world.woken.push(Reader::Root(id));
        }
    }

    /// Runs a derivation again. Old and new keys are woken when the answer changes; while something it read is unknown the
    /// old ones stay.
    pub(super) fn derive(&mut self, id: RootId) {
        let Some(mut node) = self.roots.remove(&id) else { return };
        let Some(controller) = self.controllers.get_mut(usize::from(node.controller.0)) else { return };
        let mut recorder = Recorder::new(&mut self.world, Some(Reader::Root(id)), Attempts::default());
        let derived = catch_unwind(AssertUnwindSafe(|| {
            controller.derive(node.root, &View::new(&mut recorder), &node.cluster, &node.object)
        }));
        let (reads, is_uncertain) = (ReadSet::of(recorder.reads), recorder.uncertain);
        let derived = if let Ok(derived) = derived { derived } else { self.derivation_panicked(&node) };
        self.world.replace_reads(Reader::Root(id), &node.reads, &reads);
        node.reads = reads;
        let is_certain = derived.is_some() && !is_uncertain;
        let key = |number| KeyId { controller: node.controller, number };
        let mut keys: BTreeSet<KeyId> = derived.unwrap_or_default().into_iter().map(key).collect();
        if !is_certain {
            keys.extend(node.keys.iter().copied());
        }
        let old = std::mem::replace(&mut node.keys, keys.clone());
        let is_gone = keys.is_empty() && is_certain && !self.is_object_held(&node);
        if is_gone {
            self.world.forget_reads(Reader::Root(id), &node.reads);
            self.root_of.remove(&(node.store, node.slot, node.controller, node.root));
        } else {
            self.roots.insert(id, node);
        }
        self.change_keys(id, &old, &keys);
    }

    /// A derivation that panics says nothing: the keys it gave before stay, and whatever it read runs it again.
    fn derivation_panicked(&mut self, node: &RootNode) -> Option<Vec<u32>> {
        let controller = self.controller_name(node.controller);
        let key = format!("derivation from {} on {}", node.object, node.cluster);
        self.violations.push(Violation::Panicked { controller, key });
        None
    }

    fn is_object_held(&self, node: &RootNode) -> bool {
        let slot = self.world.store(node.store).and_then(|store| store.slot(node.slot));
        slot.is_some_and(|slot| slot.object().is_some())
    }

    fn change_keys(&mut self, id: RootId, old: &BTreeSet<KeyId>, new: &BTreeSet<KeyId>) {
        for key in old.difference(new) {
            if let Some(state) = self.keys.get_mut(key) {
                state.roots.remove(&id);
            }
            self.wake(*key);
        }
        for key in new.difference(old) {
            let project =
                self.controllers.get(usize::from(key.controller.0)).and_then(|one| one.project(key.number));
            let now = self.world.now.monotonic;
            let state = self.keys.get_or_make(*key, || KeyState::new(project, now));
            state.roots.insert(id);
            state.is_dropped = false;
            self.wake(*key);
        }
    }

    fn drop_rootless(&mut self, keys: &BTreeSet<KeyId>) {
        for key in keys {
            if let Some(state) = self.keys.get_mut(key) {
                state.is_dropped = state.roots.is_empty();
            }
        }
    }

    /// The cluster was dropped: its objects no longer make keys exist.
    pub(super) fn drop_roots_of(&mut self, store: StoreId) {
        let gone: Vec<_> =
            self.root_of.iter().filter(|((of, ..), _)| *of == store).map(|(_, id)| *id).collect();
        self.root_of.retain(|(of, ..), _| *of != store);
        for id in gone {
            if let Some(node) = self.roots.remove(&id) {
                self.world.forget_reads(Reader::Root(id), &node.reads);
                self.change_keys(id, &node.keys, &BTreeSet::new());
                self.drop_rootless(&node.keys);
            }
        }
    }

    /// A settled key that no root names is forgotten.
    pub(super) fn forget_key(&mut self, key: KeyId) {
        if let Some(state) = self.keys.remove(key) {
            self.world.forget_reads(Reader::Key(key), &state.reads);
            self.queue.remove(key);
            self.withheld.remove(&key);
            if let Some(controller) = self.controllers.get_mut(usize::from(key.controller.0)) {
                controller.forget(key.number);
            }
        }
    }

    /// Keys that an object makes exist, for explanations.
    #[must_use]
    pub fn keys_of(&self, store: StoreId, slot: SlotId) -> Vec<KeyId> {
        let roots = self.root_of.iter().filter(|((of, at, ..), _)| (*of, *at) == (store, slot));
        let keys: BTreeSet<KeyId> = roots
            .filter_map(|(_, id)| self.roots.get(id))
            .flat_map(|node| node.keys.iter().copied())
            .collect();
        keys.into_iter().collect()
    }
}
