//! Scenarios of presence.

pub mod grace;
pub mod lifecycle;
pub mod restart;
pub mod shared;
pub mod takeover;
