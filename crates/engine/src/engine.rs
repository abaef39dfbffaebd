//! The engine: one synchronous state machine, one thread, no locks. `handle(now, input)` gives outputs.
//!
//! Passes cost microseconds, so they run inline, a bounded number per call, after the input was taken in. Only writes are
//! concurrent: bounded per cluster, one plan per key in flight.

mod fences;
mod gauges;
mod holdings;
mod leadership;
mod passes;
mod readiness;
mod roots;
mod seen;
mod status;
mod steps;
mod stores;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use api::ClusterName;
use jiff::{SignedDuration, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use reconcile::{KindEntry, Object, Target};

pub use self::gauges::{Gauges, InformerGauge};
pub use self::holdings::Holdings;
use self::passes::Hold;
use self::roots::RootNode;
pub use self::seen::{Mark, News};
pub use self::status::{ClusterStatus, KeyVerdict, KindStatus, Status};
use self::steps::Sent;
use crate::answer::Answer;
use crate::fence::Fence;
use crate::ids::{BarrierId, ClusterId, ControllerId, Epoch, KeyId, Reader, RootId, SlotId, StepId, StoreId};
use crate::informer::{Failure, Informer};
use crate::keys::Keys;
use crate::lease::{Lease, LeaseAnswer, LeaseSettings, LeaseWant};
use crate::metrics::Metrics;
use crate::queue::{Queue, Turn};
use crate::registration::Registration;
use crate::request::Request;
use crate::time::{Now, Settings};
use crate::world::{Identity, World};

/// One page of a list.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its objects, decodable or not.
    pub objects: Vec<Object>,
    /// Token of the next page.
    pub continue_token: Option<String>,
    /// The list's version.
    pub version: String,
}

/// One event of a watch.
#[derive(Clone, Debug)]
pub enum Watched {
    /// Added or modified.
    Applied(Object),
    /// Deleted; the object carries the deletion's version.
    Deleted(Object),
    /// Only a version.
    Bookmark(String),
}

/// The answer to a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenceAnswer {
    /// The list's version, and the server's clock if it told.
    At {
        /// Version of the list.
        version: String,
        /// `Date` header.
        server_time: Option<Timestamp>,
    },
    /// The list failed.
    Failed(String),
}

/// What the shell tells the engine.
#[derive(Debug)]
pub enum Input {
    /// A provider engaged a cluster.
    Engaged(ClusterName, Identity),
    /// A provider dropped the engagement of this number.
    Disengaged(ClusterName, u64),
    /// The configuration was read again.
    Configured(Arc<dyn Any + Send + Sync>),
    /// A page came, or did not.
    Listed(StoreId, Epoch, Result<Page, Failure>),
    /// An event came.
    Watched(StoreId, Epoch, Watched),
    /// A watch ended or failed.
    WatchEnded(StoreId, Epoch, Failure),
    /// A step was answered or lost.
    Answered(StepId, Answer),
    /// A fence was answered.
    Fenced(StoreId, FenceAnswer),
    /// A lease was answered.
    Lease(usize, LeaseAnswer),
    /// Tell when every cache has caught up with its server as it is now.
    CatchUp(BarrierId),
    /// Stop sending, let answers drain, give leases back.
    Shutdown,
    /// Time has passed.
    Tick,
}

/// What the engine wants of the shell.
#[derive(Clone, Debug)]
pub enum Output {
    /// Fetch one page; whatever ran for this store before is cancelled.
    List {
        /// Answers carry it back.
        store: StoreId,
        /// Answers carry it back.
        epoch: Epoch,
        /// The plane.
        cluster: ClusterName,
        /// The kind.
        kind: &'static KindEntry,
        /// Objects per page.
        limit: u32,
        /// Token of the page before.
        continue_token: Option<String>,
    },
    /// Watch; whatever ran for this store before is cancelled.
    Watch {
        /// Answers carry it back.
        store: StoreId,
        /// Answers carry it back.
        epoch: Epoch,
        /// The plane.
        cluster: ClusterName,
        /// The kind.
        kind: &'static KindEntry,
        /// Version to start from.
        from: String,
        /// How long the server keeps it.
        timeout_seconds: u64,
    },
    /// Cancel whatever runs for this store.
    Stop(StoreId),
    /// Send a step.
    Execute(StepId, Request),
    /// Send a `limit=1` list that no cache may answer.
    Fence {
        /// Answers carry it back.
        store: StoreId,
        /// The plane.
        cluster: ClusterName,
        /// The kind.
        kind: &'static KindEntry,
    },
    /// Read or write a lease.
    Lease(usize, LeaseWant),
    /// Call again after this long, with whatever input there is then.
    WakeAfter(Duration),
    /// Every cache that can be read has caught up.
    CaughtUp(BarrierId),
    /// Everything was given back after a shutdown.
    Drained,
}

