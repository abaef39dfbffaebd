//! What the engine remembers of a key between passes. All of it is memory: a fresh process rebuilds it from roots.

mod table;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use api::Uid;
use jiff::Timestamp;
use reconcile::step::Verb;
use reconcile::{Attempt, Attempts, Step, Target};

pub use self::table::Keys;
use crate::ids::{RootId, StepId, StoreId};
use crate::queue::Turn;
use crate::world::ReadSet;

/// Where a key is.
#[derive(Debug)]
pub enum Phase {
    /// Nothing to do.
    Idle,
    /// Waits in the queue.
    Queued,
    /// A step of its plan is on the wire, or waits for room on its cluster.
    InFlight(Box<Flight>),
    /// Waits for a fence before a step that destroys.
    Fenced,
}

/// A plan on its way.
#[derive(Debug)]
pub struct Flight {
    /// Steps not sent yet.
    pub steps: VecDeque<Step>,
    /// The one on the wire.
    pub current: Option<(StepId, Step)>,
    /// Objects this plan has written.
    pub wrote: BTreeSet<Target>,
    /// The object of the step on the wire changed before the answer came: by our own hand if the answer says the same.
    pub suspects_itself: bool,
}

/// One step's answers that were not success.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What the plan sees, without whether it is due.
    pub attempt: Attempt,
    /// When it may be tried again.
    pub due: Duration,
    /// The version of the object that was asked about: another version is another question.
    pub version: String,
    /// Whether plans see it: refusals at once, failures when they repeat.
    pub is_visible: bool,
}

/// What a key waits for: reason and message.
pub type Wait = (&'static str, String);

/// Memory of one key.
#[derive(Debug)]
pub struct KeyState {
    /// The turn it waits in.
    pub turn: Turn,
    /// Where it is.
    pub phase: Phase,
    /// Something it read changed since its pass.
    pub dirty: bool,
    /// Root derivations that name it.
    pub roots: BTreeSet<RootId>,
    /// The last of them went with its cluster: the key goes too, settled or not.
    pub is_dropped: bool,
    /// What its last successful pass read; the union with the current one while steps are on the wire.
    pub reads: ReadSet,
    /// What it waits for, if it is not settled; `None` before the first pass.
    pub waiting: Option<Option<Wait>>,
    /// Refusals by step.
    pub refusals: BTreeMap<(Target, Verb), Refusal>,
    /// Fingerprints of steps, with the version the server answered.
    pub answered: BTreeMap<u64, String>,
    /// Races in a row.
    pub races: u32,
    /// Failures in a row.
    pub failures: u32,
    /// Writes in the current minute, and when it began.
    pub budget: (Duration, u32),
    /// Stores whose absences a fence confirmed after the last pass, with the server's time where it told; good for one pass.
    pub confirmed: Option<Confirmations>,
    /// When this process first knew of it.
    pub since: Duration,
    /// The life and creation of an object that the step on the wire turns Ready.
    pub readying: Option<(Uid, Timestamp)>,
    /// The life of the object whose first Ready was counted.
    pub readied: Option<Uid>,
    /// Fences it waits for, and those that have passed.
    pub fencing: Option<(BTreeSet<StoreId>, Confirmations)>,
}

/// Stores that a fence confirmed, with the server's time where it told.
pub type Confirmations = BTreeMap<StoreId, Option<Timestamp>>;

impl KeyState {
    /// A key nobody has looked at.
    #[must_use]
    pub fn new(turn: Turn, now: Duration) -> Self {
        Self {
            turn,
            phase: Phase::Idle,
            dirty: false,
            roots: BTreeSet::new(),
            is_dropped: false,
            reads: ReadSet::default(),
            waiting: None,
            refusals: BTreeMap::new(),
            answered: BTreeMap::new(),
            races: 0,
            failures: 0,
            budget: (Duration::ZERO, 0),
            confirmed: None,
            since: now,
            readying: None,
            readied: None,
            fencing: None,
        }
    }

    /// The refusals as a pass sees them.
    #[must_use]
    pub fn attempts(&self, now: Duration) -> Attempts {
        let seen = |refusal: &Refusal| Attempt { is_due: refusal.due <= now, ..refusal.attempt.clone() };
        Attempts(self.refusals.values().filter(|refusal| refusal.is_visible).map(seen).collect())
    }

    /// The refusal of a step as something to wait for.
    #[must_use]
    pub fn held_back_by(&self, step: &Step) -> Option<Wait> {
        let verb = step.action.verb();
        let refusal = self.refusals.get(&(step.target.clone(), verb))?;
        let Attempt { target, message, due, .. } = &refusal.attempt;
        let reason = if refusal.is_visible { "Refused" } else { "Retrying" };
        let text =
            format!("{} of {target} did not succeed: {message}; it is tried again at {due}", verb.as_str());
        Some((reason, text))
    }

    /// When the next refusal may be tried again.
    #[must_use]
    pub fn next_due(&self, now: Duration) -> Option<Duration> {
        self.refusals.values().map(|refusal| refusal.due).filter(|due| *due > now).min()
    }

    /// Counts a write against the budget; false if it is spent.
    pub fn spend(&mut self, now: Duration, per_minute: u32) -> bool {
        if now >= self.budget.0 + Duration::from_mins(1) {
            self.budget = (now, 0);
        }
        self.budget.1 = self.budget.1.saturating_add(1);
        self.budget.1 <= per_minute
    }

    /// When the budget is whole again.
    #[must_use]
    pub fn budget_renewed(&self) -> Duration {
        self.budget.0 + Duration::from_mins(1)
    }
}
