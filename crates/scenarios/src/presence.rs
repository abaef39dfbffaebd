//! Scenarios of presence.

pub mod adversity;
pub mod cost;
pub mod declarations;
pub mod grace;
pub mod lifecycle;
pub mod restart;
pub mod routes;
pub mod takeover;
