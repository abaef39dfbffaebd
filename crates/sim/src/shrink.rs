//! Makes a failing case smaller for as long as the same rule breaks: delta debugging over what the world holds, which
//! faults strike, and what users do. Pure: how a case is run is passed in, and the same case shrinks the same way.

mod minimize;

use std::collections::BTreeSet;

use crate::case::Case;
use crate::fault::{Fault, Faults, Strikes};

use self::minimize::minimize;

/// What one run of a candidate showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The rule that was broken, if one was.
    pub rule: Option<String>,
    /// Which faults struck.
    pub strikes: Strikes,
}

/// The smallest case found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// It; its faults are listed.
    pub case: Case,
    /// Runs that were made.
    pub tries: usize,
    /// Whether nothing more can be left out one by one; otherwise the tries ran out.
    pub is_minimal: bool,
}

/// Shrinks a case that breaks `rule` and on which these faults struck, in at most `tries_max` runs.
pub fn shrink(
    case: &Case,
    rule: &str,
    strikes: Strikes,
    tries_max: usize,
    run: &mut dyn FnMut(&Case) -> Attempt,
) -> Shrunk {
    let case = Case { faults: Faults::Listed(strikes.clone()), ..case.clone() };
    let mut shrinker = Shrinker { case, strikes, rule, tries: 0, tries_max, run };
    loop {
        let before = shrinker.case.clone();
        shrinker.fewer_kinds();
        shrinker.fewer_acts();
        shrinker.fewer_strikes();
        shrinker.less_furniture();
        if shrinker.is_spent() || shrinker.case == before {
            break;
        }
    }
    Shrunk { is_minimal: !shrinker.is_spent(), case: shrinker.case, tries: shrinker.tries }
}

struct Shrinker<'a> {
    case: Case,
    strikes: Strikes,
    rule: &'a str,
    tries: usize,
    tries_max: usize,
    run: &'a mut dyn FnMut(&Case) -> Attempt,
}

