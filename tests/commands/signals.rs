//! Output before the end of a command: reports that grow, and commands that a signal ends.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::schemas::valid_file;
use crate::{run, scratch};

const LONG: [&str; 6] = ["--phase", "9,10", "--jobs", "2", "--report", "report.json"];

fn start(here: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(args)
        .current_dir(here)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("sent");
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
        let report = valid_file(&place);
        assert_eq!(report["complete"], false);
        let totals = report["totals"].as_object().expect("totals").values();
        let done: u64 = totals.filter_map(serde_json::Value::as_u64).sum();
        let line = format!("after {done} of {} tests", report["selected"]);
        assert!(shown.contains(&line), "{line}: {shown}");
        let page = std::fs::read_to_string(here.join("page.html")).expect("written");
        assert!(page.contains("not complete") && page.trim_end().ends_with("</html>"));
    }
}

/// Readers of a growing report always find a whole file, with more trials each time.
#[test]
fn a_report_grows_while_the_run_goes_on() {
    let here = scratch("grows");
    let place = here.join("report.json");
    let mut child = start(&here, &LONG);
    wait_for(&place);
    let started = Instant::now();
    let found = loop {
        let found = valid_file(&place);
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

/// A command that does not end: its words, the list that grows in its report, and the word that it prints when it is interrupted.
type Endless = (&'static [&'static str], &'static str, &'static str);

const ENDLESS: [Endless; 5] = [
    (
        &["--seeds", "1000000", "--phase", "1-8"],
        "seeds",
        "; interrupted",
    ),
    (
        &["soak", "--minutes", "600", "--phase", "1-8"],
        "seeds",
        "; interrupted",
    ),
    (&["self-test"], "tests", "interrupted: "),
    (
        &["profile", "--phase", "9,10"],
        "profiles",
        "\ninterrupted: ",
    ),
    (
        &["mutate", "--phase", "1-8", "--per-kernel", "0"],
        "mutants",
        "\ninterrupted: ",
    ),
];

/// Reports exist from the start and grow, and a command that a signal ends says so.
#[test]
fn what_a_signal_ends_is_told_and_written() {
    for (at, (args, list, word)) in ENDLESS.into_iter().enumerate() {
        let (signal, code) = [(Signal::TERM, 143), (Signal::INT, 130)][at % 2];
        let here = scratch(&format!("signal-{at}"));
        let place = here.join("r.json");
        let child = start(&here, &[args, &["--report", "r.json"]].concat());
        let started = Instant::now();
        wait_for(&place);
        let begun = loop {
            // At any moment there is a whole file.
            let found = valid_file(&place);
            if found[list].as_array().is_some_and(|list| !list.is_empty()) {
                break found;
            }
            assert!(
                started.elapsed() < Duration::from_secs(300),
                "it does not grow"
            );
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(begun["complete"], false);
        send(&child, signal);
        let output = child.wait_with_output().expect("it ends");
        let shown = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(code), "{shown}");
        assert!(shown.contains(word), "{shown}");
        let left = valid_file(&place);
        assert_eq!(left["complete"], false);
        let counts = [&left, &begun].map(|report| report[list].as_array().map_or(0, Vec::len));
        assert!(counts[0] >= counts[1], "{counts:?}");
    }
}

/// Pages of campaigns and profiles say so, too, and reports of interrupted runs are refused as inputs.
#[test]
fn what_did_not_come_to_its_end_says_so_and_is_refused() {
    let here = scratch("signal-pages");
    for (args, name) in [(ENDLESS[3].0, "profile"), (ENDLESS[4].0, "mutation")] {
        let (json, page) = (format!("{name}.json"), format!("{name}.html"));
        let child = start(
            &here,
            &[args, &["--report", &json, "--report", &page]].concat(),
        );
        wait_for(&here.join(&json));
        wait_for(&here.join(&page));
        send(&child, Signal::TERM);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(143));
        let page = std::fs::read_to_string(here.join(&page)).expect("written");
        assert!(page.contains("not complete: ") && page.trim_end().ends_with("</html>"));
        assert_eq!(valid_file(&here.join(&json))["complete"], false);
    }
    for (args, said) in [
        (
            &["compare", "profile.json", "profile.json"][..],
            "it did not come to its end: profile again",
        ),
        (
            &["mutate", "--merge", "mutation.json"],
            "its campaign did not come to its end, run it again",
        ),
    ] {
        let done = run(&here, args);
        assert_eq!((done.code, done.out.as_str()), (3, ""), "{}", done.err);
        assert!(done.err.contains(said), "{}", done.err);
    }
}

/// A command that stops on its own leaves a report of what it knew.
#[test]
fn a_campaign_that_cannot_go_on_leaves_a_valid_file() {
    let here = scratch("signal-stops");
    std::fs::write(here.join("wrong.toml"), crate::soak::WRONG).expect("written");
    let args = [
        "mutate",
        "--test",
        "mul",
        "--bind",
        "wrong.toml",
        "--report",
        "r.json",
    ];
    let done = run(&here, &args);
    assert_eq!(done.code, 3, "{}", done.err);
    assert!(done.err.contains("do not pass mul"), "{}", done.err);
    let report = valid_file(&here.join("r.json"));
    assert_eq!(
        (&report["complete"], &report["drawn"]),
        (&false.into(), &0.into())
    );
}

/// A run of `--max-fail` leaves the reports of a run that was interrupted, and fails.
#[test]
fn a_run_stops_after_a_number_of_failures() {
    let here = scratch("max-fail");
    let mut text = "schema = 1\n".to_owned();
    for test in 1..=5 {
        text += &format!(
            "[[test]]\nid = \"strict {test}\"\ncontract = \"exp\"\nshape = {{ n = 256 }}\n\
             outputs.out = {{ tolerance = 1e-12 }}\n"
        );
    }
    std::fs::write(here.join("mine.toml"), text).expect("written");
    let own = [
        "--registry",
        "mine.toml",
        "--jobs",
        "1",
        "--report",
        "report.json",
    ];
    let of = |flags: &[&str]| {
        let told = run(&here, &[&own[..], flags].concat());
        let report = valid_file(&here.join("report.json"));
        let failed = report["totals"]["fail"].as_u64();
        (told, report["complete"].as_bool(), failed)
    };
    let (told, complete, failed) = of(&["--max-fail", "2"]);
    assert_eq!(
        (told.code, complete, failed),
        (1, Some(false), Some(2)),
        "{}",
        told.out
    );
    assert!(
        told.err
            .contains("stopped after 2 failures; 3 tests were not run"),
        "{}",
        told.err
    );
    assert!(
        told.out.contains("interrupted      after 2 of 5 tests"),
        "{}",
        told.out
    );
    let (told, complete, failed) = of(&["--fail-fast"]);
    assert_eq!(
        (told.code, complete, failed),
        (1, Some(false), Some(1)),
        "{}",
        told.out
    );
    assert!(
        told.err
            .contains("stopped after 1 failure; 4 tests were not run"),
        "{}",
        told.err
    );
    // A run that has ended was not stopped.
    let (told, complete, failed) = of(&["--max-fail", "5"]);
    assert_eq!(
        (told.code, complete, failed),
        (1, Some(true), Some(5)),
        "{}",
        told.out
    );
    assert_eq!(told.err, "");
    assert_eq!(run(&here, &["--max-fail", "0"]).code, 2);
    assert_eq!(run(&here, &["--max-time", "0"]).code, 2);
    let (told, complete, failed) = of(&["--max-time", "3600"]);
    assert_eq!((told.code, complete, failed), (1, Some(true), Some(5)));
}
