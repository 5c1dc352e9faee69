//! `deltanet-check`: parse, run, exit code.
fn main() {}
