//! Conflicts between managers, in the words kubectl shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::field_set::FieldSet;
use crate::managed_fields::{ManagerKey, Operation};

/// One field that another manager owns and the applied configuration sets to something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The other manager, as shown: quoted name, and for updates subresource and version.
    pub manager: String,
    /// The field, such as `.spec.color`: the `field` of the cause.
    pub field: String,
}

impl Conflict {
    /// The `message` of the cause, whose reason is `FieldManagerConflict`.
    #[must_use]
    pub fn message(&self) -> String {
        format!("conflict with {}", self.manager)
    }
}

/// The conflicts one by one, by manager.
pub(super) fn list(conflicts: &BTreeMap<ManagerKey, FieldSet>) -> Vec<Conflict> {
    let mut by_manager: Vec<(String, &FieldSet)> =
        conflicts.iter().map(|(key, set)| (shown(key), set)).collect();
    by_manager.sort_by(|(left, _), (right, _)| left.cmp(right));
    let fields = by_manager.into_iter().flat_map(|(manager, set)| {
        set.paths().into_iter().map(move |field| Conflict { manager: manager.clone(), field })
    });
    fields.collect()
}

fn shown(key: &ManagerKey) -> String {
    let mut text = crate::schema::text::quote(&key.manager);
    // Writing to a String cannot fail.
    if !key.subresource.is_empty() {
        let _ = write!(text, " with subresource \"{}\"", key.subresource);
    }
    if key.operation == Operation::Update {
        let _ = write!(text, " using {}", key.api_version);
    }
    text
}

/// The message of the whole answer.
pub(super) fn summary(conflicts: &[Conflict]) -> String {
    if let [only] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {}: {}", only.manager, only.field);
    }
    let mut text = format!("Apply failed with {} conflicts:", conflicts.len());
    let mut manager = None;
    for conflict in conflicts {
        if manager != Some(&conflict.manager) {
            let separator = if manager.is_none() { ' ' } else { '\n' };
            let _ = write!(text, "{separator}conflicts with {}:", conflict.manager);
            manager = Some(&conflict.manager);
        }
        let _ = write!(text, "\n- {}", conflict.field);
    }
    text
}
