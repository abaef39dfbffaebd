//! One seed, from an empty world to a world at rest: faults under load with every rule checked after every event; then a
//! part of the world is healed and must serve what it can; then everything is, and must settle, fall quiet, and stay so
//! when every process forgets everything.

use std::collections::BTreeMap;
use std::time::Duration;

use api::ClusterName;
use engine::metrics::PassOutcome;
use federation::Configuration;
use jiff::{SignedDuration, Timestamp};

use crate::check::holders::GRACE;
use crate::check::{Breach, Checks};
use crate::declared;
use crate::dice::Dice;
use crate::fault::{FaultCounts, Mixture};
use crate::manager::ManagerOptions;
use crate::plane::Templates;
use crate::story::Journal;
use crate::workload::{self, Act, Size, Timed, Universe};
use crate::world::{Author, Observation, World, WorldOptions};

/// How long a healed world may take to be as declared: a watch that hangs, the longest back-off, and room.
const SETTLE: SignedDuration = SignedDuration::from_mins(20);
/// How long a world at rest must write nothing.
const QUIET: SignedDuration = SignedDuration::from_mins(10);
/// How often a world that settles is compared with what is declared.
const LOOK: SignedDuration = SignedDuration::from_secs(5);

/// How many events may happen at one instant.
const INSTANT_MAX: u32 = 20_000;

/// What a run is made of: drawn from a seed, or made smaller by hand.
#[derive(Clone, Debug)]
pub struct Case {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// How large the world is.
    pub size: Size,
    /// Which faults happen.
    pub mixture: Mixture,
    /// What users do.
    pub acts: Vec<Timed>,
}

impl Case {
    /// The case of a seed.
    #[must_use]
    pub fn of_seed(seed: u64, size: Size) -> Self {
        let mut dice = Dice::new(seed, 1);
        let mixture = Mixture::draw(&mut dice);
        let universe = Universe::of(size);
        let acts = workload::draw(&universe, &mixture, &mut dice, universe.acts);
        Self { seed, size, mixture, acts }
    }
}

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// The rule that was broken, if one was.
    pub breach: Option<Breach>,
    /// Fingerprint of the whole run.
    pub trace: u64,
    /// Virtual time.
    pub lasted: SignedDuration,
    /// Counters.
    pub totals: Totals,
    /// What led to the breach, if it was asked for.
    pub story: Vec<String>,
}

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
    /// Faults.
    pub faults: FaultCounts,
}

impl Totals {
    /// Adds another run's.
    pub fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.writes += other.writes;
        self.passes += other.passes;
        self.restarts += other.restarts;
        self.deletions += other.deletions;
        self.faults.add(&other.faults);
    }
}

/// Runs a case.
#[must_use]
pub fn run(templates: &Templates, case: &Case) -> Outcome {
    run_and(templates, case, None)
}

/// Runs a case and remembers what it takes to tell a breach as a story. The run itself is the same.
#[must_use]
pub fn run_with_story(templates: &Templates, case: &Case) -> Outcome {
    run_and(templates, case, Some(Journal::default()))
}

fn run_and(templates: &Templates, case: &Case, journal: Option<Journal>) -> Outcome {
    let options =
        WorldOptions { seed: case.seed, mixture: case.mixture.clone(), latency: (1, 30), is_observed: true };
    let world = World::with(templates.clone(), options);
    let universe = Universe::of(case.size);
    let mut run = Run {
        began: world.now(),
        world,
        checks: Checks::default(),
        dice: Dice::new(case.seed, 2),
        universe,
        totals: Totals::default(),
        passes: BTreeMap::new(),
        next_replica: 0,
        journal,
    };
    let breach = run.all_phases(case).err();
    run.count_passes();
    let story = match (&breach, &run.journal) {
        (Some(breach), Some(journal)) => journal.story(breach, &run.checks.truth, &mut run.world),
        _ => Vec::new(),
    };
    let mut totals = run.totals;
    totals.passes = run.passes.values().sum();
    totals.events = run.world.events;
    totals.restarts = run.world.restarts;
    totals.faults = run.world.faults.clone();
    Outcome {
        seed: case.seed,
        breach: breach.map(|breach| *breach),
        trace: run.world.trace.value(),
        lasted: run.world.now().duration_since(run.began),
        totals,
        story,
    }
}

type Stopped = Box<Breach>;

struct Run {
    world: World,
    checks: Checks,
    dice: Dice,
    universe: Universe,
    totals: Totals,
    passes: BTreeMap<crate::network::ManagerId, u64>,
    next_replica: u32,
    began: Timestamp,
    journal: Option<Journal>,
}

impl Run {
    fn all_phases(&mut self, case: &Case) -> Result<(), Stopped> {
        self.begin()?;
        self.under_faults(&case.acts)?;
        self.partly_healed()?;
        self.healed()?;
        self.quiet("L4 a world at rest is quiet")?;
        self.forgetful()
    }

    fn begin(&mut self) -> Result<(), Stopped> {
        for act in workload::beginning(&self.universe).iter().chain(&workload::furniture(&self.universe)) {
            self.act(act)?;
        }
        for _ in 0..self.universe.replicas {
            self.start_replica();
        }
        let settle = self.world.now() + SignedDuration::from_secs(5);
        self.until(settle)
    }

