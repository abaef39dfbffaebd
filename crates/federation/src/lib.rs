//! Whose object this is and where it lives: what several planes must see the same way.
//!
//! Both sides of a presence (`network_presence` keeps it, `network_binding` answers for it) take their facts and their
//! verdict from here, so nothing is decided twice.

pub mod condition_facts;
pub mod configuration;
pub mod context;
pub mod holder;
pub mod location;
pub mod network;
pub mod presence;
pub mod project;
pub mod route;
pub mod verdict;

pub use condition_facts::ConditionFacts;
pub use configuration::{Configuration, ProjectSource};
pub use context::{ContextFacts, ContextReadiness};
pub use location::LocationSight;
pub use network::NetworkFacts;
pub use presence::PresenceKey;
pub use project::ProjectSight;
pub use route::HubRoute;
pub use verdict::{Judgement, judge};