/// Something that must not happen; tests assert that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A key that no root names is not settled: its roots are incomplete.
    RootlessUnsettled {
        /// The controller.
        controller: &'static str,
        /// The key.
        key: String,
    },
    /// A step's target was not read by its pass.
    UnreadTarget {
        /// The controller.
        controller: &'static str,
        /// The target.
        target: String,
    },
    /// A pass panicked.
    Panicked {
        /// The controller.
        controller: &'static str,
        /// The key.
        key: String,
    },
}

/// Time since some fixed moment, read while a call runs. It is only counted: no decision may depend on it.
pub type Stopwatch = Box<dyn Fn() -> Duration>;

/// The engine.
pub struct Engine {
    world: World,
    settings: Settings,
    controllers: Vec<Box<dyn Registration>>,
    keys: Keys,
    roots: BTreeMap<RootId, RootNode>,
    root_of: BTreeMap<(StoreId, SlotId, ControllerId, usize), RootId>,
    rooted: BTreeMap<StoreId, Vec<(ControllerId, usize)>>,
    next_root: u32,
    informers: BTreeMap<StoreId, Informer>,
    queue: Queue,
    holds: BTreeMap<(ControllerId, Turn), Hold>,
    on_wire: BTreeMap<StepId, Sent>,
    in_flight: BTreeMap<ClusterId, usize>,
    waiting_for_room: BTreeMap<ClusterId, VecDeque<KeyId>>,
    on_object: BTreeMap<Target, VecDeque<KeyId>>,
    next_step: u64,
    fences: BTreeMap<StoreId, Fence>,
    barriers: BTreeMap<BarrierId, BTreeSet<StoreId>>,
    leases: Vec<Lease>,
    /// Keys whose steps wait until this process may act.
    withheld: BTreeSet<KeyId>,
    cause: Option<(StoreId, SlotId)>,
    is_stopping: bool,
    is_observing: bool,
    clock_offset: SignedDuration,
    random: ChaCha8Rng,
    outputs: Vec<Output>,
    stopwatch: Option<Stopwatch>,
    /// Counters.
    pub metrics: Metrics,
    /// Programming errors seen so far.
    pub violations: Vec<Violation>,
}

impl Engine {
    /// An engine with these controllers. The seed decides jitter and nothing else. Without leases it always leads.
    #[must_use]
    pub fn new(
        settings: Settings,
        seed: u64,
        now: Now,
        controllers: Vec<Box<dyn Registration>>,
        configuration: Arc<dyn Any + Send + Sync>,
    ) -> Self {
        Self {
            world: World::new(configuration, now),
            settings,
            controllers,
            keys: Keys::default(),
            roots: BTreeMap::new(),
            root_of: BTreeMap::new(),
            rooted: BTreeMap::new(),
            next_root: 0,
            informers: BTreeMap::new(),
            queue: Queue::default(),
            holds: BTreeMap::new(),
            on_wire: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            waiting_for_room: BTreeMap::new(),
            on_object: BTreeMap::new(),
            next_step: 0,
            fences: BTreeMap::new(),
            barriers: BTreeMap::new(),
            leases: Vec::new(),
            withheld: BTreeSet::new(),
            cause: None,
            is_stopping: false,
            is_observing: false,
            clock_offset: now.offset(),
            random: ChaCha8Rng::seed_from_u64(seed),
            outputs: Vec::new(),
            stopwatch: None,
            metrics: Metrics::default(),
            violations: Vec::new(),
        }
    }

    /// Acts only while all of these leases are held.
    #[must_use]
    pub fn with_leases(mut self, leases: Vec<LeaseSettings>) -> Self {
        self.leases = leases.into_iter().map(Lease::new).collect();
        self
    }

    /// Counts how long passes take by this stopwatch.
    #[must_use]
    pub fn timed_by(mut self, stopwatch: Stopwatch) -> Self {
        self.stopwatch = Some(stopwatch);
        self
    }

