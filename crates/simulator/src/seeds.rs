//! Many seeds, on as many threads as asked for. A seed is a world of its own, so threads change nothing but the speed.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sim::case::Case;
use sim::plane::Templates;
use sim::run::{Outcome, run};
use sim::workload::Size;

use crate::trouble::Trouble;

/// Which seeds.
#[derive(clap::Args, Debug)]
pub(crate) struct SeedRange {
    /// How many seeds.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 1)]
    pub(crate) start: u64,
    /// Threads.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: u16,
    /// How large the worlds are: small, presence or large.
    #[arg(long, default_value = "presence")]
    pub(crate) world: Size,
}

impl SeedRange {
    fn range(&self) -> Result<Range<u64>, Trouble> {
        let (start, seeds) = (self.start, self.seeds);
        let end = start.checked_add(seeds).ok_or(Trouble::Range { start, seeds })?;
        Ok(start..end)
    }

    /// Runs every seed; `each` gets the outcomes on the threads that made them, in no order, and says whether to go on.
    pub(crate) fn run(
        &self,
        templates: &Templates,
        each: &(dyn Fn(Case, Outcome) -> bool + Sync),
    ) -> Result<(), Trouble> {
        let range = self.range()?;
        let next = AtomicU64::new(range.start);
        let goes_on = AtomicBool::new(true);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    let templates = templates.clone();
                    while goes_on.load(Ordering::Relaxed) {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if !range.contains(&seed) {
                            return;
                        }
                        let case = Case::of_seed(seed, self.world);
                        let outcome = run(&templates, &case);
                        goes_on.fetch_and(each(case, outcome), Ordering::Relaxed);
                    }
                });
            }
        });
        Ok(())
    }
}
