//! Controllers of a project's control plane: one file per controller, its steps in the folder of the same name.

pub mod network;
pub mod network_binding;
pub mod network_context;

pub use network::NetworkController;
pub use network_binding::NetworkBindingController;
pub use network_context::NetworkContextController;
