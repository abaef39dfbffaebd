//! JSON patch, JSON merge patch and strategic merge patch.
//!
//! The first is RFC 6902 with the liberties of kube-apiserver (`json`), the second RFC 7386, and the third is
//! Kubernetes' own: it exists for built-in kinds, whose list keys come from the compiled schema.

use serde_json::Value;
use thiserror::Error;

mod json;
mod strategic;
mod strategic_list;

#[cfg(test)]
mod tests;

pub use json::json_patch;
pub use strategic::strategic_merge_patch;

/// Why a patch could not be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PatchError {
    /// The document is no patch; answered with 400.
    #[error("{0}")]
    Malformed(String),
    /// The patch does not fit the object (a `test` that fails, a path that is not there); answered with 422. The
    /// server tells nothing more; the text is for logs.
    #[error("{0}")]
    Inapplicable(String),
    /// A strategic patch contradicts itself; answered with 500, as kube-apiserver does.
    #[error("{0}")]
    Contradictory(String),
}

impl PatchError {
    /// The HTTP status kube-apiserver answers with.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 400,
            Self::Inapplicable(_) => 422,
            Self::Contradictory(_) => 500,
        }
    }
}

/// Replaces by merging: objects are merged, null removes, everything else is replaced.
pub fn merge_patch(target: &mut Value, patch: &Value) {
    json_patch::merge(target, patch);
}

/// Checks that a merge patch is an object.
///
/// # Errors
/// With the text kube-apiserver answers.
pub fn check_merge_patch(patch: &Value) -> Result<(), PatchError> {
    let kind = match patch {
        Value::Object(_) => return Ok(()),
        Value::Null => return Err(PatchError::Malformed("Invalid JSON Patch".to_owned())),
        other => go_kind(other),
    };
    Err(PatchError::Malformed(format!(
        "error decoding patch: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
    )))
}

fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
