//! Routes: which node announces which attachment.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::carried::Carried;
use crate::condition::Condition;
use crate::kind::kind;
use crate::names::ObjectName;

/// What is announced. Written by the data plane, one per attachment, named `<vpc>-<attachment>`.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "network.datumapis.com",
    version = "v1alpha1",
    kind = "BGPAdvertisement",
    root = "BgpAdvertisement",
    plural = "bgpadvertisements",
    shortname = "bgpadv",
    namespaced,
    status = "BgpAdvertisementStatus",
    derive = "PartialEq",
    doc = "Routes that a node announces.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct BgpAdvertisementSpec {
    /// The router that announces.
    pub router_ref: BgpRouterReference,
    /// Address family, as `afi` and `safi`.
    pub address_family: Carried,
    /// Prefixes, where they are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256), extend("x-kubernetes-list-type" = "set"))]
    pub prefixes: Vec<String>,
}

/// A router in the namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BgpRouterReference {
    /// Name of the router.
    #[schemars(length(min = 1))]
    pub name: ObjectName,
}

/// What the peers took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BgpAdvertisementStatus {
    /// `Advertised`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// How many prefixes are announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advertised_prefixes: Option<i32>,
    /// `metadata.generation` that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// The speaker on one node.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "network.datumapis.com",
    version = "v1alpha1",
    kind = "BGPRouter",
    root = "BgpRouter",
    plural = "bgprouters",
    shortname = "bgpr",
    namespaced,
    status = "BgpRouterStatus",
    derive = "PartialEq",
    doc = "A speaker of routes.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct BgpRouterSpec {
    /// The node it runs on.
    pub target_ref: BgpRouterTarget,
    /// Number of the autonomous system.
    #[serde(rename = "localASN")]
    #[schemars(range(min = 1))]
    pub local_asn: i64,
    /// Identifier, an IPv4 address.
    #[serde(rename = "routerID")]
    #[schemars(extend("format" = "ipv4"))]
    pub router_id: String,
    /// Address families it speaks.
    #[schemars(length(min = 1))]
    pub address_families: Vec<Carried>,
}

/// What a router runs on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BgpRouterTarget {
    /// Kind, usually `Node`.
    #[schemars(length(min = 1))]
    pub kind: String,
    /// Name.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// Not read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BgpRouterStatus {}

kind!(
    BgpAdvertisement as "BGPAdvertisement",
    "network.datumapis.com",
    "v1alpha1",
    "bgpadvertisements",
    Namespaced
);
kind!(BgpRouter as "BGPRouter", "network.datumapis.com", "v1alpha1", "bgprouters", Namespaced);
