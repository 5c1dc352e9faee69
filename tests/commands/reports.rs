//! Reports that are written while a run goes on, and what is left of a run that is ended.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{run, scratch};

/// Kills of each kind; `DELTANET_CHECK_KILLS` says otherwise.
const KILLS: u32 = 8;

fn validator() -> jsonschema::Validator {
    let schema = include_str!("../../schema/report-3.schema.json");
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::draft202012::new(&schema).expect("the schema is one")
}

/// The report of a file, which holds to the schema.
fn report(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("it is there");
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("a torn file: {error}: {text}");
    });
    let validator = validator();
    let told =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    let first = validator.iter_errors(&report).next().map(told);
    assert_eq!(first, None);
    report
}

fn start(here: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(args)
        .current_dir(here)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

const LONG: [&str; 6] = ["--phase", "9,10", "--jobs", "2", "--report", "report.json"];

fn send(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).expect("sent");
}

/// Waits for the report to say that the run goes on.
fn wait_for(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "no report");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_run_that_is_interrupted_ends_with_summary_report_and_the_code_of_the_signal() {
    use rustix::process::Signal;
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let here = scratch(&format!("interrupted-{code}"));
        let place = here.join("report.json");
        let child = start(&here, &[&LONG[..], &["--report", "page.html"]].concat());
        wait_for(&place);
        wait_for(&here.join("page.html"));
        std::thread::sleep(Duration::from_millis(300));
        send(&child, signal);
        let output = child.wait_with_output().expect("it ends");
        let shown = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(code), "{shown}");
        assert!(shown.contains("interrupted      after "), "{shown}");
        let report = report(&place);
        assert_eq!(report["complete"], false);
        let totals = report["totals"].as_object().expect("totals").values();
        let done: u64 = totals.filter_map(Value::as_u64).sum();
        let line = format!("after {done} of {} tests", report["selected"]);
        assert!(shown.contains(&line), "{line}: {shown}");
        let page = std::fs::read_to_string(here.join("page.html")).expect("written");
        assert!(page.contains("not complete") && page.trim_end().ends_with("</html>"));
    }
}

/// Killed outright, at moments spread over the run: the file is whole, or not there yet.
#[test]
fn killed_runs_leave_no_torn_file() {
    let kills = std::env::var("DELTANET_CHECK_KILLS").ok();
    let kills = kills.and_then(|count| count.parse().ok()).unwrap_or(KILLS);
    let here = scratch("killed");
    let place = here.join("report.json");
    let mut seen = 0;
    for kill in 0..kills {
        let _ = std::fs::remove_file(&place);
        let mut child = start(&here, &LONG);
        // Some from the start on, most once there is a report.
        if kill % 4 != 0 {
            wait_for(&place);
        }
        // The golden ratio spreads any number of moments.
        let moment = (f64::from(kill) * 0.618_034).fract() * 1.5;
        std::thread::sleep(Duration::from_secs_f64(moment));
        child.kill().expect("killed");
        child.wait().expect("gone");
        if place.exists() {
            report(&place);
            seen += 1;
        }
    }
    assert!(seen >= kills - kills.div_ceil(4), "{seen} files");
}

/// Whoever reads it meanwhile finds a whole file that has more and more.
#[test]
fn a_report_grows_while_the_run_goes_on() {
    let here = scratch("grows");
    let place = here.join("report.json");
    let mut child = start(&here, &LONG);
    wait_for(&place);
    let started = Instant::now();
    let found = loop {
        let found = report(&place);
        if found["phases"] != serde_json::json!([]) || found["complete"] == true {
            break found;
        }
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "it does not grow"
        );
    };
    child.kill().expect("killed");
    child.wait().expect("gone");
    assert_eq!(found["complete"], false);
}

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
            "writes .json alone",
        ),
        (
            &["--self-test", "--test", "mul", "--format", "junit"],
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
