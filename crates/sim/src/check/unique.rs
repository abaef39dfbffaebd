//! S1: a presence has one context. No manager makes another while one serves.

use super::{Check, Finding};
use crate::truth::contexts::pair_of;
use crate::truth::{Truth, text};
use crate::world::Observation;

pub(super) struct Unique;

impl Check for Unique {
    fn rule(&self) -> &'static str {
        "S1 one context for each presence"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        let commit =
            observation.written("networkcontexts").filter(|commit| commit.changed.before.is_none())?;
        let context = commit.changed.after.as_deref()?;
        let pair = pair_of(&commit.changed.cluster, &commit.changed.object, context)?;
        if truth.is_rewritten_within(&commit.changed.cluster, truth.overtaken) {
            return None;
        }
        let network = truth.get(&pair.cluster(), "networks", &pair.namespace, &pair.network)?;
        let (serving, other) = truth.serving(&pair, text(network, "/metadata/uid"))?;
        let made = text(other, "/metadata/creationTimestamp").parse::<jiff::Timestamp>().ok()?;
        let is_old = commit.at.duration_since(made) > truth.overtaken;
        (is_old && *serving != commit.changed.object).then(|| {
            let text = format!("was made for {pair} while {serving} serves it");
            Finding::of(&commit.changed.cluster, &commit.changed.object, text)
        })
    }
}
