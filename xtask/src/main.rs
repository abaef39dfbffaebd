//! Project tasks: generated files, the rules of the code base as a check, and real API servers for tests.
//!
//! Each task prints what is wrong and where, and exits 1; `kube-assets` exits 3 where servers cannot be built here.

mod compatibility;
mod crds;
mod defects;
mod generated;
mod kube_assets;
mod sim_hashes;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Project tasks")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write the resource definitions of each plane and the list of differences to the reference.
    Crds {
        /// Write nothing; fail when a file is not current.
        #[arg(long)]
        check: bool,
    },
    /// Check the rules of the code base.
    Tidy,
    /// Build real API servers for tests and print their folder.
    KubeAssets,
    /// Check that simulated seeds are the same runs in every build and on any number of threads.
    SimHashes {
        /// How many small seeds.
        #[arg(long, default_value_t = 100)]
        seeds: u64,
        /// The first of them.
        #[arg(long, default_value_t = 1)]
        start: u64,
    },
    /// Build each planted defect and see simulated seeds find it.
    Defects(defects::Arguments),
    /// Run a bench in release mode; what follows goes to it, such as `presence --count 1000`.
    #[command(trailing_var_arg = true)]
    Bench {
        /// The bench and its arguments.
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// What a task could not do, for people, and the code that tells callers what kind of failure it is.
struct Failure {
    message: String,
    code: u8,
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { message: error.to_string(), code: 1 }
    }
}

/// Builds and runs the bench; its exit is ours.
fn bench(arguments: &[String]) -> Result<(), Failure> {
    let status = std::process::Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--package", "network-services-benches", "--"])
        .args(arguments)
        .status()?;
    if status.success() {
        return Ok(());
    }
    Err(Failure { message: format!("the bench ended with {status}"), code: 1 })
}

fn run(task: &Task) -> Result<(), Failure> {
    match task {
        Task::Crds { check } => {
            let mut files = crds::files()?;
            files.push(compatibility::file(&workspace())?);
            files.apply(&workspace(), *check)?;
        }
        Task::Tidy => {
            let findings = tidy::check(&workspace())?;
            if !findings.is_empty() {
                let message = format!("{}\n{} findings", findings.join("\n"), findings.len());
                return Err(Failure { message, code: 1 });
            }
        }
        Task::KubeAssets => {
            let folder = kube_assets::build(&workspace())
                .map_err(|error| Failure { code: error.exit_code(), message: error.to_string() })?;
            println!("{}", folder.display());
        }
        Task::SimHashes { seeds, start } => sim_hashes::compare(*seeds, *start)?,
        Task::Defects(arguments) => defects::run(&workspace(), arguments)?,
        Task::Bench { arguments } => bench(arguments)?,
    }
    Ok(())
}

/// The root of the repository.
fn workspace() -> PathBuf {
    // Cargo says where it runs this; what the compiler was told may be another work tree that shares the build outputs.
    let told = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let own = PathBuf::from(told);
    own.parent().map(PathBuf::from).unwrap_or(own)
}
