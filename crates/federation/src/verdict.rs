//! The one verdict on a declaration: is the project there, is the location available, is the network there?
//!
//! `network_presence` creates only what this clears, and `network_binding` answers what this refuses.

#[cfg(test)]
mod tests;

use api::networking::NetworkBindingReason;
use reconcile::{Sight, Unknown};

use crate::location::LocationSight;
use crate::network::NetworkFacts;
use crate::presence::PresenceKey;
use crate::project::ProjectSight;

/// Facts that a verdict is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The project.
    pub project: ProjectSight,
    /// The location in the project.
    pub location: LocationSight,
    /// The Network.
    pub network: Sight<NetworkFacts>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing stands against the presence.
    Clear(NetworkFacts),
    /// Something does; the reason and a sentence for people.
    Refused(NetworkBindingReason, String),
    /// The project may be there and cannot be asked: only declarations that nobody has answered yet are told.
    Unreachable(String),
    /// Nothing can be said; nothing is written.
    Undecided(String),
}

/// Judges a declaration. The order is the reference's (PR4).
#[must_use]
pub fn judge(key: &PresenceKey, facts: &Facts) -> Judgement {
    judge_project(key, &facts.project)
        .or_else(|| judge_names(key))
        .or_else(|| judge_location(key, &facts.location))
        .unwrap_or_else(|| judge_network(key, &facts.network))
}

fn judge_project(key: &PresenceKey, project: &ProjectSight) -> Option<Judgement> {
    let name = &key.project;
    match project {
        ProjectSight::Resolved => None,
        ProjectSight::Absent => Some(Judgement::Refused(
            NetworkBindingReason::ProjectUnresolved,
            format!("plane core holds no Project {name}; create it, or correct the namespace's label"),
        )),
        ProjectSight::Starting => {
            Some(Judgement::Undecided(format!("project {name} has not been listed yet")))
        }
        ProjectSight::Unreachable(plane) => Some(Judgement::Unreachable(format!(
            "plane {plane} is not engaged or does not answer, so project {name} cannot be asked; this is tried again when it does"
        ))),
    }
}

fn judge_names(key: &PresenceKey) -> Option<Judgement> {
    let name = key.unusable_name()?;
    Some(Judgement::Refused(
        NetworkBindingReason::NameNotUsable,
        format!(
            "name {name} has {} characters and a label value holds 63; use a network and a location with shorter names",
            name.len()
        ),
    ))
}

fn judge_location(key: &PresenceKey, location: &LocationSight) -> Option<Judgement> {
    let (name, project) = (&key.location, &key.project);
    let refused = |text| Judgement::Refused(NetworkBindingReason::LocationNotAvailable, text);
    match location {
        LocationSight::Available => None,
        LocationSight::Missing => Some(refused(format!(
            "project {project} holds no Location {name}; it becomes available when one is projected into the project"
        ))),
        LocationSight::Withdrawn => {
            Some(refused(format!("Location {name} in project {project} says Available=False")))
        }
        LocationSight::Unknown(why) => {
            Some(Judgement::Undecided(format!("Location {name} in project {project}: {why}")))
        }
    }
}

fn judge_network(key: &PresenceKey, network: &Sight<NetworkFacts>) -> Judgement {
    let name = format!("Network {}/{} in project {}", key.namespace, key.network, key.project);
    match network {
        Sight::Present(facts) if facts.is_deleting => Judgement::Refused(
            NetworkBindingReason::NetworkContextTerminating,
            format!("{name} is being deleted; it ends when its contexts have ended"),
        ),
        Sight::Present(facts) => Judgement::Clear(facts.clone()),
        Sight::Absent => Judgement::Refused(
            NetworkBindingReason::NetworkNotFound,
            format!("{name} does not exist; create it"),
        ),
        Sight::NotServed => {
            Judgement::Undecided(format!("{name}: the plane does not serve Networks; install the CRDs"))
        }
        Sight::Invalid(text) => Judgement::Undecided(format!("{name} does not decode: {text}")),
        Sight::Unknown(Unknown::NotEngaged) => {
            Judgement::Unreachable(format!("{name}: the plane is not engaged"))
        }
        Sight::Unknown(why) => Judgement::Undecided(format!("{name}: {why}")),
    }
}
