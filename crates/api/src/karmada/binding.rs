//! `ResourceBinding` and `ClusterResourceBinding`: where one object was placed, and how it is there.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::selector::default_conflict_resolution;
use super::{ConflictResolution, Placement, ResourceHealth};
use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;

/// One object and its clusters.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "work.karmada.io",
    version = "v1alpha2",
    kind = "ResourceBinding",
    plural = "resourcebindings",
    namespaced,
    status = "ResourceBindingStatus",
    derive = "PartialEq",
    doc = "Where a namespaced object was placed.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBindingSpec {
    /// The object.
    pub resource: BoundResource,
    /// Where it was placed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<TargetCluster>,
    /// The policy's placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// What happens when a member already has the object.
    #[serde(default = "default_conflict_resolution")]
    pub conflict_resolution: ConflictResolution,
}

/// The same for a cluster-scoped object.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "work.karmada.io",
    version = "v1alpha2",
    kind = "ClusterResourceBinding",
    plural = "clusterresourcebindings",
    status = "ResourceBindingStatus",
    derive = "PartialEq",
    doc = "Where a cluster-scoped object was placed.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(transparent)]
pub struct ClusterResourceBindingSpec(pub ResourceBindingSpec);

/// The object of a binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoundResource {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Namespace, absent for cluster-scoped objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// Uid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Revision that was placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
}

/// One cluster of a placement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetCluster {
    /// Name of the cluster.
    pub name: String,
    /// Replicas there, for workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Replicas by part, for workloads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<TargetComponent>,
}

/// Replicas of one part of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetComponent {
    /// Name of the part.
    pub name: String,
    /// Replicas.
    pub replicas: i32,
}

/// How the object is in its clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBindingStatus {
    /// `Scheduled`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// `metadata.generation` that was placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler_observed_generation: Option<i64>,
    /// Per cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggregated_status: Vec<AggregatedStatus>,
}

/// How the object is in one cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedStatus {
    /// Name of the cluster.
    pub cluster_name: String,
    /// Whether it was written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<bool>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_message: Option<String>,
    /// Its health there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<ResourceHealth>,
    /// Its status there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Carried>,
}

kind!(ResourceBinding, "work.karmada.io", "v1alpha2", "resourcebindings", Namespaced);
kind!(ClusterResourceBinding, "work.karmada.io", "v1alpha2", "clusterresourcebindings", Cluster);
