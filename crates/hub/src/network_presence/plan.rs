//! Decides for a presence.

mod end;
mod hold;

use api::Uid;
use federation::{Judgement, NetworkFacts, ProjectSight, judge};
use reconcile::step::Verb;
use reconcile::{Plan, Sight};

use super::names::Place;
use super::observed::{Context, Observed};

/// Decides: first what must end with its Network, then what the live Network's presence needs.
pub(super) fn plan(observed: &Observed) -> Plan {
    let contexts = match &observed.contexts {
        Sight::Present(contexts) => contexts,
        other => {
            let text = format!("contexts of {}: {:?}", observed.key, other.as_ref().map(|_| ()));
            return Plan::waiting("Unknown", text);
        }
    };
    match &observed.facts.network {
        Sight::Present(network) if network.is_deleting => {
            end::all(observed, contexts, |context| context.facts.belongs_to(&network.uid))
        }
        Sight::Present(network) => plan_life(observed, contexts, network),
        Sight::Absent => end::all(observed, contexts, |context| context.facts.is_made_for_a_network()),
        // Nothing was left there, and nothing can be made there: bindings say so to whoever declares it (decisions 4).
        _ if observed.facts.project == ProjectSight::Absent && contexts.is_empty() => Plan::settled(),
        other => {
            let text = format!("the Network of {}: {:?}", observed.key, other.as_ref().map(|_| ()));
            Plan::waiting("Unknown", text)
        }
    }
}

/// Contexts of the pair by what they are to the live Network.
struct Sorted<'a> {
    /// Ours and alive, the oldest first.
    serving: Vec<&'a Context>,
    /// Ours and going.
    going: Vec<&'a Context>,
    /// Of another life of the Network, or others of ours than the one that serves.
    surplus: Vec<&'a Context>,
}

fn sort<'a>(contexts: &'a [Context], network: &Uid) -> Sorted<'a> {
    let mut sorted = Sorted { serving: Vec::new(), going: Vec::new(), surplus: Vec::new() };
    for context in contexts {
        let facts = &context.facts;
        let is_other_life = facts.is_of_another_life(network);
        let is_ours = facts.belongs_to(network) || is_other_life;
        if is_ours && facts.is_deleting {
            sorted.going.push(context);
        } else if is_other_life {
            sorted.surplus.push(context);
        } else if is_ours {
            sorted.serving.push(context);
        }
    }
    sorted.serving.sort_by_key(|context| (context.facts.created, context.name().clone()));
    if sorted.serving.len() > 1 {
        // One that somebody made by hand, without label or owner, is not ours to end.
        let others = sorted.serving.drain(1..).filter(|context| context.facts.is_made_for_a_network());
        sorted.surplus.extend(others);
    }
    sorted
}

fn plan_life(observed: &Observed, contexts: &[Context], network: &NetworkFacts) -> Plan {
    let sorted = sort(contexts, &network.uid);
    let surplus: Vec<_> =
        sorted.surplus.iter().flat_map(|context| end::delete(context, "end a surplus context")).collect();
    if !surplus.is_empty() {
        return Plan::settled().with(surplus);
    }
    match (sorted.serving.first(), sorted.going.first()) {
        (Some(serving), _) => plan_serving(observed, serving, network),
        (None, Some(going)) => end::waiting_for(observed, going),
        (None, None) => plan_absent(observed, network),
    }
}

/// A context serves: its content follows the Network; whether it stays follows its holders.
fn plan_serving(observed: &Observed, serving: &Context, network: &NetworkFacts) -> Plan {
    let is_made = serving.facts.is_made_for_a_network();
    let holders = match &observed.holders {
        Sight::Present(holders) => *holders,
        other => {
            let text = format!("holders of {}: {:?}", observed.key, other.as_ref().map(|_| ()));
            return Plan::waiting("Unknown", text)
                .with(is_made.then(|| hold::content(observed, serving, network)));
        }
    };
    if holders > 0 {
        return plan_held(observed, serving, network);
    }
    if is_made { end::unclaimed(observed, serving, network) } else { Plan::settled() }
}

/// Somebody declares it: content, and no stamp. A refusal leaves the content as it is (decisions 3); a stamp goes all the
/// same, because it counts time without holders and nothing else.
fn plan_held(observed: &Observed, serving: &Context, network: &NetworkFacts) -> Plan {
    let plan = match judge(&observed.key, &observed.facts) {
        Judgement::Clear(_) => Plan::settled().with([hold::content(observed, serving, network)]),
        Judgement::Refused(reason, message) => Plan::waiting(reason.as_str(), message),
        Judgement::Unreachable(message) | Judgement::Undecided(message) => Plan::waiting("Unknown", message),
    };
    plan.with(hold::cancel_grace(observed, serving))
}

/// No context: it is made if somebody declares it and nothing stands against it.
fn plan_absent(observed: &Observed, network: &NetworkFacts) -> Plan {
    match &observed.holders {
        Sight::Present(0) => return Plan::settled(),
        Sight::Present(_) => {}
        other => {
            let text = format!("holders of {}: {:?}", observed.key, other.as_ref().map(|_| ()));
            return Plan::waiting("Unknown", text);
        }
    }
    match judge(&observed.key, &observed.facts) {
        Judgement::Clear(_) => plan_create(observed, network),
        Judgement::Refused(reason, message) => Plan::waiting(reason.as_str(), message),
        Judgement::Unreachable(message) | Judgement::Undecided(message) => Plan::waiting("Unknown", message),
    }
}

fn plan_create(observed: &Observed, network: &NetworkFacts) -> Plan {
    let target = match &observed.place {
        Place::Free(target) => target,
        Place::Taken(names) => {
            let text =
                format!("the names {names} in namespace {} are held by others", observed.key.namespace);
            return Plan::waiting("NameTaken", text);
        }
        Place::Unknown => {
            return Plan::waiting("Unknown", format!("names for a context of {}", observed.key));
        }
    };
    if let Some(attempt) = observed.attempts.holding_back(target, Verb::Create) {
        return Plan::waiting("Refused", format!("creating {target} was refused: {}", attempt.message));
    }
    Plan::settled().with([hold::create(observed, target, network)])
}
