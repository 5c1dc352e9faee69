//! `deltanet-check`: parse, run, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    deltanet_check::cli::main().into()
}
