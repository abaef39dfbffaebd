//! S3: what cannot be undone is done on an absence only after the server itself said so. Synced is not fresh: a process
//! that ends a context which nobody declares, or lets a Network go, has asked where holders or contexts are, and there
//! were none at that moment. What it knew otherwise does not matter, however long ago or late it was.

use std::collections::{BTreeMap, BTreeSet};

use api::ClusterName;
use api::labels::{annotation, finalizer};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Check, Finding};
use crate::network::{ManagerId, Sent};
use crate::plane::ObjectRef;
use crate::truth::contexts::{belongs_to, claimed_by, pair_of};
use crate::truth::{Pair, Truth, is_copy, is_going, text};
use crate::world::{Answered, Observation};

/// A server's clock counts in whole seconds.
const ROUNDING: SignedDuration = SignedDuration::from_secs(2);

/// What a server held when it was asked.
struct Proof {
    at: Timestamp,
    /// Pairs that objects of the kind held.
    held: BTreeSet<Pair>,
    /// Networks, by uid, that had a context.
    networks: BTreeSet<String>,
}

/// Remembers what each process was told last, by plane and plural.
#[derive(Default)]
pub(super) struct Proofs(BTreeMap<(ManagerId, ClusterName, &'static str), Proof>);

impl Check for Proofs {
    fn rule(&self) -> &'static str {
        "S3 absence that destroys is proved"
    }

    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding> {
        match observation {
            Observation::Answered(at, answered) => {
                self.told(truth, *at, answered);
                None
            }
            Observation::Sent(_, sent) => {
                let (namespace, plural, name) = sent.object()?;
                match (sent.request.method.as_str(), plural) {
                    ("DELETE", "networkcontexts") => self.context_complaint(truth, sent, (namespace, &name)),
                    ("PATCH", "networks") => self.network_complaint(truth, sent, (namespace, &name)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Proofs {
    fn told(&mut self, truth: &Truth, at: Timestamp, answered: &Answered) {
        let Some(plural) = answered.asked.filter(|_| answered.code == 200) else { return };
        let cluster = &answered.cluster;
        let contexts = truth.of(cluster, "networkcontexts").filter(|(_, context)| !is_copy(context));
        let networks = contexts.map(|(_, context)| claimed_by(context).to_owned()).collect();
        let proof = Proof { at, held: truth.held_by(cluster, plural), networks };
        self.0.insert((answered.manager, cluster.clone(), plural), proof);
    }

    fn proof(&self, sent: &Sent, cluster: &ClusterName, plural: &'static str) -> Option<&Proof> {
        self.0.get(&(sent.manager?, cluster.clone(), plural))
    }

    /// A context is ended. If its Network lives, only the absence of every holder allows it.
    fn context_complaint(
        &self,
        truth: &Truth,
        sent: &Sent,
        (namespace, name): (&str, &str),
    ) -> Option<Finding> {
        let object = truth.find(&sent.cluster, "networkcontexts", namespace, name)?;
        let (object, context) = object;
        let body: Value = serde_json::from_slice(&sent.request.body).ok()?;
        let is_what_was_read = text(&body, "/preconditions/uid") == text(context, "/metadata/uid")
            && text(&body, "/preconditions/resourceVersion") == text(context, "/metadata/resourceVersion");
        if !is_what_was_read || is_going(context) || is_copy(context) {
            return None;
        }
        let pair = pair_of(&sent.cluster, object, context)?;
        let network = truth.get(&pair.cluster(), "networks", &pair.namespace, &pair.network)?;
        let uid = text(network, "/metadata/uid");
        if is_going(network) || !belongs_to(context, uid) || is_rewritten(truth, &pair) {
            return None;
        }
        if truth.serving(&pair, uid).is_some_and(|(serving, _)| serving != object) {
            return None;
        }
        let complaint = self.holders_complaint(sent, &pair, end_of_grace(truth, context))?;
        Some(Finding::of(&sent.cluster, object, complaint))
    }

    fn holders_complaint(&self, sent: &Sent, pair: &Pair, end: Option<Timestamp>) -> Option<String> {
        for cluster in [ClusterName::Hub, pair.cluster()] {
            let Some(proof) = self.proof(sent, &cluster, "networkbindings") else {
                return Some(format!("is ended without asking plane {cluster} who declares {pair}"));
            };
            if proof.held.contains(pair) {
                let at = proof.at;
                return Some(format!(
                    "is ended, and {pair} was declared when plane {cluster} was asked at {at}"
                ));
            }
            if end.is_some_and(|end| proof.at + ROUNDING < end) {
                let at = proof.at;
                return Some(format!(
                    "is ended, and plane {cluster} was asked at {at}, before its grace was over"
                ));
            }
        }
        let interfaces = self.proof(sent, &ClusterName::Hub, "networkinterfaces")?;
        let text =
            format!("is ended, and interfaces kept {pair} when the hub was asked at {}", interfaces.at);
        interfaces.held.contains(pair).then_some(text)
    }

    /// A Network is let go: the absence of its contexts is what allows it.
    fn network_complaint(
        &self,
        truth: &Truth,
        sent: &Sent,
        (namespace, name): (&str, &str),
    ) -> Option<Finding> {
        let (object, network) = truth.find(&sent.cluster, "networks", namespace, name)?;
        let uid = text(network, "/metadata/uid");
        if !lets_go(sent, uid) || !is_going(network) {
            return None;
        }
        if truth.is_rewritten_within(&sent.cluster, truth.overtaken) {
            return None;
        }
        let finding = |text: String| Some(Finding::of(&sent.cluster, object, text));
        let Some(proof) = self.proof(sent, &sent.cluster, "networkcontexts") else {
            let mut contexts = truth.of(&sent.cluster, "networkcontexts");
            let is_left = contexts.any(|(_, context)| !is_copy(context) && claimed_by(context) == uid);
            let text = "is let go without asking for its contexts, and one is left";
            return if is_left { finding(text.to_owned()) } else { None };
        };
        let text = format!("is let go, and a context was left when the plane was asked at {}", proof.at);
        if proof.networks.contains(uid) { finding(text) } else { None }
    }
}

fn is_rewritten(truth: &Truth, pair: &Pair) -> bool {
    [ClusterName::Hub, pair.cluster()]
        .iter()
        .any(|cluster| truth.is_rewritten_within(cluster, truth.overtaken))
}

/// When the grace of a context is over; none where nothing is waited for.
fn end_of_grace(truth: &Truth, context: &Value) -> Option<Timestamp> {
    let stamp = context.pointer("/metadata/annotations")?.get(annotation::UNCLAIMED_SINCE)?;
    let since = stamp.as_str()?.parse::<Timestamp>().ok()?;
    since.checked_add(truth.grace).ok().filter(|_| !truth.grace.is_zero())
}

/// Whether a write takes the network controller's finalizer off this life of a Network.
fn lets_go(sent: &Sent, uid: &str) -> bool {
    let body: Value = serde_json::from_slice(&sent.request.body).unwrap_or(Value::Null);
    let operations = body.as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |path: &str, value: &str| {
        operations
            .iter()
            .any(|one| one["op"] == "test" && text(one, "/path").starts_with(path) && one["value"] == value)
    };
    has("/metadata/uid", uid) && has("/metadata/finalizers/", finalizer::NETWORK_CONTROLLER)
}

/// An object's place in its plane, for findings.
impl Truth {
    fn find(
        &self,
        cluster: &ClusterName,
        plural: &'static str,
        namespace: &str,
        name: &str,
    ) -> Option<(&ObjectRef, &Value)> {
        self.of(cluster, plural).find(|(object, _)| object.namespace == namespace && object.name == name)
    }
}
