//! Network: declared once by a user in their project, present wherever something uses it.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IpFamily, RangeClaimReference};
use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// What the user wants of the network.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "Network",
    plural = "networks",
    namespaced,
    status = "NetworkStatus",
    derive = "PartialEq",
    doc = "A virtual network of a project.",
    printcolumn(name = "IPv6Prefix", type_ = "string", json_path = ".status.ipam.ipv6Prefix"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].reason"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "IPFamilies", type_ = "string", json_path = ".spec.ipFamilies", priority = 1),
    printcolumn(name = "IPAM", type_ = "string", json_path = ".spec.ipam.mode", priority = 1),
    printcolumn(name = "MTU", type_ = "integer", json_path = ".spec.mtu", priority = 1),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct NetworkSpec {
    /// Address families the network carries, the primary one first.
    #[serde(default = "default_ip_families")]
    pub ip_families: Vec<IpFamily>,
    /// Where addresses come from.
    pub ipam: NetworkIpam,
    /// Largest packet in bytes.
    #[serde(default = "default_mtu")]
    #[schemars(range(min = 1300, max = 8856))]
    pub mtu: i32,
    /// Internet egress; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress: Option<Carried>,
    /// Name service; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Carried>,
}

/// Where addresses of a network come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkIpam {
    /// Whether ranges are claimed by the platform or laid down by a policy.
    pub mode: NetworkIpamMode,
    /// Wished IPv4 range in CIDR form; accepted for compatibility, read nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv4_range: Option<String>,
    /// Wished IPv6 range in CIDR form; accepted for compatibility, read nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipv6_range: Option<String>,
}

text_enum! {
    /// Who decides on the ranges of a network.
    NetworkIpamMode {
        /// The address service.
        Auto,
        /// A `NetworkPolicy`.
        Policy,
    }
}

/// What the control plane found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkStatus {
    /// `Ready`, `IPAMAllocated`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Address space held for the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipam: Option<NetworkIpamStatus>,
}

/// Address space held for a network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkIpamStatus {
    /// The range in CIDR form.
    #[serde(default, rename = "ipv6Prefix", skip_serializing_if = "Option::is_none")]
    pub ipv6_prefix: Option<String>,
    /// The claim that holds it.
    #[serde(default, rename = "ipv6PrefixRef", skip_serializing_if = "Option::is_none")]
    pub ipv6_prefix_ref: Option<RangeClaimReference>,
}

text_enum! {
    /// Why a Network is in the state that its conditions show.
    NetworkReason {
        /// No controller has looked yet.
        Pending,
        /// Everything that was asked for is there.
        Ready,
        /// The range is held.
        Allocated,
        /// The namespace names no project.
        ProjectUnresolved,
        /// The project has no such namespace.
        ProjectNamespaceNotFound,
        /// The address service does not understand range claims.
        RangeUnsupported,
        /// The range still holds addresses, so it cannot be returned.
        RangeOccupied,
        /// No pool has room.
        AddressPoolExhausted,
        /// The claim's name is held by a retained address or another claim.
        RetainedAddressConflict,
        /// The address service refuses the request as it stands.
        AddressAllocationRejected,
        /// The address service failed in some other way.
        AllocationFailed,
    }
}

fn default_ip_families() -> Vec<IpFamily> {
    vec![IpFamily::IPv6]
}

fn default_mtu() -> i32 {
    1460
}

kind!(Network, "networking.datumapis.com", "v1alpha", "networks", Namespaced);
