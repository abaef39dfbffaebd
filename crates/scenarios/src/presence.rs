//! Scenarios of presence.

pub mod cost;
pub mod declarations;
pub mod grace;
pub mod lifecycle;
pub mod restart;
pub mod takeover;
