//! Whether a project may use a location (decisions 3): either group's object says so unless it says Available=False.

use api::condition::{Condition, ConditionType, is_false};
use api::networking::LocationBinding;
use api::{ClusterName, LocationName, ObjectKey, locations};
use reconcile::{Facet, Sight, Unknown, View};
use serde::Serialize;

/// A Location of the current group, as availability.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LocationFacts {
    /// Whether it says Available=False.
    pub is_withdrawn: bool,
}

impl Facet for LocationFacts {
    type Kind = locations::Location;

    fn of(location: &locations::Location) -> Self {
        Self { is_withdrawn: withdrawn(location.status.as_ref().map(|status| status.conditions.as_slice())) }
    }
}

/// A `LocationBinding` of the older group, as availability.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LocationBindingFacts {
    /// Whether it says Available=False.
    pub is_withdrawn: bool,
}

impl Facet for LocationBindingFacts {
    type Kind = LocationBinding;

    fn of(binding: &LocationBinding) -> Self {
        Self { is_withdrawn: withdrawn(binding.status.as_ref().map(|status| status.conditions.as_slice())) }
    }
}

fn withdrawn(conditions: Option<&[Condition]>) -> bool {
    is_false(conditions.unwrap_or_default(), ConditionType::Available)
}

/// Whether the project may use the location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocationSight {
    /// It may.
    Available,
    /// Its objects say Available=False.
    Withdrawn,
    /// No object of that name.
    Missing,
    /// It cannot be told.
    Unknown(Unknown),
}

/// Reads both groups.
#[must_use]
pub fn observe(view: &View<'_>, project: &ClusterName, location: &LocationName) -> LocationSight {
    let key = ObjectKey::cluster_scoped(location.as_str());
    let current = view.object::<LocationFacts>(project, &key).map(|facts| facts.is_withdrawn);
    let older = view.object::<LocationBindingFacts>(project, &key).map(|facts| facts.is_withdrawn);
    either(&current, &older)
}

fn either(current: &Sight<bool>, older: &Sight<bool>) -> LocationSight {
    let says = |wanted: bool| [current, older].iter().any(|sight| sight.present() == Some(&wanted));
    if says(false) {
        return LocationSight::Available;
    }
    for sight in [current, older] {
        match sight {
            Sight::Unknown(why) => return LocationSight::Unknown(why.clone()),
            Sight::Invalid(_) => {
                return LocationSight::Unknown(Unknown::InvalidMember("the location".to_owned()));
            }
            _ => {}
        }
    }
    if says(true) { LocationSight::Withdrawn } else { LocationSight::Missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_group_suffices_and_only_certainty_refuses() {
        let unknown = || Sight::Unknown(Unknown::Starting);
        let cases = [
            (Sight::Present(false), Sight::Absent, LocationSight::Available),
            (Sight::NotServed, Sight::Present(false), LocationSight::Available),
            (Sight::Present(true), Sight::Present(false), LocationSight::Available),
            (Sight::Present(false), unknown(), LocationSight::Available),
            (Sight::Absent, Sight::NotServed, LocationSight::Missing),
            (Sight::Present(true), Sight::Absent, LocationSight::Withdrawn),
            (Sight::Absent, unknown(), LocationSight::Unknown(Unknown::Starting)),
            (Sight::Present(true), unknown(), LocationSight::Unknown(Unknown::Starting)),
        ];
        for (current, older, expected) in cases {
            assert_eq!(either(&current, &older), expected, "{current:?} {older:?}");
        }
    }
}
