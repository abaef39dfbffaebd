//! What users, consumers and other controllers do to a world: a list of requests with their times, drawn before the run,
//! so that a failing run can be made smaller by leaving some out.

mod acts;
mod universe;

use jiff::SignedDuration;

use crate::dice::Dice;
use crate::fault::{Fault, Mixture};

pub use acts::{Act, beginning, declarations, fresh, fresh_declaration, furniture, release, route_of};
pub use universe::{Size, Universe};

/// An act and when it happens, from the beginning of the workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// When.
    pub at: SignedDuration,
    /// What.
    pub act: Act,
    /// Whether a foreign hand does it: a fault, not a use.
    pub is_foreign: bool,
}

/// Draws the acts of a run.
#[must_use]
pub fn draw(universe: &Universe, mixture: &Mixture, dice: &mut Dice, count: usize) -> Vec<Timed> {
    let mut at = SignedDuration::ZERO;
    let mut acts = Vec::with_capacity(count);
    let foreign = mixture.rate(Fault::ForeignHand);
    while acts.len() < count {
        at += dice.millis(1, 3_000);
        let is_foreign = dice.hits(foreign);
        let drawn = if is_foreign { acts::foreign(universe, dice) } else { acts::ordinary(universe, dice) };
        acts.extend(drawn.into_iter().map(|act| Timed { at, act, is_foreign }));
    }
    acts
}
