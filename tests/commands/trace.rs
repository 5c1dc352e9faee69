//! `--trace` and `--counters`, of `exec` and of a test run.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{DATA, Run, run, scratch};

/// A directory with a launch of `reduce` in it: 256 values, 40 times 1.5 and then 2.0, of which `bytes` bytes are there.
fn reduce(name: &str, bytes: usize) -> PathBuf {
    let here = scratch(name);
    let values = (0..256).map(|i| if i < 40 { 1.5f32 } else { 2.0 });
    let data: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    std::fs::write(here.join("x.bin"), &data[..bytes]).expect("written");
    let launch = json!({
        "code_object": format!("{DATA}/v5.co"),
        "buffers": { "x": {"file": "x.bin"}, "sum": {"bytes": 4, "fill": "zero"} },
        "launches": [ {"kernel": "reduce", "grid": [1, 1, 1], "block": [256, 1, 1], "dynamic_lds": 1024, "args": ["$x", "$sum"]} ],
    });
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    here
}

/// Runs the launch with these flags behind.
fn exec(here: &Path, flags: &str) -> Run {
    let args = ["exec", "launch.json"].into_iter();
    let args: Vec<&str> = args.chain(flags.split_whitespace()).collect();
    run(here, &args)
}

fn read(here: &Path, name: &str) -> String {
    std::fs::read_to_string(here.join(name)).expect("a trace")
}

