//! `VPCAttachment`: an interface in a VPC.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;
use crate::names::ObjectName;
use crate::networking::AttachmentMode;
use crate::text_enum::text_enum;

/// What is attached to what.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "cloud.datumapis.com",
    version = "v1alpha1",
    kind = "VPCAttachment",
    root = "VpcAttachment",
    plural = "vpcattachments",
    namespaced,
    status = "VpcAttachmentStatus",
    derive = "PartialEq",
    doc = "An interface in a VPC.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct VpcAttachmentSpec {
    /// The VPC.
    pub vpc: VpcObjectReference,
    /// The interface object behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface_ref: Option<VpcObjectReference>,
    /// The device.
    pub interface: VpcAttachmentInterface,
}

/// An object in the namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct VpcObjectReference {
    /// Name of the object.
    #[schemars(length(min = 1))]
    pub name: ObjectName,
}

/// The device of an attachment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VpcAttachmentInterface {
    /// Device name inside the workload.
    #[serde(default = "default_interface_name")]
    pub name: String,
    /// How the workload meets the device.
    #[serde(default = "default_attachment_mode")]
    pub mode: AttachmentMode,
    /// Addresses in CIDR form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), inner(length(max = 64)))]
    pub addresses: Vec<String>,
}

/// What cell and data plane found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VpcAttachmentStatus {
    /// `Ready`, `Programmed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Identifier of the VPC, base62.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16))]
    pub vpc: Option<String>,
    /// Identifier of the attachment, base62.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 16))]
    pub vpc_attachment: Option<String>,
    /// Name of the attachment definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub network_attachment_definition: Option<String>,
    /// Node that carries the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub node: Option<String>,
    /// Pod that carries the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub pod_name: Option<String>,
    /// Range the data plane gave to the pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub pod_subnet: Option<String>,
    /// Device name on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub host_interface: Option<String>,
    /// Device name in the guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub guest_interface: Option<String>,
    /// Device of the routing table on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub vrf_interface: Option<String>,
    /// Container of the pod.
    #[serde(default, rename = "containerID", skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 46, max = 46))]
    pub container_id: Option<String>,
    /// `metadata.generation` that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

text_enum! {
    /// Why a `VPCAttachment` is in the state that its conditions show.
    VpcAttachmentReason {
        /// The attachment definition is written.
        AttachmentDefinitionReady,
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

kind!(VpcAttachment as "VPCAttachment", "cloud.datumapis.com", "v1alpha1", "vpcattachments", Namespaced);
