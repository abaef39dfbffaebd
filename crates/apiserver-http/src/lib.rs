//! The shell around the synchronous API server: a thread with the clock, a tower service, sockets with TLS, and a
//! durable sink.
//!
//! Nothing is decided here. Requests go into the state machine, what comes out goes to whoever asked; everything that
//! can be wrong about the API is in `apiserver`, which the simulator drives without this crate.

pub mod authority;
pub mod body;
mod data;
pub mod handle;
pub mod kubeconfig;
pub mod listener;
pub mod shell;
pub mod sink;

pub use authority::Authority;
pub use body::Body;
pub use data::{DataDirectory, DataError, Secrets, random_bytes};
pub use handle::Handle;
pub use listener::{ListenError, Listener};
pub use shell::Shell;
pub use sink::{RedbSink, Sink, SinkError};
