//! Runs simulated worlds: many seeds, one and its story, or a case from a file; and every crash point
//! of the scenarios.
//!
//! Exit code 0: no rule was broken. 1: one was. 2: what was asked for cannot be done.

mod coverage;
mod exhaust;
mod in_order;
mod report;
mod restart;
mod run;
mod seeds;
mod swarm;
mod trouble;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use mimalloc::MiMalloc;

use self::trouble::Trouble;

/// A run is many small objects that live for an event or two, on every core at once.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[derive(Parser)]
#[command(about = "Deterministic simulation of network-services", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs many seeds and tells which broke a rule.
    Swarm(swarm::Arguments),
    /// Runs one seed and tells its story if it breaks a rule.
    Run(run::Arguments),
    /// Runs a case from a file and tells its story if it breaks a rule.
    Replay(run::ReplayArguments),
    /// Runs many seeds and tells what they met, and what never.
    Coverage(coverage::Arguments),
    /// Restarts the manager of many presences and tells what that costs.
    Restart(restart::Arguments),
    /// Runs scenarios once for each write of theirs and each way in which it can go wrong.
    Exhaust(exhaust::Arguments),
}

fn main() -> ExitCode {
    match done(&Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::from(2)
        }
    }
}

/// Does what was asked for; whether no rule was broken.
fn done(command: &Command) -> Result<bool, Trouble> {
    match command {
        Command::Swarm(arguments) => swarm::run(arguments),
        Command::Run(arguments) => run::seed(arguments),
        Command::Replay(arguments) => run::file(arguments),
        Command::Coverage(arguments) => coverage::run(arguments),
        Command::Restart(arguments) => restart::run(arguments),
        Command::Exhaust(arguments) => exhaust::run(arguments),
    }
}
