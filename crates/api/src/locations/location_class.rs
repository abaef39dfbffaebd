//! `LocationClass`: which controller takes care of locations.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// The controller and its settings.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "locations.miloapis.com",
    version = "v1alpha1",
    kind = "LocationClass",
    plural = "locationclasses",
    status = "LocationClassStatus",
    derive = "PartialEq",
    doc = "A class of locations.",
    printcolumn(name = "Controller", type_ = "string", json_path = ".spec.controllerName"),
    printcolumn(
        name = "Accepted",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Accepted')].status"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct LocationClassSpec {
    /// Name of the controller. Immutable.
    pub controller_name: String,
    /// Settings of the controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters_ref: Option<LocationClassParametersReference>,
}

/// An object with settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationClassParametersReference {
    /// API group, empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

/// What the controller found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationClassStatus {
    /// `Accepted`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

text_enum! {
    /// Why a `LocationClass` is or is not accepted.
    LocationClassReason {
        /// No controller has taken it yet.
        Pending,
    }
}

kind!(LocationClass, "locations.miloapis.com", "v1alpha1", "locationclasses", Cluster);
