//! `lint`: mistakes on any path through the code, and none where there is none.

use std::path::Path;

use crate::{DATA, KERNELS, run};

/// Assembled kernels with a mistake each (`lint.s`).
const MISTAKES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lint.co");

#[test]
fn what_is_wrong_and_what_would_cure_it() {
    let run = run(
        Path::new(MISTAKES).parent().expect("a directory"),
        &["lint", "lint.co"],
    );
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn the_json() {
    let directory = Path::new(MISTAKES).parent().expect("a directory");
    let run = run(
        directory,
        &[
            "lint",
            "lint.co",
            "--format",
            "json",
            "--kernel",
            "reduce_by_dpp",
        ],
    );
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn one_check_alone() {
    let found = |check: &str| {
        let run = run(Path::new(DATA), &["lint", MISTAKES, "--check", check]);
        let kinds = run.out.lines().filter(|line| line.starts_with(check));
        (run.code, kinds.count(), run.out.contains("wait: "))
    };
    assert_eq!(found("hazard"), (1, 1, false));
    assert_eq!(found("wait"), (1, 1, true));
}

#[test]
fn nothing_is_found_in_what_compilers_make() {
    let planted = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/planted.co");
    for file in [KERNELS, planted] {
        let run = run(Path::new(DATA), &["lint", file]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
        assert!(
            run.out.ends_with(" functions (wait,hazard)\n"),
            "{}",
            run.out
        );
        assert_eq!(run.out.lines().count(), 1);
    }
}

#[test]
fn usage() {
    let directory = Path::new(DATA);
    for args in [
        &["lint"][..],
        &["lint", "v5.co", "--check", "race"],
        &["lint", "v5.co", "--kernel", "none"],
    ] {
        assert_eq!(run(directory, args).code, 2, "{args:?}");
    }
    assert_eq!(run(directory, &["lint", "none.co"]).code, 3);
}
