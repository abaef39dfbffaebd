//! The world: planes that are real servers, manager processes that are real engines, one clock and one queue of events.
//!
//! The next event is always the earliest; among events of one instant the seed decides. Nothing else moves: no thread, no
//! socket, no real time. The same seed gives the same events on any machine.

mod chaos;
pub mod gate;
pub mod interference;
mod planes;
mod processes;
mod provider;
pub mod requests;
mod streams;
mod trouble;
pub mod users;
pub mod views;
mod wire;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use api::ClusterName;
use apiserver::request::RequestId;
use engine::Engine;
use engine::metrics::Metrics;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::dice::Dice;
use crate::fault::{FaultCounts, Faults, Luck};
use crate::manager::{Manager, ManagerOptions};
use crate::network::{Event, ManagerId, Pending, Sent};
use crate::plane::{Changed, Plane, PlaneError, Templates};
use crate::trace::TraceHash;

use self::interference::Interferences;
use self::streams::Stream;
use self::views::Views;

/// When every world begins.
const BEGINNING: i64 = 1_800_000_000;

/// An answer to a user.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// HTTP code.
    pub code: u16,
    /// Body; a text that is no JSON is a string.
    pub body: Value,
}

/// Who made a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// A manager process.
    Manager(ManagerId),
    /// Somebody outside.
    User,
    /// The server's own collectors.
    Server,
}

/// A change, as whoever sees everything sees it.
#[derive(Clone, Debug)]
pub struct Commit {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub author: Author,
    /// What.
    pub changed: Changed,
    /// The request that made it.
    pub request: Option<Arc<Sent>>,
}

/// An answer on its way to the process that asked.
#[derive(Clone, Debug)]
pub struct Answered {
    /// To which request.
    pub request: RequestId,
    /// Who asked.
    pub manager: ManagerId,
    /// The plane.
    pub cluster: ClusterName,
    /// Its code.
    pub code: u16,
    /// The plural of which a fence asked; none for a write.
    pub asked: Option<&'static str>,
}

/// What happened, as whoever sees everything sees it, in order.
#[derive(Clone, Debug)]
pub enum Observation {
    /// A manager put a write on the wire.
    Sent(Timestamp, Arc<Sent>),
    /// A plane answered a write or a fence of a manager, as of now; the answer arrives unless the manager dies.
    Answered(Timestamp, Answered),
    /// An object changed.
    Commit(Commit),
    /// Something befell the world; in words.
    Note(Timestamp, String),
    /// A plane holds this from now on: it was restored or replaced, or is gone.
    Reset(Timestamp, ClusterName, BTreeMap<crate::plane::ObjectRef, Arc<Value>>),
}

impl Observation {
    /// The change, if a manager made it to an object of this plural.
    #[must_use]
    pub fn written(&self, plural: &str) -> Option<&Commit> {
        let Self::Commit(commit) = self else { return None };
        let is_written =
            matches!(commit.author, Author::Manager(_)) && commit.changed.object.plural() == plural;
        is_written.then_some(commit)
    }
}

/// What a world is made of.
#[derive(Clone, Debug)]
pub struct WorldOptions {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// Which faults happen.
    pub faults: Faults,
    /// Shortest and longest time on the wire, in milliseconds.
    pub latency: (u64, u64),
    /// Whether somebody looks at what happened; otherwise none of it is kept.
    pub is_observed: bool,
    /// Whether somebody also reads every event, as a line.
    pub is_traced: bool,
}

impl WorldOptions {
    /// A world without faults, in which everything takes a millisecond.
    #[must_use]
    pub fn calm(seed: u64) -> Self {
        Self { seed, faults: Faults::none(), latency: (1, 1), is_observed: false, is_traced: false }
    }
}

