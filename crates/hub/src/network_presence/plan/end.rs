//! How a presence ends: with its Network at once, without holders after a grace that is written down.

use std::time::Duration;

use api::builtin::EventReason;
use api::labels::annotation;
use api::networking::NetworkBindingReason;
use federation::NetworkFacts;
use jiff::{SignedDuration, Timestamp};
use reconcile::{Event, Plan, Step};
use serde_json::json;

use super::super::observed::{Context, Grace, Observed};
use super::hold;

/// Ends every context that `ends`; waits for those that are going.
pub(super) fn all(observed: &Observed, contexts: &[Context], ends: impl Fn(&Context) -> bool) -> Plan {
    let ours: Vec<&Context> = contexts.iter().filter(|context| ends(context)).collect();
    let steps: Vec<Step> = ours
        .iter()
        .filter(|context| !context.facts.is_deleting)
        .flat_map(|context| ended(observed, context, "its Network is gone or going"))
        .collect();
    match ours.iter().find(|context| context.facts.is_deleting) {
        Some(going) if steps.is_empty() => waiting_for(observed, going),
        _ => Plan::settled().with(steps),
    }
}

/// Deletes one context.
pub(super) fn delete(context: &Context, why: &'static str) -> Vec<Step> {
    vec![Step::delete(context.target.clone(), why).at_version().destroying()]
}

/// Deletes one context and says that the presence ended.
fn ended(observed: &Observed, context: &Context, because: &str) -> Vec<Step> {
    let event = Event {
        reason: EventReason::PresenceEnded,
        regarding: context.facts.uid.clone(),
        action: "EndPresence",
        note: format!("{} ended: {because}", observed.key),
        at: observed.stamp,
        occurrence: String::new(),
    };
    let mut steps = delete(context, "end the presence");
    steps.push(Step::record(context.target.clone(), event, "say that the presence ended"));
    steps
}

/// A context of the pair is going; nothing is rebuilt under it.
pub(super) fn waiting_for(observed: &Observed, going: &Context) -> Plan {
    let message = format!("{} is being deleted; {} goes on when it is gone", going.target, observed.key);
    Plan::waiting(NetworkBindingReason::NetworkContextTerminating.as_str(), message)
}

/// Nobody declares it any more.
pub(super) fn unclaimed(observed: &Observed, serving: &Context, network: &NetworkFacts) -> Plan {
    if observed.grace_period == Duration::ZERO {
        return Plan::settled().with(ended(observed, serving, "nothing declares it and the grace is zero"));
    }
    match &serving.grace {
        Grace::Over => Plan::settled().with(ended(observed, serving, "nothing declared it during its grace")),
        Grace::Running(end) => {
            let message =
                format!("nothing declares {}; it ends at {end} unless something does", observed.key);
            Plan::waiting("UnclaimedGrace", message).with([hold::content(observed, serving, network)])
        }
        Grace::Unstamped => stamped(observed, serving, EventReason::UnclaimedGraceStarted),
        Grace::Unreadable => stamped(observed, serving, EventReason::UnclaimedSinceUnreadable),
    }
}

/// Writes the time down from which the grace is counted.
fn stamped(observed: &Observed, serving: &Context, reason: EventReason) -> Plan {
    let since = observed.stamp.to_write();
    let period = SignedDuration::try_from(observed.grace_period).unwrap_or(SignedDuration::MAX);
    let end = since.checked_add(period).unwrap_or(Timestamp::MAX);
    let fields = json!({"metadata": {"annotations": {annotation::UNCLAIMED_SINCE: since.to_string()}}});
    let note = match (&reason, &serving.facts.unclaimed_since) {
        (EventReason::UnclaimedSinceUnreadable, Some(text)) => format!(
            "annotation {} says {text:?}, which is no usable time; the grace starts again and ends at {end}",
            annotation::UNCLAIMED_SINCE
        ),
        _ => format!("nothing declares {} any more; it ends at {end} unless something does", observed.key),
    };
    let event = Event {
        reason,
        regarding: serving.facts.uid.clone(),
        action: "AwaitHolder",
        note: note.clone(),
        at: observed.stamp,
        occurrence: since.to_string(),
    };
    Plan::waiting("UnclaimedGrace", note).with([
        Step::apply(serving.target.clone(), fields, "start the grace").at_version().in_group("hold"),
        Step::record(serving.target.clone(), event, "say when the presence ends"),
    ])
}
