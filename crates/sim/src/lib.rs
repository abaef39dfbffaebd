//! The whole platform as one deterministic state machine: API servers, managers and one virtual clock.
//!
//! No threads, sockets or real time: the same seed gives the same run. Requests, answers and watch events are events in one
//! ordered queue.

pub mod manager;
pub mod network;
pub mod world;

pub use manager::ManagerOptions;
pub use world::World;
