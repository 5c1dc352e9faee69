//! `--relations`: laws are checked beside the judgement, counted, and reported where they are broken.

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
    assert_eq!(counted(&run.out), "relations        47/47 kept");
}

/// Kernels with other tiles, strides, types and launches than the built-in ones keep the laws. One law needs a size that the binding does not take.
#[test]
fn so_do_those_of_strangers() {
    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings"));
    for (name, tests) in [
        ("tile", "gemm_nt*"),
        ("rule", "recurrent:B=3,T=6*,decode,attn_pre_computation"),
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
    let none: serde_json::Value = serde_json::from_str(&without.out).expect("JSON");
    assert!(none["phases"][0]["trials"][0]["relations"].is_null());
    assert!(none["totals"]["relations"].is_null());
    let with = run(&here, &[&args[..], &["--relations"]].concat());
    let report: serde_json::Value = serde_json::from_str(&with.out).expect("JSON");
    let relations = &report["phases"][0]["trials"][0]["relations"];
    let kept = serde_json::json!([{ "name": "reflected", "verdict": "pass" }]);
    assert_eq!(*relations, kept);
}

/// A broken law is drawn like an output that failed.
#[test]
fn a_broken_law_has_a_heat_map() {
    let here = scratch("relations-broken");
    let binding = "schema = 1\n[[binding]]\ncontract = \"neg\"\nsymbol = \"kernel_exp\"\ngrid = [\"ceil(n / 256)\"]\nblock = [256]\n\
                   args = [\"in\", \"out\", \"i32 n\"]\n";
    std::fs::write(here.join("wrong.toml"), binding).expect("written");
    let args = [
        "--bind",
        "wrong.toml",
        "--test",
        "neg",
        "--relations",
        "--report",
        "r.json",
        "--report",
        "r.html",
    ];
    let run = run(&here, &args);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    let told = run
        .out
        .rsplit("is broken in output")
        .next()
        .expect("a broken law");
    assert!(told.contains("\n  map "), "{}", run.out);
    let text = std::fs::read_to_string(here.join("r.json")).expect("written");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let trials = report["phases"][0]["trials"]
        .as_array()
        .expect("trials")
        .iter();
    let mut laws = trials.flat_map(|trial| trial["relations"].as_array().into_iter().flatten());
    let broken = laws
        .find(|law| law["verdict"] == "fail")
        .expect("a broken law");
    let count = broken["problem"]["count"].as_u64().expect("a count");
    assert!(count > 0);
    let damage = &broken["damage"];
    assert_eq!(damage["against"], serde_json::Value::Null);
    let cells = damage["map"]["cells"].as_array().expect("a map");
    let marks = cells.iter().filter_map(|line| line.as_str());
    assert!(
        marks.flat_map(str::chars).any(|mark| mark != '.'),
        "{cells:?}"
    );
    let page = std::fs::read_to_string(here.join("r.html")).expect("written");
    let name = broken["name"].as_str().expect("a name");
    assert!(
        page.contains(&format!("out by {name}: wrong elements")),
        "{name}"
    );
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
