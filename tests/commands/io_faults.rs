//! Input and output that fail at every step: one line that names the file, and no file that is half written.

use std::fs;
use std::path::Path;
use std::process::Command;

use deltanet_check::files::FAULT_VARIABLE;
use serde_json::Value;

use crate::{ALLOW_PATH, KERNELS, scratch};

const PROGRAM: &str = env!("CARGO_BIN_EXE_deltanet-check");
/// Content of each output before a run.
const OLD: &str = "as it was";

/// A run, and the files that it writes.
struct Run {
    args: &'static [&'static str],
    writes: &'static [&'static str],
}

const RUNS: [Run; 4] = [
    Run {
        args: &[
            "--test", "eye", "--jobs", "1", "--report", "r.json", "--report", "r.html", "--report",
            "r.xml", "--report", "r.md", "--dump", "tensors",
        ],
        writes: &["r.json", "r.html", "r.xml", "r.md"],
    },
    Run {
        args: &["exec", "launch.json", "--jobs", "1", "--allow-path", "/"],
        writes: &["c.npy"],
    },
    Run {
        args: &[
            "mutate",
            "--kernel",
            "kernel_eye",
            "--per-kernel",
            "2",
            "--jobs",
            "1",
            "--report",
            "m.json",
        ],
        writes: &["m.json"],
    },
    Run {
        args: &["merge", "whole.json", "-o", "merged.json"],
        writes: &["merged.json"],
    },
];

/// Prepares the inputs of the runs.
fn inputs(here: &Path) {
    let launch = serde_json::json!({
        "code_object": KERNELS,
        "buffers": { "a": {"bytes": 1024, "fill": "zero"}, "c": {"bytes": 1024, "save": "c.npy"} },
        "launches": [ {"kernel": "kernel_neg", "grid": [4, 1, 1], "block": [64, 1, 1], "args": ["$a", "$c", {"i32": 256}]} ],
    });
    fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    let (code, error) = run(here, &["--test", "eye", "--report", "whole.json"], 0);
    assert_eq!(code, 0, "{error}");
}

/// Runs the program with a step that fails. Returns the exit code, and what it wrote to standard error.
fn run(here: &Path, args: &[&str], step: u32) -> (i32, String) {
    let output = Command::new(PROGRAM)
        .env(ALLOW_PATH, "/")
        .env(FAULT_VARIABLE, step.to_string())
        .args(args)
        .current_dir(here)
        .output()
        .expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    (
        code.unwrap_or_else(|| panic!("{args:?} with step {step}: {}\n{error}", output.status)),
        error,
    )
}

/// Returns true if a file is whole: an element that ends, or a header and its elements.
fn is_whole(name: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match name.rsplit_once('.').expect("an extension").1 {
        "json" => serde_json::from_slice::<Value>(bytes).is_ok(),
        "html" => text.trim_end().ends_with("</html>"),
        "xml" => text.trim_end().ends_with("</testsuites>"),
        "npy" => bytes.len() == 128 + 1024,
        _ => text.starts_with("## deltanet-check") && text.contains("| all tests |"),
    }
}

#[test]
fn each_step_of_input_and_output_may_fail() {
    for (number, Run { args, writes }) in RUNS.iter().enumerate() {
        let here = scratch(&format!("io-faults-{number}"));
        inputs(&here);
        let mut failed = 0;
        loop {
            for name in *writes {
                // A launch file overwrites nothing.
                match name.ends_with(".npy") {
                    true => drop(fs::remove_file(here.join(name))),
                    false => fs::write(here.join(name), OLD).expect("written"),
                }
            }
            let (code, error) = run(&here, args, failed + 1);
            let what = format!("{args:?} with step {}: {code}\n{error}", failed + 1);
            for name in *writes {
                let bytes = fs::read(here.join(name)).unwrap_or_default();
                let untouched = bytes == OLD.as_bytes() || bytes.is_empty();
                assert!(
                    untouched && code != 0 || is_whole(name, &bytes),
                    "{name} after {what}"
                );
            }
            let left = fs::read_dir(&here)
                .expect("a folder")
                .map(|entry| entry.expect("readable").file_name());
            let left: Vec<_> = left
                .filter(|name| name.to_string_lossy().starts_with('.'))
                .collect();
            assert!(left.is_empty(), "{left:?} after {what}");
            if code == 0 {
                break;
            }
            failed += 1;
            assert_eq!(code, 3, "{what}");
            assert!(
                error.starts_with("error: ") && error.lines().count() == 1,
                "{what}"
            );
            assert!(
                error.contains("cannot read ") || error.contains("cannot write "),
                "{what}"
            );
        }
        println!("{args:?}: {failed} steps, each one fails in order");
        assert!(failed >= 5, "{args:?}: only {failed}");
    }
}
