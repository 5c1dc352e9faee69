//! Kernels of strangers, bound to contracts: right ones pass, wrong ones are caught, and a file that does not fit says where.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{run, scratch};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");

fn bound(name: &str, more: &[&str]) -> crate::Run {
    let (kernels, file) = (format!("{name}.co"), format!("{name}.toml"));
    let args = [&["--kernels", &kernels, "--bind", &file], more].concat();
    run(Path::new(HERE), &args)
}

/// The last lines of a report, without its time.
fn sums(out: &str) -> Vec<&str> {
    let lines = out
        .lines()
        .rev()
        .take_while(|line| !line.starts_with("time"));
    lines.collect()
}

#[test]
fn another_tile_on_another_grid_passes() {
    let run = bound("tile", &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(
        sums(&run.out),
        [
            "documented tests 2/2 passed",
            "all tests        25/25 passed"
        ]
    );
}

#[test]
fn a_missing_barrier_fails_a_right_run_where_another_order_of_waves_is_wrong() {
    let of = |file: &str| {
        let args = ["--kernels", "barrier.co", "--bind", file];
        run(
            Path::new(HERE),
            &[&args[..], &["--test", "broadcast_mul"]].concat(),
        )
    };
    let early = of("early.toml");
    assert_eq!(early.code, 1, "{}", early.out);
    let mut reasons = early.out.lines().filter(|line| line.starts_with("  why"));
    assert!(
        reasons.all(|why| why.contains("a barrier is missing: LDS is read while it is written")),
        "{}",
        early.out
    );
    assert_eq!(
        sums(&early.out),
        ["all tests        1/3 passed, 2 failed"],
        "{}",
        early.out
    );
    let again = of("again.toml");
    assert_eq!((again.code, again.err.as_str()), (0, ""), "{}", again.out);
    assert!(again.out.contains("  hint     race: LDS"), "{}", again.out);
}

/// Strides, fastdiv, template instances, one buffer of two outputs; bf16 in other layouts, token by token; three launches with scratch.
#[test]
fn the_rule_as_strangers_write_it_passes_and_other_cases_are_skipped() {
    let run = bound(
        "rule",
        &["--test", "recurrent:B=3,T=6*,decode,attn_pre_computation"],
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("decode: o "), "{}", run.out);
    assert!(run.out.contains("its binding is for when = \"map == block && layout == 'key-major' && state == zero\": decode:T=33"), "{}", run.out);
    let all = bound("rule", &["--test", "decode", "--require-all"]);
    assert_eq!(all.code, 1, "{}", all.out);
}

#[test]
fn planted_bugs_of_a_binding_are_caught() {
    for (name, test, bugs) in [
        ("tile", "gemm_nt*", "3/3"),
        (
            "rule",
            "decode,attn_pre_computation,recurrent:B=1,T=127*",
            "3/3",
        ),
    ] {
        let (kernels, file) = (format!("{name}.co"), format!("{name}.toml"));
        let args = ["self-test", "--kernels", &kernels, "--bind", &file];
        let run = run(Path::new(HERE), &[&args[..], &["--test", test]].concat());
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        assert!(
            run.out
                .contains(&format!("planted bugs             {bugs} caught")),
            "{}",
            run.out
        );
    }
}

/// A failure is described in the contract's axes, whatever the layout in memory.
#[test]
fn a_wrong_kernel_is_told_in_the_tensors_own_axes() {
    let here = scratch("bindings-wrong");
    let text = std::fs::read_to_string(Path::new(HERE).join("tile.toml")).expect("a file");
    let file = here.join("wrong.toml");
    std::fs::write(
        &file,
        text.replacen("\"my_gemm_nt\"", "\"my_gemm_nt_wrong\"", 1),
    )
    .expect("written");
    let args = [
        "--kernels",
        "tile.co",
        "--bind",
        file.to_str().expect("UTF-8"),
        "--test",
        "gemm_nt_naive_64",
    ];
    let run = run(Path::new(HERE), &args);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(
        run.out.contains("where    every 4th row from 1"),
        "{}",
        run.out
    );
    assert!(
        run.out
            .contains("1. my_gemm_nt_wrong, 1x1x1 work-groups of 256x1x1 work-items"),
        "{}",
        run.out
    );
}

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// The code object has `kernel_neg` alone of all built-in kernels.
#[test]
fn kernels_that_are_missing_are_a_line_each() {
    let args = ["--kernels", "partial.co", "--phase", "1"];
    let run = run(Path::new(DATA), &args);
    assert_eq!(run.code, 4, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("kernel_sigmoid is not in partial.co"),
        "{}",
        run.out
    );
    assert!(run.out.lines().count() < 20, "{}", run.out);
}

/// A code object with none of the built-in kernels used to print a line for each of them. Now the answer names its kernels and the next command.
#[test]
fn kernels_of_other_names_are_answered_with_the_next_command() {
    let bare = run(Path::new(DATA), &["--kernels", "stages.co"]);
    assert_eq!((bare.code, bare.out.as_str()), (4, ""), "{}", bare.err);
    insta::assert_snapshot!(bare.err);
    let told = bare
        .err
        .lines()
        .find_map(|line| line.split_once("deltanet-check bind "));
    let (_, command) = told.expect("a command");
    let (words, file) = command.split_once(" > ").expect("a file to write");
    assert_eq!(file, "stages.toml");
    let args: Vec<&str> = ["bind"].into_iter().chain(words.split(' ')).collect();
    let skeleton = run(Path::new(DATA), &args);
    assert_eq!((skeleton.code, skeleton.err.as_str()), (0, ""));
    // The skeleton is a file of bindings. The error points to the first line that is left to write.
    let here = scratch("bindings-foreign");
    std::fs::write(here.join(file), &skeleton.out).expect("written");
    let kernels = format!("{DATA}/stages.co");
    let filled = run(&here, &["--kernels", &kernels, "--bind", file]);
    assert_eq!(filled.code, 3, "{}", filled.out);
    assert!(
        filled.err.contains("`?` is still to be filled in"),
        "{}",
        filled.err
    );
    assert!(filled.err.contains("stages.toml:"), "{}", filled.err);
    insta::assert_snapshot!(skeleton.out);
}

/// The code object does not have the names of these arguments. The skeleton says so, and how to get the names.
#[test]
fn a_skeleton_without_names_says_how_to_compile_for_better_ones() {
    let skeleton = run(
        Path::new(HERE),
        &["bind", "tile.co", "--contract", "gemm_nt"],
    );
    assert_eq!(skeleton.code, 0, "{}", skeleton.err);
    for text in [&skeleton.out, &skeleton.err] {
        assert!(text.contains("compile with -g"), "{text}");
        assert!(text.contains("-fhip-kernel-arg-name"), "{text}");
    }
    let parsed: toml::Table = skeleton.out.parse().expect("TOML");
    let args = parsed["binding"][0]["args"].as_array().expect("arguments");
    assert_eq!(args[0].as_str(), Some("?"));
}

/// Words of a description, and letters of a name, find contracts; the name of a contract means its tests.
#[test]
fn contracts_are_found_by_words_and_tests_by_contracts() {
    let here = Path::new(HERE);
    for (words, name) in [
        ("decode", "gdn_decode:"),
        ("delta rule", "gdn_recurrent:"),
        ("conv1d", "gdr_causal_conv1d_fwd:"),
        ("gdn_recurent", "gdn_recurrent:"),
    ] {
        let run = run(here, &["contracts", words]);
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains(name), "{words}: {}", run.err);
    }
    let tests = run(here, &["--list", "--test", "gdn_recurrent"]);
    assert_eq!(tests.code, 0, "{}", tests.err);
    assert!(tests.out.contains("recurrent:B="), "{}", tests.out);
    let wrong = run(here, &["--list", "--test", "gdn_chunkd"]);
    assert!(wrong.err.contains("`gdn_chunked`"), "{}", wrong.err);
}

