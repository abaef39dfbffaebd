//! Keeps one context in the project for each (network, location) that something declares, and ends it when nothing does.
//!
//! - Reads: holders (hub bindings, project bindings, interface copies); the Project, its plane, the location and the Network;
//!   the contexts of the pair, and whoever has the name a new one would get.
//! - Writes: the context (create, spec, labels, owner, stamp, deletion), events about it.
//! - Refuses because: the verdict that `network_binding` tells the holders; here it only means that nothing is made.
//! - Key: project, namespace, network and location.
//! - Roots: bindings on the hub and in projects, interface copies on the hub, contexts in projects.

mod names;
mod observed;
mod plan;
mod roots;
#[cfg(test)]
mod tests;

use api::ProjectName;
use federation::PresenceKey;
use reconcile::{Controller, Plan, Roots, View};

pub use self::observed::Observed;

/// See the module.
pub struct NetworkPresenceController;

impl Controller for NetworkPresenceController {
    const NAME: &'static str = "network-presence";
    type Key = PresenceKey;
    type Observed = Observed;

    fn roots() -> Roots<PresenceKey> {
        roots::roots()
    }

    fn project(key: &PresenceKey) -> Option<ProjectName> {
        Some(key.project.clone())
    }

    fn observe(view: &View<'_>, key: &PresenceKey) -> Observed {
        observed::observe(view, key)
    }

    fn plan(observed: &Observed) -> Plan {
        plan::plan(observed)
    }
}
