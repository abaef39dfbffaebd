//! What a presence holds of its context: content, labels and owner, and that it carries no stamp.

use api::builtin::EventReason;
use api::labels::{self, annotation};
use api::networking::Network;
use api::{Kind, Uid};
use federation::route::{label_of_project, project_of_label};
use federation::{ContextFacts, NetworkFacts};
use reconcile::{Absent, Event, Step, Target};
use serde_json::{Value, json};

use super::super::observed::{Context, Observed};

/// The context's body: spec from the Network, labels for routing, the Network as its controller.
fn body(observed: &Observed, network: &NetworkFacts, held: Option<&ContextFacts>) -> Value {
    let key = &observed.key;
    let kept = held.and_then(|facts| facts.upstream_cluster.clone());
    let cluster = kept
        .filter(|label| project_of_label(label).as_ref() == Some(&key.project))
        .unwrap_or_else(|| label_of_project(&key.project));
    json!({
        "metadata": {
            "labels": {
                labels::UPSTREAM_CLUSTER_NAME: cluster,
                labels::UPSTREAM_NAMESPACE: key.namespace,
                labels::NETWORK: key.network,
                labels::LOCATION: key.location,
                labels::NETWORK_UID: network.uid,
            },
            "ownerReferences": [owner(observed, &network.uid)],
        },
        "spec": {
            "network": { "name": key.network },
            "location": { "name": key.location },
            "ipFamilies": network.ip_families,
            "mtu": network.mtu,
            "networkGeneration": network.generation,
        },
    })
}

fn owner(observed: &Observed, uid: &Uid) -> Value {
    json!({
        "apiVersion": Network::RESOURCE.api_version(),
        "kind": Network::RESOURCE.kind,
        "name": observed.key.network,
        "uid": uid,
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// Makes the context.
pub(super) fn create(observed: &Observed, target: &Target, network: &NetworkFacts) -> Step {
    Step::create(target.clone(), body(observed, network, None), "make the network present")
}

/// Holds the context's content.
pub(super) fn content(observed: &Observed, serving: &Context, network: &NetworkFacts) -> Step {
    let body = body(observed, network, Some(&serving.facts));
    Step::apply(serving.target.clone(), body, "carry the network's settings to its presence").at_version()
}

/// Takes the stamp off, and says that the wait is over.
pub(super) fn cancel_grace(observed: &Observed, serving: &Context) -> Vec<Step> {
    let Some(since) = &serving.facts.unclaimed_since else { return Vec::new() };
    let absent = vec![Absent::annotation(annotation::UNCLAIMED_SINCE)];
    let event = Event {
        reason: EventReason::UnclaimedGraceCancelled,
        regarding: serving.facts.uid.clone(),
        action: "KeepPresence",
        note: format!("{} is declared again and stays", observed.key),
        at: observed.stamp,
        occurrence: since.clone(),
    };
    vec![
        Step::remove(serving.target.clone(), absent, "a holder came back").at_version().in_group("hold"),
        Step::record(serving.target.clone(), event, "say that the presence stays"),
    ]
}
