//! Custom contracts: their files, their references in Python, and what is wrong with either.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Run, ended, run, scratch};

/// A kernel that negates `n` floats.
const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/partial.co");

const CONTRACT: &str = r#"schema = 1
[[contract]]
name = "negated"
about = "y = -x"
sizes = { T = [1, 3], D = [64, 100] }
scalars = { factor = -1.0 }
relations = ["linear in x", "permute T"]
[contract.tensors]
x = { axes = "T D", type = "f32", values = ["normal", "great"] }
y = { axes = "T D", type = "f32", role = "output" }
[contract.reference]
python = "reference.py:negated"
seconds = 5
"#;

const REFERENCE: &str = "\
def negated(x, factor):
    return {\"y\": x * factor}
";

const BINDING: &str = r#"schema = 1
contracts = ["negated.contract.toml"]
[[binding]]
contract = "negated"
[[binding.launch]]
symbol = "kernel_neg"
grid = ["ceil(count(x) / 64)"]
block = [64]
args = ["x", "y", "i32 count(x)"]
"#;

/// A folder with the three files, each with one change.
fn folder(
    name: &str,
    contract: (&str, &str),
    reference: (&str, &str),
    binding: (&str, &str),
) -> PathBuf {
    let here = scratch(name);
    let changed = |text: &str, (old, new): (&str, &str)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    };
    let files = [
        ("negated.contract.toml", changed(CONTRACT, contract)),
        ("reference.py", changed(REFERENCE, reference)),
        ("bind.toml", changed(BINDING, binding)),
    ];
    for (file, text) in files {
        std::fs::write(here.join(file), text).expect("written");
    }
    here
}

fn bound(here: &Path, more: &[&str]) -> Run {
    let args = [&["--kernels", KERNELS, "--bind", "bind.toml"], more].concat();
    with_python(here, &args)
}

fn with_python(here: &Path, args: &[&str]) -> Run {
    let python = crate::interpreter().expect("Python with NumPy: apt-get install python3-numpy");
    ended(
        Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(args)
            .env("DELTANET_CHECK_PYTHON", python)
            .current_dir(here),
    )
}

fn run_here(here: &Path) -> Run {
    run(here, &["--kernels", KERNELS, "--bind", "bind.toml"])
}

const SAME: (&str, &str) = ("", "");

