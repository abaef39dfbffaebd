//! A condition as part of a facet: hashable, and a condition again when it is written.

use api::condition::{Condition, ConditionStatus, ConditionTime, ConditionType, find};
use jiff::Timestamp;
use serde::Serialize;

/// One condition, as facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ConditionFacts {
    /// Its type.
    pub type_: String,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Why.
    pub reason: String,
    /// The sentence.
    pub message: String,
    /// When the status last changed.
    pub since: Timestamp,
    /// The generation it judges.
    pub observed_generation: Option<i64>,
}

impl ConditionFacts {
    /// The facts of one condition of a list.
    #[must_use]
    pub fn find(conditions: &[Condition], type_: ConditionType) -> Option<Self> {
        find(conditions, type_).map(Self::from)
    }

    /// Whether the condition holds already.
    #[must_use]
    pub fn is_true(condition: Option<&Self>) -> bool {
        condition.is_some_and(|condition| condition.status == ConditionStatus::True)
    }

    /// The condition again.
    #[must_use]
    pub fn to_condition(&self) -> Condition {
        Condition {
            type_: self.type_.clone(),
            status: self.status,
            reason: self.reason.clone(),
            message: self.message.clone(),
            last_transition_time: ConditionTime(self.since),
            observed_generation: self.observed_generation,
        }
    }
}

impl From<&Condition> for ConditionFacts {
    fn from(condition: &Condition) -> Self {
        Self {
            type_: condition.type_.clone(),
            status: condition.status,
            reason: condition.reason.clone(),
            message: condition.message.clone(),
            since: condition.last_transition_time.0,
            observed_generation: condition.observed_generation,
        }
    }
}
