//! Runs simulated worlds: many seeds, or one and its story.

mod swarm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Deterministic simulation of network-services")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs many seeds and tells which broke a rule.
    Swarm(swarm::Arguments),
    /// Runs one seed.
    Run(swarm::RunArguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Swarm(arguments) => swarm::run(&arguments),
        Command::Run(arguments) => swarm::run_one(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}
