//! Many seeds: what broke a rule is told at once, and what they did in the closing line.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;
use sim::case::Case;
use sim::plane::Templates;
use sim::run::Outcome;

use crate::in_order::InOrder;
use crate::report::{Summary, breach_json, breach_text, say};
use crate::run::{create_folder, write_shrunk};
use crate::seeds::SeedRange;
use crate::trouble::Trouble;

/// What to run.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    seeds: SeedRange,
    /// Print JSON, one object a line: each breach when it is found, and the closing line.
    #[arg(long)]
    json: bool,
    /// Stop at the first breach in the order of seeds, and tell no other: the same on any number of threads.
    #[arg(long)]
    until_breach: bool,
    /// Print each seed's fingerprint, in the order of seeds, before the closing line.
    #[arg(long)]
    hashes: bool,
    /// Shrink each breach and write it into this folder as a regression file.
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Runs that shrinking one breach may take.
    #[arg(long, default_value_t = 2000)]
    tries: usize,
}

#[derive(Default)]
struct Found {
    summary: Summary,
    hashes: Vec<(u64, u64)>,
    first_breach: Option<u64>,
    trouble: Option<Trouble>,
}

/// Runs the swarm; whether no rule was broken.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Trouble> {
    if let Some(folder) = &arguments.write {
        create_folder(folder)?;
    }
    let templates = Templates::new()?;
    let began = Instant::now();
    let found = Mutex::new(Found::default());
    let take = |case: &Case, outcome: &Outcome| take(arguments, &templates, &found, (case, outcome));
    if arguments.until_breach {
        let in_order = Mutex::new(InOrder::from(arguments.seeds.start));
        arguments.seeds.run(&templates, &|case, outcome| {
            let mut in_order = in_order.lock().unwrap_or_else(PoisonError::into_inner);
            in_order.take(case.seed, (case, outcome), &mut |(case, outcome)| {
                take(&case, &outcome);
                outcome.breach.is_some()
            });
            !in_order.is_over()
        })?;
    } else {
        arguments.seeds.run(&templates, &|case, outcome| {
            take(&case, &outcome);
            true
        })?;
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    close(arguments, found, began.elapsed().as_secs_f64())
}

/// Tells and counts one outcome.
fn take(
    arguments: &Arguments,
    templates: &Templates,
    found: &Mutex<Found>,
    (case, outcome): (&Case, &Outcome),
) {
    tell(arguments, case, outcome);
    let written = match &arguments.write {
        Some(folder) => write(arguments, folder, templates, case, outcome),
        None => Ok(()),
    };
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    found.summary.take(outcome);
    found.trouble = found.trouble.take().or(written.err());
    if outcome.breach.is_some() {
        let first = found.first_breach.unwrap_or(case.seed);
        found.first_breach = Some(first.min(case.seed));
    }
    if arguments.hashes {
        found.hashes.push((outcome.seed, outcome.trace));
    }
}

fn tell(arguments: &Arguments, case: &Case, outcome: &Outcome) {
    let Some(breach) = &outcome.breach else { return };
    if arguments.json {
        say(breach_json(case.seed, case.size, breach));
    } else {
        say(breach_text(case.seed, case.size, breach));
    }
}

fn write(
    arguments: &Arguments,
    folder: &Path,
    templates: &Templates,
    case: &Case,
    outcome: &Outcome,
) -> Result<(), Trouble> {
    if outcome.breach.is_none() {
        return Ok(());
    }
    let file = folder.join(format!("{}-{}.yaml", case.size.name(), case.seed));
    let shrunk = write_shrunk(templates, case, outcome, &file, arguments.tries)?;
    match shrunk {
        Some(shrunk) if arguments.json => {
            say(json!({"written": {"seed": case.seed, "file": file, "told": shrunk.told}}));
        }
        Some(shrunk) => say(format!("seed {}: {}", case.seed, shrunk.told)),
        None => {}
    }
    Ok(())
}

fn close(arguments: &Arguments, mut found: Found, seconds: f64) -> Result<bool, Trouble> {
    found.hashes.sort_unstable();
    for (seed, trace) in &found.hashes {
        if arguments.json {
            say(json!({"hash": {"seed": seed, "trace": format!("{trace:016x}")}}));
        } else {
            say(format!("seed {seed} trace {trace:016x}"));
        }
    }
    let jobs = arguments.seeds.jobs;
    if arguments.json {
        say(found.summary.json(seconds, jobs, found.first_breach));
    } else {
        say(found.summary.text(seconds, jobs));
    }
    found.trouble.map_or(Ok(found.summary.violations == 0), Err)
}
