//! One seed, from an empty world to a world at rest: faults under load with every rule checked after every event; then a
//! part of the world is healed and must serve what it can; then everything is, and must settle, fall quiet, and stay so
//! when every process forgets everything.

mod isolation;

use std::time::Duration;

use api::ClusterName;
use federation::Configuration;
use jiff::{SignedDuration, Timestamp};

use crate::case::Case;
use crate::check::holders::GRACE;
use crate::check::{Breach, Check, Checks};
use crate::declared;
use crate::dice::Dice;
use crate::fault::{Fault, Strikes};
use crate::manager::ManagerOptions;
use crate::plane::Templates;
use crate::retold;
use crate::story::{self, Journal};
use crate::tally::Totals;
use crate::tempo::Tempo;
use crate::workload::{self, Act, Timed, Universe};
use crate::world::{Observation, World, WorldOptions};

/// How long a healed world may take to be as declared: a watch that hangs, the longest back-off, and room.
const SETTLE: SignedDuration = SignedDuration::from_mins(20);
/// How often a world that settles is compared with what is declared.
const LOOK: SignedDuration = SignedDuration::from_secs(5);

/// Objects in a page of a list, of which a seed draws one.
const PAGES: &[u32] = &[500, 1, 4];
/// How many of a thousand seeds are told again to a fresh world.
const RETOLD: u32 = 250;

/// How many events may happen at one instant.
const INSTANT_MAX: u32 = 20_000;

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
    /// Occasions on which faults struck: listed, they make the same run.
    pub strikes: Strikes,
    /// What led to the breach, if it was asked for.
    pub story: Vec<String>,
}

/// Whoever looks at a run while it happens. Nothing of it changes the run, but that a rule more may be broken.
#[derive(Default)]
pub struct Onlooker<'a> {
    /// Whether a breach is to be told as a story.
    pub wants_story: bool,
    /// Rules on top of those that always hold.
    pub rules: Vec<Box<dyn Check>>,
    /// Takes everything that happens, a line each.
    pub trace: Option<&'a mut dyn FnMut(&str)>,
}

/// Runs a case.
#[must_use]
pub fn run(templates: &Templates, case: &Case) -> Outcome {
    run_before(templates, case, Onlooker::default())
}

/// Runs a case and remembers what it takes to tell a breach as a story. The run itself is the same.
#[must_use]
pub fn run_with_story(templates: &Templates, case: &Case) -> Outcome {
    run_before(templates, case, Onlooker { wants_story: true, ..Onlooker::default() })
}

/// Runs a case before somebody who looks on.
#[must_use]
pub fn run_before(templates: &Templates, case: &Case, onlooker: Onlooker<'_>) -> Outcome {
    let options = WorldOptions {
        seed: case.seed,
        faults: case.faults.clone(),
        latency: (1, 30),
        is_observed: true,
        is_traced: onlooker.trace.is_some(),
    };
    let world = World::with(templates.clone(), options);
    let mut run = Run {
        templates: templates.clone(),
        page_limit: Dice::new(case.seed, 5).pick(PAGES).copied().unwrap_or(PAGES[0]),
        began: world.now(),
        world,
        checks: Checks::default().and(onlooker.rules),
        dice: Dice::new(case.seed, 2),
        universe: case.universe.clone(),
        tempo: Tempo::of_seed(case.seed),
        totals: Totals::default(),
        next_replica: 0,
        journal: onlooker.wants_story.then(Journal::default),
        trace: onlooker.trace,
    };
    let all = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.all_phases(case)));
    let breach = match all {
        Ok(phases) => phases.err(),
        Err(panic) => Some(run.breach("nothing panics", panic_text(panic.as_ref()))),
    };
    run.outcome(case, breach)
}

/// What a panic said.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without words".to_owned())
}

type Stopped = Box<Breach>;

struct Run<'a> {
    templates: Templates,
    page_limit: u32,
    world: World,
    checks: Checks,
    dice: Dice,
    universe: Universe,
    tempo: Tempo,
    totals: Totals,
    next_replica: u32,
    began: Timestamp,
    journal: Option<Journal>,
    trace: Option<&'a mut dyn FnMut(&str)>,
}

