//! The sources of chance of a world, all of one seed. What is no fault is drawn from the world's own, in the order of
//! events; each fault has its own, and each of its strikes.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use jiff::SignedDuration;

use crate::trace::TraceHash;

/// A seeded generator with the few draws a world needs.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The dice of a seed. Streams of one seed are independent of each other.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self(generator)
    }

    /// The dice of one fault of a seed, independent of those of every other: removing one fault shifts no other.
    #[must_use]
    pub fn of_fault(seed: u64, fault: &str) -> Self {
        Self::keyed([seed, fingerprint(fault), 0, 0])
    }

    /// The dice of one strike of a fault of a seed: how long, whom, which way.
    #[must_use]
    pub fn of_strike(seed: u64, fault: &str, occasion: u64) -> Self {
        Self::keyed([seed, fingerprint(fault), 1, occasion])
    }

    fn keyed(words: [u64; 4]) -> Self {
        let mut key = [0; 32];
        for (part, word) in key.chunks_exact_mut(8).zip(words) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`; zero where `end` is zero.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.0.next_u64() % end }
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True `per_mille` times in a thousand.
    pub fn hits(&mut self, per_mille: u32) -> bool {
        per_mille > 0 && self.below(1000) < u64::from(per_mille)
    }

    /// One of these; `None` only where there is none.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let index = usize::try_from(self.below(of.len() as u64)).unwrap_or_default();
        of.get(index)
    }

    /// A span from `low` to `high` milliseconds, in microseconds, so that two spans are rarely equal.
    pub fn millis(&mut self, low: u64, high: u64) -> SignedDuration {
        let micros = self.between(low * 1000, high * 1000);
        SignedDuration::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
    }
}

/// A name as a number that stays when names are added.
fn fingerprint(name: &str) -> u64 {
    let mut hash = TraceHash::default();
    hash.take(name.as_bytes());
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_one_sequence_and_streams_differ() {
        let draw = |seed, stream| {
            let mut dice = Dice::new(seed, stream);
            (0..8).map(|_| dice.any()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7, 0), draw(7, 0));
        assert_ne!(draw(7, 0), draw(8, 0));
        assert_ne!(draw(7, 0), draw(7, 1));
    }

    #[test]
    fn faults_and_their_strikes_have_dice_of_their_own() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..3 {
            for fault in ["crash", "pause"] {
                assert!(seen.insert(Dice::of_fault(seed, fault).any()));
                for occasion in 0..5 {
                    assert!(seen.insert(Dice::of_strike(seed, fault, occasion).any()));
                }
            }
        }
    }

    #[test]
    fn draws_stay_within_their_bounds() {
        let mut dice = Dice::new(1, 0);
        for _ in 0..1000 {
            assert!((3..=5).contains(&dice.between(3, 5)));
            assert!(!dice.hits(0));
            assert!(dice.hits(1000));
        }
        assert_eq!(dice.below(0), 0);
        assert_eq!(dice.pick::<u8>(&[]), None);
    }
}
