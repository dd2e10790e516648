//! Starts the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    barrow::cli::main()
}
