//! What a run is made of.

use crate::dice::Dice;
use crate::fault::{Faults, Mixture};
use crate::workload::{self, Size, Timed, Universe};

/// What a run is made of: drawn from a seed, or made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// How large the world is that the seed was drawn for.
    pub size: Size,
    /// What stands in the world; of that size, or less.
    pub universe: Universe,
    /// Which faults happen.
    pub faults: Faults,
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
        Self { seed, size, universe, faults: Faults::Drawn(mixture), acts }
    }
}