#[test]
fn a_right_kernel_passes_every_case_and_law() {
    let here = folder("custom-right", SAME, SAME, SAME);
    let run = bound(&here, &["--relations", "--sanitize"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains(": custom contracts\n"), "{}", run.out);
    let listed = bound(&here, &["--list"]);
    assert!(listed.out.lines().count() >= 4, "{}", listed.out);
}

#[test]
fn a_wrong_kernel_fails_with_its_reason() {
    let here = folder("custom-wrong", SAME, ("x * factor", "x * 3.0"), SAME);
    let run = bound(&here, &[]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(
        run.out
            .contains("why      `y` is -0.3333 times the reference"),
        "{}",
        run.out
    );
}

#[test]
fn an_input_without_a_launch_is_told_where_no_other_cause_is_known() {
    let second = "w = { axes = \"T D\", type = \"f32\" }\ny = {";
    let computed = |value: &str| {
        let text = format!("def negated(x, w, factor):\n    return {{\"y\": {value}}}\n");
        let here = folder(
            "custom-no-launch",
            ("y = {", second),
            (REFERENCE, &text),
            SAME,
        );
        let run = bound(&here, &[]);
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        run.err.contains("hands the input `w` to no launch")
    };
    assert!(computed("x * factor + w"));
    assert!(!computed("x * 3.0"));
}

#[test]
fn another_seed_draws_other_values_and_a_report_knows_the_contract() {
    let here = folder("custom-report", SAME, SAME, SAME);
    let run = bound(&here, &["--report", "report.json", "--seed", "7"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let text = std::fs::read_to_string(here.join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let contract = &report["environment"]["settings"]["contract"][0];
    let path = contract["path"].as_str().expect("a path");
    assert!(path.ends_with("negated.contract.toml"), "{path}");
}

/// Failed cases run again by the same contract, and not by a reference that has changed.
#[test]
fn failed_cases_run_again_by_the_same_reference() {
    let here = folder("custom-failed", SAME, ("x * factor", "x * 3.0"), SAME);
    let first = bound(&here, &["--report", "report.json"]);
    assert_eq!(first.code, 1, "{}", first.err);
    let again = |flags: &[&str]| {
        let python = crate::interpreter().expect("Python with NumPy");
        let output = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(["--failed", "report.json"])
            .args(flags)
            .env("DELTANET_CHECK_PYTHON", python)
            .env(crate::ALLOW_PATH, "/")
            .current_dir(&here)
            .output()
            .expect("the program starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), err)
    };
    assert_eq!(again(&[]).0, Some(1));
    std::fs::write(here.join("reference.py"), REFERENCE).expect("written");
    let (code, err) = again(&[]);
    assert_eq!(code, Some(3), "{err}");
    assert!(
        err.contains("reference.py, which a custom contract"),
        "{err}"
    );
}

/// A module that the reference imports, early or late, belongs to the reference.
#[test]
fn failed_cases_do_not_run_again_by_another_helper() {
    let text = "return {\"y\": helper.times(x)}";
    let here = folder(
        "custom-helper",
        SAME,
        (
            "return {\"y\": x * factor}",
            &format!("import helper\n    {text}"),
        ),
        SAME,
    );
    let helper = |factor: &str| {
        let text = format!("def times(x):\n    return x * {factor}\n");
        std::fs::write(here.join("helper.py"), text).expect("written");
    };
    helper("3.0");
    let first = bound(&here, &["--report", "report.json"]);
    assert_eq!(first.code, 1, "{}", first.err);
    let again = || run(&here, &["--failed", "report.json", "--list"]);
    assert_eq!(again().code, 0, "{}", again().err);
    helper("-1.0");
    assert_eq!(again().code, 3, "{}", again().err);
    assert!(again().err.contains("helper.py, which a custom contract"));
}

#[test]
fn described_and_bound_by_its_file() {
    let here = folder("custom-described", SAME, SAME, SAME);
    let file = "negated.contract.toml";
    let page = run(&here, &["contracts", "negated", "--contract", file]);
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(
        page.out.contains("x       input   f32      [T, D]"),
        "{}",
        page.out
    );
    let skeleton = run(&here, &["bind", KERNELS, "--contract", file]);
    assert_eq!(skeleton.code, 0, "{}", skeleton.err);
    assert!(
        skeleton
            .out
            .contains("contracts = [\"negated.contract.toml\"]"),
        "{}",
        skeleton.out
    );
    assert!(
        page.out
            .contains("tolerance y: 2e-6 times the largest value (at least 1); relative RMS 2e-6"),
        "{}",
        page.out
    );
    let unknown = run(&here, &["contracts", "negate", "--contract", file]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("negated: y = -x"), "{}", unknown.err);
}

/// A reference that is wrong ends the run before anything runs, with the line at fault.
#[test]
fn a_wrong_reference_is_one_error() {
    let raised = "    raise ValueError(\"no\")\n    return {\"y\": x * factor}\n";
    let mistakes: [(&str, &str, &str); 17] = [
        (
            "def negated",
            "def negate",
            "the file has no `negated`; did you mean `negate`?",
        ),
        (
            "    return {\"y\": x * factor}\n",
            raised,
            "raised ValueError: no",
        ),
        (
            "x * factor",
            "(x * factor)[:1, :3]",
            "`y` has shape [1, 3], and",
        ),
        (
            "x * factor",
            "(x * factor).astype('float32')",
            "`y` is of float32, and float64 is due",
        ),
        (
            "x * factor",
            "(x * factor).astype(int)",
            "`y` is of int64, and float64 is due",
        ),
        (
            "x * factor",
            "x * 0 + 1e300",
            "which is beyond its type (f32)",
        ),
        (
            "def negated(x, factor):",
            "import random\ndef negated(x, factor):\n    factor = random.random()",
            "it returns something else for the same arguments",
        ),
        ("x * factor", "x * float('nan')", "`y` is NaN at [0, 0]"),
        (
            "{\"y\": x * factor}",
            "{\"z\": x * factor}",
            "it returned `z`, which is no output",
        ),
        (
            "{\"y\": x * factor}",
            "(x, x)",
            "it returned 2 arrays where 1 are due: y",
        ),
        ("{\"y\": x * factor}", "{}", "it did not return `y`"),
        (
            "factor):",
            "other):",
            "its parameter `other` is no tensor, scalar, choice or size",
        ),
        (
            "return",
            "while True: pass\n    return",
            "did not return within 5 s",
        ),
        (
            "return",
            "import os; os._exit(3)\n    return",
            "Python ended in the function",
        ),
        (
            "def negated",
            "import nothing_of_that_name\ndef negated",
            "raised ModuleNotFoundError",
        ),
        ("def negated", "def (", "raised SyntaxError"),
        ("negated", "renamed", "the file has no `negated`"),
    ];
    for (number, (old, new, says)) in mistakes.into_iter().enumerate() {
        let here = folder(
            &format!("custom-reference-{number}"),
            SAME,
            (old, new),
            SAME,
        );
        let run = bound(&here, &[]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{new}: {}", run.err);
        assert!(run.err.contains(says), "{new}: {}", run.err);
        assert!(run.err.contains("-->"), "{new}: {}", run.err);
    }
}

/// A traceback of a thousand frames has its first and its last ones.
#[test]
fn a_reference_that_recurses_too_deeply_is_told_briefly() {
    let functions = "def even(n):\n    return odd(n - 1)\ndef odd(n):\n    return even(n - 1)\n";
    let changed = format!("{functions}def negated(x, factor):\n    even(9)");
    let here = folder(
        "custom-recursion",
        SAME,
        ("def negated(x, factor):", &changed),
        SAME,
    );
    let run = bound(&here, &[]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("raised RecursionError"), "{}", run.err);
    assert!(run.err.contains(" frames ...\n"), "{}", run.err);
    assert!(run.err.lines().count() < 40, "{}", run.err);
}

/// A law that the reference breaks, or that gives it inputs that it refuses, ends the run before a kernel is blamed.
#[test]
fn a_law_that_the_reference_breaks_is_one_error() {
    let weights = "x * (numpy.arange(x.shape[0])[:, None] + 1.0)";
    let raises = "x * (factor if abs(x).max() < 1e9 else 1 // 0)";
    let breaks = "is no law of `negated`: its own reference breaks it in case negated:T=";
    let refuses = "gives the reference inputs that it does not take";
    let mistakes = [
        ("linear in x", "abs(x) * factor", breaks),
        ("scale x by 3", "x * factor + 1", breaks),
        ("permute T", weights, breaks),
        ("permute D", "x.cumsum(1)", breaks),
        ("scale x by 1e9", raises, refuses),
    ];
    for (number, (law, reference, says)) in mistakes.into_iter().enumerate() {
        let here = folder(
            &format!("custom-law-{number}"),
            ("\"linear in x\", \"permute T\"", &format!("\"{law}\"")),
            ("x * factor", reference),
            SAME,
        );
        let text = std::fs::read_to_string(here.join("reference.py")).expect("read");
        let text = format!("import numpy\n{text}");
        std::fs::write(here.join("reference.py"), text).expect("written");
        for flags in [&["--relations"][..], &["--relations", "--seeds", "2"]] {
            let run = bound(&here, flags);
            assert_eq!((run.code, run.out.as_str()), (3, ""), "{law}: {}", run.err);
            assert!(run.err.contains(says), "{law}: {}", run.err);
            let place = "--> negated.contract.toml:7:14";
            assert!(run.err.contains(place), "{law}: {}", run.err);
            assert!(run.err.contains("no kernel was run"), "{law}: {}", run.err);
        }
        // Without --relations nobody asks for the law. The last reference is that of the kernel.
        let code = i32::from(number != 4);
        assert_eq!(bound(&here, &[]).code, code, "{law}");
    }
    let here = folder(
        "custom-law-numbers",
        SAME,
        ("x * factor", "x * factor + 1"),
        SAME,
    );
    let run = bound(&here, &["--relations", "--test", "negated:T=1,D=64"]);
    assert!(run.err.contains("`y`[0, "), "{}", run.err);
    assert!(run.err.contains("allowed "), "{}", run.err);
    assert!(run.err.contains("; 64 of 64 elements"), "{}", run.err);
}

/// Many seeds fail for one reason, which is told once.
#[test]
fn failures_of_many_seeds_are_told_by_cause() {
    let here = folder("custom-seeds", SAME, ("x * factor", "x * 3.0"), SAME);
    let run = bound(&here, &["--seeds", "3"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let count = |text: &str| run.out.matches(text).count();
    assert_eq!((count("  why "), count("  worst ")), (1, 1), "{}", run.out);
    assert_eq!(count(": as before\n"), 2, "{}", run.out);
    assert_eq!(count("  alike    and 3 more cases: "), 1, "{}", run.out);
}

/// Every command that has no use for a custom contract, or lacks its file, says what to do.
#[test]
fn commands_say_what_a_custom_contract_needs() {
    let here = folder("custom-needs", SAME, SAME, SAME);
    let exported = bound(&here, &["--test", "negated:T=1,D=64", "--list"]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    let python = crate::interpreter().expect("Python with NumPy");
    let command = |args: &[&str]| {
        ended(
            Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
                .args(args)
                .env("DELTANET_CHECK_PYTHON", python)
                .current_dir(&here),
        )
    };
    let (kernels, bind) = (["--kernels", KERNELS], ["--bind", "bind.toml"]);
    let contract = ["--contract", "negated.contract.toml"];
    let out = ["--test", "negated:T=1,D=64", "--out", "case.safetensors"];
    let run = command(&[&["export"], &kernels[..], &bind, &out].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let judged = command(&["judge", "case.safetensors"]);
    assert_eq!(judged.code, 3);
    assert!(
        judged.err.contains("with --contract FILE.toml"),
        "{}",
        judged.err
    );
    let judged = command(&[&["judge", "case.safetensors"], &contract[..]].concat());
    assert_eq!(judged.code, 0, "{}", judged.err);
    let vectors = command(&[&["vectors", "case.safetensors"], &kernels[..], &bind].concat());
    assert_eq!(vectors.code, 2);
    assert!(
        vectors.err.contains("custom contract `negated` alone"),
        "{}",
        vectors.err
    );
    let unbound = command(&[&kernels[..], &contract].concat());
    assert_eq!(unbound.code, 3);
    assert!(
        unbound.err.contains("with --bind FILE.toml"),
        "{}",
        unbound.err
    );
    // A code object without any of the built-in kernels.
    let foreign = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.co");
    let unbound = command(&[&["--kernels", foreign], &contract[..]].concat());
    assert_eq!(unbound.code, 4);
    assert!(
        unbound.err.contains("contract        negated: y = -x\n"),
        "{}",
        unbound.err
    );
    let advice = format!("bind {foreign} --contract negated.contract.toml > lines.toml");
    assert!(unbound.err.contains(&advice), "{}", unbound.err);
    let measured = command(&[&["tolerances", "--seeds", "2"], &kernels[..], &bind].concat());
    assert_eq!(measured.code, 0, "{}{}", measured.out, measured.err);
    let mutated = command(&[&["mutate", "--per-kernel", "2"], &kernels[..], &bind].concat());
    assert_eq!(mutated.code, 0, "{}{}", mutated.out, mutated.err);
    let profiled = command(&[&["profile"], &kernels[..], &bind].concat());
    assert_eq!(profiled.code, 0, "{}", profiled.err);
}

#[test]
fn a_wrong_contract_is_told_with_its_place() {
    let mistakes: [(&str, &str, &str); 34] = [
        (
            "reference.py:negated",
            "refrence.py:negated",
            "did you mean `reference.py`?",
        ),
        ("schema = 1", "schema = 2", "this file has schema 2"),
        ("about", "abuot", "did you mean `about`?"),
        (
            "\"negated\"",
            "\"gemm_nt\"",
            "there is a contract `gemm_nt` already",
        ),
        ("\"negated\"", "\"a b\"", "`a b` is no name of a contract"),
        ("T = [1, 3]", "T = []", "the size `T` has no values"),
        ("T = [1, 3]", "T = [1, 3, 1]", "the value 1 is listed twice"),
        (
            "T = [1, 3]",
            "T = [[1, 2], [1, 2]]",
            "the value [1, 2] is listed twice",
        ),
        ("T = [1, 3]", "T = [0]", "a size of 0"),
        (
            "T = [1, 3]",
            "T = \"D\", D2 = \"T + D3\", D3 = \"D2\"",
            "is defined by itself",
        ),
        ("D = [64, 100]", "D = \"T / 2\"", "1/2 is not whole"),
        (
            "axes = \"T D\", type = \"f32\", values",
            "axes = \"T E\", type = \"f32\", values",
            "unknown name `E`",
        ),
        (
            "type = \"f32\", values",
            "type = \"f31\", values",
            "did you mean `f32`?",
        ),
        (
            "\"normal\", \"great\"",
            "\"prefix_sum(z)\"",
            "unknown name `z`",
        ),
        (
            "\"normal\", \"great\"",
            "\"distinct(8)\"",
            "`x` has 64 elements, and 8 values",
        ),
        (
            "\"normal\", \"great\"",
            "\"integers(5, 2)\"",
            "there is no number between these bounds",
        ),
        (
            "\"normal\", \"great\"",
            "\"uniform(1, 0)\"",
            "there is no number between these bounds",
        ),
        ("factor = -1.0", "factor = 1e39", "`factor` is 1e39"),
        (
            "\"normal\", \"great\"",
            "\"usual\"",
            "these are no values to draw",
        ),
        (
            "\"normal\", \"great\"",
            "\"normal\", \"normal\"",
            "these values are there twice",
        ),
        (
            "role = \"output\"",
            "role = \"result\"",
            "unknown role: `result`",
        ),
        (", role = \"output\"", "", "this contract has no output"),
        (
            "role = \"output\"",
            "role = \"output\", tolerance = {}",
            "allows no element an error",
        ),
        (
            "role = \"output\"",
            "role = \"output\", tolerance = -1",
            "not a number from 0 up",
        ),
        (
            "reference.py:negated",
            "nothing.py:negated",
            "there is no Python file",
        ),
        (
            "reference.py:negated",
            "reference.py",
            "this names no function of a Python file",
        ),
        ("seconds = 5", "seconds = 0", "`seconds` is 0"),
        ("linear in x", "linear in z", "`z` is no input of floats"),
        ("permute T", "permutes T", "`permutes T` is no law"),
        (
            "scalars = {",
            "scalars = { T = 1, ",
            "`T` is a size already",
        ),
        (
            "scalars = {",
            "excludes = [\"T > 0\"]\nscalars = {",
            "this contract has no case",
        ),
        (
            "scalars = {",
            "uncomputed = [\"T + \"]\nscalars = {",
            "the formula ends",
        ),
        (
            "python = \"reference.py:negated\"",
            "python = \"reference.py:negated\"\nexpect = \"a\"",
            "has to be one of three kinds",
        ),
        (
            "scalars = {",
            "sums = \"F\"\nscalars = {",
            "unknown name `F`",
        ),
    ];
    for (number, (old, new, says)) in mistakes.into_iter().enumerate() {
        let here = folder(&format!("custom-file-{number}"), (old, new), SAME, SAME);
        let run = bound(&here, &[]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{new}: {}", run.err);
        assert!(run.err.contains(says), "{new}: {}", run.err);
        assert!(
            run.err.contains("--> negated.contract.toml:"),
            "{new}: {}",
            run.err
        );
    }
}

/// Checks that the program refuses something before anything runs, with its place.
fn told(here: &Path, args: &[&str], says: &str) {
    let run = with_python(here, args);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
    assert!(run.err.contains(says), "{}", run.err);
    assert!(run.err.contains("\n --> "), "{}", run.err);
}

/// Nothing runs before the arguments and files of a binding are checked.
#[test]
fn a_binding_that_hands_over_the_wrong_thing_is_told_with_its_place() {
    let mistakes: [(&str, &str, &str); 2] = [
        ("i32 count(x)", "int count(x)", "help: write `i32 count(x)`"),
        (
            "negated.contract.toml",
            "negate.contract.toml",
            "there is no file `negate.contract.toml`",
        ),
    ];
    for (number, (old, new, says)) in mistakes.into_iter().enumerate() {
        let here = folder(&format!("custom-bind-{number}"), SAME, SAME, (old, new));
        let run = bound(&here, &[]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{new}: {}", run.err);
        assert!(run.err.contains(says), "{new}: {}", run.err);
        assert!(run.err.contains("--> bind.toml:"), "{new}: {}", run.err);
    }
    let fraction = ("factor = -1.0", "factor = -1.5");
    let whole = ("i32 count(x)", "i32 factor");
    let here = folder("custom-bind-fraction", fraction, SAME, whole);
    told(
        &here,
        &["--kernels", KERNELS, "--bind", "bind.toml"],
        "-1.5 is not whole",
    );
    let here = folder("custom-bind-alone", SAME, SAME, SAME);
    for (flag, file, says) in [
        (
            "--bind",
            "negated.contract.toml",
            "this is a file of contracts",
        ),
        ("--contract", "bind.toml", "this is a file of bindings"),
    ] {
        told(&here, &["--kernels", KERNELS, flag, file], says);
    }
    let own = ("kernel_neg", "own_negation");
    let here = folder("custom-bind-own", SAME, SAME, own);
    told(&here, &["--bind", "bind.toml"], "--kernels FILE.co");
    let here = folder(
        "custom-bind-null",
        SAME,
        SAME,
        ("\"x\", \"y\"", "\"null\", \"y\""),
    );
    std::fs::write(
        here.join("bind.toml"),
        std::fs::read_to_string(here.join("bind.toml"))
            .expect("read")
            .replace("count(x)", "64"),
    )
    .expect("written");
    let run = bound(&here, &[]);
    assert_eq!(run.code, 1, "{}", run.out);
    let warning = "in bind.toml hands the input `x` to no launch";
    assert!(run.err.contains(warning), "{}", run.err);
}

#[test]
fn a_plain_kernel_is_a_reference() {
    let launch = |symbol: &str, count: &str| {
        format!(
            "kernel = {{ code_object = \"{KERNELS}\", type = \"f32\", symbol = \"{symbol}\", \
             grid = [\"ceil(count(x) / 64)\"], block = [64], args = [\"x\", \"y\", \"{count}\"] }}"
        )
    };
    let tried = |name: &str, launch: &str| {
        let python = "python = \"reference.py:negated\"\nseconds = 5";
        let here = folder(name, (python, launch), SAME, SAME);
        run(
            &here,
            &["--kernels", KERNELS, "--bind", "bind.toml", "--relations"],
        )
    };
    let right = tried("custom-kernel", &launch("kernel_neg", "i32 count(x)"));
    assert_eq!((right.code, right.err.as_str()), (0, ""), "{}", right.out);
    let mistakes = [
        ("kernel_neg", "i32 count(x) + 1", "memory fault"),
        ("kernel_neg", "i32 count(x) - 1", "nobody wrote"),
        ("kernel_neg", "f64 1", "argument 2 of `kernel_neg`"),
        ("kernel_ne", "i32 1", "`kernel_ne`"),
        ("kernel_neg", "i32 (", "the formula ends"),
    ];
    for (number, (symbol, count, says)) in mistakes.into_iter().enumerate() {
        let name = format!("custom-kernel-{number}");
        let wrong = tried(&name, &launch(symbol, count));
        assert_eq!(
            (wrong.code, wrong.out.as_str()),
            (3, ""),
            "{count}: {}",
            wrong.err
        );
        assert!(wrong.err.contains(says), "{count}: {}", wrong.err);
    }
}

/// A reference kernel takes integers that f32 does not hold. The kernel flips the highest bit.
#[test]
fn a_reference_kernel_takes_integers_exactly() {
    let kernel = format!(
        "kernel = {{ code_object = \"{KERNELS}\", symbol = \"kernel_neg\", \
         grid = [\"ceil(count(x) / 64)\"], block = [64], args = [\"x\", \"y\", \"i32 count(x)\"] }}"
    );
    let here = folder("custom-integers", SAME, SAME, SAME);
    let file = here.join("negated.contract.toml");
    let contract = CONTRACT
        .replace("relations = [\"linear in x\", \"permute T\"]\n", "")
        .replace("python = \"reference.py:negated\"\nseconds = 5", &kernel)
        .replace(
            "[\"normal\", \"great\"]",
            "\"integers(16777217, 1000000000)\"",
        )
        .replace("\"f32\"", "\"i32\"");
    std::fs::write(file, contract).expect("written");
    let run = run_here(&here);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("4/4 passed"), "{}", run.out);
}

/// Writes tensors of f32 as a file of a case.
fn write_tensors(path: &Path, tensors: &[(&str, [usize; 2], f32)]) {
    let data: Vec<(&str, [usize; 2], Vec<u8>)> = tensors
        .iter()
        .map(|(name, shape, first)| {
            let values = (0..shape[0] * shape[1]).map(|at| first + at as f32 * first.signum());
            (*name, *shape, values.flat_map(f32::to_le_bytes).collect())
        })
        .collect();
    let views = data.iter().map(|(name, shape, bytes)| {
        let view =
            safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape.to_vec(), bytes);
        (*name, view.expect("a tensor"))
    });
    let bytes = safetensors::serialize(views, None).expect("a file");
    std::fs::write(path, bytes).expect("written");
}

#[test]
fn files_give_inputs_and_expected_values() {
    let expect = (
        "python = \"reference.py:negated\"\nseconds = 5",
        "expect = \"goldens/{case}.safetensors\"",
    );
    let here = folder("custom-files", expect, SAME, SAME);
    let contract = std::fs::read_to_string(here.join("negated.contract.toml")).expect("a file");
    let listed = "cases = [{ T = 3, D = 64 }, { T = 1, D = 100 }]\nsizes";
    let contract =
        contract
            .replacen("sizes", listed, 1)
            .replacen(", values = [\"normal\", \"great\"]", "", 1);
    std::fs::write(here.join("negated.contract.toml"), contract).expect("written");
    std::fs::create_dir(here.join("goldens")).expect("made");
    let flags = ["--kernels", KERNELS, "--bind", "bind.toml"];
    let missing = run(&here, &flags);
    assert_eq!((missing.code, missing.out.as_str()), (3, ""));
    assert!(
        missing.err.contains("T=3,D=64.safetensors"),
        "{}",
        missing.err
    );

    let write = |first: [f32; 2], shape: [usize; 2]| {
        let name = format!("goldens/T={},D={}.safetensors", shape[0], shape[1]);
        write_tensors(
            &here.join(name),
            &[("x", shape, first[0]), ("y", shape, first[1])],
        );
    };
    write([1.0, -1.0], [3, 64]);
    write([2.0, -2.0], [1, 100]);
    let right = run(&here, &[&flags[..], &["--seed", "5"]].concat());
    assert_eq!((right.code, right.err.as_str()), (0, ""), "{}", right.out);
    assert!(right.out.contains("2/2 passed"), "{}", right.out);
    // Another expected value: the kernel is called wrong, and nothing else is claimed.
    write([2.0, -3.0], [1, 100]);
    let wrong = run(&here, &flags);
    assert_eq!(wrong.code, 1, "{}{}", wrong.out, wrong.err);
    // Another shape, and a tensor that is not there.
    write_tensors(
        &here.join("goldens/T=1,D=100.safetensors"),
        &[("x", [100, 1], 1.0)],
    );
    let shape = run(&here, &flags);
    assert_eq!(shape.code, 3, "{}", shape.out);
    assert!(
        shape
            .err
            .contains("has shape [100, 1], and [1, 100] is due"),
        "{}",
        shape.err
    );
    write_tensors(
        &here.join("goldens/T=1,D=100.safetensors"),
        &[("x", [1, 100], 1.0)],
    );
    let absent = run(&here, &flags);
    assert!(absent.err.contains("has no tensor `y`"), "{}", absent.err);
}

/// Modules of one name in two folders do not meet, nor do the contracts of two files in a process for each trial.
#[test]
fn two_folders_have_references_of_their_own() {
    let here = folder("custom-folders", SAME, SAME, SAME);
    let mut names = String::new();
    let mut bindings = String::new();
    for (name, factor) in [("one", "-1.0"), ("two", "-x.shape[0] / len(x)")] {
        let folder = here.join(name);
        std::fs::create_dir(&folder).expect("made");
        let common = format!("def factor(x):\n    return {factor}\n");
        std::fs::write(folder.join("common.py"), common).expect("written");
        let reference = "from common import factor\n\ndef negated(x):\n    return x * factor(x)\n";
        std::fs::write(folder.join("reference.py"), reference).expect("written");
        let contract = CONTRACT.replace("\"negated\"", &format!("\"negated_{name}\""));
        std::fs::write(folder.join("negated.contract.toml"), contract).expect("written");
        names += &format!("\"{name}/negated.contract.toml\", ");
        let (_, binding) = BINDING.split_once("[[binding]]").expect("a binding");
        let binding = binding.replace("\"negated\"", &format!("\"negated_{name}\""));
        bindings += &format!("[[binding]]{binding}");
    }
    // Python puts the working directory first, where a file may have the name of a module.
    std::fs::write(here.join("json.py"), "raise SystemExit(7)\n").expect("written");
    let text = format!("schema = 1\ncontracts = [{names}]\n{bindings}");
    std::fs::write(here.join("bind.toml"), text).expect("written");
    for flags in [&[][..], &["--isolate"]] {
        let run = bound(&here, flags);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
        assert!(run.out.contains("8/8 passed"), "{}", run.out);
    }
}

/// An interpreter that answers something else ends the run, and does not block it.
#[test]
fn an_interpreter_that_prints_a_banner_is_an_error() {
    let here = folder("custom-banner", SAME, SAME, SAME);
    let script = here.join("python");
    std::fs::write(&script, "#!/bin/sh\necho welcome\nexec sleep 60\n").expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).expect("set");
    let output = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(["--kernels", KERNELS, "--bind", "bind.toml"])
        .env("DELTANET_CHECK_PYTHON", &script)
        .current_dir(&here)
        .output()
        .expect("the program starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("it did not answer as asked"), "{err}");
}

#[test]
fn a_design_of_too_many_cases_is_refused_at_once() {
    let words: Vec<String> = (0..130).map(|word| format!("\"w{word}\"")).collect();
    let choices = format!("choices = {{ c = [{}] }}\nscalars", words.join(", "));
    let here = folder("custom-words", ("scalars", &choices), SAME, SAME);
    let run = run_here(&here);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("have 136 values"), "{}", run.err);

    let many: Vec<String> = (1..200).map(|size| size.to_string()).collect();
    let sizes = format!("T = [{}]", many.join(", "));
    let here = folder("custom-many", ("T = [1, 3]", &sizes), SAME, SAME);
    let run = run_here(&here);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("have 203 values"), "{}", run.err);
}

#[test]
fn a_file_that_is_not_there_or_no_text_is_one_line() {
    let here = folder("custom-unreadable", SAME, SAME, SAME);
    let missing = crate::refused(&here, &["--contract", "nothing.toml", "--list"]);
    assert!(missing.contains("nothing.toml"), "{missing}");
    std::fs::write(here.join("bytes.toml"), [0xff, 0xfe]).expect("written");
    let bytes = crate::refused(&here, &["--contract", "bytes.toml", "--list"]);
    assert!(bytes.contains("is not UTF-8"), "{bytes}");
}

/// A draw that is near its own copy by chance, in few elements, is no mistake of the contract: the case is skipped, and a wrong kernel fails in
/// it all the same. In many elements the tolerance is at fault.
#[test]
fn few_elements_that_are_near_a_copy_prove_nothing() {
    let wide = r#"role = "output", tolerance = 1e6"#;
    for (sizes, code, told) in [
        ("D = [3]", 4, "proves nothing: output `y` has 3 elements"),
        ("D = [100]", 1, "the tolerance of output `y` says nothing"),
    ] {
        let contract = CONTRACT
            .replacen("T = [1, 3], D = [64, 100]", &format!("T = [1], {sizes}"), 1)
            .replacen(r#"role = "output""#, wide, 1);
        let here = folder("custom-few", SAME, SAME, SAME);
        std::fs::write(here.join("negated.contract.toml"), contract).expect("written");
        let run = bound(&here, &[]);
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        assert!(run.out.contains(told), "{}", run.out);
    }
}
