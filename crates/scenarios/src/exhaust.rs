//! Every crash point of a scenario: an undisturbed run counts the writes, then there is one run for each of them and each
//! way in which it can go wrong. The same for watch events, and for pairs of writes.

pub mod orders;
mod panics;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sim::canonical::Canonical;
use sim::plane::Templates;
use sim::world::interference::{AtEvent, AtWrite, Interference};

pub use panics::silence;

use crate::catalogue::Scenario;
use crate::simulated::Simulated;

/// Scenarios in which two want one thing, and whoever comes first has it: their ends may differ from the undisturbed one.
const FIRST_COMES: &[&str] = &["z17_pairs_with_one_plain_name_get_a_context_each"];

/// A scenario with what goes wrong in it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// What goes wrong.
    pub interferences: Vec<Interference>,
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.scenario.name)?;
        for (number, interference) in self.interferences.iter().enumerate() {
            let before = if number == 0 { " --only " } else { "," };
            write!(formatter, "{before}{interference}")?;
        }
        Ok(())
    }
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Writes of managers up to the end of the scenario.
    pub write_sites: u64,
    /// Watch events up to there.
    pub watch_events: u64,
    /// The state in which the world was left; `None` if something did not hold.
    pub end: Option<Canonical>,
    /// What did not hold.
    pub finding: Option<String>,
    /// What happened, if it was asked for.
    pub story: Vec<String>,
}

/// Runs a case. What must hold: whatever the scenario asserts about outcomes, every rule at every moment, rest and quiet at the end,
/// and the end of the undisturbed run, if it is given. With `tells`, the story comes along.
#[must_use]
pub fn run(templates: &Templates, case: &Case, undisturbed: Option<&Canonical>, tells: bool) -> Ran {
    let mut platform = Simulated::disturbed(templates.clone(), &case.interferences, tells);
    let mut counted = (0, 0);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        (case.scenario.run)(&mut platform);
        counted = (platform.world.write_sites(), platform.world.watch_events());
        assert!(
            platform.world.has_interfered(),
            "not everything that was to go wrong did: there is no such number"
        );
        let end = platform.conclude();
        let compared = undisturbed.filter(|_| !FIRST_COMES.contains(&case.scenario.name));
        if let Some(difference) = compared.and_then(|undisturbed| end.difference(undisturbed)) {
            panic!("the end is not that of the undisturbed run: {difference}");
        }
        end
    }));
    let (end, finding) = match ended {
        Ok(end) => (Some(end), None),
        Err(payload) => (None, Some(panics::text(payload.as_ref()))),
    };
    let story = platform.story(finding.as_deref().unwrap_or("everything held"));
    Ran { write_sites: counted.0, watch_events: counted.1, end, finding, story }
}

/// Every single case of a scenario whose undisturbed run was this one: each write in three ways, and, with `events`, each
/// watch event in two.
#[must_use]
pub fn singles(scenario: &'static Scenario, undisturbed: &Ran, events: bool) -> Vec<Case> {
    let writes = (1..=undisturbed.write_sites)
        .flat_map(|number| AtWrite::ALL.map(|way| Interference::Write(number, way)));
    let withheld = (1..=if events { undisturbed.watch_events } else { 0 })
        .flat_map(|number| AtEvent::ALL.map(|way| Interference::Event(number, way)));
    let case = |interference| Case { scenario, interferences: vec![interference] };
    writes.chain(withheld).map(case).collect()
}

/// Every pair that begins with a case: its process has died over a write, and after it another dies over each write of that
/// run. Empty for a case that is no single crash.
#[must_use]
pub fn pairs(first: &Case, ran: &Ran) -> Vec<Case> {
    let [Interference::Write(number, AtWrite::CrashBefore | AtWrite::CrashAfter)] = first.interferences[..]
    else {
        return Vec::new();
    };
    let seconds = (number + 1..=ran.write_sites)
        .flat_map(|second| AtWrite::CRASHES.map(|way| Interference::Write(second, way)));
    let both = |second| Case { interferences: vec![first.interferences[0], second], ..first.clone() };
    seconds.map(both).collect()
}