/// Cases of a design whose sizes nobody had described were in error, for want of kernels that other tests were skipped for.
#[test]
fn kernels_that_tests_of_the_built_in_ones_name_are_missing_in_every_case() {
    let named = [
        "--kernels",
        "partial.co",
        "--test",
        "scan, every two values",
    ];
    let run = run(Path::new(DATA), &named);
    assert_eq!(run.code, 4, "{}", run.out);
    let line = "  the kernels of `scan` are not in partial.co: ";
    assert!(run.out.contains(line), "{}", run.out);
    assert!(!run.out.contains("ERROR"), "{}", run.out);
}

/// A kernel that takes any block, and work-groups that have nothing to do.
const VARIED: &str = "schema = 1\n[[binding]]\ncontract = \"mul\"\nsymbol = \"kernel_mul\"\ngrid = [\"ceil(n / items) + spare\"]\n\
                      block = [\"items\"]\nvary = { items = [128, 64, 256], spare = [0, 3] }\nargs = [\"a\", \"b\", \"out\", \"i32 n\"]\n";

/// The block of each case's launch, and how many work-groups there are for nothing.
fn launches(here: &Path, test: &str) -> BTreeMap<String, (u64, u64)> {
    let args = ["--bind", "vary.toml", "--test", test, "--format", "json"];
    let run = run(here, &args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let trials = report["phases"].as_array().expect("phases").iter();
    let trials = trials.flat_map(|phase| phase["trials"].as_array().expect("trials"));
    let launch = |trial: &serde_json::Value| {
        let shape = trial["shape"].as_str().expect("a shape");
        let mut sizes = shape.split(' ').filter_map(|size| size.strip_prefix("n="));
        let n: u64 = sizes.next().and_then(|n| n.parse().ok()).expect("a size");
        let first = |what: &str| trial["launches"][0][what][0].as_u64().expect("a number");
        let (grid, block) = (first("grid"), first("block"));
        let id = trial["id"].as_str().expect("an id").to_owned();
        (id, (block, grid - n.div_ceil(block)))
    };
    trials.map(launch).collect()
}

/// `vary`: named cases are launched in the first launch form. Each case of a design is launched in one of the forms, always in the same.
#[test]
fn cases_of_a_design_are_launched_in_every_way_and_named_ones_in_the_first() {
    let here = scratch("bindings-vary");
    std::fs::write(here.join("vary.toml"), VARIED).expect("written");
    let named = launches(&here, "mul");
    assert_eq!(named, BTreeMap::from([("mul".into(), (128, 0))]));
    let designed = launches(&here, "mul_domain");
    let ways: BTreeSet<(u64, u64)> = designed.values().copied().collect();
    let all = [128, 64, 256].map(|items| [(items, 0), (items, 3)]);
    assert!(
        ways.is_subset(&all.into_iter().flatten().collect()),
        "{ways:?}"
    );
    let blocks: BTreeSet<u64> = ways.iter().map(|(block, _)| *block).collect();
    let spare: BTreeSet<u64> = ways.iter().map(|(_, spare)| *spare).collect();
    assert_eq!((blocks.len(), spare.len()), (3, 2), "{ways:?}");
    // A case alone is launched as it is among the others.
    let (id, way) = designed.last_key_value().expect("cases");
    assert_eq!(launches(&here, id), BTreeMap::from([(id.clone(), *way)]));
}

/// The message about a pointer advised a type that a binding then refused.
#[test]
fn no_message_advises_a_type_that_a_binding_refuses() {
    let here = scratch("bindings-f64");
    for types in ["", ", G = \"f32\""] {
        let text = format!(
            "schema = 1\n[[binding]]\ncontract = \"gdn_packed_cumsum\"\nwhen = \"gate == head\"\n\
             types = {{ cu_seqlens = \"i64\"{types} }}\nsymbol = \"decay_chunks\"\ngrid = [\"size(chunk_indices, chunk)\", \"HV\"]\n\
             block = [\"C\"]\nargs = [\"g\", \"G\", \"cu_seqlens\", \"chunk_indices\", \"i32 HV\"]\n"
        );
        let file = here.join("sums.toml");
        std::fs::write(&file, text).expect("written");
        let file = file.to_str().expect("UTF-8");
        let test = ["--test", "gdn_packed_cumsum_domain"];
        let args = [&["--kernels", "varlen.co", "--bind", file][..], &test].concat();
        let run = run(Path::new(HERE), &args);
        assert_eq!(run.code, 3, "{types}: {}{}", run.out, run.err);
        let reason = "its tolerance counts on digits that f32 lacks: take a contract with f32";
        assert!(run.err.contains(reason), "{types}: {}", run.err);
        assert!(!run.err.contains("`types = "), "{types}: {}", run.err);
    }
}

/// Each line of a file can be wrong, and each mistake has its message.
#[test]
fn what_is_wrong_in_a_binding_is_told_with_its_place() {
    let good = "schema = 1\n[[binding]]\ncontract = \"gemm_nt\"\nsymbol = \"my_gemm_nt\"\ngrid = [\"ceil(N / 64)\", \"ceil(M / 64)\"]\n\
                block = [256]\nargs = [\"A\", \"B\", \"C\", \"i32 M\", \"i32 N\", \"i32 K\"]\n";
    let here = scratch("bindings-errors");
    let mut told = String::new();
    for (old, new) in [
        ("schema = 1", "schema = 2"),
        ("schema = 1", "schema = 1\nkernels = 1"),
        ("gemm_nt\"\nsymbol", "gemm_mt\"\nsymbol"),
        (
            "contract = \"gemm_nt\"",
            "contract = \"gemm_nt\"\nversion = 9",
        ),
        ("my_gemm_nt", "my_gem_nt"),
        ("my_gemm_nt", "my_*"),
        ("my_gemm_nt", "my_{N"),
        ("\"A\"", "\"X\""),
        ("\"A\"", "\"i64 M\""),
        ("\"i32 K\"", "\"i32 K\", \"i32 K\""),
        ("\"i32 K\"", "\"i64 K\""),
        ("\"i32 K\"", "\"i32 K / 0\""),
        ("\"i32 K\"", "\"i32 K +\""),
        ("\"i32 K\"", "\"i32 K * 99999999999\""),
        ("\"i32 K\"", "\"K\""),
        ("\"i32 K\"", "\"i32 depth\""),
        ("\"A\"", "\"A + 4*M*K + 1\""),
        ("\"A\"", "\"A - 1\""),
        ("\"C\"", "\"A\""),
        ("[256]", "[512]"),
        ("[256]", "[\"0 * N\"]"),
        ("[256]", "[1, 2, 3, 4]"),
        ("\"ceil(N / 64)\"", "\"N / 48\""),
        ("\"ceil(N / 64)\"", "\"2147483648 * N\""),
        ("\"ceil(N / 64)\"", "\"ceil(N, 64)\""),
        ("\"ceil(N / 64)\"", "\"tiles(N)\""),
        ("block", "dynamic_lds = 65536\nblock"),
        ("block", "types = { A = \"i32\" }\nblock"),
        ("block", "types = { Q = \"bf16\" }\nblock"),
        ("block", "layout = { A = \"row\" }\nblock"),
        (
            "block",
            "layout = { A = { axes = \"row K\", pitch = \"K - 1\" } }\nblock",
        ),
        ("block", "scratch = { A = \"f32[M]\" }\nblock"),
        ("block", "scratch = { s = \"f33[M]\" }\nblock"),
        (
            "block",
            "let = { a = \"b\", b = \"a\" }\nwhen = \"a > 0\"\nblock",
        ),
        (
            "block",
            "when = \"(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((M\"\nblock",
        ),
        ("block", "for = \"t of T\"\nblock"),
        ("block", "vary = { items = [] }\nblock"),
        ("block", "vary = { N = [64, 100] }\nblock"),
        ("block", "let = { K = \"2 * M\" }\nblock"),
        ("block", "vary = { items = [256, \"N +\"] }\nblock"),
        ("block", "for = \"t in 0..M * 100000\"\nblock"),
        (
            "symbol = \"my_gemm_nt\"\ngrid = [\"ceil(N / 64)\", \"ceil(M / 64)\"]\nblock = [256]\nargs = [\"A\", \"B\", \"C\", \"i32 M\", \"i32 N\", \"i32 K\"]",
            "launch = [{ for = \"s in 0..1000 * M\", launch = [{ for = \"t in 0..1000 * M\", launch = [] }] }]",
        ),
        ("\"A\"", "\"A[M]\""),
        ("\"A\"", "\"A[0, 0, 0]\""),
        ("\"A\"", "\"M[0]\""),
        ("\"A\"", "\"A[0\""),
        ("\"i32 K\"", "\"i32 read(K)\""),
        ("block", "owner = { D = [\"i\"] }\nblock"),
        ("block", "owner = { C = [\"j\"] }\nblock"),
        ("symbol = \"my_gemm_nt\"", "launch = [{ steps = \"all\" }]"),
        (
            "schema = 1\n[[binding]]\ncontract = \"gemm_nt\"\nsymbol = \"my_gemm_nt\"\ngrid = [\"ceil(N / 64)\", \"ceil(M / 64)\"]\nblock = [256]\nargs = [\"A\", \"B\", \"C\", \"i32 M\", \"i32 N\", \"i32 K\"]",
            "schema = 1\nsteps.all = [{ steps = \"all\" }]\n[[binding]]\ncontract = \"gemm_nt\"\nlaunch = [{ steps = \"all\" }]",
        ),
    ] {
        let file = here.join("bind.toml");
        std::fs::write(&file, good.replacen(old, new, 1)).expect("written");
        let kernels = format!("{HERE}/tile.co");
        let run = run(
            &here,
            &[
                "--kernels",
                &kernels,
                "--bind",
                "bind.toml",
                "--dump",
                "tensors",
                "--test",
                "gemm_nt_naive_64",
            ],
        );
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{new}: {}", run.err);
        // The directory was made before the binding was looked at.
        assert!(!here.join("tensors").exists(), "{new}");
        assert!(run.err.contains("bind.toml:"), "{new}: {}", run.err);
        told += &format!("{new}\n{}\n\n", run.err.trim_end());
    }
    insta::assert_snapshot!(told);
}

/// Planted bugs in a file of bindings have the same messages. They are read only where they are to be caught.
#[test]
fn what_is_wrong_in_a_planted_bug_is_told_with_its_place() {
    let good = std::fs::read_to_string(Path::new(HERE).join("tile.toml")).expect("a file");
    let honest = good.split("[[binding.planted]]").next().expect("a part");
    let here = scratch("bindings-planted-errors");
    let mut told = String::new();
    for wrong in [
        "replace = { my_gem_nt = \"my_gemm_nt_wrong\" }",
        "replace = { my_gemm_nt = \"my_gemm_nt_rong\" }",
        "replace = { my_gemm_nt = \"kernel_mul\" }",
        "replace = { my_gemm_nt = \"planted_mul_adds\" }",
        "replace = { my_gemm_nt = \"my_{N\" }",
        "replace = {}",
        "replace = \"my_gemm_nt_wrong\"",
        "swap_grid = \"my_gemm\"",
        "replace = { my_gemm_nt = \"my_gemm_nt_wrong\" }\nblock = [128]",
        "swap_grid = \"my_gemm_nt\"\nlaunch = 0",
        "launch = 1\nblock = [128]",
        "when = \"M > 2\"",
        "block = [128]\n[[binding.planted]]\nname = \"wrong\"\nblock = [64]",
    ] {
        let text = format!("{honest}[[binding.planted]]\nname = \"wrong\"\n{wrong}\n");
        std::fs::write(here.join("bind.toml"), text).expect("written");
        let kernels = format!("{HERE}/tile.co");
        let args = ["self-test", "--kernels", &kernels, "--bind", "bind.toml"];
        let run = run(
            &here,
            &[&args[..], &["--test", "gemm_nt_naive_64"]].concat(),
        );
        assert_eq!(
            (run.code, run.out.as_str()),
            (3, ""),
            "{wrong}: {}",
            run.err
        );
        assert!(run.err.contains("bind.toml:"), "{wrong}: {}", run.err);
        told += &format!("{wrong}\n{}\n\n", run.err.trim_end());
    }
    insta::assert_snapshot!(told);
}

/// A kernel is replaced by another in each of its launches, and its grid exchanged, in a user's binding as in the built-in ones.
#[test]
fn planted_bugs_of_a_kernel_are_caught_in_every_launch() {
    let good = std::fs::read_to_string(Path::new(HERE).join("rule.toml")).expect("a file");
    let (before, bug) = good
        .split_once("name = \"head maps exchanged\"\n")
        .expect("it is there");
    let (_, after) = bug.split_once("when = \"H < HV\"\n").expect("it ends");
    let swapped = "name = \"grid\"\nswap_grid = \"decode_bf16\"\nwhen = \"HV > 1\"\n";
    let after = after.replace(
        "launch = 2\nsymbol = \"lower\"",
        "replace = { negative_lower = \"lower\" }",
    );
    let here = scratch("bindings-planted-kernels");
    std::fs::write(here.join("bind.toml"), format!("{before}{swapped}{after}")).expect("written");
    let kernels = format!("{HERE}/rule.co");
    let args = ["self-test", "--kernels", &kernels, "--bind", "bind.toml"];
    let run = run(
        &here,
        &[&args[..], &["--test", "decode,attn_pre_computation"]].concat(),
    );
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(
        run.out.contains("planted bugs             2/2 caught"),
        "{}",
        run.out
    );
}

#[test]
fn contracts_and_skeletons_are_printed() {
    let contract = run(Path::new(HERE), &["contracts", "gdn_recurrent"]);
    assert_eq!((contract.code, contract.err.as_str()), (0, ""));
    let skeleton = run(
        Path::new(HERE),
        &[
            "bind",
            "rule.co",
            "--contract",
            "attn_pre",
            "--kernel",
            "s*",
        ],
    );
    assert_eq!(skeleton.code, 0, "{}", skeleton.err);
    assert!(
        skeleton
            .err
            .starts_with("note: arguments of 1 kernel have no names")
    );
    insta::assert_snapshot!(format!("{}\n{}", contract.out, skeleton.out));
    let json = run(
        Path::new(HERE),
        &["contracts", "gemm_nt", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["contracts"][0]["tensors"][2]["axes"][0]["length"], "M");
    let none = run(Path::new(HERE), &["contracts", "gemm_xt"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("\n  gemm_nt: A B^T"), "{}", none.err);
}

/// Other commands that run tests take bindings too. They write and measure the results of these kernels.
#[test]
fn export_and_tolerances_take_bindings() {
    let out = scratch("bindings-export").join("decode.safetensors");
    let out = out.to_str().expect("UTF-8");
    let export = run(
        Path::new(HERE),
        &[
            "export",
            "--test",
            "decode",
            "--kernels",
            "rule.co",
            "--bind",
            "rule.toml",
            "--out",
            out,
        ],
    );
    assert_eq!(
        (export.code, export.err.as_str()),
        (0, ""),
        "{}",
        export.out
    );
    assert!(Path::new(out).exists());
    let bound = [
        "--kernels",
        "tile.co",
        "--bind",
        "tile.toml",
        "--format",
        "json",
    ];
    let args = [
        &["tolerances", "--seeds", "1", "--test", "gemm_nt_naive_64"],
        &bound[..],
    ]
    .concat();
    let measured = run(Path::new(HERE), &args);
    assert_eq!(
        (measured.code, measured.err.as_str()),
        (0, ""),
        "{}",
        measured.out
    );
    let measured: serde_json::Value = serde_json::from_str(&measured.out).expect("JSON");
    assert!(
        measured.to_string().contains("gemm_nt_naive_64"),
        "{measured}"
    );
}

/// Tensors that others computed, through kernels that others wrote.
#[test]
fn vectors_take_bindings() {
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/reference/tests/data/rect_state.safetensors"
    );
    let judged = run(
        Path::new(HERE),
        &[
            "vectors",
            sample,
            "--kernels",
            "rule.co",
            "--bind",
            "rule.toml",
            "--family",
            "recurrent",
        ],
    );
    assert_eq!(
        (judged.code, judged.err.as_str()),
        (0, ""),
        "{}",
        judged.out
    );
    assert!(
        judged.out.contains("all tests        3/3 passed"),
        "{}",
        judged.out
    );
}

/// A type of floating-point numbers may have a name of the kernel's own.
#[test]
fn pointers_to_types_of_other_names_are_checked() {
    let here = scratch("bindings-names");
    for (args, refused) in [
        (
            r#""g", "G", "g""#,
            "argument 1 of `named` is `float* y`, and `G` is f64",
        ),
        (
            r#""G", "g", "g""#,
            "argument 0 of `named` is `float* x`, and `G` is f64",
        ),
    ] {
        let binding = format!(
            "schema = 1\n[[binding]]\ncontract = \"gdn_chunk_cumsum\"\nsymbol = \"named\"\ngrid = [1]\nblock = [64]\nargs = [{args}]\n"
        );
        std::fs::write(here.join("names.toml"), binding).expect("written");
        let kernels = format!("{DATA}/names.co");
        let run = run(&here, &["--kernels", &kernels, "--bind", "names.toml"]);
        assert_eq!(run.code, 3, "{}", run.out);
        assert!(run.err.contains(refused), "{}", run.err);
    }
}
