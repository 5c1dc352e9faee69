//! `isa`: the instructions that run, and the instructions that do not.

use std::path::Path;

use crate::{DATA, run};

#[test]
fn every_instruction_runs_but_for_graphics_and_the_drivers() {
    let run = run(Path::new(DATA), &["isa", "--coverage"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn what_does_not_run_is_named_with_the_reason() {
    let run = run(Path::new(DATA), &["isa", "--missing"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(!run.out.contains("not implemented"), "{}", run.out);
    insta::assert_snapshot!(run.out);
}

#[test]
fn usage() {
    let directory = Path::new(DATA);
    for args in [&["isa"][..], &["isa", "--all"], &["isa", "ds"]] {
        assert_eq!(crate::run(directory, args).code, 2, "{args:?}");
    }
}
