//! Every plane on this machine: embedded API servers with TLS, authentication and RBAC, and what is put into them.

mod access;
mod apply;
mod kubeconfig;
mod manifest;
mod platform;
mod presences;
mod settle;

use std::path::PathBuf;

use apiserver_http::{DataError, ListenError};

pub(crate) use access::connect;
pub(crate) use apply::apply;
pub(crate) use kubeconfig::KubeconfigFile;
pub(crate) use manifest::{PlaneManifests, read};
pub(crate) use platform::{Options, Platform};
pub(crate) use presences::table;
pub(crate) use settle::Settling;

/// Embedded planes that cannot run, or did not come to what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StandaloneError {
    /// The data directory.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The socket.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The authority.
    #[error(transparent)]
    Authority(#[from] apiserver_http::authority::AuthorityError),
    /// A definition of ours.
    #[error(transparent)]
    Definition(#[from] api::crd::DefinitionError),
    /// A kind of ours cannot be served.
    #[error(transparent)]
    Start(#[from] apiserver::StartError),
    /// `--cell` is no name.
    #[error("cell {name:?}: {problem}")]
    Cell {
        /// What was given.
        name: String,
        /// What is wrong and what to do.
        problem: &'static str,
    },
    /// A file of ours cannot be written.
    #[error("{path} cannot be written: {error}; check permissions and free space, or name another file")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: String,
    },
    /// `--admin-listen` cannot be bound.
    #[error("cannot listen on {address} for the admin endpoint: {error}; free the port or name another one")]
    Admin {
        /// The address.
        address: std::net::SocketAddr,
        /// What the system said.
        error: std::io::Error,
    },
    /// Manifests.
    #[error(transparent)]
    Manifest(#[from] manifest::ManifestError),
    /// A manifest that a plane refuses.
    #[error(transparent)]
    Apply(#[from] apply::ApplyError),
    /// The planes refuse their own roles.
    #[error(
        "the roles of the controllers cannot be put on plane {plane}: {problem}; this is a defect of the program"
    )]
    Access {
        /// The plane.
        plane: String,
        /// What the server said.
        problem: String,
    },
    /// The store can no longer be written.
    #[error("{0}; the planes have stopped, and everything that was acknowledged is kept")]
    Store(String),
    /// The controllers ended.
    #[error(transparent)]
    Stopped(#[from] runtime::driver::Stopped),
    /// `--until-settled` ran out of time.
    #[error(
        "after {seconds} s {count} objects are not ready; see the reasons above, and `explain` for one of them"
    )]
    NotSettled {
        /// How long it was waited.
        seconds: u64,
        /// How many.
        count: usize,
    },
}

impl StandaloneError {
    /// See `network-services --help`.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Definition(_)
            | Self::Start(_)
            | Self::Access { .. }
            | Self::Store(_)
            | Self::Stopped(_) => 1,
            Self::NotSettled { .. } => 3,
            _ => 2,
        }
    }
}
