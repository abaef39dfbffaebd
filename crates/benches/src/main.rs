//! Figures of presence: how fast, how many writes, how much memory, and what a restart costs.
//!
//! `cargo xtask bench presence --count N` runs it in release mode. It prints figures and judges nothing.

mod ceiling;
mod load;
mod manager;
mod presence;
mod process;
mod reactions;
mod report;
mod servers;
mod sightings;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Figures of network-services")]
struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Bench {
    /// Presences from their bindings to Ready, a restart, and single bindings without load.
    Presence(PresenceArguments),
}

/// What to run.
#[derive(clap::Args, Clone, Debug)]
pub struct PresenceArguments {
    /// How many presences.
    #[arg(long, default_value_t = 1000)]
    count: usize,
    /// Networks they are spread over; each is declared in count / networks locations.
    #[arg(long, default_value_t = 100)]
    networks: usize,
    /// Requests of the load that are on the wire at once.
    #[arg(long, default_value_t = 32)]
    clients: usize,
    /// Use the planes of this kubeconfig (contexts `core`, `hub` and `project/bench`) instead of embedded ones.
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let Bench::Presence(arguments) = Arguments::parse().bench;
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(presence::run(&arguments)) {
        Ok(report) => {
            println!("{}", if arguments.json { report.json() } else { report.text() });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
