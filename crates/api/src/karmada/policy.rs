//! `ClusterPropagationPolicy`: which objects of the hub go to which cells.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::selector::default_conflict_resolution;
use super::{ConflictResolution, Placement, ResourceSelector};
use crate::kind::kind;
use crate::text_enum::text_enum;

/// What goes where.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "policy.karmada.io",
    version = "v1alpha1",
    kind = "ClusterPropagationPolicy",
    plural = "clusterpropagationpolicies",
    derive = "PartialEq",
    doc = "Which objects go to which clusters.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterPropagationPolicySpec {
    /// Objects.
    #[schemars(length(min = 1))]
    pub resource_selectors: Vec<ResourceSelector>,
    /// Clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// What happens when a member already has the object.
    #[serde(default = "default_conflict_resolution")]
    pub conflict_resolution: ConflictResolution,
    /// Whether an object claimed by another policy may be taken from it.
    #[serde(default = "default_preemption")]
    pub preemption: Preemption,
    /// The higher one wins among policies that match one object.
    #[serde(default)]
    pub priority: i32,
    /// When a change of the policy takes effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_preference: Option<ActivationPreference>,
    /// Whether the members' objects stay when the policy goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_resources_on_deletion: Option<bool>,
    /// Whether what an object refers to goes along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagate_deps: Option<bool>,
    /// Who places the objects.
    #[serde(default = "default_scheduler_name")]
    pub scheduler_name: String,
}

text_enum! {
    /// Whether an object claimed by another policy may be taken from it.
    Preemption {
        /// It may.
        Always,
        /// It may not.
        Never,
    }
}

text_enum! {
    /// When a change of a policy takes effect.
    ActivationPreference {
        /// When the object itself next changes.
        Lazy,
    }
}

fn default_preemption() -> Preemption {
    Preemption::Never
}

fn default_scheduler_name() -> String {
    "default-scheduler".to_owned()
}

kind!(ClusterPropagationPolicy, "policy.karmada.io", "v1alpha1", "clusterpropagationpolicies", Cluster);
