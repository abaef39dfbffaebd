//! The platform as one deterministic world: as it is, or with interference and every rule of the simulator looking on.

mod disturbance;

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use api::ClusterName;
use engine::Explanation;
use engine::engine::{KeyVerdict, Violation};
use engine::metrics::{Metrics, PassOutcome};
use federation::Configuration;
use jiff::{SignedDuration, Timestamp};
use sim::network::ManagerId;
use sim::plane::Templates;
use sim::world::interference::Interference;
use sim::{World, WorldOptions};

use self::disturbance::Disturbance;
use crate::platform::{Counters, ManagerOptions, ManagerRef, Platform, Reply};

/// How long managers may take to become idle, in virtual time.
const SETTLE_LIMIT: Duration = Duration::from_mins(2);
/// How soon it is looked again whether a manager leads.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// See the module.
pub struct Simulated {
    pub(crate) world: World,
    held: Vec<ManagerRef>,
    pub(crate) disturbance: Option<Disturbance>,
}

/// The compiled kinds, made once for all worlds of the process.
///
/// # Panics
/// If a kind's definition is broken.
#[must_use]
pub fn templates() -> Templates {
    static TEMPLATES: OnceLock<Mutex<Templates>> = OnceLock::new();
    let made = TEMPLATES.get_or_init(|| {
        Mutex::new(Templates::new().unwrap_or_else(|error| panic!("the world cannot be made: {error}")))
    });
    made.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn world(templates: Templates, options: WorldOptions) -> World {
    let mut world = World::with(templates, options);
    for name in ["one", "two"] {
        world.add_plane(&ClusterName::Cell(name.into()));
    }
    world
}

impl Simulated {
    /// A world of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let world = world(templates(), WorldOptions::calm(seed));
        Self { world, held: Vec::new(), disturbance: None }
    }

    /// A world in which these go wrong, with every rule looking on. With `tells` it can say afterwards what happened.
    #[must_use]
    pub fn disturbed(templates: Templates, interferences: &[Interference], tells: bool) -> Self {
        let options = WorldOptions { is_observed: true, ..WorldOptions::calm(1) };
        let mut world = world(templates, options);
        world.interfere(interferences);
        Self { world, held: Vec::new(), disturbance: Some(Disturbance::new(tells)) }
    }

    /// The process that a reference means: the one it was given for, or whoever came after it.
    fn process(&self, manager: ManagerRef) -> ManagerId {
        self.world.heir(ManagerId(manager.0))
    }

    /// Whether one of the managers that are not held may act.
    fn is_led(&self) -> bool {
        let held: Vec<ManagerId> = self.held.iter().map(|held| self.process(*held)).collect();
        let mut free = self.world.managers().into_iter().filter(|id| !held.contains(id)).peekable();
        free.peek().is_none() || free.any(|id| self.world.engine(id).is_some_and(engine::Engine::may_act))
    }

    fn come_to_rest(&mut self, limit: Duration) -> Result<(), String> {
        let end = self.world.now() + SignedDuration::try_from(limit).unwrap_or(SignedDuration::MAX);
        while self.world.now() < end && self.world.run_until_idle(limit) {
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

fn options_of(options: &ManagerOptions, number: u32) -> sim::ManagerOptions {
    let lease = options.lease;
    let configuration = Configuration { unclaimed_grace_period: options.grace, ..Configuration::default() };
    sim::ManagerOptions {
        configuration,
        withheld: options.withheld.clone(),
        identity: format!("manager-{number}"),
        lease_duration: lease.duration,
        renew_deadline: lease.renew_deadline,
        retry_period: lease.retry_period,
        skew: lease.skew,
        step_timeout: lease.step_timeout,
        ..sim::ManagerOptions::default()
    }
}

impl Platform for Simulated {
    fn call(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply {
        let reply = self.world.call(cluster, method, path, content);
        self.look();
        Reply { code: reply.code, body: reply.body }
    }

    fn start_manager(&mut self, options: &ManagerOptions) -> ManagerRef {
        let number = self.world.next_manager_number();
        let mut options = options.clone();
        if let Some(disturbance) = &mut self.disturbance {
            disturbance.started(&mut options);
        }
        let manager = self.world.start_manager(&options_of(&options, number));
        ManagerRef(manager.0)
    }

    fn stop_manager(&mut self, manager: ManagerRef) {
        let mut id = self.process(manager);
        self.world.stop_manager(id);
        // One that dies while it drains leaves an heir, who is told to stop as well.
        while self.process(manager) != id {
            id = self.process(manager);
            self.world.stop_manager(id);
        }
        self.look();
    }

    fn kill_manager(&mut self, manager: ManagerRef) {
        self.world.kill_manager(self.process(manager));
    }

    fn hold_requests(&mut self, manager: ManagerRef, is_held: bool) {
        self.held.retain(|held| *held != manager);
        if is_held {
            self.held.push(manager);
        }
        self.world.hold_requests(self.process(manager), is_held);
    }

    fn settle(&mut self) -> Result<(), String> {
        if self.disturbance.is_some() { self.settle_disturbed() } else { self.come_to_rest(SETTLE_LIMIT) }
    }

    fn pass_time(&mut self, by: Duration) {
        self.world.advance(by);
        self.look();
    }

    fn now(&mut self) -> Timestamp {
        self.world.now()
    }

    fn counters(&mut self, manager: ManagerRef) -> Counters {
        let engine = self.world.engine(self.process(manager));
        engine.map(|engine| counters(&engine.metrics)).unwrap_or_default()
    }

    fn is_leading(&mut self, manager: ManagerRef) -> bool {
        self.world.engine(self.process(manager)).is_some_and(engine::Engine::is_leading)
    }

    fn verdicts(&mut self, manager: ManagerRef) -> Vec<KeyVerdict> {
        self.world.engine(self.process(manager)).map(engine::Engine::verdicts).unwrap_or_default()
    }

    fn explain(
        &mut self,
        manager: ManagerRef,
        cluster: &ClusterName,
        resource: api::ResourceKind,
        key: &api::ObjectKey,
    ) -> Vec<Explanation> {
        let id = self.process(manager);
        self.world.engine_mut(id).map(|engine| engine.explain(cluster, resource, key)).unwrap_or_default()
    }

    fn violations(&mut self) -> Vec<Violation> {
        let engines = self.world.managers().into_iter().filter_map(|id| self.world.engine(id));
        let running = engines.flat_map(|engine| engine.violations.clone());
        running.chain(self.world.violations_of_the_dead().iter().cloned()).collect()
    }

    fn is_disturbed(&self) -> bool {
        self.disturbance.is_some()
    }

    fn short_grace(&self) -> Duration {
        self.disturbance.as_ref().map_or(Duration::from_secs(10), |_| disturbance::GRACE)
    }
}
