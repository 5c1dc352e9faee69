//! Reports in every format, streams, and annotations for GitHub.

use std::process::Command;

use serde_json::Value;

use crate::schemas::valid_file as report;
use crate::{run, scratch};

#[test]
fn a_report_is_written_in_every_format_that_an_extension_names() {
    let here = scratch("formats");
    let args = [
        "--test", "mul", "--report", "r.json", "--report", "r.xml", "--report", "r.md", "--report",
        "r.html",
    ];
    let done = run(&here, &args);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(report(&here.join("r.json"))["complete"], true);
    for (name, begins, holds) in [
        ("r.xml", "<?xml", "<testcase name=\"mul\""),
        ("r.md", "## deltanet-check: 1/1 passed", "| all tests | 1 |"),
        ("r.html", "<!doctype html>", "data-words=\"mul "),
    ] {
        let text = std::fs::read_to_string(here.join(name)).expect("written");
        assert!(
            text.starts_with(begins) && text.contains(holds),
            "{name}: {text}"
        );
    }
    for (args, code, said) in [
        (
            &["--test", "mul", "--report", "r.txt"][..],
            2,
            "must end in .json, .xml (JUnit), .md or .html",
        ),
        (
            &["--test", "mul", "--report", "no/r.json"],
            3,
            "cannot write",
        ),
        (
            &["--seeds", "2", "--test", "mul", "--report", "r.html"],
            2,
            "its name must end in .json",
        ),
        (
            &["self-test", "--test", "mul", "--format", "junit"],
            2,
            "cannot be printed as junit",
        ),
    ] {
        let done = run(&here, args);
        assert_eq!(done.code, code, "{args:?}: {}", done.err);
        assert!(
            done.err.contains(said) && done.err.lines().count() == 1,
            "{args:?}: {}",
            done.err
        );
    }
}

/// A failure's picture survives the way from the judgement into the report, and a stream has each test as it ends.
#[test]
fn streams_have_a_line_for_each_test() {
    let here = scratch("jsonl");
    let done = run(&here, &["--phase", "1", "--format", "jsonl"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let lines: Vec<Value> = done
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines[0]["event"], "started");
    assert_eq!(lines.last().expect("lines")["totals"]["pass"], 4);
    assert_eq!(
        lines.iter().filter(|line| line["event"] == "trial").count(),
        4
    );
}

#[test]
fn github_marks_what_fails_where_it_reads() {
    let here = scratch("github");
    let registry = "schema = 1\n[[test]]\nid = \"too strict\"\ncontract = \"exp\"\nshape = { n = 4096 }\noutputs.out = { tolerance = 1e-9 }\n";
    std::fs::write(here.join("mine.toml"), registry).expect("written");
    let run = |actions: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(["--registry", "mine.toml", "--report", "summary"])
            .env("GITHUB_ACTIONS", actions)
            .env("GITHUB_STEP_SUMMARY", "summary")
            .current_dir(&here)
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(run("true").contains("\n::error title=FAIL too strict::"));
    assert!(!run("").contains("::error"));
    let summary = std::fs::read_to_string(here.join("summary")).expect("written");
    assert!(
        summary.starts_with("## deltanet-check: 0/1 passed"),
        "{summary}"
    );
}