    fn start_replica(&mut self) {
        let grace = Duration::try_from(GRACE).unwrap_or_default();
        let configuration = Configuration { unclaimed_grace_period: grace, ..Configuration::default() };
        let options = ManagerOptions { configuration, ..ManagerOptions::default() };
        self.world.start_replica(self.next_replica, options);
        self.next_replica += 1;
    }

    fn act(&mut self, act: &Act) -> Result<(), Stopped> {
        self.world.call(&act.cluster, act.method, &act.path, (act.content_type, &act.body));
        self.look()
    }

    /// Everything that has happened must be within the rules.
    fn look(&mut self) -> Result<(), Stopped> {
        for observation in &self.world.observed {
            if let Some(journal) = &mut self.journal {
                journal.take(observation);
            }
            let Observation::Commit(commit) = observation else { continue };
            let plural = commit.changed.object.plural();
            let is_lease = plural == "leases";
            self.totals.writes += u64::from(matches!(commit.author, Author::Manager(_)) && !is_lease);
            let is_gone = plural == "networkcontexts" && commit.changed.after.is_none();
            self.totals.deletions += u64::from(is_gone);
        }
        self.checks.look(&mut self.world).map_or(Ok(()), |breach| Err(Box::new(breach)))
    }

    /// Lets everything happen that happens up to then.
    fn until(&mut self, end: Timestamp) -> Result<(), Stopped> {
        let (mut instant, mut events) = (self.world.now(), 0);
        while self.world.next_at().is_some_and(|at| at <= end) {
            self.world.step();
            self.look()?;
            events = if self.world.now() == instant { events + 1 } else { 0 };
            instant = self.world.now();
            if events > INSTANT_MAX {
                let text = format!("more than {INSTANT_MAX} events at one instant");
                return Err(self.breach("L4 nothing spins", text));
            }
        }
        self.count_passes();
        Ok(())
    }

    fn count_passes(&mut self) {
        for id in self.world.managers() {
            let Some(engine) = self.world.engine(id) else { continue };
            let passes = engine.metrics.passes.iter();
            let whole = passes.filter(|((_, outcome), _)| *outcome != PassOutcome::Cold);
            self.passes.insert(id, whole.map(|(_, count)| count).sum());
        }
    }

    fn under_faults(&mut self, acts: &[Timed]) -> Result<(), Stopped> {
        self.world.begin_faults();
        let began = self.world.now();
        for timed in acts {
            self.until(began + timed.at)?;
            self.act(&timed.act)?;
        }
        let end = self.world.now() + SignedDuration::from_secs(10);
        self.until(end)
    }

    /// Some projects stay dead; what does not need them must be served all the same.
    fn partly_healed(&mut self) -> Result<(), Stopped> {
        let planes = self.world.planes().map(|plane| plane.cluster.clone());
        let projects: Vec<ClusterName> =
            planes.filter(|cluster| matches!(cluster, ClusterName::Project(_))).collect();
        let dead: Vec<ClusterName> = projects.into_iter().filter(|_| self.dice.hits(300)).collect();
        self.world.heal(&dead);
        self.release(&dead)?;
        self.settle("L5 what is dead keeps nothing else from being served", &|cluster| {
            !dead.contains(cluster)
        })?;
        for cluster in &dead {
            self.world.bring_back(cluster);
        }
        Ok(())
    }

    fn healed(&mut self) -> Result<(), Stopped> {
        self.world.heal(&[]);
        self.release(&[])?;
        self.settle("L1 what is declared becomes so", &|_| true)?;
        let graces = self.world.now() + GRACE * 3;
        self.until(graces)?;
        self.settle("L1 what is declared stays so", &|_| true)
    }

    /// Foreign finalizers go, so that nothing is held by them for ever.
    fn release(&mut self, dead: &[ClusterName]) -> Result<(), Stopped> {
        for act in workload::release(&self.universe) {
            if !dead.contains(&act.cluster) {
                self.act(&act)?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, rule: &'static str, is_asked: &dyn Fn(&ClusterName) -> bool) -> Result<(), Stopped> {
        let end = self.world.now() + SETTLE;
        loop {
            let next = self.world.now() + LOOK;
            self.until(next)?;
            self.checks.truth.now = self.world.now();
            let Some(complaint) = declared::complaint(&self.checks.truth, is_asked) else { return Ok(()) };
            if self.world.now() > end {
                return Err(Box::new(complaint.breaks(rule, self.world.now())));
            }
        }
    }

    fn breach(&self, rule: &'static str, text: String) -> Stopped {
        Box::new(Breach { rule, at: self.world.now(), cluster: None, object: None, text })
    }

    /// Nothing changes, so nothing is written.
    fn quiet(&mut self, rule: &'static str) -> Result<(), Stopped> {
        let before = self.totals.writes;
        let end = self.world.now() + QUIET;
        self.until(end)?;
        let writes = self.totals.writes - before;
        if writes > 0 {
            return Err(self.breach(rule, format!("{writes} writes in {QUIET:#} in which nothing changed")));
        }
        Ok(())
    }

    /// Every process forgets everything; the world is still as declared, and nothing is written to keep it so.
    fn forgetful(&mut self) -> Result<(), Stopped> {
        for id in self.world.managers() {
            self.world.kill_manager(id);
        }
        self.start_replica();
        self.quiet("L2 a fresh process finds nothing to do in a world at rest")?;
        self.settle("L2 a fresh process keeps what is declared", &|_| true)
    }
}
