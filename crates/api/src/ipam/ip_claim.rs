//! `IPClaim`: a block or a range for somebody; answered in the create response.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClaimTarget, IpamReference, OwnerReference, Scope};
use crate::condition::Condition;
use crate::kind::kind;
use crate::networking::{IpFamily, ReclaimPolicy};
use crate::text_enum::text_enum;

/// What is asked for.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "ipam.miloapis.com",
    version = "v1alpha1",
    kind = "IPClaim",
    root = "IpClaim",
    plural = "ipclaims",
    shortname = "ipclaim",
    namespaced,
    status = "IpClaimStatus",
    derive = "PartialEq",
    doc = "A claim for addresses.",
    selectable = ".spec.className",
    selectable = ".status.poolRef.name",
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.className"),
    printcolumn(name = "Family", type_ = "string", json_path = ".spec.ipFamily"),
    printcolumn(name = "Allocated", type_ = "string", json_path = ".status.allocatedCIDR"),
    printcolumn(name = "Pool", type_ = "string", json_path = ".status.poolRef.name"),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Scope", type_ = "string", json_path = ".spec.scope", priority = 1),
    printcolumn(
        name = "Allocation",
        type_ = "string",
        json_path = ".status.boundAllocationRef.name",
        priority = 1
    ),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct IpClaimSpec {
    /// Class; without one the default class of the family is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
    /// Family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IpFamily>,
    /// Wished address; not read by the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Size, in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 128))]
    pub prefix_length: Option<i32>,
    /// Who plays which role.
    #[serde(default, skip_serializing_if = "Scope::is_empty")]
    pub scope: Scope,
    /// A block or the whole range; `Block` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ClaimTarget>,
    /// What becomes of the block when the claim goes; the class decides when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reclaim_policy: Option<ReclaimPolicy>,
    /// The tenant; set by the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_ref: Option<OwnerReference>,
}

/// What was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpClaimStatus {
    /// State of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<IpClaimPhase>,
    /// The block or range.
    #[serde(default, rename = "allocatedCIDR", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "cidr"))]
    pub allocated_cidr: Option<String>,
    /// The address; not written by the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool_ref: Option<IpamReference>,
    /// The allocation; absent for a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_allocation_ref: Option<IpamReference>,
    /// Open set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

text_enum! {
    /// State of a claim.
    IpClaimPhase {
        /// Not answered.
        Pending,
        /// Holds what it asked for.
        Bound,
        /// Being given back.
        Releasing,
        /// Cannot be answered.
        Error,
    }
}

kind!(IpClaim as "IPClaim", "ipam.miloapis.com", "v1alpha1", "ipclaims", Namespaced);
