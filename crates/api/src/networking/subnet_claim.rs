//! `SubnetClaim`: a wish for a Subnet in a presence.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IpFamily, LocalReference, LocationReference};
use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// What is wished for.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "SubnetClaim",
    plural = "subnetclaims",
    namespaced,
    status = "SubnetClaimStatus",
    derive = "PartialEq",
    doc = "A wish for a subnet.",
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
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct SubnetClaimSpec {
    /// Class of the subnet, such as `private`.
    pub subnet_class: String,
    /// The presence the range shall belong to.
    pub network_context: LocalReference,
    /// Where the range shall be used.
    pub location: LocationReference,
    /// Family of the range.
    pub ip_family: IpFamily,
    /// Wished first address; not honoured (SC2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_address: Option<String>,
    /// Wished length of the prefix in bits; not honoured (SC2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix_length: Option<i32>,
}

/// What came of the wish.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubnetClaimStatus {
    /// `Allocated`, `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The subnet that answers the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subnet_ref: Option<LocalReference>,
    /// First address of that subnet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_address: Option<String>,
    /// Length of its prefix in bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix_length: Option<i32>,
}

text_enum! {
    /// Why a `SubnetClaim` is in the state that its conditions show.
    SubnetClaimReason {
        /// No controller has looked yet.
        Pending,
        /// The subnet exists and is not ready.
        SubnetNotReady,
        /// The subnet is ready.
        SubnetReady,
    }
}

kind!(SubnetClaim, "networking.datumapis.com", "v1alpha", "subnetclaims", Namespaced);
