//! Decides for a Network.

use api::condition::{ConditionStatus, ConditionType, Finding};
use api::labels::finalizer;
use api::networking::NetworkReason;
use reconcile::{Absent, Plan, Sight, Step};
use serde_json::json;

use super::observed::{Observed, OwnNetwork};

const READY_MESSAGE: &str = "no address service is configured, so the network claims no address space and can be used in any location";

/// Decides.
pub(super) fn plan(observed: &Observed) -> Plan {
    match &observed.network {
        Sight::Present(network) if network.is_deleting => plan_end(observed, network),
        Sight::Present(network) => plan_life(observed, network),
        Sight::Absent => Plan::settled(),
        Sight::Invalid(text) => {
            Plan::waiting("Invalid", format!("{} does not decode: {text}", observed.target))
        }
        Sight::NotServed => Plan::waiting("NotServed", format!("{} is not served", observed.target)),
        Sight::Unknown(why) => Plan::waiting("Unknown", format!("{}: {why}", observed.target)),
    }
}

fn plan_life(observed: &Observed, network: &OwnNetwork) -> Plan {
    let target = &observed.target;
    let finalizers = json!({"metadata": {"finalizers": [finalizer::NETWORK_CONTROLLER]}});
    let finding = Finding {
        type_: ConditionType::Ready,
        status: ConditionStatus::True,
        reason: NetworkReason::Ready.as_str(),
        message: READY_MESSAGE.to_owned(),
        observed_generation: network.generation,
    };
    let known: Vec<_> = network.ready.iter().map(federation::ConditionFacts::to_condition).collect();
    let condition = finding.over(&known, observed.stamp.to_write());
    Plan::settled().with([
        Step::apply(target.clone(), finalizers, "hold the network until its contexts have ended"),
        Step::remove(
            target.clone(),
            vec![Absent::Finalizer(finalizer::NETWORK_PRESENCE)],
            "take a finalizer off that nobody needs any more",
        ),
        Step::apply_status(target.clone(), json!({"conditions": [condition]}), "report the network ready")
            .at_version(),
    ])
}

/// The Network waits for its contexts: `network_presence` ends them, and this only lets go.
fn plan_end(observed: &Observed, network: &OwnNetwork) -> Plan {
    let target = &observed.target;
    let Sight::Present(contexts) = &observed.contexts else {
        return Plan::waiting("Unknown", format!("whether contexts of {target} remain cannot be told now"));
    };
    if contexts.is_empty() {
        return let_go(observed, network);
    }
    let message = format!(
        "{target} is being deleted and waits for {} network context(s) in its namespace to end: {}",
        contexts.len(),
        contexts.join(", ")
    );
    Plan::waiting("ContextsRemain", message)
}

fn let_go(observed: &Observed, network: &OwnNetwork) -> Plan {
    let ours = [finalizer::NETWORK_CONTROLLER, finalizer::NETWORK_PRESENCE];
    let held = ours.into_iter().filter(|ours| network.finalizers.iter().any(|held| held == ours));
    let absent: Vec<Absent> = held.map(Absent::Finalizer).collect();
    if absent.is_empty() {
        return Plan::waiting(
            "ForeignFinalizers",
            format!("{} waits for finalizers of others: {}", observed.target, network.finalizers.join(", ")),
        );
    }
    let step = Step::remove(observed.target.clone(), absent, "let the network go: no context of it is left");
    Plan::settled().with([step.destroying()])
}
