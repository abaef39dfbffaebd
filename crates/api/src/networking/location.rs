//! Location of the older group: a place where networks can be present, with the provider behind it.

use std::collections::BTreeMap;

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;

/// What the place is.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "networking.datumapis.com",
    version = "v1alpha",
    kind = "Location",
    plural = "locations",
    status = "LocationStatus",
    derive = "PartialEq",
    doc = "A place where networks can be present.",
    printcolumn(name = "Class", type_ = "string", json_path = ".spec.locationClassName"),
    printcolumn(
        name = "City",
        type_ = "string",
        json_path = r".spec.topology.topology\.datum\.net/city-code"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].reason"
    ),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct LocationSpec {
    /// Class of the location.
    pub location_class_name: String,
    /// Where it is in the platform's topology; the city is `topology.datum.net/city-code`.
    pub topology: BTreeMap<String, String>,
    /// Who runs the place.
    pub provider: LocationProvider,
    /// Where it is on the globe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<LocationCoordinates>,
}

/// Who runs a location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationProvider {
    /// A zone of Google's cloud.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gcp: Option<GcpLocationProvider>,
}

/// A zone of Google's cloud.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcpLocationProvider {
    /// Project of the cloud.
    pub project_id: String,
    /// Region of the cloud.
    pub region: String,
    /// Zone of the cloud.
    pub zone: String,
}

/// Plain decimals, written as text so that no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationCoordinates {
    /// Degrees north, -90 to 90.
    #[schemars(regex(pattern = r"^-?\d{1,2}(\.\d+)?$"))]
    pub latitude: String,
    /// Degrees east, -180 to 180.
    #[schemars(regex(pattern = r"^-?\d{1,3}(\.\d+)?$"))]
    pub longitude: String,
}

/// What controllers of locations found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocationStatus {
    /// `Ready`, `Available`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

kind!(Location, "networking.datumapis.com", "v1alpha", "locations", Cluster);
