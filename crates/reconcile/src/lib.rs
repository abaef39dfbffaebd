//! The vocabulary of a controller, and nothing that runs.
//!
//! A controller is two synchronous functions over data: [`Controller::observe`] reads through a [`View`], and
//! [`Controller::plan`] judges what was read. Reading is subscribing: whatever changes in the read set wakes the key, so
//! no controller declares watches. Decisions are data: a [`Plan`] is a list of steps that one executor sends.

pub mod attempt;
pub mod controller;
pub mod facet;
pub mod intent;
pub mod kind_entry;
pub mod plan;
pub mod sight;
pub mod step;
pub mod tables;
pub mod view;

pub use attempt::{Attempt, Attempts};
pub use controller::{Controller, Root, Roots};
pub use facet::{Facet, FacetEntry, Index, IndexEntry, IndexValue};
pub use intent::{Absent, Intent};
pub use kind_entry::{Content, KindEntry, Manager, Meta, Object};
pub use plan::{Plan, Verdict};
pub use sight::{Sight, Unknown};
pub use step::{Action, Event, Expect, Propagation, Step, Target};
pub use tables::Tables;
pub use view::{ClusterSight, Source, Stamp, View};
