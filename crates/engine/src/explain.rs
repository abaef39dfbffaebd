//! An explanation is the read set, the verdict and the steps of a pass that is made and not executed.

use api::ClusterName;
use jiff::Timestamp;
use reconcile::{Attempts, Sight, Step, Verdict};
use serde::Serialize;
use serde_json::{Value, json};

/// One read and what it said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// The plane.
    pub cluster: ClusterName,
    /// What was asked, such as `Network default/net`.
    pub read: String,
    /// The answer: the facts, or why there are none.
    pub said: Value,
}

/// A pass of one key, told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The controller.
    pub controller: &'static str,
    /// The key as text.
    pub key: String,
    /// The object that was asked about, as its plane last showed it; null if it does not decode.
    pub object: Value,
    /// Every read, in order.
    pub reads: Vec<Trace>,
    /// What remains.
    pub verdict: Verdict,
    /// Steps that would be sent now; what already holds is left out.
    pub steps: Vec<Step>,
    /// Refusals that hold steps back.
    pub attempts: Attempts,
    /// Deadlines that wake the key.
    pub deadlines: Vec<Timestamp>,
}

/// A sight as JSON.
pub fn shown<T>(sight: &Sight<T>, value: impl FnOnce(&T) -> Value) -> Value {
    match sight {
        Sight::Present(present) => value(present),
        Sight::Absent => json!("absent"),
        Sight::Invalid(text) => json!(format!("does not decode: {text}")),
        Sight::NotServed => json!("the plane does not serve this kind"),
        Sight::Unknown(why) => json!(format!("unknown: {why}")),
    }
}