#[test]
fn the_trace_of_a_wave() {
    let here = reduce("trace-exec", 1024);
    let run = exec(
        &here,
        "--trace t.txt --trace-wave 0 --trace-pc 1f00-1f9c --jobs 2",
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let trace = read(&here, "t.txt");
    // The loop runs 16 times; once says how it looks.
    let once: Vec<&str> = trace.lines().take(30).collect();
    insta::assert_snapshot!(once.join("\n"));
    let back = trace.lines().filter(|line| line.contains(" 0x1f88: "));
    assert_eq!(back.count(), 16);
    exec(
        &here,
        "--trace again.txt --trace-wave 0 --trace-pc 0x1F00-0x1f9c",
    );
    assert_eq!(trace, read(&here, "again.txt"), "the same to the byte");
}

#[test]
fn the_trace_of_a_wave_that_traps_ends_with_its_instruction() {
    let here = reduce("trace-trap", 1020);
    for flags in [
        "",
        "--trace-limit 3",
        "--trace-wave 0",
        "--trace-group 0,0,0-9,9,9",
    ] {
        let run = exec(&here, &format!("--trace t.txt {flags}"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
        let trace = read(&here, "t.txt");
        let last = trace.lines().last().expect("a line");
        assert!(
            last.starts_with("(0,0,0) w3 0x1f2c: global_load_dword v1, v[3:4], off ")
                && last.contains(" ; trap: memory fault: read of 4 bytes outside every allocation, lane 63, address 0x"),
            "{flags}: {last}"
        );
    }
    let cut = exec(&here, "--trace t.txt --trace-limit 3");
    assert_eq!(cut.code, 1);
    let cut = read(&here, "t.txt");
    assert_eq!(
        cut.lines().nth(4),
        Some("# cut: the limit of 3 instructions is reached")
    );
    assert_eq!(cut.lines().count(), 6, "{cut}");
}

#[test]
fn a_trace_on_standard_output_stands_before_the_table() {
    let here = reduce("trace-stdout", 1024);
    let run = exec(&here, "--trace - --trace-limit 2");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(
        lines[0],
        "# launch 0: kernel reduce, grid 1x1x1, block 256x1x1"
    );
    assert!(lines[1].starts_with("(0,0,0) w0 0x1f00: s_load_dwordx4 s[0:3], s[4:5], 0x0 "));
    assert!(lines[3].starts_with("# cut"));
    assert!(lines[4].starts_with("#  kernel"), "{}", run.out);
}

#[test]
fn a_trace_of_nothing_is_a_warning() {
    let here = reduce("trace-nothing", 1024);
    let run = exec(&here, "--trace t.txt --trace-kernel axpy");
    assert_eq!(run.code, 0);
    assert_eq!(
        run.err,
        "warning: the trace is empty: no instruction that ran passed the --trace filters\n"
    );
    assert_eq!(read(&here, "t.txt"), "");
}

#[test]
fn flags_of_a_trace_that_are_not_usable() {
    let here = reduce("trace-flags", 1024);
    let refused = [
        (
            "--trace t.txt --trace-group 1,2",
            "error: `--trace-group 1,2` is not usable: write X,Y,Z as in 0,0,0, or a range as in 0,0,0-3,0,0\n",
        ),
        (
            "--trace t.txt --trace-group 1,0,0-0,0,0",
            "error: `--trace-group 1,0,0-0,0,0` is not usable: it runs backwards along an axis\n",
        ),
        (
            "--trace t.txt --trace-wave two",
            "error: `--trace-wave two` is not usable: write a number as in 0, or a range as in 0-3\n",
        ),
        (
            "--trace t.txt --trace-pc 0x10-0x8",
            "error: `--trace-pc 0x10-0x8` is not usable: it runs backwards\n",
        ),
        (
            "--trace t.txt --trace-pc pc",
            "error: `--trace-pc pc` is not usable: write a hex address as in 0x1a40, or a range as in 0x1a00-0x1a40\n",
        ),
        (
            "--trace t.txt --trace-kernel reduc",
            "error: `--trace-kernel reduc`: there is no such kernel; did you mean `reduce`?\n",
        ),
        (
            "--trace t.txt --trace-kernel x*",
            "error: `--trace-kernel x*` matches no kernel; `deltanet-check inspect` lists those of a code object\n",
        ),
        (
            "--trace t.txt --trace-kernel [",
            "error: `--trace-kernel [` is not a glob: unclosed character class; missing ']'\n",
        ),
        (
            "--trace - --format json",
            "error: `--trace -` and `--format json` both write to standard output: name a file for the trace\n",
        ),
    ];
    for (flags, message) in refused {
        let run = exec(&here, flags);
        assert_eq!(
            (run.code, run.out.as_str(), run.err.as_str()),
            (2, "", message)
        );
    }
    for flags in ["--trace-wave 0", "--trace t.txt --trace-limit 0"] {
        assert_eq!(exec(&here, flags).code, 2, "{flags}");
    }
    assert!(!here.join("t.txt").exists(), "made all the same");
    let run = exec(&here, "--trace none/t.txt");
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(
        run.err
            .starts_with("error: cannot write the trace to none/t.txt: No such file"),
        "{}",
        run.err
    );
}

#[test]
fn exec_counts_what_one_counts_by_hand() {
    let here = reduce("counters-exec", 1024);
    let run = exec(&here, "--format json");
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let counters = &report["launches"][0]["counters"];
    // Four waves load, store, and store again in reverse; then one lane of one wave adds up 256 values, 16 a turn.
    assert_eq!(
        counters["bytes"],
        json!({
            "lds": {"read": 256 * 4 + 256 * 4, "written": 2 * 256 * 4},
            "memory": {"read": 256 * 4, "written": 4},
            "scalar": {"read": 4 * 16, "written": 0},
            "scratch": {"read": 0, "written": 0},
        })
    );
    assert_eq!(counters["barriers"], 2 * 4);
    assert_eq!(counters["by_kind"]["branch"], 4 + 16);
    assert_eq!(counters["branches_taken"], 3 + 15);
    assert_eq!(counters["by_kind"]["lds"], 4 * 3 + 16 * 8);
    let share = counters["active_lanes"].as_f64().expect("a number")
        / counters["vector_instructions"].as_f64().expect("a number")
        / 64.0;
    assert_eq!(counters["lane_utilisation"].as_f64(), Some(share));
    let table = exec(&here, "").out;
    assert!(
        table.contains("\nbytes that instructions asked for\n"),
        "{table}"
    );
}

#[test]
fn a_test_run_traces_and_counts() {
    let here = scratch("trace-run");
    let flags = "--test eye --test scale --trace t.txt --trace-kernel kernel_s* --trace-pc 0-ffffff --trace-wave 0-0 --jobs 4";
    let traced = |name: &str| {
        let flags = flags.replace("t.txt", name);
        let run = run(&here, &flags.split_whitespace().collect::<Vec<_>>());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
        read(&here, name)
    };
    let trace = traced("t.txt");
    let headings: Vec<&str> = trace.lines().filter(|line| line.starts_with('#')).collect();
    assert!(
        headings[0].starts_with("# test scale")
            && headings[0].contains(": kernel kernel_scale, grid "),
        "{headings:?}"
    );
    assert!(!trace.contains("kernel_eye"));
    assert_eq!(trace, traced("again.txt"), "the same to the byte");

    let args = ["--test", "gemm_nt_tiled", "--counters", "--format", "json"];
    let counted: Value = serde_json::from_str(&run(&here, &args).out).expect("JSON");
    let counters = &counted["phases"][0]["trials"][0]["launches"][0]["counters"];
    // 64x64x64 in tiles of 16: 16 groups of 4 waves, 4 steps of K. A step loads two tiles, and each lane reads 16 pairs of them.
    let lanes = 16 * 256;
    assert_eq!(
        counters["bytes"]["memory"],
        json!({"read": lanes * 4 * 2 * 4, "written": lanes * 4})
    );
    assert_eq!(
        counters["bytes"]["lds"],
        json!({"read": lanes * 4 * 16 * 2 * 4, "written": lanes * 4 * 2 * 4})
    );
    assert_eq!(counters["barriers"], 16 * 4 * 4 * 2);
    assert_eq!(counters["lane_utilisation"], 1.0);

    let without = ["--test", "gemm_nt_tiled", "--format", "json"];
    assert!(!run(&here, &without).out.contains("\"counters\""));
    let both = run(&here, &["--self-test", "--counters"]);
    assert_eq!(both.code, 2, "{}", both.err);
}
