//! S2 and S8: a context is ended only while nothing holds its presence, after the grace that is written on it, or because
//! its Network is going or gone. What is unreachable or unknown is not absent.

use api::labels::annotation;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Check, Finding};
use crate::truth::contexts::{belongs_to, pair_of};
use crate::truth::{Pair, Truth, is_going};
use crate::world::{Commit, Observation};

/// Unclaimed grace of every manager of a world that a seed makes.
pub const GRACE: SignedDuration = SignedDuration::from_secs(20);
/// How far a manager's clock may be ahead of the server's when it judges a deadline that the server confirms by seconds.
const ROUNDING: SignedDuration = SignedDuration::from_secs(2);

pub(super) struct Holders;

impl Check for Holders {
    fn rule(&self) -> &'static str {
        "S2 nothing ends that is in use"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        let commit = observation.written("networkcontexts")?;
        let before = ended(commit)?;
        let object = &commit.changed.object;
        let pair = pair_of(&commit.changed.cluster, object, before)?;
        let text = complaint(truth, commit, before, &pair)?;
        Some(Finding::of(&commit.changed.cluster, object, text))
    }
}

/// The context that a write ended.
fn ended(commit: &Commit) -> Option<&Value> {
    let before = commit.changed.before.as_deref().filter(|before| !is_going(before))?;
    commit.changed.after.as_deref().is_none_or(is_going).then_some(before)
}

fn complaint(truth: &Truth, commit: &Commit, before: &Value, pair: &Pair) -> Option<String> {
    if truth.is_rewritten_within(&pair.cluster(), truth.overtaken)
        || truth.is_rewritten_within(&api::ClusterName::Hub, truth.overtaken)
    {
        return None;
    }
    let place = (pair.cluster(), pair.namespace.clone(), pair.network.clone());
    let network = truth.get(&place.0, "networks", &place.1, &place.2)?;
    let uid = crate::truth::text(network, "/metadata/uid");
    if is_going(network) || !belongs_to(before, uid) {
        return None;
    }
    let serving = truth.serving(pair, uid);
    if serving.is_some_and(|(other, _)| *other != commit.changed.object) {
        return None;
    }
    if truth.is_held_for(pair, truth.overtaken) && truth.lives_for(&place, uid, truth.overtaken) {
        return Some(format!("was ended while {pair} was declared, for minutes already"));
    }
    let stamp = before.pointer("/metadata/annotations")?.get(annotation::UNCLAIMED_SINCE);
    let since = stamp.and_then(Value::as_str).and_then(|text| text.parse::<Timestamp>().ok());
    match since {
        None if truth.grace.is_zero() => None,
        None => Some(format!("was ended without a readable {} on it", annotation::UNCLAIMED_SINCE)),
        Some(since) if commit.at.duration_since(since) < truth.grace.saturating_sub(ROUNDING) => {
            Some(format!("was ended at {}, before its grace since {since} was over", commit.at))
        }
        Some(_) => None,
    }
}
