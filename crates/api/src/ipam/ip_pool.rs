//! `IPPool`: a range that blocks are carved from.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AllocationStrategy, IpamReference, Reservations, Scope};
use crate::condition::Condition;
use crate::kind::kind;
use crate::networking::IpFamily;
use crate::text_enum::text_enum;

/// A root pool (range and family) or a child of one (parent and size).
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "ipam.miloapis.com",
    version = "v1alpha1",
    kind = "IPPool",
    root = "IpPool",
    plural = "ippools",
    shortname = "ippool",
    status = "IpPoolStatus",
    derive = "PartialEq",
    doc = "A range that addresses come from.",
    selectable = ".spec.ipFamily",
    selectable = ".spec.parentPoolRef.name",
    printcolumn(name = "CIDR", type_ = "string", json_path = ".status.allocatedCIDR"),
    printcolumn(name = "Family", type_ = "string", json_path = ".status.ipFamily"),
    printcolumn(name = "Classes", type_ = "string", json_path = ".spec.classNames"),
    printcolumn(name = "Utilization", type_ = "string", json_path = ".status.utilizationPercent"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Parent", type_ = "string", json_path = ".spec.parentPoolRef.name", priority = 1),
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.classRef.name", priority = 1),
    printcolumn(name = "Scope", type_ = "string", json_path = ".spec.scope", priority = 1),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase", priority = 1),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct IpPoolSpec {
    /// Range of a root pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "cidr"))]
    pub cidr: Option<String>,
    /// Family of a root pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IpFamily>,
    /// Pool a child is carved from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_pool_ref: Option<IpamReference>,
    /// Size of a child, in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 128))]
    pub prefix_length: Option<i32>,
    /// Classes that the pool offers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub class_names: Vec<String>,
    /// Class the pool was made for; set by the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_ref: Option<IpamReference>,
    /// Scope the pool serves.
    #[serde(default, skip_serializing_if = "Scope::is_empty")]
    pub scope: Scope,
    /// Blocks that nobody gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservations: Option<Reservations>,
    /// Longest time a retained block is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "duration"))]
    pub max_retention_lease: Option<String>,
    /// How blocks are chosen.
    #[serde(default)]
    pub allocation: IpPoolAllocation,
    /// Who may use the pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<IpPoolVisibility>,
}

/// How a pool chooses blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpPoolAllocation {
    /// Largest block, in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_prefix_length: Option<i32>,
    /// Smallest block, in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_prefix_length: Option<i32>,
    /// Which of the free blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "FirstFit"))]
    pub strategy: Option<AllocationStrategy>,
}

text_enum! {
    /// Who may use a pool.
    IpPoolVisibility {
        /// The platform.
        Platform = "platform",
        /// The consuming project.
        Consumer = "consumer",
        /// Other projects too.
        Shared = "shared",
    }
}

/// What the service found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpPoolStatus {
    /// State of the pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<IpPoolPhase>,
    /// The range.
    #[serde(default, rename = "allocatedCIDR", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "cidr"))]
    pub allocated_cidr: Option<String>,
    /// Its family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_family: Option<IpFamily>,
    /// Digest of the pool's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub scope_digest: Option<String>,
    /// How much is taken.
    #[serde(default)]
    pub capacity: IpPoolCapacity,
    /// Share taken, 0 to 100, four decimals.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    pub utilization_percent: f64,
    /// `Allocated`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

text_enum! {
    /// State of a pool or an allocation.
    IpPoolPhase {
        /// Not looked at.
        Pending,
        /// Can be used.
        Ready,
        /// Nothing is left.
        Exhausted,
        /// Contradicts itself.
        Error,
    }
}

/// Numbers of addresses as exact decimals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpPoolCapacity {
    /// In the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9]+$"))]
    pub total: Option<String>,
    /// Taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9]+$"))]
    pub allocated: Option<String>,
    /// Left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9]+$"))]
    pub available: Option<String>,
}

kind!(IpPool as "IPPool", "ipam.miloapis.com", "v1alpha1", "ippools", Cluster);
