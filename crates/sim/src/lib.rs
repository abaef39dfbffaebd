//! Deterministic simulation: real engines and real servers in one world with one clock, without tokio or HTTP.

pub mod canonical;
pub mod case;
pub mod check;
pub mod clock;
pub mod declared;
pub mod dice;
pub mod fault;
pub mod manager;
pub mod network;
pub mod plane;
pub mod regression;
pub mod restart;
pub mod retold;
pub mod run;
pub mod shrink;
pub mod story;
pub mod tally;
pub mod tempo;
pub mod trace;
pub mod truth;
pub mod workload;
pub mod world;

pub use manager::ManagerOptions;
pub use world::{Reply, World, WorldOptions};
