//! Configuration files: the kinds of the reference, decoded strictly.
//!
//! An unknown key fails with file, line and the nearest known key. Keys that the reference knows and that nothing here
//! needs are accepted with one warning each. Keys that ask for something this build cannot do are refused: a manager
//! that held the lease and silently did less than it was told would be worse than none.

mod cell;
mod decode;
mod duration;
mod operator;
mod settings;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use cell::CellControllerManager;
pub use operator::{DiscoveryMode, NetworkServicesOperator};
pub use settings::{ClientLimits, LeaderElection};

/// `apiVersion` of every configuration kind.
pub const API_VERSION: &str = "apiserver.config.datumapis.com/v1alpha1";

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    /// The file cannot be read.
    #[error("configuration {path} cannot be read: {source}; name a readable file with --config")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A key nobody knows.
    #[error("configuration {path}, line {line}: unknown key {key:?}; {hint}")]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Line of the key, from 1.
        line: u64,
        /// The key.
        key: String,
        /// The nearest known key, or all of them.
        hint: String,
    },
    /// A value of the wrong type, a missing key, or no YAML at all.
    #[error("configuration {path}, line {line}: {problem}; correct the value")]
    Value {
        /// The file.
        path: PathBuf,
        /// Line, from 1; 0 where the reader does not know.
        line: u64,
        /// The reader's words.
        problem: String,
    },
    /// Another kind.
    #[error("configuration {path} is a {found}; this command reads {wanted} of {API_VERSION}")]
    Kind {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        found: String,
        /// What is read here.
        wanted: &'static str,
    },
    /// Something this build cannot do.
    #[error("configuration {path}: {key}: {reason}")]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// Values that contradict each other or are out of range.
    #[error("configuration {path}: {key} {problem}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What is wrong and what to do.
        problem: String,
    },
}

/// A decoded configuration, with what it says that has no effect.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The configuration.
    pub value: T,
    /// One sentence per known key that is not needed.
    pub warnings: Vec<String>,
}

/// Reads the manager's configuration.
///
/// # Errors
/// [`ConfigurationError`], naming file, place and what to do.
pub fn read_operator(path: &Path) -> Result<Loaded<NetworkServicesOperator>, ConfigurationError> {
    let text = read(path)?;
    let value: NetworkServicesOperator = decode::strictly(path, &text, "NetworkServicesOperator")?;
    value.check(path)?;
    Ok(Loaded { warnings: value.warnings(), value })
}

/// Reads a cell's configuration.
///
/// # Errors
/// [`ConfigurationError`], naming file, place and what to do.
pub fn read_cell(path: &Path) -> Result<Loaded<CellControllerManager>, ConfigurationError> {
    let text = read(path)?;
    let value: CellControllerManager = decode::strictly(path, &text, "CellControllerManager")?;
    value.check(path)?;
    Ok(Loaded { value, warnings: Vec::new() })
}

fn read(path: &Path) -> Result<String, ConfigurationError> {
    std::fs::read_to_string(path).map_err(|source| ConfigurationError::Read { path: path.to_owned(), source })
}
