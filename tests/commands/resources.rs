//! Runs with too little memory, too few threads or too little processor time: no panic, no abort, and one line that says what is missing.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use deltanet_check::allocator::VARIABLE;
use serde_json::json;

use crate::{KERNELS, scratch};

const PROGRAM: &str = env!("CARGO_BIN_EXE_deltanet-check");

/// A launch file of a product of square matrices.
fn gemm(here: &Path, size: u32) {
    let bytes = 4 * size * size;
    let launch = json!({
        "code_object": KERNELS,
        "buffers": { "a": {"bytes": bytes, "fill": "zero"}, "b": {"bytes": bytes, "fill": "zero"},
                     "c": {"bytes": bytes, "save": "c.npy"} },
        "launches": [ {"kernel": "kernel_gemm_nn_naive", "grid": [size / 16, size / 16, 1], "block": [16, 16, 1],
                       "args": ["$a", "$b", "$c", {"i32": size}, {"i32": size}, {"i32": size}]} ],
    });
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
}

/// Ended in order: passed, failed as a trial's Error, or one line and exit code 3. The code, and the line.
fn in_order(output: &Output, what: &str) -> (i32, String) {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    let code = output.status.code();
    let code = code.unwrap_or_else(|| panic!("{what}: {}\n{err}", output.status));
    for text in [
        "panicked",
        "abort",
        "memory allocation of",
        "RUST_BACKTRACE",
        "report this as a bug",
    ] {
        let told = out.contains(text) || err.contains(text);
        assert!(!told, "{what}: {text} in\n{out}\n{err}");
    }
    match code {
        0 => {}
        1 => assert!(out.contains("memory"), "{what}: {out}\n{err}"),
        3 => assert!(
            err.starts_with("error: ") && err.lines().count() == 1,
            "{what}: not one line: {err}"
        ),
        other => panic!("{what}: exit code {other}\n{out}\n{err}"),
    }
    (code, err)
}

fn failing(here: &Path, args: &[&str], which: &str) -> (i32, String) {
    let output = Command::new(PROGRAM)
        .env(crate::ALLOW_PATH, "/")
        .args(args)
        .env(VARIABLE, which)
        .current_dir(here)
        .output()
        .expect("the program starts");
    in_order(&output, &format!("{args:?} with {which}"))
}

/// Runs of every kind of work: trials with LDS, a launch file, tensors written.
const RUNS: [&[&str]; 3] = [
    &["--test", "gemm_nt_tiled_domain:M=1,*", "--jobs", "1"],
    &["exec", "launch.json", "--jobs", "1"],
    &[
        "--test", "cumsum*", "--phase", "0-11", "--jobs", "2", "--dump", "tensors",
    ],
];

#[test]
fn every_allocation_that_is_handled_may_fail() {
    let here = scratch("resources-handled");
    gemm(&here, 16);
    for args in RUNS {
        let mut failed = 0;
        loop {
            let (code, _) = failing(&here, args, &format!("handled:{}", failed + 1));
            if code == 0 {
                break;
            }
            failed += 1;
        }
        println!("{args:?}: {failed} handled allocations, each one fails in order");
        assert!(failed >= 3, "{args:?}: only {failed}");
    }
}

#[test]
fn any_allocation_may_fail() {
    let here = scratch("resources-any");
    gemm(&here, 16);
    for args in RUNS {
        let (mut at, mut tried, mut one_line) = (1, 0, 0);
        loop {
            let (code, line) = failing(&here, args, &format!("any:{at}+"));
            if code == 0 {
                break;
            }
            tried += 1;
            one_line += usize::from(line.contains("out of memory"));
            at += 1 + at / 3;
        }
        println!("{args:?}: {tried} places of {at} allocations, {one_line} of them with the line");
        assert!(one_line >= 10, "{args:?}: {one_line} of {tried}");
    }
}

/// Threads that cannot be started, scratch that cannot be had: whatever is missing first.
#[cfg(target_os = "linux")]
#[test]
fn address_space_may_be_short() {
    let here = scratch("resources-ulimit");
    gemm(&here, 64);
    let runs = [
        "--test 'gemm_nt_tiled*' --jobs 8",
        "exec launch.json --jobs 64",
    ];
    for args in runs {
        let mut ends = Vec::new();
        // The system ends a program whose own file has no room with a signal.
        let bytes = std::fs::metadata(PROGRAM).expect("the program").len();
        let own = bytes.div_ceil(1 << 20);
        for more in [1, 4, 8, 16, 24, 40, 64, 100, 160, 250, 500, 1000, 4000] {
            let megabytes = own + more;
            let script = format!("ulimit -v {}; exec {PROGRAM} {args}", megabytes << 10);
            let output = Command::new("sh")
                .env(crate::ALLOW_PATH, "/")
                .args(["-c", &script])
                .current_dir(&here)
                .output()
                .expect("a shell");
            // The loader may have no room for the system's libraries. Then the program has not begun.
            let told = String::from_utf8_lossy(&output.stderr);
            if told.contains("error while loading shared libraries") {
                continue;
            }
            let (code, _) = in_order(&output, &format!("{megabytes} MiB for {args}"));
            ends.push((more, code));
        }
        println!("{args}: {ends:?}");
        assert_eq!(ends.last(), Some(&(4000, 0)), "{args}");
    }
}

/// A budget in seconds does not count time in which the process is stopped. It once did, and a healthy kernel was reported as hanging.
#[cfg(unix)]
#[test]
fn a_process_that_is_stopped_uses_no_budget_up() {
    let here = scratch("resources-stopped");
    gemm(&here, 384);
    let command = |budget: &str| {
        let mut command = Command::new(PROGRAM);
        command
            .env(crate::ALLOW_PATH, "/")
            .args(["exec", "launch.json", "--jobs", "1", "--budget", budget])
            .current_dir(&here)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    let started = Instant::now();
    let output = command("1000s").output().expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let limit = started.elapsed().mul_f64(2.0);
    let budget = format!("{}s", limit.as_secs_f64());
    let mut child = command(&budget).spawn().expect("the program starts");
    let pid = child.id().to_string();
    let signal = |name: &str| Command::new("kill").args([name, &pid]).status();
    let mut stopped = Duration::ZERO;
    while child.try_wait().expect("it is ours").is_none() {
        sleep(Duration::from_millis(15));
        signal("-STOP").expect("kill is there");
        let since = Instant::now();
        sleep(Duration::from_millis(150));
        stopped += since.elapsed();
        signal("-CONT").expect("kill is there");
    }
    let output = child.wait_with_output().expect("it ended");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}");
    assert!(
        stopped > limit,
        "stopped for {stopped:?}, the limit is {limit:?}"
    );
}
