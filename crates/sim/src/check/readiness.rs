//! S7: readiness that lies. A declaration is called ready only if the context it is shown is one of its pair, and was ready
//! at some time.

use std::collections::BTreeSet;

use api::ClusterName;
use serde_json::Value;

use super::{Check, Finding};
use crate::truth::pairs::Declared;
use crate::truth::{Pair, Truth, condition, is_going, text};
use crate::world::{Author, Commit, Observation};

/// Remembers which contexts have been ready: plane, namespace and name.
#[derive(Default)]
pub(super) struct Readiness(BTreeSet<(ClusterName, String, String)>);

impl Check for Readiness {
    fn rule(&self) -> &'static str {
        "S7 readiness is honest"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        let Observation::Commit(commit) = observation else { return None };
        let after = commit.changed.after.as_deref()?;
        let is_ready = condition(after, "Ready").is_some_and(|(status, _)| status == "True");
        let (cluster, object) = (&commit.changed.cluster, &commit.changed.object);
        match object.plural() {
            "networkcontexts" if is_ready => {
                self.0.insert((cluster.clone(), object.namespace.clone(), object.name.clone()));
                None
            }
            "networkbindings" if is_ready && matches!(commit.author, Author::Manager(_)) => {
                let Declared::Pair(pair) = truth.declared(cluster, object, after) else { return None };
                Some(Finding::of(cluster, object, self.complaint(truth, commit, after, &pair)?))
            }
            _ => None,
        }
    }
}

impl Readiness {
    fn complaint(&self, truth: &Truth, commit: &Commit, binding: &Value, pair: &Pair) -> Option<String> {
        let (namespace, name) = (
            text(binding, "/status/networkContextRef/namespace"),
            text(binding, "/status/networkContextRef/name"),
        );
        if name.is_empty() {
            return Some("is called ready and names no context".to_owned());
        }
        let plane = pair.cluster();
        let context = truth.get(&plane, "networkcontexts", namespace, name)?;
        let is_of_pair = text(context, "/spec/network/name") == pair.network
            && text(context, "/spec/location/name") == pair.location;
        if !is_of_pair && !is_going(context) {
            return Some(format!("is called ready and names {namespace}/{name}, which is not of {pair}"));
        }
        let said = commit.changed.before.as_deref().and_then(|before| condition(before, "Ready"));
        let turns = said.is_none_or(|(status, _)| status != "True");
        let was_ready = self.0.contains(&(plane.clone(), namespace.to_owned(), name.to_owned()));
        let is_known = !truth.is_rewritten_within(&plane, truth.overtaken);
        (turns && !was_ready && is_known)
            .then(|| format!("is called ready and names {namespace}/{name}, which never was"))
    }
}
