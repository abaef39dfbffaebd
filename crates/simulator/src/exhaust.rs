//! Every crash point of the scenarios, on as many threads as asked for.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use scenarios::exhaust::{self, Case, Ran};
use scenarios::{ADVERSITY, SCENARIOS, Scenario};
use sim::plane::Templates;
use sim::world::interference::Interference;

use crate::report::{commit, say};
use crate::trouble::Trouble;

/// What to run.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Scenarios by name, or by the id that their names begin with, such as `s1_4`; `all` for every one.
    #[arg(required = true)]
    scenarios: Vec<String>,
    /// Let a second process die over each write after the first.
    #[arg(long)]
    pairs: bool,
    /// Also withhold each watch event.
    #[arg(long)]
    events: bool,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Run this case alone and tell what happened, such as `12:crash-after,15:crash-before`.
    #[arg(long, value_delimiter = ',', conflicts_with_all = ["pairs", "events"])]
    only: Vec<Interference>,
}

fn every_scenario() -> impl Iterator<Item = &'static Scenario> {
    SCENARIOS.iter().chain(ADVERSITY)
}

fn names() -> String {
    every_scenario().map(|scenario| scenario.name).collect::<Vec<_>>().join(", ")
}

/// Scenarios that were named, in order and each once.
fn named(texts: &[String]) -> Result<Vec<&'static Scenario>, Trouble> {
    let is_named = |text: &str, name: &str| {
        text == "all" || name == text || name.strip_prefix(text).is_some_and(|rest| rest.starts_with('_'))
    };
    for text in texts {
        if !every_scenario().any(|scenario| is_named(text, scenario.name)) {
            return Err(Trouble::UnknownScenario { name: text.clone(), known: names() });
        }
    }
    Ok(every_scenario().filter(|scenario| texts.iter().any(|text| is_named(text, scenario.name))).collect())
}

/// What was run, counted.
#[derive(Default)]
struct Counts {
    cases: AtomicU64,
    pairs: AtomicU64,
    findings: AtomicU64,
}

impl Counts {
    fn tell(&self, case: &Case, ran: &Ran) {
        if let Some(finding) = &ran.finding {
            self.findings.fetch_add(1, Ordering::Relaxed);
            say(format_args!("FINDING {case}\n  {finding}\n  again: network-services-sim exhaust {case}"));
        }
    }
}

/// Runs what is asked for; whether everything held.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Trouble> {
    let scenarios = named(&arguments.scenarios)?;
    let templates = Templates::new()?;
    exhaust::silence();
    if !arguments.only.is_empty() {
        let [scenario] = scenarios[..] else { return Err(Trouble::OneCase(scenarios.len())) };
        let case = Case { scenario, interferences: arguments.only.clone() };
        return Ok(run_one(&templates, &case));
    }
    let began = Instant::now();
    let counts = Counts::default();
    let mut sites = 0;
    let mut events = 0;
    for scenario in &scenarios {
        let case = Case { scenario, interferences: Vec::new() };
        let undisturbed = exhaust::run(&templates, &case, None, false);
        counts.tell(&case, &undisturbed);
        let began = Instant::now();
        let singles = exhaust::singles(scenario, &undisturbed, arguments.events);
        run_all(&templates, (&singles, &undisturbed), arguments, &counts);
        sites += undisturbed.write_sites;
        events += undisturbed.watch_events;
        say(format_args!(
            "{}: {} write sites, {} watch events, {:.1} s",
            scenario.name,
            undisturbed.write_sites,
            undisturbed.watch_events,
            began.elapsed().as_secs_f64()
        ));
    }
    let findings = counts.findings.into_inner();
    say(format_args!(
        "{} scenarios, {sites} write sites, {} watch events, {} cases, {} pairs, {findings} findings, {:.1} s",
        scenarios.len(),
        if arguments.events { events } else { 0 },
        counts.cases.into_inner(),
        counts.pairs.into_inner(),
        began.elapsed().as_secs_f64()
    ));
    Ok(findings == 0)
}

/// Runs cases, and the pairs that begin with them, on several threads.
fn run_all(
    templates: &Templates,
    (cases, undisturbed): (&[Case], &Ran),
    arguments: &Arguments,
    counts: &Counts,
) {
    let next = AtomicUsize::new(0);
    let run_from = |templates: Templates| {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ran = exhaust::run(&templates, case, undisturbed.end.as_ref(), false);
            counts.cases.fetch_add(1, Ordering::Relaxed);
            counts.tell(case, &ran);
            let pairs = if arguments.pairs { exhaust::pairs(case, &ran) } else { Vec::new() };
            for pair in pairs {
                let ran = exhaust::run(&templates, &pair, undisturbed.end.as_ref(), false);
                counts.pairs.fetch_add(1, Ordering::Relaxed);
                counts.tell(&pair, &ran);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let templates = templates.clone();
            scope.spawn(|| run_from(templates));
        }
    });
}

/// Runs one case and tells what happened; whether everything held.
fn run_one(templates: &Templates, case: &Case) -> bool {
    let calm = Case { interferences: Vec::new(), ..case.clone() };
    let undisturbed = exhaust::run(templates, &calm, None, false);
    let ran = exhaust::run(templates, case, undisturbed.end.as_ref(), true);
    say(format_args!("exhaust {case}, {}", commit()));
    ran.story.iter().for_each(say);
    ran.finding.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str]) -> Result<Vec<&'static str>, Trouble> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        named(&texts).map(|scenarios| scenarios.iter().map(|scenario| scenario.name).collect())
    }

    #[test]
    fn scenarios_are_found_by_the_id_that_their_names_begin_with() {
        let one = found(&["s1_1"]).unwrap();
        assert_eq!(
            one,
            ["s1_1_a_restart_in_the_grace_and_then_the_network_is_deleted"],
            "not s1_10 and s1_11"
        );
        assert_eq!(found(&["s1_1", one[0]]).unwrap().len(), 1, "each once");
        assert_eq!(found(&["all"]).unwrap().len(), every_scenario().count());
        let error = found(&["s1_1", "s1_99"]).unwrap_err().to_string();
        assert!(error.contains("\"s1_99\"") && error.contains(one[0]), "{error}");
    }
}
