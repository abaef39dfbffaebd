//! Planted defects: each is a patch that takes one mechanism away or bends it, is built in a copy of the work tree, and
//! must be found by simulated seeds. What that took is kept with the patches, and shown in a generated table.

mod copy;
mod measure;
mod patch;
mod results;
mod table;

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::generated::{Files, GeneratedError};

use self::copy::Copy;
use self::measure::{Limits, Measured};
use self::patch::Patch;
use self::results::{Kept, Results};

/// What to do with planted defects.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Build nothing: check that every patch applies, every result has a patch, and that the table is current.
    #[arg(long)]
    check: bool,
    /// Only these defects, by name.
    #[arg(long, num_args = 1.., value_name = "NAME")]
    only: Vec<String>,
    /// From how many places seeds are tried.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    starts: u64,
    /// Small seeds to try from each; a quarter as many larger ones if these do not find it.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(4..))]
    seeds: u64,
    /// Threads that run seeds.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Write the table from the results that are kept, and build nothing.
    #[arg(long)]
    write: bool,
}

/// Why defects cannot be worked with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DefectsError {
    /// The file system said no.
    #[error("{path}: {source}; check that it is there and its permissions")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A program that is needed does not run.
    #[error("{program} does not run: {source}; install it")]
    Program {
        /// Its name.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program ended with a failure.
    #[error("{what} failed:\n{text}")]
    Failed {
        /// What was done.
        what: String,
        /// What it said.
        text: String,
    },
    /// A patch does not say what it plants.
    #[error("{0} must begin with one line that says what is planted and one that begins with `Bends: `")]
    Untold(PathBuf),
    /// No patch of this name.
    #[error("no defect is called {0:?}; see crates/sim/defects")]
    Unknown(String),
    /// Results do not read.
    #[error("crates/sim/defects/results.yaml: {0}; correct the file")]
    Results(#[from] serde_saphyr::Error),
    /// Results cannot be written.
    #[error("crates/sim/defects/results.yaml cannot be written as YAML: {0}")]
    Yaml(#[from] serde_saphyr::ser::Error),
    /// The table is not current.
    #[error(
        "docs/planted-defects.md is not current; run `cargo xtask defects --write` and commit what it writes"
    )]
    Stale,
    /// Generated files cannot be read or written.
    #[error(transparent)]
    Files(GeneratedError),
    /// Patches, results and table do not agree, or a defect was not found.
    #[error("{}", .0.join("\n"))]
    Findings(Vec<String>),
}

impl From<GeneratedError> for DefectsError {
    fn from(error: GeneratedError) -> Self {
        match error {
            GeneratedError::Stale { .. } => Self::Stale,
            error @ GeneratedError::Io { .. } => Self::Files(error),
        }
    }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> DefectsError {
    move |source| DefectsError::Io { path: path.to_owned(), source }
}

/// Does what was asked for.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let patches = patch::read(root)?;
    if arguments.check {
        return Ok(check(root, &patches)?);
    }
    if arguments.write {
        return Ok(table(&patches, &Results::read(root)?).apply(root, false).map_err(DefectsError::from)?);
    }
    Ok(measure_all(root, &chosen(patches, &arguments.only)?, arguments)?)
}

fn chosen(patches: Vec<Patch>, only: &[String]) -> Result<Vec<Patch>, DefectsError> {
    if let Some(name) = only.iter().find(|name| !patches.iter().any(|patch| patch.name == **name)) {
        return Err(DefectsError::Unknown(name.clone()));
    }
    Ok(patches.into_iter().filter(|patch| only.is_empty() || only.contains(&patch.name)).collect())
}

fn table(patches: &[Patch], results: &Results) -> Files {
    let mut files = Files::default();
    files.push((table::PAGE.into(), table::page(patches, results)));
    files
}

/// Everything that can be wrong without a build.
fn check(root: &Path, patches: &[Patch]) -> Result<(), DefectsError> {
    let results = Results::read(root)?;
    let mut findings = Vec::new();
    for patch in patches {
        if let Err(error) = patch.applies(root) {
            findings.push(format!("{}: {error}", patch.name));
        }
    }
    findings.extend(disagreements(patches, &results));
    if !findings.is_empty() {
        return Err(DefectsError::Findings(findings));
    }
    Ok(table(patches, &results).apply(root, true)?)
}

/// Results without a patch.
fn disagreements(patches: &[Patch], results: &Results) -> Vec<String> {
    let gone = results.defects.keys().filter(|name| !patches.iter().any(|patch| patch.name == **name));
    gone.map(|name| format!("{name}: a result without a patch; take it out of {}", results::FILE)).collect()
}

/// Builds each defect and looks for it; what is found is kept at once.
fn measure_all(root: &Path, patches: &[Patch], arguments: &Arguments) -> Result<(), DefectsError> {
    let copy = Copy::of(root)?;
    let limits = Limits { starts: arguments.starts, seeds: arguments.seeds, jobs: arguments.jobs };
    let mut missed = Vec::new();
    for (number, patch) in patches.iter().enumerate() {
        print!("{}/{} {}: ", number + 1, patches.len(), patch.name);
        let _ = std::io::Write::flush(&mut std::io::stdout());
        match measure::measure(&copy, patch, &limits) {
            Ok(Measured::Found(found)) => {
                println!("{}", found.text());
                keep(root, patch, found)?;
            }
            Ok(Measured::NotFound(text)) => {
                println!("NOT FOUND: {text}");
                missed.push(format!("{}: {text}", patch.name));
            }
            Err(error @ DefectsError::Failed { .. }) => {
                println!("{error}");
                missed.push(format!("{}: {error}", patch.name));
            }
            Err(error) => return Err(error),
        }
    }
    table(&patch::read(root)?, &Results::read(root)?).apply(root, false)?;
    if missed.is_empty() { Ok(()) } else { Err(DefectsError::Findings(missed)) }
}

fn keep(root: &Path, patch: &Patch, found: Kept) -> Result<(), DefectsError> {
    let mut results = Results::read(root)?;
    results.defects.insert(patch.name.clone(), found);
    results.write(root)
}

#[cfg(test)]
mod tests;
