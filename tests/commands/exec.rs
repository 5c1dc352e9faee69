//! `exec`: kernels that run, trap and hang.

use std::path::{Path, PathBuf};

use deltanet_check::tensor::npy::{Dtype, Npy};
use serde_json::{Value, json};

use crate::{DATA, KERNELS, run, scratch};

fn f32s(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn as_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

fn write(here: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(here.join(name), bytes).expect("written");
}

/// A directory with this launch file in it.
fn with(name: &str, launch: &Value) -> PathBuf {
    let here = scratch(name);
    write(&here, "launch.json", launch.to_string().as_bytes());
    here
}

/// `out[i] = in[i] * 3` over `n` elements, where the buffers have 100.
fn scale(n: i32, input: &str, output: &str) -> Value {
    json!({
        "code_object": KERNELS,
        "buffers": { "input": {"file": input}, "output": {"bytes": 400, "fill": "poison", "save": output} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", "$output", {"i32": n}, {"f32": 3.0}]} ],
    })
}

#[test]
fn arrays_in_and_out() {
    let here = with("exec-npy", &scale(99, "in.npy", "out.npy"));
    let data = f32s((0..100).map(|i| i as f32));
    write(
        &here,
        "in.npy",
        &Npy {
            dtype: Dtype::F32,
            shape: vec![10, 10],
            data,
        }
        .to_bytes(),
    );
    // from another directory: paths are relative to the launch file
    let launch = here.join("launch.json");
    let run = run(Path::new(DATA), &["exec", launch.to_str().expect("UTF-8")]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(
        run.out.lines().nth(1).expect("a row").ends_with("  ran"),
        "{}",
        run.out
    );
    let saved =
        Npy::from_bytes(&std::fs::read(here.join("out.npy")).expect("saved")).expect("an array");
    assert_eq!(
        (saved.dtype, saved.shape.as_slice()),
        (Dtype::F32, &[100][..])
    );
    let values = as_f32s(&saved.data);
    assert!((0..99).all(|i| values[i] == i as f32 * 3.0), "{values:?}");
    assert_eq!(
        values[99].to_bits(),
        0xffad_ffad,
        "what no work-item wrote is still poison"
    );
    assert_eq!(
        std::fs::read_dir(&here).expect("listed").count(),
        3,
        "nothing else is left behind"
    );
}

#[test]
fn raw_bytes_several_launches_and_json() {
    let launch = json!({
        "code_object": format!("{DATA}/hipcc.co"),
        "buffers": {
            "x": {"file": "x.bin", "save": "x.npy", "dtype": "i32"},
            "sum": {"bytes": 8, "fill": "zero", "save": "sum.bin"},
            "one": {"bytes": 256, "save": "one.bin"},
        },
        "launches": [
            {"kernel": "reduce", "grid": [1, 1, 1], "block": [256, 1, 1], "dynamic_lds": 1024, "args": ["$x", "$sum"]},
            {"kernel": "pointee", "grid": [1, 1, 1], "block": [64, 1, 1], "args": ["$one"]},
        ],
        "limits": {"instructions": 100_000, "seconds": 20},
    });
    let here = with("exec-raw", &launch);
    write(&here, "x.bin", &f32s((0..256).map(|i| i as f32)));
    let run = run(
        &here,
        &["exec", "launch.json", "--format", "json", "--jobs", "1"],
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(
        as_f32s(&std::fs::read(here.join("sum.bin")).expect("saved")),
        [32640.0, 0.0]
    );
    assert_eq!(
        std::fs::read(here.join("one.bin")).expect("saved"),
        1i32.to_le_bytes().repeat(64)
    );
    let typed =
        Npy::from_bytes(&std::fs::read(here.join("x.npy")).expect("saved")).expect("an array");
    assert_eq!(
        (typed.dtype.to_string().as_str(), typed.shape.as_slice()),
        ("<i4", &[256][..])
    );

    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(
        (&report["schema"], &report["result"]),
        (&json!("deltanet-check/exec/1"), &json!("ran"))
    );
    let counters = &report["launches"][0]["counters"];
    assert_eq!(
        (&counters["waves"], &counters["work_groups"]),
        (&json!(4), &json!(1))
    );
    let by_kind = counters["by_kind"].as_object().expect("kinds");
    let sum: u64 = by_kind.values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(sum), counters["instructions"].as_u64());
    assert!(by_kind["lds"].as_u64() > Some(0) && counters["seconds"].as_f64() > Some(0.0));
    assert_eq!(
        report["saved"][1],
        json!({"buffer": "sum", "bytes": 8, "path": "sum.bin"})
    );
}

#[test]
fn a_fault_names_the_buffer_and_what_was_written_is_saved() {
    let here = with("exec-fault", &scale(101, "in.bin", "out.bin"));
    write(&here, "in.bin", &f32s((0..100).map(|i| i as f32)));
    let run = run(&here, &["exec", "launch.json", "--jobs", "1"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    for part in [
        "launch 0 trapped: memory fault: read of 4 bytes outside every allocation",
        "kernel      kernel_scale",
        "work-group  (1, 0, 0), wave 0, lane 36 (work-item (36, 0, 0))",
        "`input` (400 bytes at 0x",
        "saved output (400 bytes) to out.bin",
    ] {
        assert!(run.out.contains(part), "no `{part}` in:\n{}", run.out);
    }
    let values = as_f32s(&std::fs::read(here.join("out.bin")).expect("saved"));
    assert!(
        (0..64).all(|i| values[i] == i as f32 * 3.0),
        "the first work-group had ended"
    );
}

#[test]
fn a_fault_as_json_and_the_launches_behind_it() {
    let mut launch = scale(101, "in.bin", "out.bin");
    let again = launch["launches"][0].clone();
    launch["launches"]
        .as_array_mut()
        .expect("launches")
        .push(again);
    let here = with("exec-fault-json", &launch);
    write(&here, "in.bin", &f32s([0.0; 100]));
    let run = run(&here, &["exec", "launch.json", "--format", "json"]);
    assert_eq!(run.code, 1);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["result"], "trapped");
    let trap = &report["launches"][0]["trap"];
    assert_eq!(
        (&trap["kind"], &trap["kernel"]),
        (&json!("memory_fault"), &json!("kernel_scale"))
    );
    assert_eq!(
        (&trap["work_group"], &trap["lane"]),
        (&json!([1, 0, 0]), &json!(36))
    );
    assert_eq!(
        (&trap["nearest"]["name"], &trap["nearest"]["distance"]),
        (&json!("input"), &json!(0))
    );
    assert!(
        trap["instruction"]
            .as_str()
            .expect("text")
            .starts_with("global_load_dword")
    );
    assert_eq!(report["launches"][1]["result"], "not run");
}

#[test]
fn a_kernel_that_does_not_end_is_stopped() {
    let launch = json!({
        "code_object": KERNELS,
        "buffers": { "m": {"bytes": 1_000_000, "fill": "zero"} },
        "launches": [ {"kernel": "kernel_solve_tri_sequential", "grid": [1, 1, 1], "block": [1, 1, 1],
                       "args": ["$m", "$m", "$m", {"i32": 500}, {"i32": 500}]} ],
        "limits": {"instructions": 10_000},
    });
    let here = with("exec-hang", &launch);
    let run = run(&here, &["exec", "launch.json"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(run.out.contains("launch 0 hung: hang: "), "{}", run.out);
    assert!(
        run.out.contains("kernel      kernel_solve_tri_sequential"),
        "{}",
        run.out
    );
}

/// A kernel that does not use a pointer may get any address, and one that does faults there.
#[test]
fn pointers_may_hold_addresses_of_no_buffer() {
    for (address, n, text) in [
        (json!(null), 0, ""),
        (json!(4096), 0, ""),
        (json!(null), 1, "address     0x0, a null pointer\n"),
        (
            json!(4096),
            1,
            "address     0x1000, a null pointer + 4096\n",
        ),
    ] {
        let mut launch = scale(n, "in.bin", "out.bin");
        launch["buffers"]["input"] = json!({"bytes": 400, "fill": "zero"});
        launch["launches"][0]["args"][0] = address;
        let here = with("exec-address", &launch);
        let run = run(&here, &["exec", "launch.json"]);
        assert_eq!(run.code, i32::from(n > 0), "{}{}", run.out, run.err);
        assert!(run.out.contains(text), "{}", run.out);
    }
}

/// Groups that the card holds at a time may wait for each other, on one thread, too. Those that it does not hold at a time may not.
#[test]
fn groups_that_fit_on_the_card_may_wait_for_each_other() {
    const WAITS: &[u8] = include_bytes!("../data/waits.co");
    const FITS: u32 = 60 * 8;
    let tried = |groups: u32, more: &[&str]| {
        let launch = json!({
            "code_object": "waits.co",
            "buffers": {
                "arrived": {"bytes": 4, "fill": "zero"},
                "out": {"bytes": 4 * groups, "save": "out.bin"},
            },
            "launches": [{
                "kernel": "waits_for_all", "grid": [groups, 1, 1], "block": [256, 1, 1],
                "args": ["$arrived", "$out"],
            }],
        });
        let here = with("exec-waiting-groups", &launch);
        write(&here, "waits.co", WAITS);
        let done = run(&here, &[&["exec", "launch.json"], more].concat());
        (done, here)
    };
    for more in [
        &["--jobs", "1"][..],
        &["--jobs", "2"],
        &["--jobs", "1", "--sanitize"],
    ] {
        let (done, here) = tried(100, more);
        assert_eq!(done.code, 0, "{more:?}: {}{}", done.out, done.err);
        let out = std::fs::read(here.join("out.bin")).expect("saved");
        assert_eq!(out, 100u32.to_le_bytes().repeat(100), "{more:?}");
    }
    let (done, _) = tried(FITS + 1, &["--budget", "2e7"]);
    assert_eq!(done.code, 1, "{}", done.out);
    let later = "later       1 work-group comes after this one: ";
    assert!(done.out.contains(later), "{}", done.out);
}

#[test]
fn an_unused_buffer_is_a_warning() {
    let mut launch = scale(100, "in.bin", "out.bin");
    launch["buffers"]["spare"] = json!({"bytes": 4});
    let here = with("exec-unused", &launch);
    write(&here, "in.bin", &f32s([0.0; 100]));
    let run = run(&here, &["exec", "launch.json"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (0, "warning: launch.json: no launch uses buffer `spare`\n")
    );
}

/// A block smaller than the kernel's launch bounds ran without a word.
#[test]
fn a_block_smaller_than_the_launch_bounds_is_told() {
    let here = scratch("exec-small-block");
    let launch = |side: u32| {
        json!({
            "code_object": Path::new(DATA).join("v5.co"),
            "buffers": { "x": {"bytes": 1024, "fill": "zero"}, "sum": {"bytes": 4} },
            "launches": [ {"kernel": "reduce", "grid": [1, 1, 1], "block": [side, 1, 1], "dynamic_lds": 1024, "args": ["$x", "$sum"]} ],
        })
    };
    for (side, said) in [
        (
            64,
            "warning: launch.json: launches[0]: block [64, 1, 1] is 64 work-items, kernel `reduce` was compiled for 256 (its launch bounds): \
             fewer may not be what it expects\n",
        ),
        (256, ""),
    ] {
        std::fs::write(here.join("launch.json"), launch(side).to_string()).expect("written");
        let run = run(&here, &["exec", "launch.json"]);
        assert_eq!((run.code, run.err.as_str()), (0, said));
    }
}

#[test]
fn the_first_value_that_is_not_finite_has_an_origin() {
    let mut launch = scale(99, "in.bin", "out.npy");
    launch["buffers"]["last"] = json!({"bytes": 400});
    let mut again = launch["launches"][0].clone();
    again["args"] = json!(["$output", "$last", {"i32": 99}, {"f32": 0.0}]);
    let launches = launch["launches"].as_array_mut();
    launches.expect("launches").push(again);
    let here = with("exec-nonfinite", &launch);
    let flags = ["exec", "launch.json", "--first-nonfinite"];
    let json_flags = [&flags[..], &["--format", "json"]].concat();
    write(&here, "in.bin", &f32s((0..100).map(|i| i as f32)));
    let finite = run(&here, &flags);
    assert!(
        finite.out.contains("no kernel stored one"),
        "{}",
        finite.out
    );
    let told: Value = serde_json::from_str(&run(&here, &json_flags).out).expect("JSON");
    assert_eq!(told["first_nonfinite"], json!([]));

    let large = |i| if i == 70 { -2e38 } else { i as f32 };
    write(&here, "in.bin", &f32s((0..100).map(large)));
    let told = run(&here, &json_flags);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    let told: Value = serde_json::from_str(&told.out).expect("JSON");
    let origins = told["first_nonfinite"].as_array().expect("origins");
    assert_eq!(
        origins.len(),
        1,
        "the first launch made it of finite values"
    );
    assert_eq!(origins[0]["value"], "-inf");
    let text = origins[0]["text"].as_str().expect("text");
    assert!(
        text.contains("v_mul_f32") && text.contains("= -2e38"),
        "{text}"
    );
    assert_eq!(origins[0]["place"], "work-group (1,0,0), wave 0, lane 6");
    let given = |i| if i == 70 { f32::NAN } else { i as f32 };
    write(&here, "in.bin", &f32s((0..100).map(given)));
    let told = run(&here, &flags).out;
    assert!(told.contains("` loaded NaN from 0x"), "{told}");
    let refused = run(&here, &[&flags[..], &["--sanitize"]].concat());
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
}

/// The argument of a fault is the one whose pointer the address was made from, even if another buffer is nearer.
#[test]
fn a_fault_names_the_argument_that_its_pointer_came_from() {
    let here = scratch("exec-far");
    let code = Path::new(KERNELS).with_file_name("sanitizer.co");
    // `far_wrong` reads element `n * 1366 + 1216 + item` of its first argument: here about 5 KB before the second.
    let launch = json!({
        "code_object": code,
        "buffers": {
            "source": {"bytes": 16384, "fill": "zero"},
            "target": {"bytes": 16384, "fill": "zero"},
        },
        "launches": [{"kernel": "far_wrong", "grid": [1, 1, 1], "block": [64, 1, 1],
                      "args": ["$source", "$target", {"i32": 193}]}],
    });
    write(&here, "far.json", launch.to_string().as_bytes());
    let run = run(&here, &["exec", "far.json", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    let told: Value = serde_json::from_str(&run.out).expect("JSON");
    let trap = &told["launches"][0]["trap"];
    assert_eq!(trap["argument"]["position"], 0, "{}", run.out);
    assert_eq!(trap["nearest"]["name"], "source", "{}", run.out);
    let address = trap["address"].as_u64().expect("an address");
    let base = trap["nearest"]["base"].as_u64().expect("a base");
    assert_eq!(address - base, 4 * (193 * 1366 + 1216));
}