    /// Makes passes and never sends anything: for explanations.
    #[must_use]
    pub fn observing(mut self) -> Self {
        self.is_observing = true;
        self
    }

    /// Takes one input in and says what is wanted of the shell.
    pub fn handle(&mut self, now: Now, input: Input) -> Vec<Output> {
        self.take(now, input);
        self.finish()
    }

    /// Takes one input in without running passes: a shell with many inputs at hand takes them all in first.
    pub fn take(&mut self, now: Now, input: Input) {
        let still = now.monotonic.saturating_sub(self.world.now.monotonic);
        self.world.now = now;
        if still >= self.settings.standstill {
            self.informers.values_mut().for_each(|informer| informer.opens(now.monotonic));
        }
        self.watch_the_clock();
        match input {
            Input::Engaged(cluster, identity) => self.engaged(&cluster, identity),
            Input::Disengaged(cluster, engagement) => {
                let gone = self.world.disengage(&cluster, engagement);
                self.drop_stores(&gone);
            }
            Input::Configured(configuration) => self.world.configure(configuration),
            Input::Listed(store, epoch, page) => self.listed(store, epoch, page),
            Input::Watched(store, epoch, event) => self.watched(store, epoch, event),
            Input::WatchEnded(store, epoch, failure) => self.informer_failed(store, epoch, &failure),
            Input::Answered(step, answer) => self.answered(step, &answer),
            Input::Fenced(store, answer) => self.fence_answered(store, &answer),
            Input::Lease(lease, answer) => self.lease_answered(lease, answer),
            Input::CatchUp(barrier) => self.catch_up(barrier),
            Input::Shutdown => self.stop(),
            Input::Tick => {}
        }
    }

    /// Runs what became ready and says what is wanted.
    pub fn finish(&mut self) -> Vec<Output> {
        self.tick_leases();
        self.tick_informers();
        self.look_at_fences();
        for reader in self.world.pass_deadlines() {
            if let Reader::Key(key) = reader {
                let name = self.controller_name(key.controller);
                *self.metrics.timer_passes.entry(name).or_default() += 1;
            }
        }
        self.route_woken();
        self.release_holds();
        self.run_passes();
        self.start_wanted();
        self.drain();
        self.outputs.push(Output::WakeAfter(self.next_wake()));
        std::mem::take(&mut self.outputs)
    }

    /// If somebody set the clock, everything with a deadline is looked at again.
    fn watch_the_clock(&mut self) {
        let offset = self.world.now.offset();
        let drift = offset.saturating_sub(self.clock_offset).unsigned_abs();
        if drift >= self.settings.clock_jump {
            self.clock_offset = offset;
            self.world.wake_deadline_readers();
        }
    }

    /// Sends whoever was woken to where it belongs, until nobody is left.
    fn route_woken(&mut self) {
        while !self.world.woken.is_empty() {
            for reader in std::mem::take(&mut self.world.woken) {
                match reader {
                    Reader::Key(key) => self.wake(key),
                    Reader::Root(root) => self.derive(root),
                }
            }
        }
    }

    fn next_wake(&self) -> Duration {
        if self.queue.ready_len() > 0 || !self.world.woken.is_empty() {
            return Duration::ZERO;
        }
        let now = self.world.now;
        let monotonic = [
            self.queue.next_due(),
            self.informers.values().filter_map(Informer::waits_until).min(),
            self.fences.values().filter_map(|fence| fence.wakes_at(self.settings.fence_patience)).min(),
            self.leases.iter().filter(|_| !self.is_stopping).filter_map(Lease::wakes_at).min(),
            self.holds.values().map(|hold| hold.until).min(),
        ];
        let monotonic = monotonic.into_iter().flatten().min().map(|at| at.saturating_sub(now.monotonic));
        let wall = self.world.next_deadline().map(|at| now.until(at));
        [monotonic, wall].into_iter().flatten().min().unwrap_or(Duration::from_hours(1))
    }

    fn controller_name(&self, id: ControllerId) -> &'static str {
        self.controllers.get(usize::from(id.0)).map_or("unknown", |controller| controller.name())
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys = self.keys.len();
        write!(
            formatter,
            "Engine({keys} keys, {} ready, {} on the wire)",
            self.queue.ready_len(),
            self.on_wire.len()
        )
    }
}