/// See the module.
pub struct World {
    now: Timestamp,
    options: WorldOptions,
    dice: Dice,
    /// Chance of the turns of bad luck: when they come, whatever else happens.
    turns: Dice,
    luck: Luck,
    templates: Templates,
    planes: BTreeMap<ClusterName, Plane>,
    next_identity: u64,
    managers: BTreeMap<ManagerId, Manager>,
    replicas: BTreeMap<u32, (ManagerOptions, Option<ManagerId>)>,
    next_manager: u32,
    next_request: u64,
    pending: BTreeMap<RequestId, Pending>,
    streams: BTreeMap<RequestId, Stream>,
    replies: BTreeMap<RequestId, Reply>,
    queue: BTreeMap<(Timestamp, u64, u64), Event>,
    next_event: u64,
    held: BTreeMap<ManagerId, Vec<Arc<Sent>>>,
    cut: BTreeSet<(ManagerId, ClusterName, planes::Direction)>,
    disengaged: BTreeSet<ClusterName>,
    writes: VecDeque<String>,
    interferences: Interferences,
    views: Views,
    is_faulty: bool,
    is_gated: bool,
    /// Events as lines, with their times, that nobody has read yet.
    pub told: VecDeque<(Timestamp, String)>,
    /// What engines counted whose processes are gone.
    pub ended: Vec<Metrics>,
    /// What happened and nobody has looked at yet.
    pub observed: VecDeque<Observation>,
    /// Faults that happened.
    pub faults: FaultCounts,
    /// Events that happened.
    pub events: u64,
    /// Processes that ended by fault.
    pub restarts: u64,
    /// Fingerprint of everything that happened.
    pub trace: TraceHash,
}

impl World {
    /// Core, hub and two cells, with the product's kinds, no faults, and nobody running.
    ///
    /// # Errors
    /// If a kind's definition is broken.
    pub fn new(seed: u64) -> Result<Self, PlaneError> {
        let templates = Templates::new()?;
        let mut world = Self::with(templates, WorldOptions::calm(seed));
        for name in ["one", "two"] {
            world.add_plane(&ClusterName::Cell(name.into()));
        }
        Ok(world)
    }

    /// Core and hub over compiled kinds, and nobody running.
    #[must_use]
    pub fn with(templates: Templates, options: WorldOptions) -> Self {
        let mut world = Self {
            now: beginning(),
            dice: Dice::new(options.seed, 0),
            turns: Dice::new(options.seed, 3),
            luck: Luck::new(options.seed, options.faults.clone()),
            options,
            templates,
            planes: BTreeMap::new(),
            next_identity: 0,
            managers: BTreeMap::new(),
            replicas: BTreeMap::new(),
            next_manager: 0,
            next_request: 0,
            pending: BTreeMap::new(),
            streams: BTreeMap::new(),
            replies: BTreeMap::new(),
            queue: BTreeMap::new(),
            next_event: 0,
            held: BTreeMap::new(),
            cut: BTreeSet::new(),
            disengaged: BTreeSet::new(),
            writes: VecDeque::new(),
            interferences: Interferences::default(),
            views: Views::default(),
            is_faulty: false,
            is_gated: false,
            told: VecDeque::new(),
            ended: Vec::new(),
            observed: VecDeque::new(),
            faults: FaultCounts::default(),
            events: 0,
            restarts: 0,
            trace: TraceHash::default(),
        };
        world.add_plane(&ClusterName::Core);
        world.add_plane(&ClusterName::Hub);
        world
    }

    /// True time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A plane.
    #[must_use]
    pub fn plane(&self, cluster: &ClusterName) -> Option<&Plane> {
        self.planes.get(cluster)
    }

    /// Every plane there is.
    pub fn planes(&self) -> impl Iterator<Item = &Plane> {
        self.planes.values()
    }

    /// The number the next manager gets.
    #[must_use]
    pub fn next_manager_number(&self) -> u32 {
        self.next_manager
    }

    /// The engine of a manager.
    #[must_use]
    pub fn engine(&self, id: ManagerId) -> Option<&Engine> {
        self.managers.get(&id).map(|manager| &manager.engine)
    }

    /// The engine of a manager, to ask for explanations.
    pub fn engine_mut(&mut self, id: ManagerId) -> Option<&mut Engine> {
        self.managers.get_mut(&id).map(|manager| &mut manager.engine)
    }

    /// Which faults struck on which of their occasions, and how many occasions there were.
    #[must_use]
    pub fn luck(&self) -> &Luck {
        &self.luck
    }

    /// Running managers.
    #[must_use]
    pub fn managers(&self) -> Vec<ManagerId> {
        self.managers.keys().copied().collect()
    }

