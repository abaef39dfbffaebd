//! Inputs that change what can be read: engagements, pages and watch events.

use std::time::Duration;

use api::ClusterName;
use reconcile::Object;

use super::{Engine, Output, Page, Watched};
use crate::ids::{Epoch, StoreId};
use crate::informer::{Failure, Informer, Want};
use crate::metrics;
use crate::store::{Store, StoreState};
use crate::world::Identity;

impl Engine {
    pub(super) fn engaged(&mut self, cluster: &ClusterName, identity: Identity) {
        let gone = self.world.engage(cluster, identity);
        let now = self.world.now.monotonic;
        self.leases.iter_mut().for_each(|lease| lease.retry_now(now));
        self.drop_stores(&gone);
        let id = self.world.cluster_id(cluster);
        for controller in self.controller_ids() {
            for (root, kind) in self.root_kinds(controller).into_iter().enumerate() {
                if kind.role == cluster.role()
                    && let Some(store) = self.world.store_for(id, kind.facet.kind)
                {
                    let rooted = self.rooted.entry(store).or_default();
                    if !rooted.contains(&(controller, root)) {
                        rooted.push((controller, root));
                    }
                }
            }
        }
        self.start_wanted();
    }

    /// Forgets informers, fences and roots of stores that went with their cluster.
    pub(super) fn drop_stores(&mut self, gone: &[StoreId]) {
        for store in gone {
            self.informers.remove(store);
            self.rooted.remove(store);
            self.outputs.push(Output::Stop(*store));
            self.fence_lost(*store);
            self.drop_roots_of(*store);
        }
    }

    /// Starts informers of stores that were read for the first time.
    pub(super) fn start_wanted(&mut self) {
        for store in self.world.take_wanted() {
            let (informer, want) = Informer::start(self.world.now.monotonic);
            self.informers.insert(store, informer);
            self.ask(store, want);
        }
    }

    pub(super) fn ask(&mut self, store: StoreId, want: Want) {
        let Some(held) = self.world.store(store) else { return };
        let Some(cluster) = self.world.cluster(held.cluster).map(|cluster| cluster.name.clone()) else {
            return;
        };
        let kind = held.kind;
        let is_continued = matches!(want, Want::Page { continue_token: Some(_), .. });
        if let Some(informer) = self.informers.get_mut(&store).filter(|_| !is_continued) {
            informer.opens(self.world.now.monotonic);
        }
        self.outputs.push(match want {
            Want::Page { epoch, continue_token } => {
                let limit = self.settings.page_limit;
                Output::List { store, epoch, cluster, kind, limit, continue_token }
            }
            Want::Watch { epoch, from, timeout_seconds } => {
                Output::Watch { store, epoch, cluster, kind, from, timeout_seconds }
            }
        });
    }

    pub(super) fn listed(&mut self, store: StoreId, epoch: Epoch, page: Result<Page, Failure>) {
        if !self.informers.get(&store).is_some_and(|informer| informer.is_current(epoch)) {
            return;
        }
        let page = match page {
            Ok(page) => page,
            Err(failure) => return self.informer_failed(store, epoch, &failure),
        };
        for object in page.objects {
            self.put(store, object);
        }
        let timeout = self.settings.watch_timeout;
        let is_last = page.continue_token.is_none();
        let want = self
            .informers
            .get_mut(&store)
            .map(|informer| informer.page_done(page.continue_token, &page.version, timeout));
        if is_last {
            self.sweep(store);
        }
        if let Some(want) = want {
            self.ask(store, want);
        }
        self.note_answer(store);
    }

    fn put(&mut self, store: StoreId, object: Object) {
        let key = object.meta.key.clone();
        if key.name.is_empty() {
            return;
        }
        let slot = self.world.with_store(store, |held, woken| held.set_listed(&key, object, woken));
        if let Some(slot) = slot {
            if let Some(informer) = self.informers.get_mut(&store) {
                informer.mark(slot);
            }
            self.root_object(store, slot);
        }
    }

    /// The list is complete: what it lacks is deleted, and own writes it has passed are no longer needed.
    fn sweep(&mut self, store: StoreId) {
        let Some(informer) = self.informers.get(&store) else { return };
        let (position, asked) = (informer.position(), informer.asked());
        let Some(held) = self.world.store(store) else { return };
        let lacking = held.base_slots().filter(|slot| !informer.is_marked(*slot));
        let lacking: Vec<_> = lacking.filter_map(|slot| held.key_of(slot).cloned()).collect();
        let dropped = self.world.with_store(store, |held, woken| {
            for key in lacking {
                held.set_base(&key, None, woken);
            }
            let passed = held.drop_overlays(position, woken);
            let shown = held.drop_overlays_before(asked, woken);
            held.set_state(StoreState::Synced, woken);
            (passed, shown)
        });
        let (passed, shown) = dropped.unwrap_or_default();
        self.note_lags(store, &passed);
        for slot in shown {
            self.root_object(store, slot);
        }
        if let Some(informer) = self.informers.get_mut(&store) {
            informer.clear_marks();
        }
        self.fence_listed(store, asked);
    }

