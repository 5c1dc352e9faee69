//! Index tensors that bindings make by formulas, and sizes of several values.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Run, ended, run, scratch};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");

/// Copies files of the bindings' folder, the first one with changes.
fn folder(name: &str, files: &[&str], changes: &[(&str, &str)]) -> PathBuf {
    let here = scratch(name);
    for (position, file) in files.iter().enumerate() {
        let text = std::fs::read_to_string(Path::new(HERE).join(file)).expect("a file");
        let changes = changes.iter().filter(|_| position == 0);
        let text = changes.fold(text, |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replacen(old, new, 1)
        });
        std::fs::write(here.join(file), text).expect("written");
    }
    here
}

/// Runs the kernels of packed sequences by a file of bindings.
fn bound(here: &Path, file: &str, more: &[&str]) -> Run {
    let kernels = format!("{HERE}/varlen.co");
    let args = [&["--kernels", &kernels, "--bind", file], more].concat();
    let python = crate::interpreter().expect("Python with NumPy: apt-get install python3-numpy");
    let program = env!("CARGO_BIN_EXE_deltanet-check");
    let mut command = Command::new(program);
    ended(
        command
            .args(args)
            .env("DELTANET_CHECK_PYTHON", python)
            .current_dir(here),
    )
}

/// A case of several chunks, with a sequence of other length for each.
const CHUNKS: &str = "gdn_packed_domain:N=4,T=33,H=1,HV=2,K=16,V=8,lengths=unequal,gate=head,map=block,start=some,layout=key-major";

#[test]
fn kernels_take_the_index_tensors_that_formulas_make() {
    let here = folder("indices-pass", &["varlen.toml"], &[]);
    for more in [
        &["--seeds", "12"][..],
        &["--test", CHUNKS, "--relations"],
        &["--test", &CHUNKS.replace("unequal", "empty"), "--sanitize"],
        &["--test", &CHUNKS.replace("start=some", "start=none")],
    ] {
        let passed = bound(&here, "varlen.toml", more);
        assert_eq!(
            (passed.code, passed.err.as_str()),
            (0, ""),
            "{}",
            passed.out
        );
        assert!(passed.out.contains("passed"), "{}", passed.out);
    }
    let kernels = format!("{HERE}/varlen.co");
    let args = [
        "self-test",
        "--kernels",
        &kernels,
        "--bind",
        "varlen.toml",
        "--seed",
        "1",
    ];
    let tested = run(&here, &args);
    assert_eq!(tested.code, 0, "{}{}", tested.out, tested.err);
    assert!(tested.out.contains("1/1 caught"), "{}", tested.out);
}

