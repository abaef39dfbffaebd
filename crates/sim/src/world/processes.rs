//! Manager processes: started, killed, ended in order, made to stand still; and what their engines want of the world.

use std::collections::VecDeque;

use engine::{Input, Output, wire};
use jiff::{SignedDuration, Timestamp};

use super::World;
use super::views::touched;
use super::wire::Draft;
use crate::dice::Dice;
use crate::fault::Fault;
use crate::manager::{Manager, ManagerOptions};
use crate::network::{Event, ManagerId, Mending, Purpose};

/// How long the shell waits for a page, and for a watch to open.
const PAGE_DEADLINE: SignedDuration = SignedDuration::from_secs(30);
/// How long it waits for a fence.
const FENCE_DEADLINE: SignedDuration = SignedDuration::from_secs(10);
/// How much longer than its server a reader keeps a watch.
const WATCH_MARGIN: SignedDuration = SignedDuration::from_secs(15);
/// Inputs that it takes in one batch.
const BATCH_MAX: usize = 1024;
/// How long a process is busy, in milliseconds: mostly a few requests long,
const BUSY_BRIEFLY: (u64, u64) = (1, 50);
/// sometimes a few passes of everything long,
const BUSY: (u64, u64) = (50, 1_000);
/// and at times so long that its leases come near their end.
const BUSY_LONG: (u64, u64) = (1_000, 13_000);

impl World {
    /// Starts a manager.
    pub fn start_manager(&mut self, options: &ManagerOptions) -> ManagerId {
        let id = ManagerId(self.next_manager);
        self.next_manager += 1;
        let seed = self.options.seed.wrapping_add(u64::from(id.0));
        self.managers.insert(id, Manager::start(options, seed, self.now));
        self.note(format!("{id} starts as {}", options.identity));
        self.look(id);
        id
    }

    /// Starts replica `number` of a manager; when it dies by fault, another process takes its place.
    pub fn start_replica(&mut self, number: u32, options: ManagerOptions) -> ManagerId {
        let identity = format!("replica-{number}-{}", self.next_manager);
        let id = self.start_manager(&ManagerOptions { identity, ..options.clone() });
        self.replicas.insert(number, (options, Some(id)));
        id
    }

    /// Kills a manager: nothing of it is left but what is on the wire.
    pub fn kill_manager(&mut self, id: ManagerId) {
        if let Some(manager) = self.managers.remove(&id) {
            self.ended.push(manager.engine.metrics);
            self.note(format!("{id} is gone"));
        }
        self.held.remove(&id);
        self.forget_views(id);
        self.needs_nothing(id);
        let is_its_own = |purpose: &Purpose| purpose.manager() == Some(id);
        let waiting: Vec<_> = self
            .pending
            .iter()
            .filter(|(_, pending)| is_its_own(&pending.purpose))
            .map(|(id, _)| *id)
            .collect();
        for request in waiting {
            self.close(request);
        }
    }

    /// Asks a manager to stop: it drains and gives its leases back. It is gone when it has.
    pub fn stop_manager(&mut self, id: ManagerId) {
        self.feed(id, Input::Shutdown);
        while self.managers.get(&id).is_some_and(|manager| !manager.is_drained) && self.step() {}
        self.kill_manager(id);
    }

    /// While held, requests of a manager stay on its machine; released, they go out.
    pub fn hold_requests(&mut self, id: ManagerId, is_held: bool) {
        if let Some(manager) = self.managers.get_mut(&id) {
            manager.is_held = is_held;
        }
        if !is_held {
            for sent in self.held.remove(&id).unwrap_or_default() {
                self.launch(sent);
            }
        }
    }

    /// A process stands still: nothing reaches it and no time passes for it to act in.
    pub(super) fn pause(&mut self, id: ManagerId, wait: SignedDuration) {
        let until = self.now.checked_add(wait).unwrap_or(Timestamp::MAX);
        if let Some(manager) = self.managers.get_mut(&id) {
            manager.paused_until = Some(until);
            self.note(format!("{id} stands still until {until}"));
            self.schedule(until, Event::Resume(id));
        }
    }

    pub(super) fn resume(&mut self, id: ManagerId) {
        let Some(manager) = self.managers.get_mut(&id) else { return };
        if manager.paused_until.is_none_or(|until| until > self.now) {
            return;
        }
        manager.paused_until = None;
        let waiting = std::mem::take(&mut manager.parked);
        if std::mem::take(&mut manager.is_busy) {
            return self.feed_in_batches(id, waiting);
        }
        for input in waiting {
            self.feed(id, input);
        }
        self.feed(id, Input::Tick);
    }

    /// A process has no time for what comes now, and takes it all at once when it has.
    pub(super) fn keep_busy(&mut self, id: ManagerId, mut dice: Dice) {
        let (low, high) = match dice.below(10) {
            0..6 => BUSY_BRIEFLY,
            6..9 => BUSY,
            _ => BUSY_LONG,
        };
        self.pause(id, dice.millis(low, high));
        if let Some(manager) = self.managers.get_mut(&id) {
            manager.is_busy = true;
        }
    }

