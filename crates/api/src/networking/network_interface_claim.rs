//! `NetworkInterfaceClaim`: a workload in a cell asks for an interface on a network.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AttachmentMode, ExternalAddress, InterfaceAddress, InterfaceObjectReference, IpFamily,
    LocalNetworkReference, ReclaimPolicy,
};
use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;
use crate::names::ObjectName;
use crate::text_enum::text_enum;

/// What is asked for. Immutable as a whole, including what was left out.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "NetworkInterfaceClaim",
    plural = "networkinterfaceclaims",
    namespaced,
    status = "NetworkInterfaceClaimStatus",
    derive = "PartialEq",
    doc = "A request for an interface on a network.",
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Network", type_ = "string", json_path = ".spec.network.name"),
    printcolumn(name = "Interface", type_ = "string", json_path = ".status.networkInterfaceRef.name"),
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
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct NetworkInterfaceClaimSpec {
    /// The network.
    pub network: LocalNetworkReference,
    /// Name of the interface object; the claim's name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub network_interface_name: Option<ObjectName>,
    /// Device name inside the workload.
    #[serde(default = "default_interface_name")]
    #[schemars(length(min = 1, max = 15))]
    pub interface_name: String,
    /// How the workload meets the interface.
    #[serde(default = "default_attachment_mode")]
    pub attachment_mode: AttachmentMode,
    /// One address of each of these families, the primary one first.
    #[serde(default = "default_ip_families")]
    #[schemars(length(min = 1, max = 2))]
    pub ip_families: Vec<IpFamily>,
    /// External addresses, one of each of these classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4))]
    pub addresses: Option<Vec<AddressRequest>>,
    /// What becomes of the addresses when the claim goes.
    #[serde(default = "default_reclaim_policy")]
    pub reclaim_policy: ReclaimPolicy,
    /// Internet egress; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub egress: Option<Carried>,
    /// Name service; carried, not interpreted here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<Carried>,
}

/// One external address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddressRequest {
    /// Address class.
    #[schemars(length(min = 1, max = 63))]
    pub class: String,
}

/// What came of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkInterfaceClaimStatus {
    /// `Bound`, `Allocated`, `Prepared`, `Programmed`, `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The interface that answers the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_interface_ref: Option<InterfaceObjectReference>,
    /// Copy of the interface's addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<InterfaceAddress>,
    /// Copy of the interface's external addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_addresses: Vec<ExternalAddress>,
}

text_enum! {
    /// Why a `NetworkInterfaceClaim` is in the state that its conditions show.
    ///
    /// `Prepared` and `Programmed` repeat the reason of the interface.
    NetworkInterfaceClaimReason {
        /// No controller has looked yet.
        Pending,
        /// An interface answers the claim.
        Bound,
        /// Every published address is held.
        Allocated,
        /// Everything that was asked for is there.
        Ready,
        /// The cell does not know which location it serves.
        NoLocationIdentity,
        /// The cell is told to serve more than one location.
        AmbiguousLocationIdentity,
        /// The namespace names no project.
        ProjectUnresolved,
        /// The network is not present in this location.
        NetworkNotAvailableInLocation,
        /// The presence does not say which families it carries; never defaulted.
        AddressFamiliesUnknown,
        /// The presence does not carry a requested family.
        AddressFamilyNotCarried,
        /// The subnet has no usable start address.
        SubnetGatewayUnusable,
        /// The interface of that name is held by another claim.
        InterfaceHeldByAnotherClaim,
        /// The existing interface is on another network.
        NetworkMismatch,
        /// The existing interface has another device name.
        InterfaceNameMismatch,
        /// The existing interface lacks an address of a requested family.
        AddressFamilyMissing,
        /// The existing interface lacks an address of a requested class.
        AddressClassMissing,
        /// The existing interface has another reclaim policy.
        ReclaimPolicyMismatch,
        /// The project has no such namespace.
        ProjectNamespaceNotFound,
        /// No pool has room.
        AddressPoolExhausted,
        /// The address claim's name is held by a retained address or another claim.
        RetainedAddressConflict,
        /// The address service refuses the request as it stands.
        AddressAllocationRejected,
        /// The address service failed in some other way.
        AllocationFailed,
        /// A published address is not held any more, or another one is.
        AddressAllocationMissing,
        /// Not Ready because not Bound.
        NotBound,
        /// Not Ready because not Allocated.
        NotAllocated,
        /// Not Ready because not Prepared.
        NotPrepared,
        /// Not Ready because not Programmed.
        NotProgrammed,
    }
}

fn default_interface_name() -> String {
    "eth0".to_owned()
}

fn default_attachment_mode() -> AttachmentMode {
    AttachmentMode::Netns
}

fn default_ip_families() -> Vec<IpFamily> {
    vec![IpFamily::IPv6]
}

fn default_reclaim_policy() -> ReclaimPolicy {
    ReclaimPolicy::Delete
}

kind!(NetworkInterfaceClaim, "networking.datumapis.com", "v1alpha", "networkinterfaceclaims", Namespaced);
