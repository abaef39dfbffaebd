//! `IPAllocation`: a block that is taken, with or without a claim.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AllocationPurpose, IpPoolPhase, IpamReference, OwnerReference, Scope, empty_text};
use crate::condition::Condition;
use crate::kind::kind;
use crate::networking::{IpFamily, ReclaimPolicy};

/// Where the block is from and who holds it.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "ipam.miloapis.com",
    version = "v1alpha1",
    kind = "IPAllocation",
    root = "IpAllocation",
    plural = "ipallocations",
    shortname = "ipalloc",
    namespaced,
    status = "IpAllocationStatus",
    derive = "PartialEq",
    doc = "Addresses that are taken.",
    selectable = ".spec.ipFamily",
    selectable = ".spec.poolRef.name",
    printcolumn(name = "Allocated", type_ = "string", json_path = ".status.allocatedCIDR"),
    printcolumn(name = "Pool", type_ = "string", json_path = ".spec.poolRef.name"),
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.className"),
    printcolumn(name = "Purpose", type_ = "string", json_path = ".spec.purpose"),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Claim", type_ = "string", json_path = ".spec.claimRef.name", priority = 1),
    printcolumn(name = "Reclaim", type_ = "string", json_path = ".spec.reclaimPolicy", priority = 1),
    printcolumn(name = "Scope", type_ = "string", json_path = ".spec.scope", priority = 1),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct IpAllocationSpec {
    /// Family.
    #[serde(default, with = "empty_text")]
    #[schemars(with = "IpFamily")]
    pub ip_family: Option<IpFamily>,
    /// The pool.
    pub pool_ref: AllocationPoolReference,
    /// The class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<String>,
    /// What the block is there for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<AllocationPurpose>,
    /// The claim that holds it; absent on a retained one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_ref: Option<IpamReference>,
    /// The roles within which the addresses are unique.
    #[serde(default, skip_serializing_if = "Scope::is_empty")]
    pub scope: Scope,
    /// What becomes of it when the claim goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reclaim_policy: Option<ReclaimPolicy>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_ref: Option<OwnerReference>,
}

/// The pool of an allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct AllocationPoolReference {
    /// Name of the pool.
    #[schemars(length(min = 1))]
    pub name: crate::names::ObjectName,
}

/// What is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpAllocationStatus {
    /// State of the allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<IpPoolPhase>,
    /// The block.
    #[serde(default, rename = "allocatedCIDR", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "cidr"))]
    pub allocated_cidr: Option<String>,
    /// The address, where the block is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Digest of the space in which the block is unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub scope_digest: Option<String>,
    /// Open set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

kind!(IpAllocation as "IPAllocation", "ipam.miloapis.com", "v1alpha1", "ipallocations", Namespaced);
