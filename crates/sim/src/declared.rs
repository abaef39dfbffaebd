//! What a world at rest must look like, from what is declared alone: the whole of presence as a predicate.

use api::ClusterName;
use api::labels::{self, annotation, finalizer};
use jiff::Timestamp;
use serde_json::Value;

use crate::check::Finding;
use crate::plane::ObjectRef;
use crate::truth::contexts::{belongs_to, controlling_network, is_made_for_a_network, pair_of};
use crate::truth::pairs::Declared;
use crate::truth::{Pair, Truth, condition, is_copy, is_going, label, text};

/// The longest value of a label.
const LABEL_MAX: usize = 63;

/// What a declaration must be told.
enum Expected<'a> {
    /// It is served by this context of the Network of this uid.
    Served(&'a ObjectRef, &'a str),
    /// It is refused for this reason.
    Refused(&'static str),
}

/// The first thing that is not as it is declared, on planes for which `is_asked`; `None` if everything is.
#[must_use]
pub fn complaint(truth: &Truth, is_asked: &dyn Fn(&ClusterName) -> bool) -> Option<Finding> {
    let is_project = |cluster: &&ClusterName| matches!(cluster, ClusterName::Project(_)) && is_asked(cluster);
    let projects: Vec<ClusterName> = truth.clusters().filter(is_project).cloned().collect();
    let of_projects = projects.iter().find_map(|cluster| project_complaint(truth, cluster));
    let bindings = projects.iter().chain([&ClusterName::Hub]);
    of_projects.or_else(|| interface_complaint(truth, is_asked)).or_else(|| {
        bindings.filter(|cluster| is_asked(cluster)).find_map(|cluster| {
            truth.of(cluster, "networkbindings").find_map(|(object, binding)| {
                let text = binding_complaint(truth, (cluster, object, binding), is_asked)?;
                Some(Finding::of(cluster, object, text))
            })
        })
    })
}

/// An interface copy declares its pair like a binding, and is told nothing.
fn interface_complaint(truth: &Truth, is_asked: &dyn Fn(&ClusterName) -> bool) -> Option<Finding> {
    if !is_asked(&ClusterName::Hub) {
        return None;
    }
    truth.of(&ClusterName::Hub, "networkinterfaces").find_map(|(object, interface)| {
        let pair = truth.kept_by_interface(object, interface).filter(|pair| is_asked(&pair.cluster()))?;
        Some(Finding::of(&ClusterName::Hub, object, expected(truth, &pair).err()?))
    })
}

fn project_complaint(truth: &Truth, cluster: &ClusterName) -> Option<Finding> {
    let networks = truth.of(cluster, "networks").find_map(|(object, network)| {
        Some(Finding::of(cluster, object, network_complaint(truth, cluster, network)?))
    });
    networks.or_else(|| {
        truth.of(cluster, "networkcontexts").find_map(|(object, context)| {
            Some(Finding::of(cluster, object, context_complaint(truth, cluster, object, context)?))
        })
    })
}

fn network_complaint(truth: &Truth, cluster: &ClusterName, network: &Value) -> Option<String> {
    let finalizers = network.pointer("/metadata/finalizers").and_then(Value::as_array);
    let is_held = finalizers.into_iter().flatten().any(|one| one == finalizer::NETWORK_CONTROLLER);
    let uid = text(network, "/metadata/uid");
    if is_going(network) {
        let left = truth.of(cluster, "networkcontexts").any(|(_, context)| belongs_to(context, uid));
        return (is_held && !left).then(|| "is held and nothing of it is left".to_owned());
    }
    if !is_held {
        return Some("is not held".to_owned());
    }
    let is_ready = condition(network, "Ready").is_some_and(|(status, _)| status == "True");
    (!is_ready).then(|| "is not ready".to_owned())
}

fn context_complaint(
    truth: &Truth,
    cluster: &ClusterName,
    object: &ObjectRef,
    context: &Value,
) -> Option<String> {
    if is_copy(context) {
        return None;
    }
    let pair = pair_of(cluster, object, context)?;
    if is_going(context) {
        let is_foreign = context.pointer("/metadata/finalizers").is_some();
        return (!is_foreign).then(|| "is going and does not go".to_owned());
    }
    let network = truth.get(cluster, "networks", &pair.namespace, &pair.network);
    let Some(network) = network.filter(|network| !is_going(network)) else {
        let is_left = is_made_for_a_network(context);
        return is_left.then(|| "is left of a Network that is not there".to_owned());
    };
    let uid = text(network, "/metadata/uid");
    if !belongs_to(context, uid) {
        let is_left = is_made_for_a_network(context) && controlling_network(context) != uid;
        return is_left.then(|| "is left of another life of its Network".to_owned());
    }
    if truth.is_held(&pair) {
        return held_complaint(truth, &pair, context, network);
    }
    let stamp = context.pointer("/metadata/annotations").and_then(|all| all.get(annotation::UNCLAIMED_SINCE));
    let since = stamp.and_then(Value::as_str).and_then(|text| text.parse::<Timestamp>().ok());
    match since {
        None => Some("has no holder and no readable stamp".to_owned()),
        Some(since) if truth.now.duration_since(since) > truth.grace.saturating_mul(2) => {
            Some(format!("has had no holder since {since} and is still there"))
        }
        Some(_) => None,
    }
}

