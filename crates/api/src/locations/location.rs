//! Location of the newer group.

use std::collections::BTreeMap;

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;
use crate::names::{ObjectName, ProjectName};

/// What the place is.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "locations.miloapis.com",
    version = "v1alpha1",
    kind = "Location",
    plural = "locations",
    status = "LocationStatus",
    derive = "PartialEq",
    doc = "A place where networks can be present.",
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.locationClassRef.name"),
    printcolumn(
        name = "City",
        type_ = "string",
        json_path = r".spec.topology.topology\.datum\.net/city-code"
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct LocationSpec {
    /// Class of the location.
    pub location_class_ref: LocationClassReference,
    /// Where it is in the platform's topology; the city is `topology.datum.net/city-code`.
    pub topology: BTreeMap<String, String>,
    /// Where it is on the globe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<LocationCoordinates>,
}

/// A class of locations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationClassReference {
    /// Name of the class.
    pub name: ObjectName,
    /// Project whose plane holds the class; absent for the plane of the location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
}

/// Decimals, written as text so that no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationCoordinates {
    /// Degrees north, -90 to 90.
    pub latitude: String,
    /// Degrees east, -180 to 180.
    pub longitude: String,
}

/// What controllers of locations found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationStatus {
    /// `Ready`, `Available`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

kind!(Location, "locations.miloapis.com", "v1alpha1", "locations", Cluster);
