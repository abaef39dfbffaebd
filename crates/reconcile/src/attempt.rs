//! What a server answered to a step of this key, when it was not success: refusals, and failures that repeat.
//!
//! Attempts live in memory only. A plan therefore never turns a condition from "refused" into something else before
//! the step was tried again in this process; otherwise every restart would flap every refusal.

use jiff::Timestamp;
use serde::Serialize;

use crate::step::{Target, Verb};

/// One step's last answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Attempt {
    /// The object the step was for.
    pub target: Target,
    /// What the step did.
    pub verb: Verb,
    /// HTTP code; 0 where nothing answered.
    pub code: u16,
    /// The server's own words.
    pub message: String,
    /// Machine-readable causes of the Status, by type.
    pub causes: Vec<String>,
    /// How often in a row.
    pub count: u32,
    /// When the step may be tried again.
    pub due: Timestamp,
    /// Whether that time has come.
    pub is_due: bool,
}

/// All attempts of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Attempts(pub Vec<Attempt>);

impl Attempts {
    /// The refusal that holds the step back now: the plan omits the step and what depends on it.
    #[must_use]
    pub fn holding_back(&self, target: &Target, verb: Verb) -> Option<&Attempt> {
        self.0.iter().find(|attempt| !attempt.is_due && attempt.verb == verb && attempt.target == *target)
    }
}
