//! What runs controllers, as data structures with time passed in.
//!
//! One synchronous state machine: [`Engine::handle`] takes an input and gives outputs. Bytes, sockets, threads and clocks
//! stay outside: the shell (`runtime` or the simulator) decodes, sends and waits.

pub mod answer;
pub mod backoff;
pub mod engine;
pub mod explain;
pub mod fence;
pub mod ids;
pub mod informer;
pub mod keys;
pub mod lease;
pub mod metrics;
pub mod queue;
pub mod recorder;
pub mod registration;
pub mod request;
pub mod shard;
pub mod store;
pub mod time;
pub mod wire;
pub mod world;

pub use answer::{Answer, Body, StatusBody};
pub use engine::{Engine, FenceAnswer, Input, Mark, News, Output, Page, Watched};
pub use explain::{Explanation, Trace};
pub use ids::{BarrierId, Epoch, StepId, StoreId};
pub use informer::{Failure, Want};
pub use lease::{LeaseAnswer, LeaseRecord, LeaseSettings, LeaseWant};
pub use registration::{Registration, register};
pub use request::{Method, Request};
pub use time::{Now, Settings};
pub use wire::LeasePlace;
pub use world::Identity;
