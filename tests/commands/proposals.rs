//! Bindings that are proposed from launches: their text, their verdict when unchanged, and launches that allow no proposal.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{refused, run, scratch};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");

/// A launch as the HIP runtime records it: buffers by name with their bytes and whether the kernel changed them.
fn launch(directory: &Path, code: &str, launch: Value, buffers: &[(&str, usize, bool)]) -> PathBuf {
    let (mut before, mut after) = (json!({}), json!({}));
    for &(name, bytes, changed) in buffers {
        let (old, new) = (format!("{name}.before.bin"), format!("{name}.after.bin"));
        std::fs::write(directory.join(&old), vec![0; bytes]).expect("written");
        before[name] = json!({ "file": old, "dtype": "i32" });
        let file = if changed { &new } else { &old };
        if changed {
            std::fs::write(directory.join(&new), vec![1; bytes]).expect("written");
        }
        after[name] = json!({ "file": file, "tolerance": 0 });
    }
    let file = json!({
        "code_object": format!("{HERE}/{code}"),
        "buffers": before,
        "launches": [launch],
        "expect": after,
    });
    let path = directory.join("launch.json");
    std::fs::write(&path, format!("{file:#}")).expect("written");
    path
}

/// A launch of `my_gemm_nt` for M = 100, N = 72, K = 40.
fn tile(directory: &Path) -> PathBuf {
    let arguments = json!(["$alloc1", "$alloc2", "$alloc3", {"raw": "64000000"}, {"raw": "48000000"}, {"raw": "28000000"}]);
    launch(
        directory,
        "tile.co",
        json!({"kernel": "my_gemm_nt", "grid": [2, 2, 1], "block": [256, 1, 1], "args": arguments}),
        &[
            ("alloc1", 16_000, false),
            ("alloc2", 11_520, false),
            ("alloc3", 28_800, true),
        ],
    )
}

fn hex(bytes: &[u8]) -> Value {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "raw": digits })
}

/// A launch of `fused_rule`: strides and a divisor in structures by value, one buffer of two outputs. The sizes differ in all.
fn rule(directory: &Path) -> PathBuf {
    let (b, t, h, hv, k, v) = (2u64, 5u64, 3u64, 6u64, 64u64, 80u64);
    let pair = |token: u64, head: u64| hex(&[token.to_le_bytes(), head.to_le_bytes()].concat());
    let word = |number: u64| hex(&(number as u32).to_le_bytes());
    // To divide by HV / H = 2.
    let by_two = [1u32, 1, 2].map(u32::to_le_bytes).concat();
    let arguments = json!([
        "$q",
        "$k",
        "$v",
        "$g",
        "$beta",
        "$initial",
        "$results",
        hex(&(b * t * hv * v).to_le_bytes()),
        pair(h * k, k),
        pair(hv * v, v),
        word(t),
        word(h),
        word(hv),
        word(v),
        hex(&by_two),
        hex(&0.125f32.to_le_bytes()),
    ]);
    let bytes = |count: u64| usize::try_from(4 * count).expect("small");
    let state = b * hv * k * v;
    launch(
        directory,
        "rule.co",
        json!({"kernel": "_Z10fused_ruleILi64ELb0ELi0EEvPKfS1_S1_S1_S1_S1_Pfx7stridesS3_iiii13fast_divisionf", "grid": [hv, b, 1], "block": [80, 1, 1], "args": arguments}),
        &[
            ("q", bytes(b * t * h * k), false),
            ("k", bytes(b * t * h * k), false),
            ("v", bytes(b * t * hv * v), false),
            ("g", bytes(b * t * hv), false),
            ("beta", bytes(b * t * hv), false),
            ("initial", bytes(state), false),
            ("results", bytes(b * t * hv * v + state), true),
        ],
    )
}

/// A launch that updates a state in place: no buffer of its own is the state before it.
#[test]
fn a_state_in_place_is_proposed_to_begin_as_an_input() {
    let here = scratch("proposals-in-place");
    let (b, h, hv, k, v) = (2usize, 3, 6, 20, 24);
    let sizes = [b, 1, h, hv, k, v].map(|size| (size as u32).to_le_bytes());
    let arguments = json!([
        hex(&sizes.concat()),
        hex(&[0; 4]),
        "$q",
        "$k",
        "$v",
        "$g",
        "$beta",
        "$kept",
        "$o"
    ]);
    launch(
        &here,
        "state.co",
        json!({"kernel": "token_f32", "grid": [1, hv, b], "block": [64, 1, 1], "args": arguments}),
        &[
            ("q", 4 * b * h * k, false),
            ("k", 4 * b * h * k, false),
            ("v", 4 * b * hv * v, false),
            ("g", 4 * b * hv, false),
            ("beta", 4 * b * hv, false),
            ("kept", 4 * b * hv * k * v, true),
            ("o", 4 * b * hv * v, true),
        ],
    );
    let size = "B=2,T=1,H=3,HV=6,K=20,V=24,state=random";
    let args = [
        "bind",
        "--from",
        "launch.json",
        "--contract",
        "gdn_recurrent",
        "--size",
        size,
    ];
    let run = run(&here, &args);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(
        run.out.contains("\nstart = { final = \"initial\" }   # ?"),
        "{}",
        run.out
    );
}