impl Run<'_> {
    fn outcome(mut self, case: &Case, breach: Option<Stopped>) -> Outcome {
        let story = match (&breach, &self.journal) {
            (Some(breach), Some(journal)) => journal.story(breach, &self.checks.truth, &mut self.world),
            _ => Vec::new(),
        };
        self.totals.take_world(&self.world);
        Outcome {
            seed: case.seed,
            breach: breach.map(|breach| *breach),
            trace: self.world.trace.value(),
            lasted: self.world.now().duration_since(self.began),
            totals: self.totals,
            strikes: self.world.luck().struck().clone(),
            story,
        }
    }

    fn all_phases(&mut self, case: &Case) -> Result<(), Stopped> {
        self.begin()?;
        self.under_faults(&case.acts)?;
        self.partly_healed()?;
        self.healed()?;
        self.quiet("L4 a world at rest is quiet")?;
        self.forgetful()?;
        self.retold(case.seed)
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

    /// How every manager of this run is started. Pages are small for some seeds, so that lists are long.
    fn options(&self) -> ManagerOptions {
        let grace = Duration::try_from(GRACE).unwrap_or_default();
        let configuration = Configuration { unclaimed_grace_period: grace, ..Configuration::default() };
        ManagerOptions { configuration, page_limit: self.page_limit, ..self.tempo.manager() }
    }

    fn start_replica(&mut self) {
        let options = self.options();
        self.world.start_replica(self.next_replica, options);
        self.next_replica += 1;
    }

    fn act(&mut self, act: &Act) -> Result<(), Stopped> {
        if let Some(trace) = &mut self.trace {
            trace(&format!("{} . user: {act}", self.world.now()));
        }
        let reply = self.world.call(&act.cluster, act.method, &act.path, (act.content_type, &act.body));
        if reply.code == 0 && reply.body.is_null() {
            return Err(self.breach("every plane answers", format!("no answer to {act}")));
        }
        self.look()
    }

    /// Everything that has happened must be within the rules.
    fn look(&mut self) -> Result<(), Stopped> {
        if let Some(trace) = &mut self.trace {
            for (at, text) in self.world.told.drain(..) {
                trace(&format!("{at} . {text}"));
            }
        }
        for observation in &self.world.observed {
            if let Some(trace) = &mut self.trace
                && let Some(line) = story::line(observation)
            {
                trace(&line);
            }
            if let Some(journal) = &mut self.journal {
                journal.take(observation);
            }
            if let Observation::Commit(commit) = observation {
                self.totals.take_commit(commit);
            }
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
        // Where nobody runs for a while nothing happens, and the time passes all the same.
        self.world.pass(end);
        Ok(())
    }

    fn under_faults(&mut self, acts: &[Timed]) -> Result<(), Stopped> {
        self.world.begin_faults();
        let began = self.world.now();
        for timed in acts {
            self.until(began + timed.at)?;
            if timed.is_foreign {
                self.world.faults.count(Fault::ForeignHand);
            }
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
        self.heal(&dead)?;
        self.release(&dead)?;
        self.settle("L5 what is dead keeps nothing else from being served", &|cluster| {
            !dead.contains(cluster)
        })?;
        self.isolated(&dead)?;
        for cluster in &dead {
            self.world.bring_back(cluster);
        }
        Ok(())
    }

    fn healed(&mut self) -> Result<(), Stopped> {
        self.heal(&[])?;
        self.release(&[])?;
        self.settle("L1 what is declared becomes so", &|_| true)?;
        let graces = self.world.now() + GRACE * 3;
        self.until(graces)?;
        self.settle("L1 what is declared stays so", &|_| true)
    }

    /// Ends faults; a plane that is away to be restored comes back in its time.
    fn heal(&mut self, stays_broken: &[ClusterName]) -> Result<(), Stopped> {
        self.world.heal(stays_broken);
        while self.world.planes().any(|plane| plane.is_restoring && !stays_broken.contains(&plane.cluster)) {
            let next = self.world.now() + LOOK;
            self.until(next)?;
        }
        Ok(())
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
        let end = self.world.now() + self.tempo.rest;
        self.until(end)?;
        let writes = self.totals.writes - before;
        if writes > 0 {
            return Err(self
                .breach(rule, format!("{writes} writes in {:#} in which nothing changed", self.tempo.rest)));
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

    /// A world to which the same is declared at once, without faults and detours, comes to the same end.
    fn retold(&mut self, seed: u64) -> Result<(), Stopped> {
        if !Dice::new(seed, 6).hits(RETOLD) {
            return Ok(());
        }
        let difference =
            retold::difference(&self.templates, &self.world, &self.checks.truth, &self.options());
        let rule = "L9 the same declarations come to the same end";
        difference.map_or(Ok(()), |text| Err(self.breach(rule, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Size;

    /// In this seed every process is gone for longer than the world is looked at, after the world was healed.
    #[test]
    fn time_passes_while_nobody_runs() {
        let templates = Templates::new().unwrap_or_else(|error| panic!("{error}"));
        let outcome = run(&templates, &Case::of_seed(632, Size::Small));
        assert_eq!(outcome.breach, None);
    }
}
