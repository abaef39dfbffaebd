//! Decides for a context.

use api::condition::{ConditionStatus, ConditionType, Finding};
use api::networking::NetworkContextReason;
use federation::ConditionFacts;
use reconcile::{Plan, Sight, Step};
use serde_json::json;

use super::observed::{Observed, OwnContext};

const READY_MESSAGE: &str =
    "no address service is configured, so the context needs no address space of its own";

/// Decides.
pub(super) fn plan(observed: &Observed) -> Plan {
    match &observed.context {
        Sight::Present(context) if context.is_copy => Plan::settled(),
        Sight::Present(context) if context.is_deleting => plan_end(observed, context),
        Sight::Present(context) => Plan::settled().with([report(observed, context, &ready(context))]),
        Sight::Absent => Plan::settled(),
        Sight::Invalid(text) => {
            Plan::waiting("Invalid", format!("{} does not decode: {text}", observed.target))
        }
        Sight::NotServed => Plan::waiting("NotServed", format!("{} is not served", observed.target)),
        Sight::Unknown(why) => Plan::waiting("Unknown", format!("{}: {why}", observed.target)),
    }
}

fn ready(context: &OwnContext) -> Finding {
    Finding {
        type_: ConditionType::Ready,
        status: ConditionStatus::True,
        reason: NetworkContextReason::Ready.as_str(),
        message: READY_MESSAGE.to_owned(),
        observed_generation: context.generation,
    }
}

/// A context that is going is not ready, and says whom it waits for.
fn plan_end(observed: &Observed, context: &OwnContext) -> Plan {
    let message = format!(
        "{} is being deleted and waits for its finalizers: {}",
        observed.target,
        context.finalizers.join(", ")
    );
    let finding = Finding {
        type_: ConditionType::Ready,
        status: ConditionStatus::False,
        reason: NetworkContextReason::Terminating.as_str(),
        message: message.clone(),
        observed_generation: context.generation,
    };
    Plan::waiting(NetworkContextReason::Terminating.as_str(), message)
        .with([report(observed, context, &finding)])
}

fn report(observed: &Observed, context: &OwnContext, finding: &Finding) -> Step {
    let known: Vec<_> = context.ready.iter().map(ConditionFacts::to_condition).collect();
    let condition = finding.over(&known, observed.stamp.to_write());
    let is_true = finding.status == ConditionStatus::True;
    Step::apply_status(
        observed.target.clone(),
        json!({"conditions": [condition]}),
        "report the context's readiness",
    )
    .at_version_if(is_true)
}
