//! Instance: a workload, read by the injection webhook.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::kind;
use crate::names::ObjectName;

/// The interfaces a workload declares.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "compute.datumapis.com",
    version = "v1alpha",
    kind = "Instance",
    plural = "instances",
    namespaced,
    status = "InstanceStatus",
    derive = "PartialEq",
    doc = "A workload.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct InstanceSpec {
    /// In order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network_interfaces: Vec<InstanceNetworkInterface>,
}

/// One declared interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstanceNetworkInterface {
    /// Name within the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The interfaces a workload got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceStatus {
    /// By name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network_interfaces: Vec<InstanceNetworkInterfaceStatus>,
}

/// One interface a workload got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceNetworkInterfaceStatus {
    /// Name within the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The interface object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_interface_ref: Option<InstanceInterfaceReference>,
}

/// An interface object in the namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstanceInterfaceReference {
    /// Name of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ObjectName>,
}

kind!(Instance, "compute.datumapis.com", "v1alpha", "instances", Namespaced);
