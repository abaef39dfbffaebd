//! Steps that cannot be undone wait until the server itself confirmed what the pass did not find.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use reconcile::Step;

use super::passes::Pass;
use super::{Engine, FenceAnswer, Output};
use crate::fence::{Fence, FenceOutcome, Waiter};
use crate::ids::{BarrierId, KeyId, StoreId};
use crate::informer::Informer;
use crate::keys::Phase;
use crate::metrics::PassOutcome;
use crate::store::StoreState;

/// How long the watch that is hurried lasts: its end brings a bookmark.
const HURRIED_WATCH: Duration = Duration::from_secs(3);

impl Engine {
    /// Whether every absence and every deadline of the pass was confirmed.
    pub(super) fn is_confirmed(
        &self,
        confirmed: Option<&BTreeMap<StoreId, Option<Timestamp>>>,
        pass: &Pass,
    ) -> bool {
        let needed = pass.absences.iter().copied().collect::<BTreeSet<_>>();
        if needed.is_empty() && pass.reached.is_empty() {
            return true;
        }
        let Some(confirmed) = confirmed else { return false };
        let has_absences = needed.iter().all(|store| confirmed.contains_key(store));
        let server_time = confirmed.values().flatten().min().copied().unwrap_or(self.world.now.wall);
        has_absences && pass.reached.iter().all(|deadline| *deadline <= server_time)
    }

    /// Asks for what a pass did not find. A deadline is confirmed by the clock of the server that holds the target.
    pub(super) fn fence(&mut self, key: KeyId, pass: &Pass, steps: &VecDeque<Step>) {
        let mut stores: BTreeSet<StoreId> = pass.absences.iter().copied().collect();
        if stores.is_empty()
            && let Some(step) = steps.front()
            && let Some((store, _)) = self.place(step)
        {
            stores.insert(store);
        }
        self.count_pass(key, PassOutcome::Fenced);
        let Some(state) = self.keys.get_mut(&key) else { return };
        state.phase = Phase::Fenced;
        state.fencing = Some((stores.clone(), BTreeMap::new()));
        for store in stores {
            self.join_fence(store, Waiter::Key(key));
        }
    }

    fn join_fence(&mut self, store: StoreId, waiter: Waiter) {
        if let Some(fence) = self.fences.get_mut(&store) {
            fence.join(waiter);
        } else {
            let position = self.position(store);
            self.fences.insert(store, Fence::ask(waiter, position));
            self.ask_fence(store);
        }
    }

    /// Asks every cache that has synced to catch up with its server. One that cannot be read is not waited for.
    pub(super) fn catch_up(&mut self, barrier: BarrierId) {
        let synced = self.world.stores().filter(|(_, store)| store.state() == StoreState::Synced);
        let stores: BTreeSet<StoreId> = synced.map(|(store, _)| store).collect();
        self.barriers.insert(barrier, stores.clone());
        for store in stores {
            self.join_fence(store, Waiter::Barrier(barrier));
        }
        self.look_at_barrier(barrier);
    }

    fn look_at_barrier(&mut self, barrier: BarrierId) {
        if self.barriers.get(&barrier).is_some_and(BTreeSet::is_empty) {
            self.barriers.remove(&barrier);
            self.outputs.push(Output::CaughtUp(barrier));
        }
    }

    /// A store has caught up for somebody outside, or cannot be asked.
    fn caught_up(&mut self, barrier: BarrierId, store: StoreId) {
        if let Some(stores) = self.barriers.get_mut(&barrier) {
            stores.remove(&store);
        }
        self.look_at_barrier(barrier);
    }

    fn ask_fence(&mut self, store: StoreId) {
        let Some(held) = self.world.store(store) else { return };
        let Some(cluster) = self.world.cluster(held.cluster).map(|cluster| cluster.name.clone()) else {
            return;
        };
        self.metrics.fences += 1;
        self.outputs.push(Output::Fence { store, cluster, kind: held.kind });
    }

    /// A key that was woken does not wait for fences any more: its next plan may be another.
    pub(super) fn leave_fences(&mut self, key: KeyId) {
        for fence in self.fences.values_mut() {
            fence.leave(Waiter::Key(key));
        }
        if let Some(state) = self.keys.get_mut(&key) {
            state.fencing = None;
        }
    }

