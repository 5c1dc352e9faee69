//! `--relations`: laws are tried beside the judgement, counted, and told where they are broken.

use std::path::Path;

use crate::{run, scratch};

/// The line of a report that counts laws.
fn counted(out: &str) -> &str {
    let mut lines = out.lines();
    lines
        .find(|line| line.starts_with("relations"))
        .unwrap_or("none")
}

#[test]
fn right_kernels_keep_every_law() {
    let here = scratch("relations");
    let run = run(
        &here,
        &["--test", "neg_domain,transpose_domain", "--relations"],
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(counted(&run.out), "relations        38/38 kept");
}

/// Other tiles, strides, types and launches than those of the built-in kernels; one law needs a size that the binding is not for.
#[test]
fn so_do_those_of_strangers() {
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings"));
    for (name, tests) in [
        ("tile", "gemm_nt*"),
        ("rule", "recurrent:B=3,T=2*,decode,attn_pre_computation"),
    ] {
        let (kernels, file) = (format!("{name}.co"), format!("{name}.toml"));
        let args = ["--kernels", &kernels, "--bind", &file, "--relations"];
        let run = run(here, &[&args[..], &["--test", tests]].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
        let line = counted(&run.out).split_whitespace().nth(1);
        let (kept, tried) = line.and_then(|sum| sum.split_once('/')).expect("a sum");
        assert!(kept == tried && kept != "0", "{}", counted(&run.out));
    }
}

#[test]
fn reports_have_them_and_a_run_without_has_none() {
    let here = scratch("relations-json");
    let args = ["--test", "sigmoid", "--format", "json"];
    let without = run(&here, &args);
    assert!(!without.out.contains("relation"), "{}", without.out);
    let with = run(&here, &[&args[..], &["--relations"]].concat());
    let report: serde_json::Value = serde_json::from_str(&with.out).expect("JSON");
    let relations = &report["phases"][0]["trials"][0]["relations"];
    let kept = serde_json::json!([{ "name": "reflected", "verdict": "pass" }]);
    assert_eq!(*relations, kept);
}

#[test]
fn what_runs_once_or_is_looked_at_does_not_go_with_them() {
    let here = scratch("relations-refused");
    for other in [
        &["--dump", "x"][..],
        &["--self-test"],
        &["--trace", "x"],
        &["--list"],
    ] {
        let run = run(&here, &[&["--relations"], other].concat());
        assert_eq!(run.code, 2, "{other:?}: {}", run.err);
        assert!(run.err.contains("cannot be used with"), "{}", run.err);
    }
}
