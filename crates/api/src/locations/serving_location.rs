//! `ServingLocation` of the newer group: exactly one per cell, named like its Location.

use std::collections::BTreeMap;

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::kind;
use crate::networking::ServingLocationSource;

/// Copy of what a location is.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "locations.miloapis.com",
    version = "v1alpha1",
    kind = "ServingLocation",
    plural = "servinglocations",
    derive = "PartialEq",
    doc = "The location that a cell serves.",
    printcolumn(
        name = "City",
        type_ = "string",
        json_path = r".spec.topology.topology\.datum\.net/city-code"
    ),
    printcolumn(name = "Source Generation", type_ = "integer", json_path = ".spec.source.generation"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct ServingLocationSpec {
    /// The location's topology, verbatim.
    pub topology: BTreeMap<String, String>,
    /// Which state of the location this is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ServingLocationSource>,
}

kind!(ServingLocation, "locations.miloapis.com", "v1alpha1", "servinglocations", Cluster);
