//! Many seeds, on as many threads as asked for. A seed is a world of its own, so threads change nothing but the speed.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use jiff::SignedDuration;
use sim::plane::{PlaneError, Templates};
use sim::run::{Case, Outcome, Totals, run as run_case, run_with_story};
use sim::workload::Size;

/// What to run.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// How many seeds.
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 1)]
    start: u64,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// How large the worlds are: small, presence or large.
    #[arg(long, default_value = "presence")]
    world: Size,
    /// Print each seed's fingerprint.
    #[arg(long)]
    hashes: bool,
}

/// Which seed.
#[derive(clap::Args, Debug)]
pub(crate) struct RunArguments {
    /// The seed.
    seed: u64,
    /// How large the world is.
    #[arg(long, default_value = "presence")]
    world: Size,
}

/// Runs the swarm; success if no rule was broken.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, PlaneError> {
    let templates = Templates::new()?;
    let began = Instant::now();
    let next = AtomicU64::new(arguments.start);
    let end = arguments.start + arguments.seeds;
    let outcomes: Mutex<Vec<Outcome>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let templates = templates.clone();
            let (next, outcomes) = (&next, &outcomes);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let outcome = run_case(&templates, &Case::of_seed(seed, arguments.world));
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by_key(|outcome| outcome.seed);
    Ok(tell(&outcomes, began.elapsed().as_secs_f64(), arguments.hashes))
}

/// Runs one seed.
pub(crate) fn run_one(arguments: &RunArguments) -> Result<ExitCode, PlaneError> {
    let templates = Templates::new()?;
    let outcome = run_with_story(&templates, &Case::of_seed(arguments.seed, arguments.world));
    for line in &outcome.story {
        println!("{line}");
    }
    Ok(tell(&[outcome], 0.0, true))
}

fn tell(outcomes: &[Outcome], seconds: f64, hashes: bool) -> ExitCode {
    let mut totals = Totals::default();
    let mut lasted = SignedDuration::ZERO;
    let mut breaches = 0;
    for outcome in outcomes {
        totals.add(&outcome.totals);
        lasted += outcome.lasted;
        if hashes {
            println!("seed {} trace {:016x}", outcome.seed, outcome.trace);
        }
        if let Some(breach) = &outcome.breach {
            breaches += 1;
            println!("seed {}: {breach} at {}", outcome.seed, breach.at);
        }
    }
    println!(
        "{} seeds, {} virtual seconds, {} events, {} passes, {} writes, {} deletions, {} restarts, {} faults of {} kinds, {breaches} violations, {seconds:.1} s",
        outcomes.len(),
        lasted.as_secs(),
        totals.events,
        totals.passes,
        totals.writes,
        totals.deletions,
        totals.restarts,
        totals.faults.total(),
        totals.faults.0.len(),
    );
    if breaches == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