    /// Whether managers are idle and nothing is on the wire but what never ends.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let is_held = |purpose: &Purpose| {
            let manager = purpose.manager().and_then(|id| self.managers.get(&id));
            manager.is_none_or(|manager| manager.is_held)
        };
        let is_quiet = |purpose: &Purpose| {
            matches!(purpose, Purpose::Watch(..) | Purpose::Lease(..)) || is_held(purpose)
        };
        let is_routine = |event: &Event| match event {
            Event::Deadline(_) | Event::Misfortune => true,
            Event::Inform(_, input) => matches!(**input, Input::Lease(..)),
            Event::Arrive(sent) => sent.request.path.contains("/leases"),
            _ => false,
        };
        let mut running = self.managers.values().filter(|manager| !manager.is_held);
        self.pending.values().all(|pending| is_quiet(&pending.purpose))
            && self.queue.values().all(is_routine)
            && !self.is_anybody_behind()
            && self.planes.values().all(|plane| plane.wake > self.now)
            && running.all(|manager| manager.engine.is_idle())
    }

    /// An input reaches a process; one that stands still gets it later.
    pub(super) fn inform(&mut self, id: ManagerId, input: Input) {
        self.caught_up_by(id, &input);
        if matches!(input, Input::Answered(..)) {
            let is_free = self.managers.get(&id).is_some_and(|manager| manager.paused_until.is_none());
            if let Some(dice) = self.strikes_if(Fault::InputsPileUp, is_free) {
                self.keep_busy(id, dice);
            }
        }
        match self.managers.get_mut(&id) {
            Some(manager) if manager.paused_until.is_some() => manager.parked.push_back(input),
            Some(_) => self.feed(id, input),
            None => {}
        }
    }

    /// Gives a manager an input and does what it wants.
    pub(super) fn feed(&mut self, id: ManagerId, input: Input) {
        self.feed_batch(id, [input]);
    }

    /// Gives a manager what has piled up, in batches as large as the product's shell takes.
    fn feed_in_batches(&mut self, id: ManagerId, mut waiting: VecDeque<Input>) {
        loop {
            let batch: Vec<Input> = waiting.drain(..waiting.len().min(BATCH_MAX)).collect();
            self.feed_batch(id, batch);
            if waiting.is_empty() {
                return;
            }
        }
    }

    /// As the product's shell does it: the time, then every input that is there, then whatever follows from them.
    fn feed_batch(&mut self, id: ManagerId, batch: impl IntoIterator<Item = Input>) {
        let now = self.now;
        let Some(manager) = self.managers.get_mut(&id) else { return };
        let at = manager.clock.at(now);
        manager.engine.take(at, Input::Tick);
        let mut about = Vec::new();
        for input in batch {
            if self.options.is_observed {
                about.extend(touched(&manager.engine, &input));
            }
            manager.engine.take(at, input);
        }
        let outputs = manager.engine.finish();
        self.compare_views(id, about);
        self.trace.number(u64::from(id.0));
        for output in outputs {
            if !self.managers.contains_key(&id) {
                // It died over one of its writes.
                return;
            }
            self.wanted(id, output);
        }
    }

    fn wanted(&mut self, id: ManagerId, output: Output) {
        match output {
            Output::List { store, epoch, cluster, kind, limit, continue_token } => {
                let path = wire::page_path(kind, limit, continue_token.as_deref());
                self.send(id, Purpose::Page(id, store, epoch, kind), get(cluster, &path, PAGE_DEADLINE));
            }
            Output::Watch { store, epoch, cluster, kind, from, timeout_seconds } => {
                self.cancel_watch(id, store);
                let path = wire::watch_path(kind, &from, timeout_seconds);
                let purpose = Purpose::Watch(id, store, epoch, kind);
                let request = self.send(id, purpose, get(cluster, &path, PAGE_DEADLINE));
                let seconds = i64::try_from(timeout_seconds).unwrap_or(i64::MAX);
                self.stream(request, SignedDuration::from_secs(seconds) + WATCH_MARGIN);
            }
            Output::Stop(store) => {
                self.stops_watching(id, store);
                self.cancel_watch(id, store);
            }
            Output::Execute(step, request) => {
                self.writes.push_back(format!("{} {}", request.method.as_str(), request.path));
                let purpose = Purpose::Step(id, step, request.kind);
                self.send(id, purpose, draft(&request));
            }
            Output::Fence { store, cluster, kind } => {
                self.send(
                    id,
                    Purpose::Fence(id, store, kind),
                    get(cluster, &wire::fence_path(kind), FENCE_DEADLINE),
                );
            }
            Output::Lease(lease, want) => {
                let place = self.managers.get(&id).and_then(|manager| manager.places.get(lease));
                if let Some(request) = place.map(|place| place.request(&want)) {
                    self.send(id, Purpose::Lease(id, lease), draft(&request));
                }
            }
            Output::WakeAfter(wait) => {
                let at = self.after(wait).max(self.now + SignedDuration::from_micros(1));
                if let Some(manager) = self.managers.get_mut(&id) {
                    manager.wake_at = at;
                }
            }
            Output::CaughtUp(_) => {}
            Output::Drained => {
                if let Some(manager) = self.managers.get_mut(&id) {
                    manager.is_drained = true;
                }
                if self.replicas.values().any(|(_, running)| *running == Some(id)) {
                    self.schedule(self.now, Event::Mend(Mending::Drained(id)));
                }
            }
        }
    }

    fn cancel_watch(&mut self, id: ManagerId, store: engine::StoreId) {
        let is_it =
            |purpose: &Purpose| matches!(purpose, Purpose::Watch(of, at, ..) if (*of, *at) == (id, store));
        let running: Vec<_> =
            self.pending.iter().filter(|(_, pending)| is_it(&pending.purpose)).map(|(id, _)| *id).collect();
        for request in running {
            self.close(request);
        }
    }
}

fn get(cluster: api::ClusterName, path: &str, timeout: SignedDuration) -> Draft<'_> {
    Draft { cluster, method: "GET", path, content_type: "", body: Vec::new(), timeout }
}

fn draft(request: &engine::Request) -> Draft<'_> {
    Draft {
        cluster: request.cluster.clone(),
        method: request.method.as_str(),
        path: &request.path,
        content_type: request.content_type,
        body: request.body.clone(),
        timeout: SignedDuration::try_from(request.timeout).unwrap_or(SignedDuration::MAX),
    }
}
