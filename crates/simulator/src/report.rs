//! What is told of runs: of a breach at once, of all of them at the end.

use std::io::Write as _;
use std::process::Command;

use jiff::SignedDuration;
use serde_json::{Value, json};
use sim::check::Breach;
use sim::run::Outcome;
use sim::tally::Totals;
use sim::workload::Size;

/// Prints a line. Whoever has stopped reading misses nothing that matters: the exit code tells what was found.
pub(crate) fn say(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// The commit this was built from, if whoever built it said so; else the one that the working folder is at, which may be
/// another.
pub(crate) fn commit() -> String {
    if let Some(commit) = option_env!("NETWORK_SERVICES_COMMIT") {
        return format!("commit {commit}");
    }
    let asked =
        Command::new("git").args(["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]).output();
    let found = asked.ok().filter(|output| output.status.success());
    let found = found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    match found.filter(|text| !text.is_empty()) {
        Some(commit) => format!("commit {commit} (of the working folder)"),
        None => format!("version {}, commit not known", env!("CARGO_PKG_VERSION")),
    }
}

/// The command that runs a seed again, on whatever commit.
pub(crate) fn reproduce(seed: u64, size: Size) -> String {
    format!("network-services-sim run {seed} --world {}", size.name())
}

/// A breach for people.
pub(crate) fn breach_text(seed: u64, size: Size, breach: &Breach) -> String {
    format!("seed {seed}: {breach} at {}\n  again: {}", breach.at, reproduce(seed, size))
}

/// A breach for programs.
pub(crate) fn breach_json(seed: u64, size: Size, breach: &Breach) -> Value {
    json!({"breach": {
        "seed": seed,
        "world": size.name(),
        "rule": breach.rule,
        "plane": breach.cluster.as_ref().map(ToString::to_string),
        "object": breach.object.as_ref().map(ToString::to_string),
        "text": breach.text,
        "at": breach.at.to_string(),
        "reproduce": reproduce(seed, size),
    }})
}

/// All runs together.
#[derive(Default)]
pub(crate) struct Summary {
    seeds: u64,
    lasted: SignedDuration,
    pub(crate) totals: Totals,
    /// Kinds of faults, summed over seeds.
    kinds: u64,
    pub(crate) violations: u64,
}

impl Summary {
    pub(crate) fn take(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.lasted += outcome.lasted;
        self.totals.add(&outcome.totals);
        self.kinds += outcome.totals.faults.0.len() as u64;
        self.violations += u64::from(outcome.breach.is_some());
    }

    /// The closing line.
    pub(crate) fn text(&self, seconds: f64, jobs: u16) -> String {
        let Self { seeds, totals, violations, .. } = self;
        let faults: Vec<String> =
            totals.faults.0.iter().map(|(fault, count)| format!("{fault} {count}")).collect();
        let speed = self.speed(seconds, jobs);
        let mean = |count: u64| mean(count, *seeds);
        format!(
            "{seeds} seeds, {} virtual seconds, {} events, {} passes, {} faults ({}), {violations} violations; \
             {:.0} virtual seconds per second and job, {:.0} seeds per minute; \
             slowest of {} declarations beside trouble {:.2} s; a seed: {:.0} events, {:.1} writes, {:.1} faults of {:.1} kinds, {:.2} restarts, {:.2} full deletions",
            self.lasted.as_secs(),
            totals.events,
            totals.passes,
            totals.faults.total(),
            faults.join(", "),
            speed.0,
            speed.1,
            totals.served,
            totals.slowest.as_secs_f64(),
            mean(totals.events),
            mean(totals.writes),
            mean(totals.faults.total()),
            mean(self.kinds),
            mean(totals.restarts),
            mean(totals.deletions),
        )
    }

    /// The closing line for programs; `first_breach` is the lowest seed that broke a rule.
    pub(crate) fn json(&self, seconds: f64, jobs: u16, first_breach: Option<u64>) -> Value {
        let Self { seeds, totals, violations, .. } = self;
        let faults: serde_json::Map<String, Value> =
            totals.faults.0.iter().map(|(fault, count)| (fault.to_string(), json!(count))).collect();
        let speed = self.speed(seconds, jobs);
        let mean = |count: u64| mean(count, *seeds);
        json!({"swarm": {
            "seeds": seeds,
            "virtualSeconds": self.lasted.as_secs(),
            "events": totals.events,
            "passes": totals.passes,
            "writes": totals.writes,
            "faults": faults,
            "violations": violations,
            "declarationsBesideTrouble": totals.served,
            "slowestOfThemSeconds": totals.slowest.as_secs_f64(),
            "firstBreach": first_breach,
            "seconds": seconds,
            "jobs": jobs,
            "virtualSecondsPerSecondAndJob": speed.0,
            "seedsPerMinute": speed.1,
            "perSeed": {
                "events": mean(totals.events),
                "writes": mean(totals.writes),
                "faults": mean(totals.faults.total()),
                "faultKinds": mean(self.kinds),
                "restarts": mean(totals.restarts),
                "deletions": mean(totals.deletions),
            },
        }})
    }

    /// Virtual seconds per second and job, and seeds per minute.
    fn speed(&self, seconds: f64, jobs: u16) -> (f64, f64) {
        let seconds = seconds.max(f64::EPSILON);
        let jobs = f64::from(jobs).min(number(self.seeds).max(1.0));
        (self.lasted.as_secs_f64() / seconds / jobs, number(self.seeds) * 60.0 / seconds)
    }
}

fn mean(count: u64, seeds: u64) -> f64 {
    number(count) / number(seeds.max(1))
}

/// For averages: exact up to more than any run counts.
#[allow(clippy::cast_precision_loss, reason = "no run counts to 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}
