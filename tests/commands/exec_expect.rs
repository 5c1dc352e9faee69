//! `exec`: buffers judged against the expectations of a launch file.

use std::path::Path;

use deltanet_check::tensor::npy::{Dtype, Npy};
use serde_json::{Value, json};

use crate::{KERNELS, Run, run, scratch};

/// The values of a 10 x 10 matrix, as NumPy writes them.
fn matrix(value: impl Fn(usize) -> f64, dtype: Dtype) -> Vec<u8> {
    let bytes = (0..100).flat_map(|i| match dtype.size {
        8 => value(i).to_le_bytes().to_vec(),
        4 => (value(i) as f32).to_le_bytes().to_vec(),
        _ => half::bf16::from_f64(value(i)).to_le_bytes().to_vec(),
    });
    let (shape, data) = (vec![10, 10], bytes.collect());
    Npy { dtype, shape, data }.to_bytes()
}

fn input(i: usize) -> f64 {
    i as f64 - 20.0
}

/// Makes a launch of `out[i] = in[i] * 3` over `n` of 100 elements, with its expectation.
fn scale(n: i32, golden: &[u8], expect: &Value) -> (std::path::PathBuf, Value) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("exec").replace("::", "-");
    let here = scratch(&name);
    std::fs::write(here.join("in.npy"), matrix(input, Dtype::F32)).expect("written");
    std::fs::write(here.join("golden.npy"), golden).expect("written");
    let mut expect = expect.clone();
    expect["file"] = json!("golden.npy");
    let launch = json!({
        "code_object": KERNELS,
        "buffers": { "input": {"file": "in.npy"}, "out": {"bytes": 400, "fill": "poison"} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", "$out", {"i32": n}, {"f32": 3.0}]} ],
        "expect": { "out": expect },
    });
    (here, launch)
}

fn exec(here: &Path, launch: &Value, flags: &[&str]) -> Run {
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    run(here, &[&["exec", "launch.json"], flags].concat())
}

fn judged(n: i32, golden: &[u8], expect: &Value) -> Run {
    let (here, launch) = scale(n, golden, expect);
    exec(&here, &launch, &[])
}

/// The part of the output that has no times in it.
fn verdict(run: &Run) -> &str {
    let start = run.out.find("\nstatus").expect("a verdict");
    &run.out[start + 1..]
}

#[test]
fn what_is_right_passes() {
    let golden = matrix(|i| input(i) * 3.0, Dtype::F32);
    let run = judged(
        100,
        &golden,
        &json!({"tolerance": 1e-6, "relative_rms": 1e-6}),
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    insta::assert_snapshot!(verdict(&run));
}

#[test]
fn what_is_wrong_is_told_as_a_test_tells_it() {
    let golden = matrix(
        |i| input(i) * if i / 10 == 4 { 2.0 } else { 3.0 },
        Dtype::F32,
    );
    let run = judged(100, &golden, &json!({"tolerance": 1e-6, "relative": 1e-5}));
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    insta::assert_snapshot!(verdict(&run));
}

#[test]
fn a_simple_mistake_is_named() {
    let golden = matrix(|i| input(i % 10 * 10 + i / 10) * 3.0, Dtype::F32);
    let run = judged(100, &golden, &json!({"tolerance": 1e-6}));
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("transposed"), "{}", run.out);
    // The input itself where its triple is expected.
    let (here, mut launch) = scale(100, &golden, &json!({"tolerance": 1e-6}));
    std::fs::write(
        here.join("golden.npy"),
        matrix(|i| input(i) * 3.0, Dtype::F32),
    )
    .expect("written");
    launch["launches"][0]["args"][3] = json!({"f32": 1.0});
    let run = exec(&here, &launch, &[]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("`input`"), "{}", run.out);
}

#[test]
fn elements_that_nobody_wrote_are_told() {
    let golden = matrix(|i| input(i) * 3.0, Dtype::F32);
    let run = judged(90, &golden, &json!({"tolerance": 1e-6}));
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    insta::assert_snapshot!(verdict(&run));
}

