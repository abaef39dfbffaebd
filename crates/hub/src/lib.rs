//! Controllers of the federation hub: one file per controller, its steps in the folder of the same name.

pub mod network_presence;

pub use network_presence::NetworkPresenceController;
