//! Subnet: the address range of a network in a location, as cells see it.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IpFamily, LocalReference, LocationReference};
use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// The range that was decided on.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "Subnet",
    plural = "subnets",
    namespaced,
    status = "SubnetStatus",
    derive = "PartialEq",
    doc = "The address range of a network in a location.",
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
    printcolumn(name = "Start Address", type_ = "string", json_path = ".status.startAddress"),
    printcolumn(name = "Prefix Length", type_ = "string", json_path = ".status.prefixLength"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct SubnetSpec {
    /// Class of the subnet, such as `private`.
    pub subnet_class: String,
    /// The presence the range belongs to.
    pub network_context: LocalReference,
    /// Where the range is used.
    pub location: LocationReference,
    /// Family of the range.
    pub ip_family: IpFamily,
    /// First address; may be empty.
    pub start_address: String,
    /// Length of the prefix in bits.
    pub prefix_length: i32,
}

/// The range that is in use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubnetStatus {
    /// `Allocated`, `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// First address; never revised once set (SU6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_address: Option<String>,
    /// Length of the prefix in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix_length: Option<i32>,
}

text_enum! {
    /// Why a Subnet is in the state that its conditions show.
    SubnetReason {
        /// No controller has looked yet.
        Pending,
        /// The range is published.
        PrefixAllocated,
        /// Everything that was asked for is there.
        Ready,
        /// Written by the reference only; read here.
        NotProgrammed,
    }
}

kind!(Subnet, "networking.datumapis.com", "v1alpha", "subnets", Namespaced);
