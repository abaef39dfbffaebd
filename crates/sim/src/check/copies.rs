//! S4: a copy of an object belongs to whoever copies it; no controller of the original's kind ever writes it.

use super::{Check, Finding};
use crate::truth::{Truth, is_copy};
use crate::world::{Author, Observation};

pub(super) struct Copies;

impl Check for Copies {
    fn rule(&self) -> &'static str {
        "S4 copies are never written"
    }

    fn look(&mut self, _: &Truth, observation: &Observation) -> Option<Finding> {
        let Observation::Commit(commit) = observation else { return None };
        let is_written = matches!(commit.author, Author::Manager(_))
            && commit.changed.before.as_deref().is_some_and(is_copy);
        let text = "is a copy and was written by a manager";
        is_written.then(|| Finding::of(&commit.changed.cluster, &commit.changed.object, text))
    }
}
