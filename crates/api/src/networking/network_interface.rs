//! `NetworkInterface`: addresses of one workload on one network.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AttachmentMode, IpFamily, LocalNetworkReference, LocalReference, ReclaimPolicy};
use crate::condition::Condition;
use crate::kind::kind;
use crate::names::ObjectName;
use crate::text_enum::text_enum;

/// What the interface is.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "NetworkInterface",
    plural = "networkinterfaces",
    namespaced,
    status = "NetworkInterfaceStatus",
    derive = "PartialEq",
    doc = "An interface of a workload on a network.",
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Network", type_ = "string", json_path = ".spec.network.name"),
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Claim", type_ = "string", json_path = ".spec.claimRef.name"),
    printcolumn(
        name = "Allocated",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Allocated")].status"#
    ),
    printcolumn(
        name = "Prepared",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Prepared")].status"#
    ),
    printcolumn(
        name = "Programmed",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Programmed")].status"#
    ),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct NetworkInterfaceSpec {
    /// The network. Immutable.
    pub network: LocalNetworkReference,
    /// The claim that holds the interface; absent on a retained one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_ref: Option<InterfaceObjectReference>,
    /// Device name inside the workload.
    #[serde(default = "default_interface_name")]
    #[schemars(length(min = 1, max = 15))]
    pub interface_name: String,
    /// How the workload meets the interface.
    #[serde(default = "default_attachment_mode")]
    pub attachment_mode: AttachmentMode,
    /// Largest packet in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1300, max = 8856))]
    pub mtu: Option<i32>,
    /// Addresses on the network, in CIDR form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4))]
    pub addresses: Vec<InterfaceAddress>,
    /// Addresses outside the network, bare unless they are ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4))]
    pub external_addresses: Vec<ExternalAddress>,
    /// What becomes of the addresses when the claim goes.
    #[serde(default = "default_reclaim_policy")]
    pub reclaim_policy: ReclaimPolicy,
}

/// An object in the namespace, with the length bounds of object names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct InterfaceObjectReference {
    /// Name of the object.
    #[schemars(length(min = 1, max = 253))]
    pub name: ObjectName,
}

/// An address on the interface's own network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InterfaceAddress {
    /// Family of the address.
    pub family: IpFamily,
    /// The address in CIDR form.
    #[schemars(length(min = 1, max = 45))]
    pub address: String,
    /// Address class it came from; absent for the family's default class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 63))]
    pub class: Option<String>,
    /// First hop for this family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 45))]
    pub gateway: Option<String>,
    /// Whether it is the address the workload is known by; exactly one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<bool>,
}

/// An address reachable from outside the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalAddress {
    /// Family of the address.
    pub family: IpFamily,
    /// The address, bare unless it is a range.
    #[schemars(length(min = 1, max = 45))]
    pub address: String,
    /// Address class it came from.
    #[schemars(length(min = 1, max = 63))]
    pub class: String,
}

/// What the cell found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkInterfaceStatus {
    /// Whether a claim holds the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<NetworkInterfacePhase>,
    /// `Allocated`, `Prepared`, `Programmed`, `HolderAvailable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The presence the interface belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_context_ref: Option<LocalReference>,
    /// What realises the interface for the data plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachment_ref: Option<AttachmentReference>,
    /// Identifier of the VPC the data plane uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vpc: Option<String>,
}

text_enum! {
    /// Whether a claim holds an interface.
    NetworkInterfacePhase {
        /// Retained, held by nobody.
        Available,
        /// Held by the claim in `spec.claimRef`.
        Bound,
    }
}

/// The object that realises an interface for the data plane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentReference {
    /// API group.
    #[schemars(length(min = 1, max = 253))]
    pub api_group: String,
    /// Kind.
    #[schemars(length(min = 1, max = 63))]
    pub kind: String,
    /// Name.
    #[schemars(length(min = 1, max = 253))]
    pub name: ObjectName,
}

text_enum! {
    /// Why a `NetworkInterface` is in the state that its conditions show.
    NetworkInterfaceReason {
        /// No controller has looked yet.
        Pending,
        /// Every published address is held.
        Allocated,
        /// A published address is not held any more, or another one is.
        AddressAllocationMissing,
        /// The presence has not arrived in the cell.
        AwaitingNetworkContext,
        /// The VPC does not exist yet.
        AwaitingVpc = "AwaitingVPC",
        /// The VPC has no identifier yet.
        AwaitingVpcIdentifier = "AwaitingVPCIdentifier",
        /// The attachment is written.
        AttachmentReady,
        /// The data plane has not reported.
        AwaitingDataPlane,
    }
}

fn default_interface_name() -> String {
    "eth0".to_owned()
}

fn default_attachment_mode() -> AttachmentMode {
    AttachmentMode::Netns
}

fn default_reclaim_policy() -> ReclaimPolicy {
    ReclaimPolicy::Delete
}

kind!(NetworkInterface, "networking.datumapis.com", "v1alpha", "networkinterfaces", Namespaced);
