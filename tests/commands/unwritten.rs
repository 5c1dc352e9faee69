//! Kernels that use unwritten storage: the report names the storage.

use crate::{run, scratch};

const UNWRITTEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/unwritten.co");

#[track_caller]
fn told(test: &str, what: &str) {
    let here = scratch(&format!("unwritten-{test}"));
    let run = run(&here, &["--kernels", UNWRITTEN, "--test", test]);
    assert_eq!(run.code, 1, "{}", run.err);
    let line = run
        .out
        .lines()
        .find(|line| line.contains("that nobody had written"));
    let line = line.unwrap_or_else(|| panic!("not told of {test}:\n{}", run.out));
    assert!(line.ends_with(what), "{line}");
}

#[test]
fn lds_that_another_wave_has_not_stored_yet() {
    told(
        "gemm_nt_tiled",
        "LDS that nobody had written: an element left out, a wrong index, or a missing `__syncthreads()` or fence?",
    );
}

#[test]
fn a_register_that_nothing_sets() {
    told("add", "a register that nobody had written");
}

#[test]
fn memory_that_is_read_before_it_is_written() {
    told("mul", "memory that nobody had written");
}
