//! The rules of the code base, as a check: who may depend on whom, what pure crates may not call, how long files and
//! functions may be, that every file is named by a module and documented, that every reason is produced by a test,
//! that every controller runs in exactly one role.
//!
//! Rules about code are checked on its syntax, so comments and strings never count.

mod calls;
mod markers;
mod modules;
mod reasons;
mod roles;
mod sizes;
mod sources;
mod walls;

use std::path::Path;

use crate::generated::GeneratedError;

/// Why the rules could not be checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TidyError {
    /// The workspace cannot be described.
    #[error("the workspace cannot be described: {0}; does `cargo metadata` work here?")]
    Metadata(#[from] cargo_metadata::Error),
    /// What a crate is built from is not known.
    #[error("what is below {package} cannot be told: {text}; does `cargo tree -p {package}` work here?")]
    Tree {
        /// The crate.
        package: String,
        /// Why.
        text: String,
    },
    /// A folder cannot be read.
    #[error(transparent)]
    Files(#[from] GeneratedError),
    /// A file cannot be read.
    #[error("{path}: {source}; check its permissions")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no Rust.
    #[error("{path}: {source}; it has to compile before its rules can be checked")]
    Parse {
        /// The file.
        path: String,
        /// Why.
        source: syn::Error,
    },
}

/// Every finding, as `place: what is wrong, what to do`.
pub(crate) fn check(root: &Path) -> Result<Vec<String>, TidyError> {
    let sources = sources::read(root)?;
    let mut findings = walls::check(&walls::workspace(root)?);
    findings.extend(modules::check(&sources));
    findings.extend(calls::check(&sources));
    findings.extend(sizes::check(&sources));
    findings.extend(markers::check(root, &sources)?);
    findings.extend(reasons::check(root, &sources)?);
    findings.extend(roles::check(&sources));
    Ok(findings)
}

#[cfg(test)]
mod tests;
