//! `NetworkBinding`: a consumer declares that it uses a network in a location.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LocationReference, NetworkReference};
use crate::condition::Condition;
use crate::kind::kind;
use crate::names::{NamespaceName, ObjectName};
use crate::text_enum::text_enum;

/// Which network is used where. Immutable.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "NetworkBinding",
    plural = "networkbindings",
    namespaced,
    status = "NetworkBindingStatus",
    derive = "PartialEq",
    doc = "A declaration that a network is used in a location.",
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
pub struct NetworkBindingSpec {
    /// The network that is used.
    pub network: NetworkReference,
    /// Where it is used.
    pub location: LocationReference,
    /// Who uses it; decides nothing (PR13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumer: Option<NetworkBindingConsumer>,
}

/// The object on whose behalf a network is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkBindingConsumer {
    /// API group, absent for the core group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_group: Option<String>,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

/// What came of the declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkBindingStatus {
    /// `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The presence that serves this declaration, in the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_context_ref: Option<NetworkContextReference>,
}

/// A `NetworkContext` in a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct NetworkContextReference {
    /// Namespace in the project.
    pub namespace: NamespaceName,
    /// Name of the context.
    pub name: ObjectName,
}

text_enum! {
    /// Why a `NetworkBinding` is or is not Ready.
    NetworkBindingReason {
        /// No controller has looked yet.
        Pending,
        /// The namespace names no project, or the project's plane cannot be reached.
        ProjectUnresolved,
        /// The project has no such Network.
        NetworkNotFound,
        /// The project may not use the location.
        LocationNotAvailable,
        /// The presence exists and is not ready.
        NetworkContextNotReady,
        /// The presence, or its Network, is being deleted.
        NetworkContextTerminating,
        /// Network or location name cannot be a label value.
        NameNotUsable,
        /// The presence is ready.
        NetworkContextReady,
    }
}

kind!(NetworkBinding, "networking.datumapis.com", "v1alpha", "networkbindings", Namespaced);
