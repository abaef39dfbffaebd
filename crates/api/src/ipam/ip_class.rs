//! `IPClass`: what may be asked of the address service.

use std::collections::BTreeMap;

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClassStrategy, Reservations, empty_text};
use crate::condition::Condition;
use crate::kind::kind;
use crate::names::{ObjectName, ProjectName};
use crate::networking::{IpFamily, ReclaimPolicy};
use crate::text_enum::text_enum;

/// A definition, or a reference to one in another project.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "ipam.miloapis.com",
    version = "v1alpha1",
    kind = "IPClass",
    root = "IpClass",
    plural = "ipclasses",
    shortname = "ipclass",
    status = "IpClassStatus",
    derive = "PartialEq",
    doc = "A class of addresses.",
    selectable = ".spec.ipFamily",
    selectable = ".spec.parentClassName",
    selectable = ".spec.source.project",
    printcolumn(name = "Family", type_ = "string", json_path = ".spec.ipFamily"),
    printcolumn(name = "Parent", type_ = "string", json_path = ".spec.parentClassName"),
    printcolumn(name = "Prefix", type_ = "string", json_path = ".spec.defaultPrefixLength"),
    printcolumn(name = "Pool Per", type_ = "string", json_path = ".spec.poolPer"),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Source", type_ = "string", json_path = ".spec.source.name", priority = 1),
    printcolumn(name = "Strategy", type_ = "string", json_path = ".spec.strategy", priority = 1),
    printcolumn(name = "Unique Within", type_ = "string", json_path = ".spec.uniqueWithin", priority = 1),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct IpClassSpec {
    /// The class this one refers to; then nothing else is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<IpClassSource>,
    /// Family; empty on a reference.
    #[serde(default, with = "empty_text")]
    #[schemars(with = "IpFamily")]
    pub ip_family: Option<IpFamily>,
    /// Class whose pools this one carves from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_class_name: Option<String>,
    /// Roles that make a pool of its own each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pool_per: Vec<String>,
    /// Roles within which an address is unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unique_within: Vec<String>,
    /// Sizes that may be asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_prefix_lengths: Option<PrefixLengths>,
    /// Size when none is asked for, in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 128))]
    pub default_prefix_length: Option<i32>,
    /// Blocks of each pool that nobody gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservations: Option<Reservations>,
    /// What the fabric announces.
    #[serde(default)]
    pub routing: IpClassRouting,
    /// How a pool is chosen; `FirstFit` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<ClassStrategy>,
    /// What becomes of a block when its claim goes; `Delete` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reclaim_policy: Option<ReclaimPolicy>,
    /// How long a retained block is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "duration"))]
    pub retention_lease: Option<String>,
    /// Who makes pools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioner: Option<String>,
    /// Settings of the provisioner.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

/// The class behind a reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpClassSource {
    /// Project that defines it.
    #[schemars(length(min = 1), extend("format" = "dns1123-subdomain"))]
    pub project: ProjectName,
    /// Name there.
    #[schemars(length(min = 1), extend("format" = "dns1123-subdomain"))]
    pub name: ObjectName,
}

/// Bounds of a size, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PrefixLengths {
    /// Largest block.
    #[schemars(range(min = 0, max = 128))]
    pub min: i32,
    /// Smallest block.
    #[schemars(range(min = 0, max = 128))]
    pub max: i32,
}

/// What the fabric announces of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpClassRouting {
    /// Inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<InternalRouting>,
    /// Outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalRouting>,
}

text_enum! {
    /// What is announced inside.
    InternalRouting {
        /// Nothing.
        None,
        /// Each address.
        Host,
    }
}

text_enum! {
    /// What is announced outside.
    ExternalRouting {
        /// Nothing.
        None,
        /// The pool as one.
        Aggregate,
    }
}

/// What the service found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IpClassStatus {
    /// State of the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<IpClassPhase>,
    /// Root pools that offer the class.
    #[serde(default)]
    pub offering_pools: i32,
    /// Pools made for the class.
    #[serde(default)]
    pub provisioned_pools: i32,
    /// Roles a claim has to bring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_scope_roles: Vec<String>,
    /// Open set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

text_enum! {
    /// State of a class.
    IpClassPhase {
        /// Not looked at.
        Pending,
        /// Can be claimed from.
        Ready,
        /// Contradicts itself.
        Error,
    }
}

kind!(IpClass as "IPClass", "ipam.miloapis.com", "v1alpha1", "ipclasses", Cluster);
