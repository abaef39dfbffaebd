//! Conditions: what a controller has found out about an object, one entry per aspect.
//!
//! Rule SH9: a condition is written only when it differs, and its transition time moves only when its status does.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// The wire type of a condition's transition time.
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time as ConditionTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;

text_enum! {
    /// Whether the aspect holds.
    ConditionStatus {
        /// It holds.
        True,
        /// It does not hold.
        False,
        /// Nobody could tell yet.
        Unknown,
    }
}

text_enum! {
    /// Every condition type the product reads or writes; a kind's own file says which of them it carries.
    ConditionType {
        /// The object does what it is for.
        Ready,
        /// A location may be used (`LocationBinding`, `Location`).
        Available,
        /// A location class is taken by a controller.
        Accepted,
        /// Address space of a Network or `NetworkContext` is held.
        IpamAllocated = "IPAMAllocated",
        /// A claim has its interface.
        Bound,
        /// Addresses are held and published.
        Allocated,
        /// The attachment is written: holders gate workload creation on this one.
        Prepared,
        /// The data plane forwards; turns true only while a workload starts, so nobody gates on it.
        Programmed,
        /// Written by the holder of an interface; carried, never judged.
        HolderAvailable,
        /// Internet egress of a context; carried, never judged.
        InternetEgressReady,
        /// Proposed for name service of a context; carried, never judged.
        DnsReady = "DNSReady",
        /// A route advertisement reached its peers.
        Advertised,
        /// The propagator found clusters for a binding.
        Scheduled,
    }
}

/// One entry of `status.conditions`, keyed by `type`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Aspect the entry is about, unique within the list.
    #[serde(rename = "type")]
    #[schemars(length(max = 316), regex(pattern = TYPE_PATTERN))]
    pub type_: String,
    /// Whether the aspect holds.
    pub status: ConditionStatus,
    /// Machine-readable cause, CamelCase.
    #[schemars(length(min = 1, max = 1024), regex(pattern = REASON_PATTERN))]
    pub reason: String,
    /// What happened, to which object, and what to do.
    #[schemars(length(max = 32768))]
    pub message: String,
    /// When `status` last changed.
    #[schemars(schema_with = "crate::schema_parts::date_time")]
    pub last_transition_time: Time,
    /// `metadata.generation` of the object this entry judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
}

const TYPE_PATTERN: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";
const REASON_PATTERN: &str = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";

/// What a pass wants a condition to say; when it began to say so is worked out against the observed list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Aspect.
    pub type_: ConditionType,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Wire text of the kind's reason enum.
    pub reason: &'static str,
    /// What happened, to which object, and what to do.
    pub message: String,
    /// `metadata.generation` of the object that carries the condition.
    pub observed_generation: Option<i64>,
}

impl Finding {
    /// The condition to write, or `None` when the observed list already says the same.
    ///
    /// The transition time is `now` if the status differs from the observed one, else the observed time.
    #[must_use]
    pub fn change(&self, observed: &[Condition], now: Timestamp) -> Option<Condition> {
        let wanted = self.over(observed, now);
        (find(observed, self.type_) != Some(&wanted)).then_some(wanted)
    }

    /// The condition as it should stand in the list, changed or not.
    #[must_use]
    pub fn over(&self, observed: &[Condition], now: Timestamp) -> Condition {
        let since = find(observed, self.type_)
            .filter(|current| current.status == self.status)
            .map_or(Time(now), |current| current.last_transition_time.clone());
        Condition {
            type_: self.type_.into(),
            status: self.status,
            reason: self.reason.to_owned(),
            message: self.message.clone(),
            last_transition_time: since,
            observed_generation: self.observed_generation,
        }
    }
}

/// The entry about one aspect.
#[must_use]
pub fn find(conditions: &[Condition], type_: ConditionType) -> Option<&Condition> {
    conditions.iter().find(|condition| condition.type_ == type_.as_str())
}

/// The status of one aspect; an absent entry tells nothing, which is [`ConditionStatus::Unknown`].
#[must_use]
pub fn status(conditions: &[Condition], type_: ConditionType) -> ConditionStatus {
    find(conditions, type_).map_or(ConditionStatus::Unknown, |condition| condition.status)
}

/// Whether the list says that the aspect holds.
#[must_use]
pub fn is_true(conditions: &[Condition], type_: ConditionType) -> bool {
    status(conditions, type_) == ConditionStatus::True
}

/// Whether the list says that the aspect does not hold; an absent or Unknown entry does not say so.
#[must_use]
pub fn is_false(conditions: &[Condition], type_: ConditionType) -> bool {
    status(conditions, type_) == ConditionStatus::False
}

/// Puts a finding into a list that is written as a whole; tells whether anything changed.
pub fn set_if_changed(conditions: &mut Vec<Condition>, finding: &Finding, now: Timestamp) -> bool {
    let Some(wanted) = finding.change(conditions, now) else {
        return false;
    };
    match conditions.iter_mut().find(|condition| condition.type_ == wanted.type_) {
        Some(current) => *current = wanted,
        None => conditions.push(wanted),
    }
    true
}

#[cfg(test)]
mod tests;
