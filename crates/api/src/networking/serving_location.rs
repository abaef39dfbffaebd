//! `ServingLocation` of the older group: which location a cell serves, delivered by propagation.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::kind;

/// Copy of what a location is.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "ServingLocation",
    plural = "servinglocations",
    derive = "PartialEq",
    doc = "The location that a cell serves.",
    printcolumn(
        name = "City",
        type_ = "string",
        json_path = r".spec.topology.topology\.datum\.net/city-code"
    ),
    printcolumn(
        name = "Region",
        type_ = "string",
        json_path = r".spec.topology.topology\.datum\.net/region"
    ),
    printcolumn(name = "Source Generation", type_ = "integer", json_path = ".spec.source.generation"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct ServingLocationSpec {
    /// The location's topology, verbatim.
    #[schemars(extend("minProperties" = 1))]
    pub topology: BTreeMap<String, String>,
    /// Which state of the location this is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ServingLocationSource>,
}

/// Which state of a location was copied, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServingLocationSource {
    /// `metadata.generation` of the location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// When the content last changed (LP5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema_parts::date_time")]
    pub published_at: Option<Time>,
}

kind!(ServingLocation, "networking.datumapis.com", "v1alpha", "servinglocations", Cluster);
