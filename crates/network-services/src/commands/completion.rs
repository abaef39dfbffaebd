//! `completion SHELL`: a script that completes this command line.

use clap::Args;
use clap_complete::Shell;

/// What to print.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

/// Prints the script to standard output.
pub(crate) fn run(arguments: &Arguments, command: &mut clap::Command) {
    let name = command.get_name().to_owned();
    clap_complete::generate(arguments.shell, command, name, &mut std::io::stdout());
}