#[test]
fn the_json_has_the_reports_of_tests() {
    let golden = matrix(|i| input(i) * if i == 33 { 3.5 } else { 3.0 }, Dtype::F32);
    let (here, launch) = scale(100, &golden, &json!({"tolerance": 1e-6}));
    let run = exec(&here, &launch, &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(
        (&report["result"], &report["verdict"]),
        (&json!("ran"), &json!("fail"))
    );
    insta::assert_snapshot!(format!("{:#}", report["expect"]));
}

/// References of another float are rounded to the buffer's type, and f64 is the better one.
#[test]
fn references_may_be_of_another_type() {
    let thirds = |i: usize| input(i) * (3.0 + 1e-9);
    let run = judged(100, &matrix(thirds, Dtype::F64), &json!({"ulp": 1}));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let run = judged(
        100,
        &matrix(thirds, Dtype::F64),
        &json!({"tolerance": 1e-9}),
    );
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("f64 oracle"), "{}", run.out);
    let run = judged(
        100,
        &matrix(|i| input(i) * 3.0, Dtype::BF16),
        &json!({"relative": 0.01}),
    );
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
}

#[test]
fn a_tolerance_that_says_nothing_is_told() {
    let golden = matrix(|i| input(i) * 3.0, Dtype::F32);
    let run = judged(100, &golden, &json!({"tolerance": 1e4}));
    assert_eq!(
        (run.code, run.err.as_str()),
        (
            0,
            "warning: launch.json: expect.out: its tolerance says little: all zeros, the input `input` echoed would pass too\n"
        )
    );
}

/// Bytes of all types, and those that are still poison.
#[test]
fn raw_files_are_judged_in_the_type_of_the_buffer() {
    let right: Vec<u8> = (0..100)
        .flat_map(|i| ((input(i) * 3.0) as f32).to_le_bytes())
        .collect();
    for (dtype, n, unwritten) in [
        ("u8", 99, "out: 4/400 elements"),
        ("i16", 99, "2/200 elements"),
        ("u32", 99, "1/100 elements"),
        ("f16", 100, ""),
        ("f64", 98, "1/50 elements"),
    ] {
        let (here, mut launch) = scale(n, &right, &json!({"tolerance": 0}));
        std::fs::write(here.join("golden.bin"), &right).expect("written");
        launch["expect"]["out"]["file"] = json!("golden.bin");
        launch["buffers"]["out"]["dtype"] = json!(dtype);
        let run = exec(&here, &launch, &[]);
        if unwritten.is_empty() {
            assert_eq!(
                (run.code, run.err.as_str()),
                (0, ""),
                "{dtype}: {}",
                run.out
            );
        } else {
            assert_eq!(run.code, 1, "{dtype}: {}{}", run.out, run.err);
            let unwritten = unwritten.trim_start_matches("out: ");
            assert!(run.out.contains(unwritten), "{dtype}: {}", run.out);
            assert!(run.out.contains("written"), "{dtype}: {}", run.out);
        }
    }
}

/// `export` feeds `exec`: inputs, and references in f32 and f64, with the names of their axes.
#[test]
fn tensors_of_an_export_are_inputs_and_expectations() {
    let here = scratch("exec-expect-export");
    let exported = run(
        &here,
        &[
            "export",
            "--test",
            "gemm_nt_tiled",
            "--out",
            "x.safetensors",
        ],
    );
    assert_eq!(exported.code, 0, "{}", exported.err);
    let tensor = |name: &str| json!({"file": "x.safetensors", "tensor": name});
    let mut launch = json!({
        "code_object": KERNELS,
        "buffers": { "a": tensor("input.A"), "b": tensor("input.B"), "c": {"bytes": 16384, "save": "c.npy", "shape": [64, 64]} },
        "launches": [ {"kernel": "kernel_gemm_nt_tiled", "grid": [4, 4, 1], "block": [16, 16, 1],
                       "args": ["$a", "$b", "$c", {"i32": 64}, {"i32": 64}, {"i32": 64}]} ],
        "expect": { "c": {"file": "x.safetensors", "tensor": "oracle.C", "tolerance": 1.7e-5} },
    });
    let names = exec(&here, &launch, &[]);
    assert_eq!((names.code, names.err.as_str()), (0, ""), "{}", names.out);
    let saved =
        Npy::from_bytes(&std::fs::read(here.join("c.npy")).expect("saved")).expect("an array");
    assert_eq!(saved.shape, [64, 64]);
    launch["launches"][0]["args"][0] = json!("$b");
    launch["launches"][0]["args"][1] = json!("$a");
    let swapped = exec(&here, &launch, &[]);
    assert_eq!(swapped.code, 1);
    assert!(
        swapped
            .out
            .contains("f32 [row 64, column 64], tolerance 1.7e-5"),
        "{}",
        swapped.out
    );
}

