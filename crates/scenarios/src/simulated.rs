//! The platform as one deterministic world.

use std::time::Duration;

use api::ClusterName;
use engine::Explanation;
use engine::engine::{KeyVerdict, Violation};
use engine::metrics::{Metrics, PassOutcome};
use federation::Configuration;
use jiff::{SignedDuration, Timestamp};
use sim::World;
use sim::network::ManagerId;

use crate::platform::{Counters, ManagerOptions, ManagerRef, Platform, Reply};

/// How long managers may take to become idle, in virtual time.
const SETTLE_LIMIT: Duration = Duration::from_mins(2);
/// How soon it is looked again whether a manager leads.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// See the module.
pub struct Simulated {
    world: World,
    held: Vec<ManagerId>,
}

impl Simulated {
    /// A world of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let world = World::new(seed).unwrap_or_else(|error| panic!("the world cannot be made: {error}"));
        Self { world, held: Vec::new() }
    }
}

impl Simulated {
    /// Whether one of the managers that are not held may act.
    fn is_led(&self) -> bool {
        let mut free = self.world.managers().into_iter().filter(|id| !self.held.contains(id)).peekable();
        free.peek().is_none() || free.any(|id| self.world.engine(id).is_some_and(engine::Engine::may_act))
    }
}

/// Counters from an engine's metrics.
#[must_use]
pub fn counters(metrics: &Metrics) -> Counters {
    let mut counters = Counters::default();
    for ((controller, outcome), count) in &metrics.passes {
        if *outcome != PassOutcome::Cold {
            *counters.passes.entry((*controller).to_owned()).or_default() += count;
        }
    }
    for (controller, count) in &metrics.timer_passes {
        counters.timer_passes.insert((*controller).to_owned(), *count);
    }
    for ((controller, action, _), count) in &metrics.steps {
        *counters.writes.entry(((*controller).to_owned(), (*action).to_owned())).or_default() += count;
    }
    let told = |(controller, kind, cause): &(&str, &str, &str)| {
        ((*controller).to_owned(), (*kind).to_owned(), (*cause).to_owned())
    };
    counters.races = metrics.races.iter().map(|(race, count)| (told(race), *count)).collect();
    counters
}

impl Platform for Simulated {
    fn call(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply {
        let reply = self.world.call(cluster, method, path, content);
        Reply { code: reply.code, body: reply.body }
    }

    fn start_manager(&mut self, options: &ManagerOptions) -> ManagerRef {
        let lease = options.lease;
        let number = self.world.next_manager_number();
        let options = sim::ManagerOptions {
            configuration: Configuration {
                unclaimed_grace_period: options.grace,
                ..Configuration::default()
            },
            withheld: options.withheld.clone(),
            identity: format!("manager-{number}"),
            lease_duration: lease.duration,
            renew_deadline: lease.renew_deadline,
            retry_period: lease.retry_period,
            skew: lease.skew,
            step_timeout: lease.step_timeout,
        };
        ManagerRef(self.world.start_manager(&options).0)
    }

    fn stop_manager(&mut self, manager: ManagerRef) {
        self.world.stop_manager(ManagerId(manager.0));
    }

    fn kill_manager(&mut self, manager: ManagerRef) {
        self.world.kill_manager(ManagerId(manager.0));
    }

    fn hold_requests(&mut self, manager: ManagerRef, is_held: bool) {
        let id = ManagerId(manager.0);
        self.held.retain(|held| *held != id);
        if is_held {
            self.held.push(id);
        }
        self.world.hold_requests(id, is_held);
    }

    fn settle(&mut self) -> Result<(), String> {
        let end = self.world.now() + SignedDuration::try_from(SETTLE_LIMIT).unwrap_or(SignedDuration::MAX);
        while self.world.now() < end && self.world.run_until_idle(SETTLE_LIMIT) {
            if self.is_led() {
                return Ok(());
            }
            self.world.advance(LOOK_AGAIN);
        }
        let engines = self.world.managers().into_iter().filter_map(|id| self.world.engine(id));
        let texts: Vec<String> =
            engines.map(|engine| format!("{:?} {:?}", engine, engine.status())).collect();
        Err(texts.join("\n"))
    }

    fn pass_time(&mut self, by: Duration) {
        self.world.advance(by);
    }

    fn now(&mut self) -> Timestamp {
        self.world.now()
    }

    fn counters(&mut self, manager: ManagerRef) -> Counters {
        let engine = self.world.engine(ManagerId(manager.0));
        engine.map(|engine| counters(&engine.metrics)).unwrap_or_default()
    }

    fn is_leading(&mut self, manager: ManagerRef) -> bool {
        self.world.engine(ManagerId(manager.0)).is_some_and(engine::Engine::is_leading)
    }

    fn verdicts(&mut self, manager: ManagerRef) -> Vec<KeyVerdict> {
        self.world.engine(ManagerId(manager.0)).map(engine::Engine::verdicts).unwrap_or_default()
    }

    fn explain(
        &mut self,
        manager: ManagerRef,
        cluster: &ClusterName,
        resource: api::ResourceKind,
        key: &api::ObjectKey,
    ) -> Vec<Explanation> {
        let engine = self.world.engine_mut(ManagerId(manager.0));
        engine.map(|engine| engine.explain(cluster, resource, key)).unwrap_or_default()
    }

    fn violations(&mut self) -> Vec<Violation> {
        let engines = self.world.managers().into_iter().filter_map(|id| self.world.engine(id));
        engines.flat_map(|engine| engine.violations.clone()).collect()
    }
}
