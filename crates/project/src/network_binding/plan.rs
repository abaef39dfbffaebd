//! Decides what a declaration is told.

use api::cluster::ClusterRole;
use api::condition::{ConditionStatus, ConditionType, Finding};
use api::networking::{NetworkBindingReason, NetworkContextReference};
use api::{Uid, labels};
use federation::{ConditionFacts, ContextReadiness, Judgement, NetworkFacts, PresenceKey, judge};
use reconcile::{Absent, Plan, Sight, Step, Verdict};
use serde_json::{Value, json};

use super::observed::{Observed, OwnBinding, Route};

/// What a binding is told.
struct Answer {
    status: ConditionStatus,
    reason: NetworkBindingReason,
    message: String,
    serving: Option<NetworkContextReference>,
}

/// Decides.
pub(super) fn plan(observed: &Observed) -> Plan {
    match &observed.binding {
        Sight::Present(binding) if !binding.declares.is_deleting => plan_answer(observed, binding),
        Sight::Present(_) | Sight::Absent => Plan::settled(),
        Sight::Invalid(text) => {
            Plan::waiting("Invalid", format!("{} does not decode: {text}", observed.target))
        }
        Sight::NotServed => Plan::waiting("NotServed", format!("{} is not served", observed.target)),
        Sight::Unknown(why) => Plan::waiting("Unknown", format!("{}: {why}", observed.target)),
    }
}

fn plan_answer(observed: &Observed, binding: &OwnBinding) -> Plan {
    let (presence, facts) = match (&observed.route, &observed.facts) {
        (Route::To(presence), Some(facts)) => (presence, facts),
        (Route::Missing(label), _) => return told(observed, binding, unresolved(observed, label)),
        (Route::Left, _) => return plan_left(observed, binding),
        (Route::Unknown(text), _) => return Plan::waiting("Unknown", text.clone()),
        (Route::Elsewhere, _) | (Route::To(_), None) => return Plan::settled(),
    };
    match judge(presence, facts) {
        Judgement::Refused(reason, message) => {
            told(observed, binding, Answer { status: ConditionStatus::False, reason, message, serving: None })
        }
        Judgement::Clear(network) => plan_clear(observed, binding, presence, &network),
        Judgement::Unreachable(message) => plan_unreachable(observed, binding, message),
        Judgement::Undecided(message) => Plan::waiting("Unknown", message),
    }
}

/// Takes the answer back, then the label that tells it is ours: after that the declaration is nobody's (PR2).
fn plan_left(observed: &Observed, binding: &OwnBinding) -> Plan {
    if binding.network_uid.is_none() {
        return Plan::settled();
    }
    let refused = told(observed, binding, unresolved(observed, labels::UPSTREAM_CLUSTER_NAME));
    let absent = vec![Absent::label(labels::NETWORK_UID)];
    refused.with([Step::remove(observed.target.clone(), absent, "let a declaration go that leads nowhere")])
}

fn unresolved(observed: &Observed, label: &str) -> Answer {
    let namespace = observed.target.key.namespace.as_ref().map_or("", |namespace| namespace.as_str());
    let message = format!(
        "Namespace {namespace} on {} lacks label {label}, so it leads to no project; set the label",
        observed.target.cluster
    );
    let (status, reason) = (ConditionStatus::False, NetworkBindingReason::ProjectUnresolved);
    Answer { status, reason, message, serving: None }
}

/// Only a declaration that nobody has answered yet is told that the plane is away; others keep their answer (decisions 4).
fn plan_unreachable(observed: &Observed, binding: &OwnBinding, message: String) -> Plan {
    let reason = NetworkBindingReason::ProjectUnresolved;
    let is_unanswered = binding
        .ready
        .as_ref()
        .is_none_or(|ready| ready.status == ConditionStatus::Unknown || ready.reason == reason.as_str());
    if is_unanswered {
        return told(
            observed,
            binding,
            Answer { status: ConditionStatus::False, reason, message, serving: None },
        );
    }
    Plan::waiting(reason.as_str(), message)
}

