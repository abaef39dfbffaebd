//! `LocationBinding`: the statement, in a project, that the project may use a location.

use std::collections::BTreeMap;

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;
use crate::names::LocationName;

/// Which location may be used; the object's name is the location's.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "LocationBinding",
    plural = "locationbindings",
    status = "LocationBindingStatus",
    derive = "PartialEq",
    doc = "The statement that a project may use a location.",
    printcolumn(name = "Location", type_ = "string", json_path = ".spec.locationRef.name"),
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.locationClassName"),
    printcolumn(
        name = "Available",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Available")].status"#
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct LocationBindingSpec {
    /// The location.
    #[schemars(extend("x-kubernetes-map-type" = "atomic"))]
    pub location_ref: LocationBindingReference,
    /// Class of the location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location_class_name: Option<String>,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Copy of the location's topology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<BTreeMap<String, String>>,
}

/// A location by name; the name defaults to the empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationBindingReference {
    /// Name of the location.
    #[serde(default)]
    pub name: LocationName,
}

/// What the publisher of the binding found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationBindingStatus {
    /// `Available`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

kind!(LocationBinding, "networking.datumapis.com", "v1alpha", "locationbindings", Cluster);
