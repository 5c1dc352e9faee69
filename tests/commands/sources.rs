//! Source lines: they stand wherever a program counter is told, if the code object has line tables.

use std::path::Path;

use serde_json::{Value, json};

use crate::{run, scratch};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
/// The line of `out[i] = -in[i]`.
const LINE: &str = "lines.hip:8";

#[test]
fn disassembly_has_each_source_line_before_its_instructions() {
    let run = run(
        Path::new(HERE),
        &["disasm", "lines.co", "--kernel", "hidden"],
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn a_fault_and_a_trace_have_source_lines() {
    let here = scratch("sources-exec");
    let launch = json!({
        "code_object": format!("{HERE}/lines.co"),
        "buffers": { "in": {"bytes": 16, "fill": "zero"}, "out": {"bytes": 16, "fill": "zero"} },
        "launches": [ {
            "kernel": "negate_with_lines", "grid": [1, 1, 1], "block": [64, 1, 1],
            "args": ["$in", "$out", {"i32": 8}]
        } ],
    });
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    let told = run(&here, &["exec", "launch.json", "--trace", "t.txt"]);
    assert_eq!(told.code, 1, "{}", told.err);
    let source = told.out.lines().find(|line| line.contains("  source  "));
    assert!(
        source.is_some_and(|line| line.ends_with(LINE)),
        "{}",
        told.out
    );
    let trace = std::fs::read_to_string(here.join("t.txt")).expect("a trace");
    let sources: Vec<&str> = trace
        .lines()
        .filter(|line| line.starts_with("# "))
        .collect();
    assert!(sources.iter().any(|line| line.ends_with(LINE)), "{trace}");
    assert!(
        !sources.windows(2).any(|pair| pair[0] == pair[1]),
        "{trace}"
    );
    let told = run(&here, &["exec", "launch.json", "--format", "json"]);
    let report: Value = serde_json::from_str(&told.out).expect("JSON");
    let source = report["launches"][0]["trap"]["source"].as_str();
    assert!(
        source.is_some_and(|line| line.ends_with(LINE)),
        "{report:#}"
    );
}

#[test]
fn the_error_of_a_test_has_its_source_line() {
    let here = scratch("sources-test");
    let binding = std::fs::read_to_string(format!("{HERE}/lines.toml")).expect("there");
    let wrong = binding.replace("\"i32 n\"", "\"i32 n + 8\"");
    assert_ne!(wrong, binding);
    std::fs::write(here.join("wrong.toml"), wrong).expect("written");
    let kernels = format!("{HERE}/lines.co");
    let args = ["--kernels", &kernels, "--bind", "wrong.toml"];
    let told = run(&here, &args);
    assert_eq!(told.code, 1, "{}", told.err);
    let source = told.out.lines().find(|line| line.contains("  source  "));
    assert!(
        source.is_some_and(|line| line.ends_with(LINE)),
        "{}",
        told.out
    );
}