/// A kernel that reads an index tensor wrongly fails, and so does a binding that makes another tensor than the kernel takes.
#[test]
fn wrong_index_tensors_are_caught() {
    for (number, change) in [
        (
            "symbol = \"decay_chunks\"",
            "symbol = \"decay_chunks_first\"",
        ),
        ("= chunk_indices(cu_seqlens, C)", "= 0"),
        (": has_initial", ": 1 - has_initial"),
        ("max(diff(cu_seqlens))", "min(diff(cu_seqlens))"),
    ]
    .into_iter()
    .enumerate()
    {
        let changes = [
            change,
            ("[[binding.planted]]\nname = \"the second", "#"),
            ("when = \"T > C\"\n", ""),
        ];
        let text = ("replace = { decay_chunks = \"decay_chunks_first\" }\n", "");
        let changes = [&changes[..], &[text]].concat();
        let here = folder(
            &format!("indices-wrong-{number}"),
            &["varlen.toml"],
            &changes,
        );
        let run = bound(&here, "varlen.toml", &["--test", CHUNKS]);
        assert_eq!(run.code, 1, "{change:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn what_is_wrong_in_an_index_tensor_is_told_with_its_place() {
    let mut told = String::new();
    for (old, new) in [
        ("i32[sum(chunks), 2] =", "i32[sum(chunks), 3] ="),
        ("i32[sum(chunks), 2] =", "i32[2, sum(chunks)] ="),
        ("i32[sum(chunks), 2] =", "f32[sum(chunks), 2] ="),
        ("i32[sum(chunks), 2] =", "i32[sum(chunks), 2]"),
        ("i32[sum(chunks), 2] =", "i33[sum(chunks), 2] ="),
        ("i32[sum(chunks), 2] =", "i32[sum(chunk_indices), 2] ="),
        ("chunk_indices(cu_seqlens, C)\"", "chunk_indices(g, C)\""),
        (
            "chunk_indices(cu_seqlens, C)\"",
            "chunk_indices(cu_seqlen, C)\"",
        ),
        ("chunk_indices(cu_seqlens, C)\"", "chunk_indices(begins)\""),
        (
            "chunk_indices(cu_seqlens, C)\"",
            "chunk_indices(cu_seqlens, 0)\"",
        ),
        (
            "chunk_indices(cu_seqlens, C)\"",
            "diff(cu_seqlens) + cu_seqlens\"",
        ),
        ("chunk_indices(cu_seqlens, C)\"", "diff(final)\""),
        ("chunk_indices(cu_seqlens, C)\"", "diff(decay)\""),
        (": has_initial", ": begins"),
        (": has_initial", ": has_initial / 3"),
        ("0 : has_initial", "300 : 300"),
        ("begins = \"u8", "q = \"u8"),
        ("\"i64\"", "\"u8\""),
        ("\"i64\"", "\"f32\""),
        ("\"i64\"", "\"i64\", g = \"bf16\""),
        ("i32 max(diff(cu_seqlens))", "i32 diff(cu_seqlens)"),
        ("grid = [\"sum(chunks)\"", "grid = [\"chunks\""),
    ] {
        let here = folder("indices-told", &["varlen.toml"], &[(old, new)]);
        let run = bound(&here, "varlen.toml", &["--test", CHUNKS]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{new}: {}", run.err);
        told += &format!("{new}\n{}\n\n", run.err.trim_end());
    }
    insta::assert_snapshot!(told);
}

/// A kernel without an argument for the states before the sequences finds them in the buffer of those behind.
#[test]
fn a_skeleton_begins_an_output_as_the_input_that_is_no_argument() {
    let here = scratch("indices-in-place");
    let kernels = format!("{HERE}/varlen.co");
    let skeleton = run(&here, &["bind", &kernels, "--contract", "gdn_packed"]);
    assert_eq!((skeleton.code, skeleton.err.as_str()), (0, ""));
    let mut bindings = skeleton.out.split("[[binding]]");
    let of_symbol = |text: &&str| text.contains("symbol = \"packed_in_place\"");
    let binding = bindings.find(of_symbol).expect("a binding");
    let line = "start = { final = \"initial\" }   # guess";
    assert!(binding.contains(line), "{binding}");
    // Whole numbers of 64 bits in the source are no i32.
    let types = "types = { cu_seqlens = \"i64\" }   # guess: the source's types";
    assert_eq!(skeleton.out.matches(types).count(), 3, "{}", skeleton.out);
    // Kernels that take the states, and kernels with an argument that nobody knows, get no such line.
    assert_eq!(
        skeleton.out.matches("\nstart = ").count(),
        1,
        "{}",
        skeleton.out
    );
    let filled = binding
        .replacen("grid = [\"?\"]", "grid = [\"HV\", \"N\"]", 1)
        .replacen("block = [\"?\"]", "block = [\"V\"]", 1);
    let when = "when = \"gate == head && map == block && layout == 'key-major' && start != some && V <= 1024\"";
    let text = format!("schema = 1\n[[binding]]\n{when}\n{filled}");
    std::fs::write(here.join("bind.toml"), text).expect("written");
    for start in ["all", "none"] {
        let case = CHUNKS.replace("start=some", &format!("start={start}"));
        let run = bound(&here, "bind.toml", &["--test", &case]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    }
}

/// Lengths that a contract lists are a size: its design chooses them, names them in cases, and `contracts` lists them.
#[test]
fn lengths_of_packed_sequences_are_a_size_of_several_values() {
    let files = ["sums.contract.toml", "sums.py", "sums.toml"];
    let here = folder("indices-lengths", &files, &[]);
    let passed = bound(&here, "sums.toml", &[]);
    assert_eq!(
        (passed.code, passed.err.as_str()),
        (0, ""),
        "{}",
        passed.out
    );
    for lengths in ["lengths=5 ", "lengths=1+64+3 ", "lengths=0+7+0+30 "] {
        assert!(passed.out.contains(lengths), "{}", passed.out);
    }
    let one = bound(
        &here,
        "sums.toml",
        &["--test", "packed_sums:D=5,lengths=1+64+3"],
    );
    assert_eq!((one.code, one.err.as_str()), (0, ""), "{}", one.out);
    let page = run(
        &here,
        &[
            "contracts",
            "packed_sums",
            "--contract",
            "sums.contract.toml",
        ],
    );
    let tensors = page.out.split("\nSizes, integers").next();
    insta::assert_snapshot!(tensors.expect("a page"));
    // Offsets that are off by one are caught.
    let wrong = [("\"cu_seqlens\", \"i32 D\"", "\"wrong\", \"i32 D\"")];
    let more = "tensors = { wrong = \"i32[N + 1] = max(cu_seqlens - 1, 0)\" }\nsymbol";
    let changes = [wrong[0], ("symbol", more)];
    let here = folder(
        "indices-lengths-wrong",
        &["sums.toml", "sums.py", "sums.contract.toml"],
        &changes,
    );
    let failed = bound(
        &here,
        "sums.toml",
        &["--test", "packed_sums:D=64,lengths=1+64+3"],
    );
    assert_eq!(failed.code, 1, "{}{}", failed.out, failed.err);
}

/// The values that a case draws are known when it runs, so that formulas of bindings may take them.
#[test]
fn formulas_take_values_that_a_case_draws() {
    let contract = [
        (
            "lengths = [[5], [1, 64, 3], [0, 7, 0, 30]], T = \"sum(lengths)\", N = \"count(lengths)\"",
            "N = [2, 5, 9], T = \"N * (N - 1) / 2\"",
        ),
        ("sums = \"max(lengths)\"", "sums = \"N\""),
        (
            "cu_seqlens = { axes = [\"N + 1\"], type = \"i32\", values = \"prefix_sum(lengths)\" }",
            "lengths = { axes = \"N\", type = \"i32\", values = \"distinct(N)\" }",
        ),
    ];
    let here = folder(
        "indices-drawn",
        &["sums.contract.toml", "sums.py"],
        &contract,
    );
    let binding = std::fs::read_to_string(format!("{HERE}/sums.toml")).expect("a file");
    for (formula, code) in [("prefix_sum(lengths)", 0), ("prefix_sum(iota(N))", 1)] {
        let made = format!("tensors = {{ cu_seqlens = \"i32[N + 1] = {formula}\" }}\nsymbol");
        let text = binding.replacen("symbol", &made, 1);
        std::fs::write(here.join("sums.toml"), text).expect("written");
        let run = bound(&here, "sums.toml", &["--seeds", "3"]);
        assert_eq!((run.code, run.err.as_str()), (code, ""), "{}", run.out);
    }
}

#[test]
fn what_is_wrong_in_lengths_is_told_with_its_place() {
    let mut told = String::new();
    for (old, new) in [
        ("[1, 64, 3]", "[1, -64, 3]"),
        ("[1, 64, 3]", "[]"),
        ("[1, 64, 3]", "7"),
        ("[1, 64, 3]", "[\"a\"]"),
        ("[1, 64, 3]", "[0, 0]"),
        ("\"sum(lengths)\"", "\"lengths\""),
        ("\"sum(lengths)\"", "\"diff(lengths)\""),
        ("prefix_sum(lengths)", "prefix_sum(x)"),
        ("prefix_sum(lengths)", "prefix_sum(y)"),
        ("prefix_sum(lengths)", "prefix_sum(lenths)"),
        ("prefix_sum(lengths)", "lengths"),
        ("sums =", "cases = [{ D = 3, lengths = [4] }]\nsums ="),
    ] {
        let files = ["sums.contract.toml", "sums.py", "sums.toml"];
        let here = folder("indices-lengths-told", &files, &[(old, new)]);
        let run = bound(&here, "sums.toml", &[]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{new}: {}", run.err);
        told += &format!("{new}\n{}\n\n", run.err.trim_end());
    }
    insta::assert_snapshot!(told);
}