fn held_complaint(truth: &Truth, pair: &Pair, context: &Value, network: &Value) -> Option<String> {
    let stamp = context.pointer("/metadata/annotations").and_then(|all| all.get(annotation::UNCLAIMED_SINCE));
    if stamp.is_some() {
        return Some("is declared and carries a stamp".to_owned());
    }
    if refusal(truth, pair).is_some() {
        return None;
    }
    for field in ["mtu", "ipFamilies"] {
        let (is, should) = (&context["spec"][field], &network["spec"][field]);
        if is != should {
            return Some(format!("has {field} {is} and its Network {should}"));
        }
    }
    let uid = text(network, "/metadata/uid");
    let wanted = [
        (labels::NETWORK_UID, uid),
        (labels::NETWORK, pair.network.as_str()),
        (labels::LOCATION, pair.location.as_str()),
    ];
    for (key, value) in wanted {
        if label(context, key) != value {
            return Some(format!("has label {key}={:?} instead of {value:?}", label(context, key)));
        }
    }
    if controlling_network(context) != uid {
        return Some("is not owned by its Network".to_owned());
    }
    let is_ready = condition(context, "Ready").is_some_and(|(status, _)| status == "True");
    (!is_ready).then(|| "is not ready".to_owned())
}

/// Why a declaration of this pair cannot be served, in the order in which they are told.
pub(crate) fn refusal(truth: &Truth, pair: &Pair) -> Option<&'static str> {
    if truth.get(&ClusterName::Core, "projects", "", &pair.project).is_none() {
        return Some("ProjectUnresolved");
    }
    if pair.network.len() > LABEL_MAX || pair.location.len() > LABEL_MAX {
        return Some("NameNotUsable");
    }
    let cluster = pair.cluster();
    let location = truth.get(&cluster, "locations", "", &pair.location);
    let is_there = location
        .is_some_and(|location| condition(location, "Available").is_none_or(|(status, _)| status != "False"));
    if !is_there {
        return Some("LocationNotAvailable");
    }
    let network = truth.get(&cluster, "networks", &pair.namespace, &pair.network);
    match network {
        None => Some("NetworkNotFound"),
        Some(network) if is_going(network) => Some("NetworkContextTerminating"),
        Some(_) => None,
    }
}

fn binding_complaint(
    truth: &Truth,
    (cluster, object, binding): (&ClusterName, &ObjectRef, &Value),
    is_asked: &dyn Fn(&ClusterName) -> bool,
) -> Option<String> {
    if is_going(binding) {
        return None;
    }
    let pair = match truth.declared(cluster, object, binding) {
        Declared::Pair(pair) => pair,
        Declared::Nowhere => return refused_complaint(binding, "ProjectUnresolved"),
        Declared::Nothing => return None,
    };
    if !is_asked(&pair.cluster()) {
        return None;
    }
    match expected(truth, &pair) {
        Err(text) => Some(text),
        Ok(Expected::Refused(reason)) => refused_complaint(binding, reason),
        Ok(Expected::Served(context, uid)) => {
            let ready = condition(binding, "Ready");
            if ready != Some(("True", "NetworkContextReady")) {
                return Some(format!("says {ready:?} and {context} serves {pair}"));
            }
            let named = text(binding, "/status/networkContextRef/name");
            if named != context.name {
                return Some(format!("names context {named:?} and {context} serves {pair}"));
            }
            let is_stamped = *cluster != ClusterName::Hub || label(binding, labels::NETWORK_UID) == uid;
            (!is_stamped).then(|| "does not carry its Network's uid".to_owned())
        }
    }
}

fn expected<'a>(truth: &'a Truth, pair: &Pair) -> Result<Expected<'a>, String> {
    if let Some(reason) = refusal(truth, pair) {
        return Ok(Expected::Refused(reason));
    }
    let network = truth.get(&pair.cluster(), "networks", &pair.namespace, &pair.network);
    let uid = network.map(|network| text(network, "/metadata/uid")).unwrap_or_default();
    if let Some((serving, _)) = truth.serving(pair, uid) {
        return Ok(Expected::Served(serving, uid));
    }
    if truth.contexts(pair).iter().any(|(_, context)| is_going(context)) {
        return Ok(Expected::Refused("NetworkContextTerminating"));
    }
    Err(format!("declares {pair}, which has no context"))
}

fn refused_complaint(binding: &Value, reason: &str) -> Option<String> {
    let ready = condition(binding, "Ready");
    (ready != Some(("False", reason))).then(|| format!("says {ready:?} instead of {reason}"))
}
