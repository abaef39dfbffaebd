//! S7: refusals that lie. Unknown, unreachable and not served are not absent: nobody is told that something is missing
//! that was there before any manager ran and is there still. Locations are left out: a plane may lack either of their two
//! kinds for good, so one that is not served is one without objects.

use api::ClusterName;

use super::{Check, Finding};
use crate::truth::pairs::Declared;
use crate::truth::{Pair, Truth, condition};
use crate::world::Observation;

pub(super) struct Refusals;

impl Check for Refusals {
    fn rule(&self) -> &'static str {
        "S7 refusals are honest"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        let commit = observation.written("networkbindings")?;
        let (cluster, object) = (&commit.changed.cluster, &commit.changed.object);
        // What a restored plane shows comes kind by kind.
        if truth.is_rewritten_within(cluster, truth.overtaken) {
            return None;
        }
        let binding = commit.changed.after.as_deref()?;
        let ready = |of| condition(of, "Ready");
        let said = commit.changed.before.as_deref().and_then(ready);
        let (status, reason) = ready(binding).filter(|says| *says != said.unwrap_or_default())?;
        let Declared::Pair(pair) = truth.declared(cluster, object, binding) else { return None };
        let was_served = said.is_some_and(|(status, _)| status == "True");
        let missing = (status == "False").then(|| stands(truth, &pair, reason, was_served)).flatten()?;
        Some(Finding::of(
            cluster,
            object,
            format!("is refused with {reason}, and {missing} has always been there"),
        ))
    }
}

/// What a refusal calls missing although it stands, in words.
fn stands(truth: &Truth, pair: &Pair, reason: &str, was_served: bool) -> Option<String> {
    let plane = pair.cluster();
    match reason {
        // Whoever has not been answered yet is told so too if the project's plane is away.
        "ProjectUnresolved" if was_served => {
            let project = truth.get(&ClusterName::Core, "projects", "", &pair.project)?;
            truth.stood_first(&ClusterName::Core, project).then(|| format!("project {}", pair.project))
        }
        "NetworkNotFound" => {
            let network = truth.get(&plane, "networks", &pair.namespace, &pair.network)?;
            truth.stood_first(&plane, network).then(|| format!("network {}", pair.network))
        }
        _ => None,
    }
}
