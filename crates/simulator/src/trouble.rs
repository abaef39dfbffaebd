//! What keeps a command from doing what was asked for.

use std::path::PathBuf;

use sim::plane::PlaneError;
use sim::regression::RegressionError;
use sim::restart::RestartError;

/// See the module. All of these are exit code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// No world can be made.
    #[error(transparent)]
    Plane(#[from] PlaneError),
    /// Nothing can be said of a restart.
    #[error(transparent)]
    Restart(#[from] RestartError),
    /// A file is no regression file.
    #[error(transparent)]
    Regression(#[from] RegressionError),
    /// A file cannot be read.
    #[error("{path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{path} cannot be written: {source}")]
    Write {
        /// The file, or the folder that it should be in.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The last seed would be beyond what a seed can be.
    #[error("--start {start} and --seeds {seeds} reach beyond the last seed, {}", u64::MAX)]
    Range {
        /// The first.
        start: u64,
        /// How many.
        seeds: u64,
    },
    /// No such scenario.
    #[error("no scenario is called {name:?}, and no name begins with it; there are: all, {known}")]
    UnknownScenario {
        /// What was asked for.
        name: String,
        /// Every name.
        known: String,
    },
    /// One case is of one scenario.
    #[error("--only runs one case of one scenario; {0} scenarios are named")]
    OneCase(usize),
}
