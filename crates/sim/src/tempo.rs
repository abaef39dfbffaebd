//! How fast the clockwork of a world goes: drawn for each seed like everything else, because what goes on without end,
//! leases above all, is most of what a long rest costs, and what is rare need not be waited for in every seed.

use std::time::Duration;

use jiff::SignedDuration;

use crate::dice::Dice;
use crate::manager::ManagerOptions;

/// Stream of a seed's chance that nothing else draws from.
const STREAM: u64 = 4;
/// How often in a thousand seeds leases are twice as long as those of a manager that nobody configured.
const LONG_LEASES: u32 = 500;
/// How long a world at rest is watched: longer than refusals are left alone.
const REST: SignedDuration = SignedDuration::from_secs(90);
/// The same in some seeds: longer than any back-off and than a watch is silent before it is doubted.
const LONG_REST: SignedDuration = SignedDuration::from_mins(10);
/// How often in a thousand seeds that is.
const LONG_RESTS: u32 = 100;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// Times of leases are those that nobody configured, times this.
    pub lease_factor: u32,
    /// How long a world at rest must write nothing.
    pub rest: SignedDuration,
}

impl Tempo {
    /// The tempo of a seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut dice = Dice::new(seed, STREAM);
        let lease_factor = if dice.hits(LONG_LEASES) { 2 } else { 1 };
        let rest = if dice.hits(LONG_RESTS) { LONG_REST } else { REST };
        Self { lease_factor, rest }
    }

    /// Options of a manager with leases of this tempo.
    #[must_use]
    pub fn manager(self) -> ManagerOptions {
        let options = ManagerOptions::default();
        let scaled = |time: Duration| time.saturating_mul(self.lease_factor);
        ManagerOptions {
            lease_duration: scaled(options.lease_duration),
            renew_deadline: scaled(options.renew_deadline),
            retry_period: scaled(options.retry_period),
            ..options
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tempo_is_drawn_and_always_the_same_for_a_seed() {
        let drawn: Vec<Tempo> = (0..100).map(Tempo::of_seed).collect();
        for factor in [1, 2] {
            for rest in [REST, LONG_REST] {
                assert!(drawn.contains(&Tempo { lease_factor: factor, rest }), "{factor} and {rest:#}");
            }
        }
        assert_eq!(Tempo::of_seed(7), Tempo::of_seed(7));
    }
}