    pub(super) fn watched(&mut self, store: StoreId, epoch: Epoch, event: Watched) {
        let Some(informer) = self.informers.get_mut(&store) else { return };
        if !informer.is_current(epoch) {
            return;
        }
        let version = match &event {
            Watched::Applied(object) | Watched::Deleted(object) => object.meta.version.as_str().to_owned(),
            Watched::Bookmark(version) => version.clone(),
        };
        if informer.is_past(&version) {
            return self.informer_failed(store, epoch, &Failure::Gone);
        }
        informer.advance(&version);
        let position = informer.position();
        // What was told before is routed before, so that what follows has this object for its cause.
        self.route_woken();
        let changed = self.world.with_store(store, |held, woken| {
            let slot = match event {
                Watched::Applied(object) => {
                    Some(held.set_base(&object.meta.key.clone(), Some(object), woken))
                }
                Watched::Deleted(object) => Some(held.set_base(&object.meta.key, None, woken)),
                Watched::Bookmark(_) => None,
            };
            (slot, held.drop_overlays(position, woken))
        });
        let (slot, passed) = changed.unwrap_or_default();
        self.note_lags(store, &passed);
        if let Some(slot) = slot {
            self.cause = Some((store, slot));
            self.root_object(store, slot);
            self.route_woken();
            self.cause = None;
        }
        self.note_answer(store);
    }

    /// Counts how long after their answers own writes were shown by list or watch.
    pub(super) fn note_lags(&mut self, store: StoreId, answered: &[Duration]) {
        let Some(held) = self.world.store(store).filter(|_| !answered.is_empty()) else { return };
        let Some(cluster) = self.world.cluster(held.cluster) else { return };
        let (label, now) = ((cluster.name.role(), held.kind.resource), self.world.now.monotonic);
        for answered in answered {
            let lag = now.saturating_sub(*answered);
            metrics::observe(&mut self.metrics.informer_lags, metrics::LAG_BOUNDS, label, lag);
        }
    }

    fn note_answer(&mut self, store: StoreId) {
        if let Some(informer) = self.informers.get_mut(&store) {
            informer.heard = self.world.now.monotonic;
        }
        if let Some(cluster) = self.world.store(store).map(|held| held.cluster) {
            self.world.note_answer(cluster);
        }
    }

    pub(super) fn informer_failed(&mut self, store: StoreId, epoch: Epoch, failure: &Failure) {
        let Some(informer) = self.informers.get_mut(&store) else { return };
        if !informer.is_current(epoch) {
            return;
        }
        let now = (self.world.now.monotonic, self.world.now.wall);
        let next = informer.fail(failure, now, self.settings.list_backoff, &mut self.random);
        if let Ok(want) = next {
            self.metrics.relists += 1;
            self.ask(store, want);
        }
        self.note_failure(store, failure);
    }

    /// What the failure says about reads of the store and about its cluster.
    fn note_failure(&mut self, store: StoreId, failure: &Failure) {
        let state = match failure {
            Failure::Forbidden(_) => Some(StoreState::Forbidden),
            Failure::NotServed => Some(StoreState::NotServed),
            Failure::Unreachable(_) => Some(StoreState::Unreachable),
            Failure::Ended | Failure::Gone | Failure::Other(_) => None,
        };
        let held = self.world.store(store).map(|held| (held.cluster, held.state()));
        let Some((cluster, before)) = held else { return };
        match (failure, before) {
            (Failure::Unreachable(_), StoreState::Synced) => self.world.note_failure(cluster),
            (Failure::Unreachable(_), _) => {
                self.world.note_failure(cluster);
                self.set_state(store, StoreState::Unreachable);
            }
            _ => {
                if let Some(state) = state {
                    self.set_state(store, state);
                }
            }
        }
    }

    fn set_state(&mut self, store: StoreId, state: StoreState) {
        self.world.with_store(store, |held: &mut Store, woken| held.set_state(state, woken));
    }

    pub(super) fn tick_informers(&mut self) {
        let now = self.world.now.monotonic;
        let timeout = self.settings.watch_timeout;
        let wants: Vec<(StoreId, Want)> = self
            .informers
            .iter_mut()
            .filter_map(|(store, informer)| Some((*store, informer.tick(now, timeout)?)))
            .collect();
        for (store, want) in wants {
            self.ask(store, want);
        }
    }
}
