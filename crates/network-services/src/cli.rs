//! The command line: what can be asked, where logs go, and what the exit code says.
//!
//! Data goes to standard output, logs to standard error.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::commands::{completion, crds, explain, manager, standalone};
use crate::failure::Failure;

/// Printed below the help.
const EXIT_CODES: &str = "Exit codes:
  0  done
  1  failed while running, or a check found differences
  2  the command line, a configuration, a manifest or a place to keep data cannot be used
  3  something was not ready within the time given
  4  there is no such object to explain

Logs go to standard error; what is logged is chosen with --log or NETWORK_SERVICES_LOG (such as \"info\" or
\"warn,engine=debug\").";

/// A federated VPC network control plane that speaks the Kubernetes API.
#[derive(Debug, Parser)]
#[command(name = "network-services", version, after_long_help = EXIT_CODES)]
struct Cli {
    /// What is logged, as levels by target.
    #[arg(long, global = true, env = "NETWORK_SERVICES_LOG", value_name = "LEVELS")]
    log: Option<String>,
    /// How logs are written.
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// A line of text for people.
    Text,
    /// A JSON object per line.
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run every plane and every controller on this machine.
    Standalone(standalone::Arguments),
    /// Run the controllers of the platform, the hub and the projects against real planes.
    Manager(manager::Arguments),
    /// Tell what a controller sees of an object, what it decides, what it waits for, and what it would write.
    Explain(explain::Arguments),
    /// Print the resource definitions, or compare them with a server's.
    Crds(crds::Arguments),
    /// Print a completion script for a shell.
    Completion(completion::Arguments),
}

/// Runs the program and says how it went.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(failure) = start_logging(&cli) {
        return end(&Err(failure));
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(&Err(Failure::Runtime(error))),
    };
    end(&runtime.block_on(run(cli.command)))
}

fn end(outcome: &Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Standalone(arguments) => standalone::run(arguments).await,
        Command::Manager(arguments) => manager::run(arguments).await,
        Command::Explain(arguments) => explain::run(arguments).await,
        Command::Crds(arguments) => crds::run(arguments).await,
        Command::Completion(arguments) => {
            completion::run(&arguments, &mut Cli::command());
            Ok(())
        }
    }
}

fn start_logging(cli: &Cli) -> Result<(), Failure> {
    let usual = if matches!(cli.command, Command::Manager(_)) { "info" } else { "warn" };
    let levels = cli.log.as_deref().unwrap_or(usual);
    let filter = EnvFilter::try_new(levels)
        .map_err(|error| Failure::LogLevels { text: levels.to_owned(), reason: error.to_string() })?;
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match cli.log_format {
        LogFormat::Text => logs.init(),
        LogFormat::Json => logs.json().init(),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