    /// Writes that managers sent, as `METHOD path`, in order.
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        self.writes.iter().cloned().collect()
    }

    /// Runs until every manager is idle and nothing is on the wire; false if that does not happen within `limit`.
    pub fn run_until_idle(&mut self, limit: Duration) -> bool {
        let end = self.after(limit);
        while self.now <= end {
            if self.is_idle() {
                return true;
            }
            if !self.step() {
                return self.is_idle();
            }
        }
        false
    }

    /// Lets this much time pass.
    pub fn advance(&mut self, by: Duration) {
        let end = self.after(by);
        while self.next_at().is_some_and(|at| at <= end) {
            self.step();
        }
        self.pass(end);
    }

    /// It is this late now, and nothing was due until then.
    pub fn pass(&mut self, until: Timestamp) {
        self.now = self.now.max(until);
    }

    fn note(&mut self, text: impl Into<String>) {
        self.observe(Observation::Note(self.now, text.into()));
    }

    fn tell(&mut self, text: impl FnOnce() -> String) {
        if self.options.is_traced {
            self.told.push_back((self.now, text()));
        }
    }

    fn observe(&mut self, observation: Observation) {
        if self.options.is_observed {
            self.observed.push_back(observation);
        }
    }

    fn after(&self, wait: Duration) -> Timestamp {
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        self.now.checked_add(wait).unwrap_or(Timestamp::MAX)
    }

    /// When the next event happens.
    #[must_use]
    pub fn next_at(&self) -> Option<Timestamp> {
        let queued = self.queue.keys().next().map(|(at, ..)| *at);
        let awake = self.managers.values().filter(|manager| manager.paused_until.is_none());
        let manager = awake.map(|manager| manager.wake_at).min();
        let plane = self.planes.values().filter(|plane| plane.is_up).map(|plane| plane.wake).min();
        [queued, manager, plane].into_iter().flatten().min().filter(|at| *at < Timestamp::MAX)
    }

    /// Takes the next event. False if there is none.
    pub fn step(&mut self) -> bool {
        let Some(at) = self.next_at() else { return false };
        self.now = self.now.max(at);
        self.events += 1;
        self.trace.take(&self.now.as_microsecond().to_le_bytes());
        if self.queue.keys().next().is_some_and(|(at, ..)| *at <= self.now) {
            if let Some((_, event)) = self.queue.pop_first() {
                self.tell(|| event.text());
                self.happen(event);
            }
            return true;
        }
        if let Some(cluster) = self.due_plane() {
            self.tell(|| format!("{cluster} works by itself"));
            self.tick_plane(&cluster);
            return true;
        }
        let is_due = |manager: &Manager| manager.wake_at <= self.now && manager.paused_until.is_none();
        let due = self.managers.iter().find(|(_, manager)| is_due(manager)).map(|(id, _)| *id);
        if let Some(id) = due {
            self.tell(|| format!("{id} is woken by a timer"));
            self.feed(id, engine::Input::Tick);
        }
        true
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrive(sent) => self.arrive(&sent),
            Event::Inform(manager, input) => self.inform(manager, *input),
            Event::Deadline(request) => self.give_up(request),
            Event::Deliver(request) => self.deliver(request),
            Event::Ping(manager, cluster) => self.ping(manager, &cluster),
            Event::Resume(manager) => self.resume(manager),
            Event::Look(manager) => self.look(manager),
            Event::Misfortune => self.misfortune(),
            Event::Mend(mending) => self.mend(mending),
        }
    }

    fn schedule(&mut self, at: Timestamp, event: Event) {
        let tie = if self.is_faulty { self.dice.any() } else { 0 };
        self.queue.insert((at, tie, self.next_event), event);
        self.next_event += 1;
    }

    fn schedule_in(&mut self, wait: SignedDuration, event: Event) {
        let at = self.now.checked_add(wait).unwrap_or(Timestamp::MAX);
        self.schedule(at, event);
    }

    /// Time on the wire.
    fn latency(&mut self) -> SignedDuration {
        let (low, high) = self.options.latency;
        if low == high {
            return SignedDuration::from_millis(i64::try_from(low).unwrap_or(i64::MAX));
        }
        self.dice.millis(low, high)
    }
}

pub(crate) fn beginning() -> Timestamp {
    Timestamp::from_second(BEGINNING).unwrap_or(Timestamp::UNIX_EPOCH)
}
