//! `deltanet-check`: parse, run, exit code.

use std::process::ExitCode;

use deltanet_check::allocator::{self, Allocator};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    allocator::configure();
    deltanet_check::cli::main().into()
}