/// Buffers are not judged after a launch that did not end.
#[test]
fn nothing_is_judged_after_a_trap() {
    let golden = matrix(|i| input(i) * 3.0, Dtype::F32);
    let (here, launch) = scale(101, &golden, &json!({"tolerance": 0}));
    let trapped = exec(&here, &launch, &[]);
    assert_eq!(trapped.code, 1);
    let said = "\nexpected of 1 buffers: not judged, as a launch trapped\n";
    assert!(trapped.out.contains(said), "{}", trapped.out);
    let trapped = exec(&here, &launch, &["--format", "json"]);
    let report: Value = serde_json::from_str(&trapped.out).expect("JSON");
    assert_eq!(
        (&report["verdict"], &report["expect"]),
        (&Value::Null, &json!([]))
    );
}

#[test]
fn offsets_are_bytes_into_a_buffer() {
    let shifted = matrix(
        |i| if i < 90 { input(i + 10) * 3.0 } else { 0.0 },
        Dtype::F32,
    );
    let (here, mut launch) = scale(90, &shifted, &json!({"tolerance": 0}));
    launch["buffers"]["out"]["fill"] = json!("zero");
    launch["launches"][0]["args"][0] = json!("$input+ 80 -0x28");
    let right = exec(&here, &launch, &[]);
    assert_eq!((right.code, right.err.as_str()), (0, ""), "{}", right.out);
}

/// `pointee` copies what `pointer_to_first` points to.
#[test]
fn variables_hold_what_the_launch_file_says() {
    let here = scratch("exec-variables");
    let mut launch = json!({
        "code_object": format!("{}/v5.co", crate::DATA),
        "buffers": { "out": {"bytes": 256, "save": "out.bin"}, "other": {"file": "other.bin"} },
        "variables": { "first": {"i32": 77} },
        "launches": [ {"kernel": "pointee", "grid": [1, 1, 1], "block": [64, 1, 1], "args": ["$out"]} ],
    });
    std::fs::write(here.join("other.bin"), [1, 0, 0, 0, 5, 0, 0, 0]).expect("written");
    let filled = |launch: &Value| {
        let run = exec(&here, launch, &[]);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let saved = std::fs::read(here.join("out.bin")).expect("saved");
        i32::from_le_bytes([saved[252], saved[253], saved[254], saved[255]])
    };
    assert_eq!(filled(&launch), 77);
    std::fs::write(here.join("first.bin"), 78i32.to_le_bytes()).expect("written");
    launch["variables"] = json!({"first": {"file": "first.bin"}});
    assert_eq!(filled(&launch), 78);
    launch["variables"] = json!({"pointer_to_first": "$other + 4"});
    assert_eq!(filled(&launch), 5);
}

/// A value that looks like poison is a value where nobody put poison. It was reported as never written.
#[test]
fn poison_that_the_host_wrote_is_a_value() {
    let here = scratch("exec-expect-values");
    let poison = 0xffad_ffadu32.to_le_bytes();
    std::fs::write(here.join("in.bin"), poison.repeat(64)).expect("written");
    let right = [poison.repeat(63), vec![1, 0, 0, 0]].concat();
    std::fs::write(here.join("golden.bin"), right).expect("written");
    for dtype in ["i32", "u16", "u8", "i64"] {
        let launch = json!({
            "code_object": KERNELS,
            "buffers": { "a": {"file": "in.bin", "dtype": dtype} },
            "launches": [ {"kernel": "kernel_scale", "grid": [1, 1, 1], "block": [64, 1, 1],
                           "args": ["$a", "$a", {"i32": 0}, {"f32": 1.0}]} ],
            "expect": { "a": {"file": "golden.bin", "tolerance": 0} },
        });
        let run = exec(&here, &launch, &[]);
        if dtype == "i64" {
            assert!(
                run.code == 3 && run.err.contains("from 2^53 on"),
                "{}{}",
                run.out,
                run.err
            );
            continue;
        }
        assert_eq!(run.code, 1, "{dtype}: {}{}", run.out, run.err);
        assert!(
            run.out.contains("are further from the golden reference"),
            "{dtype}: {}",
            run.out
        );
    }
}
