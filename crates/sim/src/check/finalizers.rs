//! S6: a Network is let go only when none of its contexts is left.

use api::labels;
use serde_json::Value;

use super::{Check, Finding};
use crate::truth::contexts::belongs_to;
use crate::truth::{Truth, is_copy, text};
use crate::world::Observation;

pub(super) struct Finalizers;

impl Check for Finalizers {
    fn rule(&self) -> &'static str {
        "S6 the finalizer goes last"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        let commit = observation.written("networks")?;
        let before = commit.changed.before.as_deref().filter(|network| holds(network))?;
        if commit.changed.after.as_deref().is_some_and(holds) {
            return None;
        }
        let cluster = &commit.changed.cluster;
        if truth.is_rewritten_within(cluster, truth.overtaken) {
            return None;
        }
        let uid = text(before, "/metadata/uid");
        let created = |context: &Value| {
            let at = text(context, "/metadata/creationTimestamp").parse::<jiff::Timestamp>().ok();
            at.is_some_and(|at| commit.at.duration_since(at) > truth.overtaken)
        };
        let left = truth
            .of(cluster, "networkcontexts")
            .find(|(_, context)| !is_copy(context) && belongs_to(context, uid) && created(context));
        left.map(|(context, _)| {
            let text = format!("was let go while {context} belongs to it");
            Finding::of(cluster, &commit.changed.object, text)
        })
    }
}

fn holds(network: &Value) -> bool {
    let finalizers = network.pointer("/metadata/finalizers").and_then(Value::as_array);
    finalizers.into_iter().flatten().any(|finalizer| finalizer == labels::finalizer::NETWORK_CONTROLLER)
}
