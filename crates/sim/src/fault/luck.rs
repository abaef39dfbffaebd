//! Whether a fault strikes, occasion by occasion. Occasions are numbered the same way whether dice decide or a list, so the
//! list of those that struck is the same run.

use std::collections::BTreeMap;

use super::{Fault, Faults, Strikes};
use crate::dice::Dice;

/// See the module.
#[derive(Clone, Debug)]
pub struct Luck {
    seed: u64,
    faults: Faults,
    occasions: BTreeMap<Fault, Occasions>,
    struck: Strikes,
}

#[derive(Clone, Debug)]
struct Occasions {
    next: u64,
    dice: Dice,
}

impl Luck {
    /// The luck of a seed.
    #[must_use]
    pub fn new(seed: u64, faults: Faults) -> Self {
        Self { seed, faults, occasions: BTreeMap::new(), struck: Strikes::new() }
    }

    /// One occasion of a fault: the dice of its strike, or none if it does not strike. Where nothing is there to be struck
    /// (`can_strike` is false) the occasion is counted all the same, so that those after it keep their numbers.
    pub fn strikes(&mut self, fault: Fault, can_strike: bool) -> Option<Dice> {
        let seed = self.seed;
        let fresh = || Occasions { next: 0, dice: Dice::of_fault(seed, fault.name()) };
        let occasions = self.occasions.entry(fault).or_insert_with(fresh);
        let occasion = occasions.next;
        occasions.next += 1;
        let is_meant = match &self.faults {
            Faults::Drawn(mixture) => occasions.dice.hits(mixture.rate(fault)),
            Faults::Listed(strikes) => strikes.get(&fault).is_some_and(|listed| listed.contains(&occasion)),
        };
        if !(is_meant && can_strike) {
            return None;
        }
        self.struck.entry(fault).or_default().insert(occasion);
        Some(Dice::of_strike(seed, fault.name(), occasion))
    }

    /// Which occasions struck so far.
    #[must_use]
    pub fn struck(&self) -> &Strikes {
        &self.struck
    }

    /// How many occasions each fault has had so far.
    #[must_use]
    pub fn occasions(&self) -> BTreeMap<Fault, u64> {
        self.occasions.iter().map(|(fault, occasions)| (*fault, occasions.next)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mixture;
    use super::*;

    fn mixed() -> Faults {
        let mut mixture = Mixture::none();
        mixture.set(Fault::Crash, 300);
        mixture.set(Fault::Pause, 100);
        Faults::Drawn(mixture)
    }

    /// What strikes on some occasions, the third of which has nothing to strike; and the first draw of each strike.
    fn play(luck: &mut Luck) -> Vec<Option<u64>> {
        let faults = [Fault::Crash, Fault::Pause, Fault::Expired];
        let occasions = (0..200).flat_map(|turn| faults.map(|fault| (turn, fault)));
        occasions.map(|(turn, fault)| luck.strikes(fault, turn % 3 != 2).map(|mut dice| dice.any())).collect()
    }

    #[test]
    fn the_list_of_what_struck_strikes_the_same() {
        let mut drawn = Luck::new(7, mixed());
        let by_dice = play(&mut drawn);
        assert!(drawn.struck()[&Fault::Crash].len() > 20);
        assert!(!drawn.struck().contains_key(&Fault::Expired));
        let mut listed = Luck::new(7, Faults::Listed(drawn.struck().clone()));
        assert_eq!(play(&mut listed), by_dice);
        assert_eq!(listed.struck(), drawn.struck());
        assert_eq!(listed.occasions(), drawn.occasions());
    }

    #[test]
    fn leaving_one_strike_out_leaves_all_others() {
        let mut drawn = Luck::new(7, mixed());
        let by_dice = play(&mut drawn);
        let mut fewer = drawn.struck().clone();
        fewer.remove(&Fault::Pause);
        let first = fewer.get_mut(&Fault::Crash).unwrap().pop_first().unwrap();
        let left = play(&mut Luck::new(7, Faults::Listed(fewer.clone())));
        let changed: Vec<usize> = (0..left.len()).filter(|at| left[*at] != by_dice[*at]).collect();
        let pauses = drawn.struck()[&Fault::Pause].len();
        assert_eq!(changed.len(), pauses + 1);
        assert!(changed.contains(&(usize::try_from(first).unwrap() * 3)));
    }
}
