//! VPC: a network in one cell, with the identifier that keeps it apart on the wire.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// Ranges of the network. Immutable.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "cloud.datumapis.com",
    version = "v1alpha1",
    kind = "VPC",
    root = "Vpc",
    plural = "vpcs",
    namespaced,
    status = "VpcStatus",
    derive = "PartialEq",
    doc = "A network in a cell.",
    printcolumn(name = "VPC", type_ = "string", json_path = ".status.vpc"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
pub struct VpcSpec {
    /// Ranges in CIDR form.
    #[schemars(length(min = 1, max = 64), inner(length(max = 64)))]
    pub networks: Vec<String>,
}

/// What the cell found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VpcStatus {
    /// `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Identifier, base62 without padding.
    #[schemars(length(min = 1, max = 16))]
    pub vpc: String,
    /// `metadata.generation` that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

text_enum! {
    /// Why a VPC is or is not Ready.
    VpcReason {
        /// It has its identifier.
        IdentifierAllocated,
        /// The network's identity has not arrived in the cell.
        AwaitingFabricIdentity,
    }
}

kind!(Vpc as "VPC", "cloud.datumapis.com", "v1alpha1", "vpcs", Namespaced);
