//! The program `deltanet-check`, on top of the library of the same name.

use std::process::ExitCode;

use deltanet_check::allocator::{self, Allocator};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    allocator::configure();
    deltanet_check::cli::main().into()
}
