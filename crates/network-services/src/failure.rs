//! Why a command ended without doing what it was asked, and the exit code that says so.

use crate::commands::crds::CrdsError;
use crate::commands::explain::ExplainError;
use crate::configuration::ConfigurationError;
use crate::planes::PlanesError;
use crate::standalone::StandaloneError;

/// See the module. Every cause says itself what happened, to which object, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// No threads.
    #[error("the program cannot start its threads: {0}; check the limits of this user")]
    Runtime(std::io::Error),
    /// `--log` is no filter.
    #[error(
        "--log {text:?} cannot be used: {reason}; write levels such as \"info\" or \"warn,engine=debug\""
    )]
    LogLevels {
        /// What was given.
        text: String,
        /// Why not.
        reason: String,
    },
    /// A configuration file.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// Planes that cannot be reached at all.
    #[error(transparent)]
    Planes(#[from] PlanesError),
    /// The embedded planes.
    #[error(transparent)]
    Standalone(#[from] StandaloneError),
    /// An explanation.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// Resource definitions.
    #[error(transparent)]
    Crds(#[from] CrdsError),
}

impl Failure {
    /// See `network-services --help`.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Runtime(_) => 1,
            Self::LogLevels { .. } | Self::Configuration(_) | Self::Planes(_) => 2,
            Self::Standalone(error) => error.exit_code(),
            Self::Explain(error) => error.exit_code(),
            Self::Crds(error) => error.exit_code(),
        }
    }
}
