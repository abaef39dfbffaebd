//! Contexts as what they are to the Networks they name.

use api::{ClusterName, labels};
use serde_json::Value;

use super::{Pair, Truth, is_copy, is_going, label, text};
use crate::plane::ObjectRef;

/// Uid of the Network that controls an object; empty where none does.
#[must_use]
pub fn controlling_network(context: &Value) -> &str {
    let owners = context.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    let is_it = |owner: &&Value| owner["controller"] == true && owner["kind"] == "Network";
    owners.into_iter().flatten().find(is_it).map(|owner| text(owner, "/uid")).unwrap_or_default()
}

/// Whether a controller made it for some Network.
#[must_use]
pub fn is_made_for_a_network(context: &Value) -> bool {
    !label(context, labels::NETWORK_UID).is_empty() || !controlling_network(context).is_empty()
}

/// Uid of the Network that it belongs to; empty where it belongs to none, or says two things.
#[must_use]
pub fn claimed_by(context: &Value) -> &str {
    let (stamp, owner) = (label(context, labels::NETWORK_UID), controlling_network(context));
    let claim = if stamp.is_empty() { owner } else { stamp };
    if belongs_to(context, claim) { claim } else { "" }
}

/// Whether it belongs to the Network of this uid.
#[must_use]
pub fn belongs_to(context: &Value, uid: &str) -> bool {
    let (stamp, owner) = (label(context, labels::NETWORK_UID), controlling_network(context));
    (stamp == uid && (owner.is_empty() || owner == uid)) || (stamp.is_empty() && owner == uid)
}

/// The pair of a context.
#[must_use]
pub fn pair_of(cluster: &ClusterName, object: &ObjectRef, context: &Value) -> Option<Pair> {
    let ClusterName::Project(project) = cluster else { return None };
    Some(Pair {
        project: project.to_string(),
        namespace: object.namespace.clone(),
        network: text(context, "/spec/network/name").to_owned(),
        location: text(context, "/spec/location/name").to_owned(),
    })
}

impl Truth {
    /// Contexts of a pair that are no copies, living or going.
    #[must_use]
    pub fn contexts(&self, pair: &Pair) -> Vec<(&ObjectRef, &Value)> {
        let cluster = pair.cluster();
        let is_of_pair = |(object, context): &(&ObjectRef, &Value)| {
            !is_copy(context) && pair_of(&cluster, object, context).as_ref() == Some(pair)
        };
        self.of(&cluster, "networkcontexts").filter(is_of_pair).collect()
    }

    /// The living context of a pair that belongs to the Network of this uid; the oldest if there are several.
    #[must_use]
    pub fn serving(&self, pair: &Pair, uid: &str) -> Option<(&ObjectRef, &Value)> {
        let ours = self
            .contexts(pair)
            .into_iter()
            .filter(|(_, context)| !is_going(context) && belongs_to(context, uid));
        ours.min_by_key(|(object, context)| {
            (text(context, "/metadata/creationTimestamp").to_owned(), object.name.clone())
        })
    }
}
