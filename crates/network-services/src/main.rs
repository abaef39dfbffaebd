//! The program: everything is in the library, so that tests see it too.

fn main() -> std::process::ExitCode {
    network_services::cli::main()
}