fn plan_clear(
    observed: &Observed,
    binding: &OwnBinding,
    presence: &PresenceKey,
    network: &NetworkFacts,
) -> Plan {
    let contexts = match &observed.contexts {
        Sight::Present(contexts) => contexts,
        other => {
            let text = format!("contexts of {presence}: {:?}", other.as_ref().map(|_| ()));
            return Plan::waiting("Unknown", text);
        }
    };
    let label = label(observed, &network.uid);
    let Some((reference, context)) = serving(contexts, network) else {
        let message = format!("{presence} has no context yet; it is being made");
        return Plan::waiting(NetworkBindingReason::NetworkContextNotReady.as_str(), message).with(label);
    };
    let answer = answer_of(presence, reference, context);
    let mut plan = told(observed, binding, answer);
    plan.steps.splice(0..0, label);
    plan
}

/// The context that serves: one that lives before one that goes, then the oldest.
fn serving<'a>(
    contexts: &'a [(NetworkContextReference, ContextReadiness)],
    network: &NetworkFacts,
) -> Option<(&'a NetworkContextReference, &'a ContextReadiness)> {
    let is_ours = |context: &ContextReadiness| {
        let is_this_life = context.network_uid.as_ref().is_none_or(|uid| *uid == network.uid);
        let is_owned = context.controller.as_ref().is_none_or(|(_, uid)| *uid == network.uid);
        is_this_life && is_owned || context.is_deleting
    };
    let ours = contexts.iter().filter(|(_, context)| is_ours(context));
    let (reference, context) =
        ours.min_by_key(|(reference, context)| (context.is_deleting, context.created, reference.clone()))?;
    Some((reference, context))
}

fn answer_of(
    presence: &PresenceKey,
    reference: &NetworkContextReference,
    context: &ContextReadiness,
) -> Answer {
    let name =
        format!("NetworkContext {}/{} in project {}", reference.namespace, reference.name, presence.project);
    let ready = context.ready.as_ref();
    let (status, reason, message) = if context.is_deleting {
        let reason = NetworkBindingReason::NetworkContextTerminating;
        let text = format!("{name} is being deleted; a new one is made when it is gone");
        (ConditionStatus::False, reason, text)
    } else if ready.is_some_and(|ready| ready.status == ConditionStatus::True) {
        (ConditionStatus::True, NetworkBindingReason::NetworkContextReady, format!("{name} is ready"))
    } else {
        let why = ready.map_or_else(String::new, |ready| format!(": {}: {}", ready.reason, ready.message));
        let reason = NetworkBindingReason::NetworkContextNotReady;
        (ConditionStatus::False, reason, format!("{name} is not ready yet{why}"))
    };
    Answer { status, reason, message, serving: Some(reference.clone()) }
}

/// Hub bindings carry the Network's uid (decisions 10).
fn label(observed: &Observed, network: &Uid) -> Option<Step> {
    let labels = json!({"metadata": {"labels": {labels::NETWORK_UID: network}}});
    let is_hub = observed.target.cluster.role() == ClusterRole::Hub;
    is_hub.then(|| Step::apply(observed.target.clone(), labels, "tell which life of the network this is"))
}

/// Writes the answer. A reference stays when the answer turns into a refusal.
fn told(observed: &Observed, binding: &OwnBinding, answer: Answer) -> Plan {
    let finding = Finding {
        type_: ConditionType::Ready,
        status: answer.status,
        reason: answer.reason.as_str(),
        message: answer.message.clone(),
        observed_generation: binding.generation,
    };
    let known: Vec<_> = binding.ready.iter().map(ConditionFacts::to_condition).collect();
    let mut status = json!({"conditions": [finding.over(&known, observed.stamp.to_write())]});
    let kept =
        binding.context_ref.as_ref().map(|(namespace, name)| json!({"namespace": namespace, "name": name}));
    let reference = answer.serving.as_ref().map(|serving| json!(serving)).or(kept);
    if let (Some(reference), Value::Object(fields)) = (reference, &mut status) {
        fields.insert("networkContextRef".to_owned(), reference);
    }
    let step = Step::apply_status(observed.target.clone(), status, "answer the declaration").at_version();
    let verdict = match answer.status {
        ConditionStatus::True => Verdict::Settled,
        _ => Verdict::Waiting { reason: answer.reason.as_str(), message: answer.message },
    };
    Plan { steps: vec![step], verdict }
}
