//! S7: readiness that lies. A declaration is called ready only if the context it is shown served it not long ago.

use super::{Check, Finding};
use crate::truth::pairs::Declared;
use crate::truth::{Truth, condition, is_going, text};
use crate::world::{Author, Observation};

pub(super) struct Readiness;

impl Check for Readiness {
    fn rule(&self) -> &'static str {
        "S7 readiness is honest"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        let Observation::Commit(commit) = observation else { return None };
        let is_binding = commit.changed.object.plural() == "networkbindings";
        if !is_binding || !matches!(commit.author, Author::Manager(_)) {
            return None;
        }
        let binding = commit.changed.after.as_deref()?;
        if condition(binding, "Ready").map(|(status, _)| status) != Some("True") {
            return None;
        }
        let cluster = &commit.changed.cluster;
        let finding = |text: String| Some(Finding::of(cluster, &commit.changed.object, text));
        let Declared::Pair(pair) = truth.declared(cluster, &commit.changed.object, binding) else {
            return None;
        };
        let (namespace, name) = (
            text(binding, "/status/networkContextRef/namespace"),
            text(binding, "/status/networkContextRef/name"),
        );
        if name.is_empty() {
            return finding("is called ready and names no context".to_owned());
        }
        let context = truth.get(&pair.cluster(), "networkcontexts", namespace, name)?;
        let is_of_pair = text(context, "/spec/network/name") == pair.network
            && text(context, "/spec/location/name") == pair.location;
        if !is_of_pair && !is_going(context) {
            return finding(format!("is called ready and names {namespace}/{name}, which is not of {pair}"));
        }
        None
    }
}
