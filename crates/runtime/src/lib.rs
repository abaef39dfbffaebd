//! The shell of the engine: tasks, clients and real time. Thin enough to review by eye.
//!
//! One task drives the engine. Every list, watch, step, fence and lease request is a task of its own that sends its
//! answer back as an input. Whatever can be wrong about caches, queues and leases is in `engine`.

pub mod admin;
pub mod clock;
pub mod cluster;
pub mod connection;
pub mod driver;
pub mod executor;
pub mod informer;
pub mod metrics;
pub mod provider;
pub mod transport;

pub use cluster::{Clusters, Engagement};
pub use connection::Connections;
pub use driver::{Driver, Handle, Setup};
pub use provider::{Provider, ProviderError};
