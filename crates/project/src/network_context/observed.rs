//! What a context's pass looks at.

use api::Kind;
use api::condition::ConditionType;
use api::labels;
use api::networking::NetworkContext;
use federation::ConditionFacts;
use reconcile::{Facet, Sight, Stamp, Target, View};
use serde::Serialize;

use super::ContextKey;

/// The context as its own controller sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct OwnContext {
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// Whether it is a copy of a context elsewhere.
    pub is_copy: bool,
    /// Its finalizers.
    pub finalizers: Vec<String>,
    /// Condition `Ready`.
    pub ready: Option<ConditionFacts>,
}

impl Facet for OwnContext {
    type Kind = NetworkContext;

    fn of(context: &NetworkContext) -> Self {
        let conditions =
            context.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
        let labels = context.metadata.labels.as_ref();
        Self {
            generation: context.metadata.generation,
            is_deleting: context.is_deleting(),
            is_copy: labels
                .is_some_and(|labels| labels.get(labels::UPSTREAM_NAME).is_some_and(|text| !text.is_empty())),
            finalizers: context.metadata.finalizers.clone().unwrap_or_default(),
            ready: ConditionFacts::find(conditions, ConditionType::Ready),
        }
    }
}

/// Facts of one pass.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The object.
    pub target: Target,
    /// The context.
    pub context: Sight<OwnContext>,
    /// Time to write.
    pub stamp: Stamp,
}

/// Reads.
pub(super) fn observe(view: &View<'_>, key: &ContextKey) -> Observed {
    Observed {
        target: Target::of::<NetworkContext>(key.cluster.clone(), key.object.clone()),
        context: view.object::<OwnContext>(&key.cluster, &key.object),
        stamp: view.stamp(),
    }
}
