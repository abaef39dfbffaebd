//! What a scenario can do to a platform. No async: a simulator implements it as well as real servers do.

use std::collections::BTreeMap;
use std::time::Duration;

use api::ClusterName;
use engine::Explanation;
use engine::engine::{KeyVerdict, Violation};
use jiff::Timestamp;
use serde_json::Value;

/// A manager process, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManagerRef(pub u32);

/// Times of a manager's leases. Short ones keep scenarios short on real clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTiming {
    /// How long a renewal holds.
    pub duration: Duration,
    /// After this long without a renewal the manager stops acting.
    pub renew_deadline: Duration,
    /// How often it renews or looks.
    pub retry_period: Duration,
    /// Margin for a server that applies late.
    pub skew: Duration,
    /// How long a step may take.
    pub step_timeout: Duration,
}

impl Default for LeaseTiming {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(8),
            renew_deadline: Duration::from_secs(6),
            retry_period: Duration::from_millis(500),
            skew: Duration::from_millis(500),
            step_timeout: Duration::from_secs(2),
        }
    }
}

impl LeaseTiming {
    /// The times of a manager whose configuration names none. Under load a step may well take more than the short time of
    /// a scenario; one that counts as lost and was applied ends in races that are nobody's mistake.
    #[must_use]
    pub fn unhurried() -> Self {
        Self {
            duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            skew: Duration::from_secs(2),
            step_timeout: Duration::from_secs(5),
        }
    }
}

/// How a manager is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagerOptions {
    /// `networkPresence.unclaimedGracePeriod`.
    pub grace: Duration,
    /// Controllers that do not run, by name.
    pub withheld: Vec<&'static str>,
    /// Times of its leases.
    pub lease: LeaseTiming,
}

impl Default for ManagerOptions {
    fn default() -> Self {
        Self { grace: Duration::from_hours(24), withheld: Vec::new(), lease: LeaseTiming::default() }
    }
}

impl ManagerOptions {
    /// The same with another grace.
    #[must_use]
    pub fn with_grace(grace: Duration) -> Self {
        Self { grace, ..Self::default() }
    }

    /// The same without a controller.
    #[must_use]
    pub fn without(mut self, controller: &'static str) -> Self {
        self.withheld.push(controller);
        self
    }
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// HTTP code.
    pub code: u16,
    /// Body.
    pub body: Value,
}

/// What a manager counted since it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Passes of each controller, cold ones not counted.
    pub passes: BTreeMap<String, u64>,
    /// Passes that a time brought about, by controller.
    pub timer_passes: BTreeMap<String, u64>,
    /// Steps sent, by controller and action.
    pub writes: BTreeMap<(String, String), u64>,
    /// Steps that lost a race, by controller, kind and cause.
    pub races: BTreeMap<(String, String, String), u64>,
}

impl Counters {
    /// All steps sent.
    #[must_use]
    pub fn total_writes(&self) -> u64 {
        self.writes.values().sum()
    }

    /// All steps that lost a race.
    #[must_use]
    pub fn total_races(&self) -> u64 {
        self.races.values().sum()
    }

    /// All passes that a time brought about.
    #[must_use]
    pub fn total_timer_passes(&self) -> u64 {
        self.timer_passes.values().sum()
    }
}

/// A running platform: core, hub, projects and two cells, and any number of managers.
pub trait Platform {
    /// Sends a request with every right. `path` begins at the plane's root; the body's content type is given with it.
    fn call(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply;

    /// Starts a manager.
    fn start_manager(&mut self, options: &ManagerOptions) -> ManagerRef;

    /// Stops a manager as SIGTERM does: it drains and gives its leases back.
    fn stop_manager(&mut self, manager: ManagerRef);

    /// Kills a manager: nothing is given back.
    fn kill_manager(&mut self, manager: ManagerRef);

    /// While held, requests of the manager stay on the wire and reach no server; released, they arrive.
    fn hold_requests(&mut self, manager: ManagerRef, is_held: bool);

    /// Waits until every manager that is not held has seen what was written and is idle, and one of them leads.
    ///
    /// # Errors
    /// What is not idle, if that takes too long.
    fn settle(&mut self) -> Result<(), String>;

    /// Lets time pass.
    fn pass_time(&mut self, by: Duration);

    /// The platform's wall clock.
    fn now(&mut self) -> Timestamp;

    /// What a manager counted.
    fn counters(&mut self, manager: ManagerRef) -> Counters;

    /// Whether a manager leads.
    fn is_leading(&mut self, manager: ManagerRef) -> bool;

    /// What every key of a manager waits for.
    fn verdicts(&mut self, manager: ManagerRef) -> Vec<KeyVerdict>;

    /// A manager's explanation of an object.
    fn explain(
        &mut self,
        manager: ManagerRef,
        cluster: &ClusterName,
        resource: api::ResourceKind,
        key: &api::ObjectKey,
    ) -> Vec<Explanation>;

    /// Programming errors that managers saw, of those that run.
    fn violations(&mut self) -> Vec<Violation>;

    /// Whether this run is one of those in which processes die and answers are lost. Then it may cost more than it must,
    /// and nothing is asserted about cost; and what is only larger to cost more is small.
    fn is_disturbed(&self) -> bool {
        false
    }

    /// A grace that is over soon, and long enough to be seen running.
    fn short_grace(&self) -> Duration {
        Duration::from_secs(10)
    }
}
