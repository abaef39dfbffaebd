//! What many seeds met, how often, and what they never met.

use std::sync::{Mutex, PoisonError};

use sim::fault::Fault;
use sim::plane::Templates;

use crate::report::{Summary, say};
use crate::seeds::SeedRange;
use crate::trouble::Trouble;

/// Which seeds.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    seeds: SeedRange,
}

/// Runs the seeds and tells; whether no rule was broken.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Trouble> {
    let templates = Templates::new()?;
    let began = std::time::Instant::now();
    let summary = Mutex::new(Summary::default());
    arguments.seeds.run(&templates, &|_, outcome| {
        summary.lock().unwrap_or_else(PoisonError::into_inner).take(&outcome);
        true
    })?;
    let summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    tell(&summary);
    say(summary.text(began.elapsed().as_secs_f64(), arguments.seeds.jobs));
    Ok(summary.violations == 0)
}

fn tell(summary: &Summary) {
    let totals = &summary.totals;
    let coverage = &totals.coverage;
    say("faults: struck of occasions");
    for fault in Fault::ALL {
        let struck = totals.faults.0.get(fault).copied().unwrap_or_default();
        let line = match coverage.occasions.get(fault) {
            Some(occasions) => format!("{struck} of {occasions}"),
            None => struck.to_string(),
        };
        say(format!("  {fault}: {line}{}", if struck == 0 { "  NEVER" } else { "" }));
    }
    say("write sites: steps sent, by controller and why");
    for ((controller, why), count) in &coverage.sites {
        say(format!("  {controller}: {why}: {count}"));
    }
    say("verdicts: passes by controller and how they ended");
    for ((controller, outcome), count) in &coverage.passes {
        say(format!("  {controller}: {outcome}: {count}"));
    }
    say("waits: plans that left something to wait for, by controller and reason");
    for ((controller, reason), count) in &coverage.waits {
        say(format!("  {controller}: {reason}: {count}"));
    }
    say("reasons: written by managers, in conditions and events");
    for ((plural, reason), count) in &coverage.reasons {
        say(format!("  {plural}: {reason}: {count}"));
    }
    for (plural, reason) in coverage.missing_reasons() {
        say(format!("  {plural}: {reason}: 0  NEVER"));
    }
}
