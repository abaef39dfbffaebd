//! `NetworkContext`: the presence of one network in one location.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IpFamily, LocalNetworkReference, LocalReference, LocationReference, RangeClaimReference};
use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// Which network is present where, with what a cell needs to know of the network.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "NetworkContext",
    plural = "networkcontexts",
    namespaced,
    status = "NetworkContextStatus",
    derive = "PartialEq",
    doc = "The presence of a network in a location.",
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].reason"#
    ),
    printcolumn(name = "IPv6Subnet", type_ = "string", json_path = ".status.ipam.ipv6SubnetRef.name"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct NetworkContextSpec {
    /// The network that is present.
    pub network: LocalNetworkReference,
    /// Where it is present.
    pub location: LocationReference,
    /// Families copied from the Network; absent means that nobody knows them, not that there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2))]
    pub ip_families: Option<Vec<IpFamily>>,
    /// Largest packet in bytes, copied from the Network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1300, max = 8856))]
    pub mtu: Option<i32>,
    /// `metadata.generation` of the Network that was copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_generation: Option<i64>,
    /// Internet egress; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress: Option<Carried>,
    /// Name service; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Carried>,
}

/// What the project's controllers found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkContextStatus {
    /// `Ready`, `IPAMAllocated`; `InternetEgressReady` and `DNSReady` are carried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Address space held for the presence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ipam: Option<NetworkContextIpamStatus>,
    /// Internet egress; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress: Option<Carried>,
}

/// Address space held for a presence; the range itself is in the Subnet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkContextIpamStatus {
    /// The Subnet that publishes the range.
    #[serde(default, rename = "ipv6SubnetRef", skip_serializing_if = "Option::is_none")]
    pub ipv6_subnet_ref: Option<LocalReference>,
    /// The claim that holds the range.
    #[serde(default, rename = "ipv6ClaimRef", skip_serializing_if = "Option::is_none")]
    pub ipv6_claim_ref: Option<RangeClaimReference>,
}

text_enum! {
    /// Why a `NetworkContext` is in the state that its conditions show.
    NetworkContextReason {
        /// No controller has looked yet.
        Pending,
        /// Everything that was asked for is there.
        Ready,
        /// The context is being deleted.
        Terminating,
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

kind!(NetworkContext, "networking.datumapis.com", "v1alpha", "networkcontexts", Namespaced);
