//! `deltanet-check`: parse, run, exit code.

use std::process::ExitCode;

use deltanet_check::memory::{self, Allocator};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    memory::configure();
    deltanet_check::cli::main().into()
}
