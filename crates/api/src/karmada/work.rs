//! Work: what one cluster is told to hold.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ResourceHealth;
use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;

/// The objects.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "work.karmada.io",
    version = "v1alpha1",
    kind = "Work",
    plural = "works",
    namespaced,
    status = "WorkStatus",
    derive = "PartialEq",
    doc = "What a cluster is told to hold.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
pub struct WorkSpec {
    /// The objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadTemplate>,
}

/// Objects as they shall be written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadTemplate {
    /// One per object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifests: Vec<Carried>,
}

/// How the objects are in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkStatus {
    /// `Applied` and others of the propagator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Per object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifest_statuses: Vec<ManifestStatus>,
}

/// How one object is in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestStatus {
    /// The object.
    pub identifier: ManifestIdentifier,
    /// Its status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Carried>,
    /// Its health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<ResourceHealth>,
}

/// An object of a Work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestIdentifier {
    /// Place in the list of manifests.
    #[schemars(extend("format" = null))]
    pub ordinal: i64,
    /// API group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Path segment.
    pub resource: String,
    /// Namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
}

kind!(Work, "work.karmada.io", "v1alpha1", "works", Namespaced);
