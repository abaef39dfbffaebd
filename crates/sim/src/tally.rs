//! What happened in runs, counted: how much of everything, and which parts of the product and of the world were met.

use std::collections::BTreeMap;

use api::builtin::EventReason;
use api::networking::{NetworkBindingReason, NetworkContextReason, NetworkReason};
use engine::metrics::{Metrics, PassOutcome};
use jiff::SignedDuration;
use serde_json::Value;

use crate::fault::{Fault, FaultCounts};
use crate::world::{Author, Commit, World};

/// What happened, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Events.
    pub events: u64,
    /// Writes of managers that changed something, leases left out.
    pub writes: u64,
    /// Passes of all engines that ran to the end.
    pub passes: u64,
    /// Processes that ended and came back.
    pub restarts: u64,
    /// Contexts that were removed altogether.
    pub deletions: u64,
    /// Declarations that were made beside dead projects and broken objects.
    pub served: u64,
    /// How long the slowest of them took.
    pub slowest: SignedDuration,
    /// Faults.
    pub faults: FaultCounts,
    /// What was met.
    pub coverage: Coverage,
}

/// What was met, and how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Occasions of faults, whether they struck or not.
    pub occasions: BTreeMap<Fault, u64>,
    /// Steps that were sent, by controller and their constant reason.
    pub sites: BTreeMap<(&'static str, &'static str), u64>,
    /// Reasons that managers wrote, by plural: of conditions that changed, and of events.
    pub reasons: BTreeMap<(String, String), u64>,
    /// How passes ended, by controller.
    pub passes: BTreeMap<(&'static str, &'static str), u64>,
    /// What plans waited for when their steps were done, by controller and reason.
    pub waits: BTreeMap<(&'static str, &'static str), u64>,
}

impl Totals {
    /// Adds another run's.
    pub fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.writes += other.writes;
        self.passes += other.passes;
        self.restarts += other.restarts;
        self.deletions += other.deletions;
        self.served += other.served;
        self.slowest = self.slowest.max(other.slowest);
        self.faults.add(&other.faults);
        self.coverage.add(&other.coverage);
    }

    /// A declaration was served beside trouble.
    pub(crate) fn take_served(&mut self, took: SignedDuration) {
        self.served += 1;
        self.slowest = self.slowest.max(took);
    }

    /// Counts a change.
    pub(crate) fn take_commit(&mut self, commit: &Commit) {
        let plural = commit.changed.object.plural();
        let is_written = matches!(commit.author, Author::Manager(_)) && plural != "leases";
        self.writes += u64::from(is_written);
        let is_gone = plural == "networkcontexts" && commit.changed.after.is_none();
        self.deletions += u64::from(is_gone);
        if is_written {
            for reason in new_reasons(commit) {
                *self.coverage.reasons.entry((plural.to_owned(), reason)).or_default() += 1;
            }
        }
    }

    /// Counts what a world and its engines have counted themselves, at the end of a run.
    pub(crate) fn take_world(&mut self, world: &World) {
        self.events = world.events;
        self.restarts = world.restarts;
        self.faults = world.faults.clone();
        self.coverage.occasions = world.luck().occasions();
        let living = world.managers().into_iter().filter_map(|id| world.engine(id));
        for metrics in world.ended.iter().chain(living.map(|engine| &engine.metrics)) {
            let whole = metrics.passes.iter().filter(|((_, outcome), _)| *outcome != PassOutcome::Cold);
            self.passes += whole.map(|(_, count)| count).sum::<u64>();
            self.coverage.take_engine(metrics);
        }
    }
}

/// Reasons that a change brought: of conditions that are other than before, or of an event.
fn new_reasons(commit: &Commit) -> Vec<String> {
    let Some(after) = commit.changed.after.as_deref() else { return Vec::new() };
    if let ("events", Some(reason)) = (commit.changed.object.plural(), after["reason"].as_str()) {
        return vec![reason.to_owned()];
    }
    let all = |object: &Value| {
        let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
        let said = conditions.into_iter().flatten();
        said.map(|one| {
            ["type", "status", "reason"].map(|field| one[field].as_str().unwrap_or_default().to_owned())
        })
        .collect::<Vec<_>>()
    };
    let before = commit.changed.before.as_deref().map(all).unwrap_or_default();
    all(after).into_iter().filter(|said| !before.contains(said)).map(|[.., reason]| reason).collect()
}

impl Coverage {
    fn take_engine(&mut self, metrics: &Metrics) {
        add(&mut self.sites, &metrics.reasons);
        add(&mut self.waits, &metrics.waits);
        for ((controller, outcome), count) in &metrics.passes {
            *self.passes.entry((*controller, outcome.as_str())).or_default() += count;
        }
    }

    /// Adds another run's.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.occasions, &other.occasions);
        add(&mut self.sites, &other.sites);
        add(&mut self.reasons, &other.reasons);
        add(&mut self.passes, &other.passes);
        add(&mut self.waits, &other.waits);
    }

    /// Reasons that a manager can write and that were never met, by plural.
    #[must_use]
    pub fn missing_reasons(&self) -> Vec<(&'static str, &'static str)> {
        let known = known_reasons();
        let is_missing = |(plural, reason): &(&str, &str)| {
            !self.reasons.contains_key(&((*plural).to_owned(), (*reason).to_owned()))
        };
        known.into_iter().filter(is_missing).collect()
    }
}

/// Every reason of the kinds that a manager's controllers write, and of events.
fn known_reasons() -> Vec<(&'static str, &'static str)> {
    let networks = NetworkReason::ALL.iter().map(|reason| ("networks", reason.as_str()));
    let bindings = NetworkBindingReason::ALL.iter().map(|reason| ("networkbindings", reason.as_str()));
    let contexts = NetworkContextReason::ALL.iter().map(|reason| ("networkcontexts", reason.as_str()));
    let events = EventReason::ALL.iter().map(|reason| ("events", reason.as_str()));
    networks.chain(bindings).chain(contexts).chain(events).collect()
}

fn add<K: Ord + Clone>(to: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *to.entry(key.clone()).or_default() += count;
    }
}
