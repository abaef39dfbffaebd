//! The few built-in kinds that controllers read or write, with only the fields they need.

mod config_map;
mod event;
mod lease;
mod namespace;
mod pod;

pub use config_map::*;
pub use event::*;
pub use lease::*;
pub use namespace::*;
pub use pod::*;