/// The proposal follows the launch, has a comment where another value would do, and passes unchanged.
#[test]
fn a_recorded_launch_becomes_a_binding_that_passes() {
    let here = scratch("proposals-tile");
    let launch = tile(&here);
    let launch = launch
        .file_name()
        .and_then(|name| name.to_str())
        .expect("UTF-8");
    let sizes = "M=100,N=72,K=40";
    let proposed = run(
        &here,
        &[
            "bind",
            "--from",
            launch,
            "--contract",
            "gemm_nt",
            "--size",
            sizes,
        ],
    );
    assert_eq!((proposed.code, proposed.err.as_str()), (0, ""));
    std::fs::write(here.join("bind.toml"), &proposed.out).expect("written");
    let kernels = format!("{HERE}/tile.co");
    let judged = run(
        &here,
        &[
            "--kernels",
            &kernels,
            "--bind",
            "bind.toml",
            "--require-all",
        ],
    );
    assert_eq!(
        (judged.code, judged.err.as_str()),
        (0, ""),
        "{}",
        judged.out
    );
    assert!(
        judged.out.contains("all tests        25/25 passed"),
        "{}",
        judged.out
    );
    // The proposal for the same code object, given by name.
    let named = run(
        &here,
        &[
            "bind",
            "--from",
            launch,
            "--contract",
            "gemm_nt",
            "--size",
            sizes,
            "--kernels",
            &kernels,
        ],
    );
    assert_eq!(
        (named.code, &named.out),
        (0, &proposed.out),
        "{}",
        named.err
    );
    insta::assert_snapshot!(proposed.out);
}

#[test]
fn structures_and_divisors_and_outputs_in_one_buffer_are_proposed() {
    let here = scratch("proposals-rule");
    rule(&here);
    let args = [
        "bind",
        "--from",
        "launch.json",
        "--contract",
        "gdn_recurrent",
        "--size",
    ];
    let sizes = "B=2,T=5,H=3,HV=6,K=64,V=80,gates=model,map=block,state=random,layout=key-major";
    let proposed = run(&here, &[&args[..], &[sizes]].concat());
    assert_eq!((proposed.code, proposed.err.as_str()), (0, ""));
    insta::assert_snapshot!(proposed.out);
}

/// A value that was found nowhere is null with a question, and fails only where it is used.
#[test]
fn what_is_not_known_is_a_question() {
    let here = scratch("proposals-unknown");
    tile(&here);
    let sizes = "M=64,N=64,K=64";
    let proposed = run(
        &here,
        &[
            "bind",
            "--from",
            "launch.json",
            "--contract",
            "gemm_nt",
            "--size",
            sizes,
        ],
    );
    assert_eq!((proposed.code, proposed.err.as_str()), (0, ""));
    insta::assert_snapshot!(proposed.out);
    std::fs::write(here.join("bind.toml"), &proposed.out).expect("written");
    let kernels = format!("{HERE}/tile.co");
    let judged = run(&here, &["--kernels", &kernels, "--bind", "bind.toml"]);
    assert_eq!(judged.code, 1);
    assert!(
        judged.out.contains("memory fault: read of 4 bytes"),
        "{}",
        judged.out
    );
}

#[test]
fn what_cannot_be_proposed_is_told_in_a_line() {
    let here = scratch("proposals-refused");
    let file = tile(&here);
    let text = std::fs::read_to_string(&file).expect("written");
    let mut told = String::new();
    let from = |more: &[&'static str]| {
        [
            &["bind", "--from", "launch.json", "--contract", "gemm_nt"],
            more,
        ]
        .concat()
    };
    told += &refused(
        &here,
        &["bind", "--from", "none.json", "--contract", "gemm_nt"],
    );
    told += "\n";
    // Either matrix may be the first.
    told += &refused(&here, &from(&[]));
    told += "\n";
    told += &refused(
        &here,
        &[
            "bind",
            "--from",
            "launch.json",
            "--contract",
            "gdn_decode",
            "--size",
            "K=64",
        ],
    );
    told += "\n";
    told += &refused(&here, &from(&["--kernels", "none.co"]));
    for (old, new) in [
        ("my_gemm_nt", "my_gemm_tn"),
        ("\"28000000\"", "\"2800000000000000\""),
        ("\"$alloc2\",", ""),
        ("\"$alloc1\"", "\"$alloc1 + 16004\""),
        ("alloc3.after.bin", "alloc1.before.bin"),
        ("alloc3.after.bin", "none.bin"),
        ("\"launches\"", "\"launch\""),
        ("{", ""),
    ] {
        assert!(text.contains(old), "{old}");
        std::fs::write(&file, text.replacen(old, new, 1)).expect("written");
        told += &format!(
            "\n{}",
            refused(&here, &from(&["--size", "M=100,N=72,K=40"]))
        );
    }
    std::fs::write(&file, &text).expect("written");
    insta::assert_snapshot!(told.replace(HERE, "HERE"));
    // Mistakes on the command line itself are usage errors.
    let mut told = String::new();
    for size in ["M", "M=0", "M=1.5", "L=3", "M=1,M=2"] {
        let run = run(&here, &from(&["--size", size]));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{}", run.err);
        told += &run.err;
    }
    insta::assert_snapshot!("sizes_that_are_none", told);
}
