//! Cluster: one member of the federation, with the location it serves as a label.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;

/// How the member is reached.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "cluster.karmada.io",
    version = "v1alpha1",
    kind = "Cluster",
    plural = "clusters",
    status = "ClusterStatus",
    derive = "PartialEq",
    doc = "A member of the federation.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct ClusterSpec {
    /// `Push` or `Pull`.
    pub sync_mode: String,
    /// Address of its API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_endpoint: Option<String>,
    /// What keeps objects away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taints: Vec<Carried>,
}

/// How the member is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterStatus {
    /// `Ready` and others of the propagator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Kinds the member serves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub api_enablements: Vec<Carried>,
}

kind!(Cluster, "cluster.karmada.io", "v1alpha1", "clusters", Cluster);