impl Shrinker<'_> {
    fn is_spent(&self) -> bool {
        self.tries >= self.tries_max
    }

    /// Takes a candidate if it still breaks the rule. Strikes that were listed and did not happen are dropped with it.
    fn take(&mut self, candidate: Case) -> bool {
        if candidate == self.case {
            return true;
        }
        if self.is_spent() {
            return false;
        }
        self.tries += 1;
        let attempt = (self.run)(&candidate);
        if attempt.rule.as_deref() != Some(self.rule) {
            return false;
        }
        self.case = Case { faults: Faults::Listed(attempt.strikes.clone()), ..candidate };
        self.strikes = attempt.strikes;
        true
    }

    fn take_strikes(&mut self, strikes: Strikes) -> bool {
        let candidate = Case { faults: Faults::Listed(strikes), ..self.case.clone() };
        self.take(candidate)
    }

    /// All faults at once, then kinds, halves of them first.
    fn fewer_kinds(&mut self) {
        if self.strikes.is_empty() || self.take_strikes(Strikes::new()) {
            return;
        }
        let kinds: Vec<Fault> = self.strikes.keys().copied().collect();
        minimize(&kinds, &mut |kept| {
            let strikes = self.strikes.iter().filter(|(fault, _)| kept.contains(fault));
            let strikes = strikes.map(|(fault, occasions)| (*fault, occasions.clone())).collect();
            self.take_strikes(strikes)
        });
    }

    fn fewer_strikes(&mut self) {
        let kinds: Vec<Fault> = self.strikes.keys().copied().collect();
        for fault in kinds {
            let occasions: Vec<u64> = self.strikes.get(&fault).into_iter().flatten().copied().collect();
            minimize(&occasions, &mut |kept| {
                let mut strikes = self.strikes.clone();
                let kept: BTreeSet<u64> = kept.iter().copied().collect();
                strikes.insert(fault, kept);
                strikes.retain(|_, occasions| !occasions.is_empty());
                self.take_strikes(strikes)
            });
        }
    }

    fn fewer_acts(&mut self) {
        let acts = self.case.acts.clone();
        minimize(&acts, &mut |kept| self.take(Case { acts: kept.to_vec(), ..self.case.clone() }));
    }

    fn less_furniture(&mut self) {
        let parts = [0, 1, 2];
        for part in parts {
            let names = self.names(part).clone();
            minimize(&names, &mut |kept| {
                let mut candidate = self.case.clone();
                *match part {
                    0 => &mut candidate.universe.projects,
                    1 => &mut candidate.universe.networks,
                    _ => &mut candidate.universe.locations,
                } = kept.to_vec();
                self.take(candidate)
            });
        }
        while self.case.universe.replicas > 1 {
            let mut candidate = self.case.clone();
            candidate.universe.replicas -= 1;
            if !self.take(candidate) {
                break;
            }
        }
    }

    fn names(&self, part: usize) -> &Vec<String> {
        let universe = &self.case.universe;
        match part {
            0 => &universe.projects,
            1 => &universe.networks,
            _ => &universe.locations,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Size;

    fn strikes(listed: &[(Fault, &[u64])]) -> Strikes {
        listed.iter().map(|(fault, occasions)| (*fault, occasions.iter().copied().collect())).collect()
    }

    /// Two acts and two strikes together break the rule; everything else breaks another one.
    fn attempt(whole: &Case, candidate: &Case) -> Attempt {
        let Faults::Listed(listed) = &candidate.faults else { panic!("faults are not listed") };
        let has = |fault, occasion| listed.get(&fault).is_some_and(|all| all.contains(&occasion));
        let is_kept = |number: usize| candidate.acts.contains(&whole.acts[number]);
        let is_there = is_kept(3) && is_kept(11) && has(Fault::Crash, 1) && has(Fault::AnswerLost, 7);
        let rule = if is_there { "the rule" } else { "another rule" };
        Attempt { rule: Some(rule.to_owned()), strikes: listed.clone() }
    }

    #[test]
    fn what_breaks_the_same_rule_is_left_and_nothing_else() {
        let whole = Case::of_seed(1, Size::Presence);
        let answers: Vec<u64> = (0..30).collect();
        let struck =
            strikes(&[(Fault::Crash, &[0, 1, 2]), (Fault::Pause, &[4]), (Fault::AnswerLost, &answers)]);
        let shrunk = shrink(&whole, "the rule", struck, 2_000, &mut |candidate| attempt(&whole, candidate));
        let left = strikes(&[(Fault::Crash, &[1]), (Fault::AnswerLost, &[7])]);
        assert_eq!(shrunk.case.faults, Faults::Listed(left));
        assert_eq!(shrunk.case.acts, [whole.acts[3].clone(), whole.acts[11].clone()]);
        let universe = &shrunk.case.universe;
        let names = [&universe.projects, &universe.networks, &universe.locations];
        assert!(names.iter().all(|names| names.is_empty()) && universe.replicas == 1, "{universe:?}");
        assert!(shrunk.is_minimal && shrunk.tries < 150, "{} runs", shrunk.tries);
    }

    #[test]
    fn strikes_that_do_not_happen_any_more_are_dropped() {
        let whole = Case::of_seed(1, Size::Small);
        let struck = strikes(&[(Fault::Crash, &[0, 5])]);
        let shrunk = shrink(&whole, "the rule", struck, 2_000, &mut |candidate| {
            // Without acts the world ends before the sixth turn.
            let Faults::Listed(listed) = &candidate.faults else { panic!("faults are not listed") };
            let is_broken = listed.get(&Fault::Crash).is_some_and(|all| all.contains(&0));
            let happened =
                if candidate.acts.is_empty() { strikes(&[(Fault::Crash, &[0])]) } else { listed.clone() };
            Attempt { rule: is_broken.then(|| "the rule".to_owned()), strikes: happened }
        });
        assert_eq!(shrunk.case.faults, Faults::Listed(strikes(&[(Fault::Crash, &[0])])));
        assert!(shrunk.case.acts.is_empty() && shrunk.is_minimal);
    }
}