    pub(super) fn fence_answered(&mut self, store: StoreId, answer: &FenceAnswer) {
        let now = self.world.now.monotonic;
        let Some(fence) = self.fences.get_mut(&store) else { return };
        match answer {
            FenceAnswer::At { version, server_time } => {
                let version = version.parse().unwrap_or(u64::MAX);
                if fence.answered(version, *server_time, now) {
                    return self.look_at_fence(store);
                }
                let outcome = fence.failed();
                self.list_again(store);
                self.fence_over(store, outcome);
            }
            FenceAnswer::Failed(_) => {
                let outcome = fence.failed();
                self.fence_over(store, outcome);
            }
        }
    }

    /// The store went with its cluster: nobody may act on what it lacked.
    pub(super) fn fence_lost(&mut self, store: StoreId) {
        if let Some(fence) = self.fences.get_mut(&store) {
            let outcome = fence.failed();
            self.fence_over(store, outcome);
        }
        self.fences.remove(&store);
    }

    pub(super) fn look_at_fences(&mut self) {
        let passing: Vec<StoreId> =
            self.fences.iter().filter(|(_, fence)| fence.is_passing()).map(|(store, _)| *store).collect();
        for store in passing {
            self.look_at_fence(store);
        }
    }

    fn look_at_fence(&mut self, store: StoreId) {
        let now = self.world.now.monotonic;
        let patience = self.settings.fence_patience;
        let Some(informer) = self.informers.get_mut(&store) else { return };
        let Some(fence) = self.fences.get_mut(&store) else { return };
        match fence.look(informer.position(), now, patience) {
            FenceOutcome::Wait => {}
            FenceOutcome::Hurry => {
                if let Some(want) = informer.hurry(HURRIED_WATCH) {
                    self.ask(store, want);
                }
            }
            FenceOutcome::Relist => self.list_again(store),
            outcome => self.fence_over(store, outcome),
        }
    }

    /// A fence is over: its keys pass again, or wait if it failed; whoever came meanwhile gets the next one.
    fn fence_over(&mut self, store: StoreId, outcome: FenceOutcome) {
        match outcome {
            FenceOutcome::Passed(waiters, server_time) => {
                for waiter in waiters {
                    match waiter {
                        Waiter::Key(key) => self.store_confirmed(key, store, server_time),
                        Waiter::Barrier(barrier) => self.caught_up(barrier, store),
                    }
                }
            }
            FenceOutcome::Failed(waiters) => {
                for waiter in waiters {
                    match waiter {
                        Waiter::Key(key) => {
                            self.leave_fences(key);
                            self.back_off(key);
                        }
                        Waiter::Barrier(barrier) => self.caught_up(barrier, store),
                    }
                }
            }
            FenceOutcome::Wait | FenceOutcome::Hurry | FenceOutcome::Relist => return,
        }
        let position = self.position(store);
        if let Some(next) = self.fences.remove(&store).and_then(|fence| fence.successor(position)) {
            self.fences.insert(store, next);
            self.ask_fence(store);
        }
    }

    fn position(&self, store: StoreId) -> u64 {
        self.informers.get(&store).map_or(0, Informer::position)
    }

    /// A list has ended. What waits for a version of a state that is gone asks again.
    pub(super) fn fence_listed(&mut self, store: StoreId, asked: Duration) {
        let position = self.position(store);
        let Some(fence) = self.fences.get_mut(&store).filter(|fence| fence.is_void(asked, position)) else {
            return;
        };
        let outcome = fence.failed();
        self.fence_over(store, outcome);
    }

    fn list_again(&mut self, store: StoreId) {
        let Some(want) = self.informers.get_mut(&store).map(Informer::restart) else { return };
        self.metrics.relists += 1;
        self.ask(store, want);
    }

    fn store_confirmed(&mut self, key: KeyId, store: StoreId, server_time: Option<Timestamp>) {
        let Some(state) = self.keys.get_mut(&key) else { return };
        let Some((wanted, confirmed)) = &mut state.fencing else { return };
        wanted.remove(&store);
        confirmed.insert(store, server_time);
        if wanted.is_empty() {
            state.confirmed = state.fencing.take().map(|(_, confirmed)| confirmed);
            self.enqueue(key);
        }
    }
}
