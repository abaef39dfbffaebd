//! A decision: ordered steps and a verdict. A refusal is a value here, not an error.

use serde::Serialize;

use crate::step::Step;

/// What a pass decided. A plan of N steps has exactly N + 1 crash points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Writes in order: finalizer, outside holds, owned objects, status, events. The stepper stops at the first failure.
    pub steps: Vec<Step>,
    /// What remains when the steps are done.
    pub verdict: Verdict,
}

/// What remains after a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// Nothing to wait for.
    Settled,
    /// Something outside must change; every wait is on a read or a deadline of the pass.
    Waiting {
        /// Machine-readable reason.
        reason: &'static str,
        /// The object and plane waited for, and what ends the wait.
        message: String,
    },
}

impl Plan {
    /// Nothing to do and nothing to wait for.
    #[must_use]
    pub fn settled() -> Self {
        Self { steps: Vec::new(), verdict: Verdict::Settled }
    }

    /// Nothing to do until something outside changes.
    #[must_use]
    pub fn waiting(reason: &'static str, message: impl Into<String>) -> Self {
        Self { steps: Vec::new(), verdict: Verdict::Waiting { reason, message: message.into() } }
    }

    /// Adds steps in order.
    #[must_use]
    pub fn with(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Whether nothing remains to be done or waited for.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.steps.is_empty() && self.verdict == Verdict::Settled
    }
}
