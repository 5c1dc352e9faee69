//! `exec`: guards around buffers, buffers that may only be read, and where it runs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{KERNELS, Run, refused, run, scratch};

/// Makes a launch of `out[i] = in[i] * 3` over 100 elements, with a given declaration and size of `out`.
fn scale(name: &str, out: &str, bytes: u64, read_only: bool) -> (PathBuf, Value) {
    let here = scratch(name);
    let values = (0..100).flat_map(|i| (i as f32 - 20.0).to_le_bytes());
    std::fs::write(here.join("in.bin"), values.collect::<Vec<u8>>()).expect("written");
    let launch = json!({
        "code_object": KERNELS,
        "buffers": { "input": {"file": "in.bin", "shape": [10, 10], "read_only": read_only},
                     "output": {"bytes": bytes} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", out, {"i32": 100}, {"f32": 3.0}]} ],
    });
    (here, launch)
}

fn exec(here: &Path, launch: &Value, flags: &[&str]) -> Run {
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    run(here, &[&["exec", "launch.json"], flags].concat())
}

/// The text behind the tables, which have times in them.
fn told(run: &Run) -> &str {
    let start = run.out.find("\nFAIL").expect("a problem");
    &run.out[start + 1..]
}

/// Kernels reach the last dword of a buffer as a whole. That they wrote behind its end was not noticed.
#[test]
fn what_is_written_behind_the_end_of_a_buffer_is_told() {
    let (here, launch) = scale("exec-guard", "$output", 398, false);
    let run = exec(&here, &launch, &[]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    assert_eq!(
        told(&run),
        "FAIL\n  wrong    wrote past the end of buffer `output` (398 bytes)\n  \
         first    2 bytes of its guard changed, the nearest at byte 398\n"
    );
    let (here, launch) = scale("exec-guard-fits", "$output", 400, false);
    assert_eq!(exec(&here, &launch, &[]).code, 0);
}

#[test]
fn a_buffer_that_may_only_be_read_is_compared() {
    for (name, out, read_only, code) in [
        ("changed", "$input", true, 1),
        ("allowed", "$input", false, 0),
        ("unchanged", "$output", true, 0),
    ] {
        let (here, launch) = scale(&format!("exec-read-only-{name}"), out, 400, read_only);
        let run = exec(&here, &launch, &["--format", "json"]);
        assert_eq!(run.code, code, "{name}: {}{}", run.out, run.err);
        let report: Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(report["result"], "ran");
        assert_eq!(report["device"], "emulator");
        if code == 0 {
            assert_eq!(report.get("problem"), None, "{name}");
            assert_eq!(report["verdict"], Value::Null);
            continue;
        }
        assert_eq!(report["verdict"], "fail");
        let problem = &report["problem"];
        assert_eq!(
            (&problem["kind"], &problem["input"], &problem["index"]),
            (&json!("input_changed"), &json!("input"), &json!([0, 0]))
        );
        // All elements are wrong except the 20th, which is 0.
        assert_eq!(
            (&problem["count"], &problem["total"]),
            (&json!(99), &json!(100))
        );
        assert_eq!(
            told(&exec(&here, &launch, &[])),
            "FAIL\n  wrong    the launches changed their input `input`: 99/100 elements (99.0 %)\n  \
             first    (row 0, column 0): -20.0000000 became -60.0000000\n"
        );
    }
}

/// The dwords of a type that the judge has no values of are named by their number.
#[test]
fn a_changed_buffer_of_any_type_is_told() {
    let (here, mut launch) = scale("exec-read-only-i64", "$input", 400, true);
    launch["buffers"]["input"] =
        json!({"file": "in.bin", "dtype": "i8", "shape": [400], "read_only": true});
    let run = exec(&here, &launch, &["--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let problem = &report["problem"];
    assert_eq!(problem["axes"][0]["name"], "dword");
    assert_eq!(
        (&problem["count"], &problem["total"]),
        (&json!(99), &json!(100))
    );
    launch["buffers"]["input"]["read_only"] = json!("yes");
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    assert_eq!(
        refused(&here, &["exec", "launch.json"]),
        "launch.json: buffers.input.read_only: should be true or false, is a string"
    );
}

#[test]
fn a_card_is_asked_for_by_name() {
    let (here, launch) = scale("exec-device", "$output", 400, false);
    assert_eq!(exec(&here, &launch, &["--device", "emulator"]).code, 0);
    let run = exec(&here, &launch, &["--hip-device", "0"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert_eq!(
        run.err,
        "error: `--hip-device` names a card: add `--device hip`\n"
    );
    if cfg!(not(feature = "hip")) {
        let run = exec(&here, &launch, &["--device", "hip"]);
        assert_eq!((run.code, run.out.as_str()), (3, ""));
        assert!(
            run.err.contains("built without HIP") && run.err.lines().count() == 1,
            "{}",
            run.err
        );
    }
}
