//! The scenarios a release is measured by, each written once against [`Platform`] and run on every platform.
//!
//! A scenario panics where something is not as it must be: the test runner turns that into a failure. Nothing here sleeps
//! to synchronise: a scenario waits until the managers report that they are idle.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "scenarios are tests: a panic is how they fail"
)]

pub mod catalogue;
pub mod exhaust;
pub mod fixture;
#[cfg(feature = "http")]
pub mod http;
pub mod objects;
pub mod platform;
pub mod presence;
pub mod simulated;

pub use catalogue::{ADVERSITY, SCENARIOS, Scenario};
pub use fixture::Fixture;
pub use platform::{Counters, LeaseTiming, ManagerOptions, ManagerRef, Platform, Reply};
