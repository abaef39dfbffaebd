//! Waits that double, with seeded jitter.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The wait before the attempt of this number (the first is 0): doubles from `first` to `longest`, then between half and
/// the whole of that by the generator, so that many keys that failed together do not come back together.
pub fn wait(bounds: (Duration, Duration), attempt: u32, random: &mut ChaCha8Rng) -> Duration {
    let (first, longest) = bounds;
    let whole = first.saturating_mul(1_u32.checked_shl(attempt.min(20)).unwrap_or(u32::MAX)).min(longest);
    let half = whole / 2;
    let span = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_micros(random.next_u64() % span)
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn waits_grow_to_the_longest_and_stay_between_half_and_whole() {
        let bounds = (Duration::from_millis(5), Duration::from_secs(1));
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for attempt in 0..40 {
            let whole = bounds.0.saturating_mul(2_u32.saturating_pow(attempt.min(20))).min(bounds.1);
            let wait = wait(bounds, attempt, &mut random);
            assert!(wait >= whole / 2 && wait <= whole, "attempt {attempt}: {wait:?} of {whole:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_waits() {
        let bounds = (Duration::from_millis(5), Duration::from_secs(1));
        let draw = |seed| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            (0..8).map(|attempt| wait(bounds, attempt, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
