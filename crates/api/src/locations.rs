//! Group `locations.miloapis.com/v1alpha1`: the platform's places; a Location projected into a project's plane is
//! the statement that the project may use it.

mod location;
mod location_class;
mod serving_location;

pub use location::*;
pub use location_class::*;
pub use serving_location::*;

/// The API group.
pub const GROUP: &str = "locations.miloapis.com";
