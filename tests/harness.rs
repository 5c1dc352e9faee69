//! The program as its users see it: flags, selection, exit codes, reports.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn check(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deltanet-check"));
    command
        .args(args)
        .env_remove("NO_COLOR")
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// Exit code and standard error.
fn ends(args: &[&str]) -> (i32, String) {
    let output = check(args);
    (
        output.status.code().expect("no signal"),
        text(&output.stderr),
    )
}

fn json(args: &[&str]) -> Value {
    let output = check(args);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// A fresh directory for one test.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// Times out of a report: all else must not depend on the clock.
fn timeless(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["seconds", "started", "command", "settings", "rerun"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}

#[test]
fn everything_passes() {
    let place = scratch("everything").join("report.json");
    let table = check(&["--report", &place.display().to_string()]);
    assert_eq!(table.status.code(), Some(0));
    assert!(text(&table.stdout).contains("26/26 passed"));
    assert_eq!(text(&table.stderr), "", "no progress in a pipe");
    let report = std::fs::read(place).expect("written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["schema"], "deltanet-check/report/1");
    assert_eq!(
        report["documented"]["pass"], 26,
        "{:#}",
        report["documented"]
    );
    assert_eq!(report["totals"]["fail"], 0);
    assert_eq!(report["totals"]["error"], 0);
    // Numbers that a type does not hold, and cases that a kernel's binding says it does not take.
    let phases = report["phases"].as_array().expect("a list").iter();
    let trials = phases.flat_map(|phase| phase["trials"].as_array().expect("a list"));
    let mut scaled = 0;
    for output in trials
        .clone()
        .flat_map(|trial| trial["outputs"].as_array().expect("a list"))
    {
        for against in ["golden", "oracle"] {
            let [error, allowed] =
                ["max_abs", "allowed"].map(|key| output[against][key].as_f64().expect("a number"));
            assert!(error <= allowed, "{against}: {output}");
            let used = output[against]["used"].as_f64().expect("a number");
            assert!(
                allowed == 0.0 || used >= error / allowed,
                "{against}: {output}"
            );
        }
        let constant = output["tolerance"]["absolute"].as_f64().expect("a number");
        scaled += usize::from(output["golden"]["allowed"].as_f64() > Some(constant));
    }
    assert!(scaled > 100, "{scaled}");
    for skipped in trials.filter(|trial| trial["verdict"] == "skip") {
        let why = skipped["error"].as_str().expect("a reason");
        let said = why.contains("in f16, which does not hold")
            || why.contains("its binding is for when = ");
        assert!(said, "{skipped}");
    }
}

/// `.ci/run` runs the whole self-test.
#[test]
fn planted_bugs_are_caught() {
    let result = json(&[
        "self-test",
        "--test",
        "transpose",
        "--test",
        "causal_mask",
        "--format",
        "json",
    ]);
    assert_eq!(result["schema"], "deltanet-check/self-test/1");
    assert_eq!(result["complaints"], serde_json::json!([]));
    let named = |test: usize, name: &str| {
        let planted = result["tests"][test]["planted"].as_array().expect("a list");
        let found = planted
            .iter()
            .find(|one| one["name"].as_str().is_some_and(|text| text.contains(name)));
        assert_eq!(found.expect(name)["caught"], true, "{name}");
    };
    named(0, "launched with the grid of the output");
    named(1, "blockIdx.y without threadIdx.y");
}

#[test]
fn the_list_is_what_test_takes() {
    let ids = text(&check(&["--list"]).stdout);
    let ids: Vec<&str> = ids.lines().collect();
    assert!(ids.contains(&"deltanet_full") && ids.contains(&"transpose:rows=17,cols=33"));
    let all = json(&["--list", "--format", "json"]);
    let listed: Vec<&str> = all["tests"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|t| t["id"].as_str())
        .collect();
    assert_eq!(ids, listed);
    let mut args = vec!["--list"];
    args.extend(ids.iter().flat_map(|id| ["--test", id]));
    assert_eq!(text(&check(&args).stdout).lines().collect::<Vec<_>>(), ids);
}

#[test]
fn selection_takes_ids_aliases_globs_and_phases() {
    let list = |args: &[&str]| {
        let output = check(&[&["--list"], args].concat());
        text(&output.stdout)
            .lines()
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        list(&["--test", "solve_with_causal_identity"]),
        ["solve_causal_identity"]
    );
    assert_eq!(
        list(&["--phase", "0-8", "--test", "intra*", "--test", "eye"]),
        ["eye", "intra_chunk_small", "intra_chunk"]
    );
    assert_eq!(list(&["--phase", "4,7-8"]).len(), 6);
    assert_eq!(list(&["--phase", "4", "--phase", "5"]).len(), 4);
    assert_eq!(
        list(&["--phase", "6", "--test", "*small"]),
        ["intra_chunk_small"]
    );
    assert_eq!(
        list(&["--test", "solve_tri_domain:n=33,k=1"]),
        ["solve_tri_domain:n=33,k=1"]
    );
    assert_eq!(list(&["--test", "solve_tri_domain"]).len(), 15);
}

#[test]
fn usage_errors_exit_2_and_name_the_nearest() {
    for (args, said) in [
        (
            &["--test", "deltanet_ful"][..],
            "did you mean `deltanet_full`",
        ),
        (&["--test", "zzz"], "--list prints them all"),
        (&["--test", "[z"], "not a glob"),
        (
            &["--phase", "99"],
            "there is no phase 99: there are 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
        ),
        (&["--phase", "six"], "is not a phase"),
        (&["--phase", "3-1"], "runs backwards: write 1-3"),
        (&["--seed", "1x"], "`--seed 1x` is not a seed"),
        (&["--seed", "soon"], "`--seed soon` is not a seed"),
        (&["--repeat", "0"], "--repeat"),
        (&["--jobs", "0"], "--jobs"),
        (&["--device", "cuda"], "emulator"),
        (&["--colour", "never"], "--color"),
    ] {
        let (code, stderr) = ends(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
}

#[test]
fn what_is_not_usable_exits_3() {
    let dir = scratch("not_usable");
    let garbage = dir.join("garbage.co");
    std::fs::write(&garbage, b"\x7fELF and so on").expect("written");
    let broken = dir.join("broken.toml");
    std::fs::write(&broken, "schema = 1\n[[phase]]\nnumbr = 1\n").expect("written");
    let (garbage, broken) = (garbage.display().to_string(), broken.display().to_string());
    let here = dir.display().to_string();
    let blocked = format!("{garbage}/inside");
    let taken = dir.join("dump/mul/input.a.npy");
    std::fs::create_dir_all(&taken).expect("a directory");
    let (dump, taken) = (
        dir.join("dump").display().to_string(),
        format!("error: cannot write {}: it is a directory", taken.display()),
    );
    let report = format!("{blocked}.json");
    for (args, said) in [
        (
            &["--kernels", "no/such.co"][..],
            "code object: cannot read no/such.co",
        ),
        (&["--kernels", &here], "is a directory"),
        (
            &["--kernels", &garbage],
            "is not usable as a gfx906 code object",
        ),
        (
            &["--registry", "no/such.toml"],
            "registry: cannot read no/such.toml",
        ),
        (&["--registry", &broken], "broken.toml:3:1"),
        (&["--registry", &garbage], "error"),
        (
            &["--kernels", "/dev/zero"],
            "cannot read /dev/zero: it is a device",
        ),
        (
            &["--registry", "/dev/zero"],
            "cannot read /dev/zero: it is a device",
        ),
        (&["--device", "hip"], "was built without HIP"),
        (&["--test", "mul", "--dump", &blocked], "cannot create"),
        (&["--test", "mul", "--dump", &dump], &taken),
        (&["--test", "mul", "--report", &report], "cannot write"),
    ] {
        let (code, stderr) = ends(args);
        assert_eq!(code, 3, "{args:?}: {stderr}");
        assert!(stderr.contains(said), "{args:?}: {stderr}");
    }
}

#[test]
fn nothing_selected_exits_4() {
    for args in [&["--phase", "1", "--test", "eye"][..], &["--test", "zz*"]] {
        let (code, stderr) = ends(args);
        assert_eq!(code, 4, "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: no test"), "{args:?}: {stderr}");
    }
}

/// Kernels that a code object lacks used to print an error each: 476 errors in 2,452 lines.
#[test]
fn kernels_that_a_code_object_lacks_are_skips_or_errors_if_all_are_required() {
    let args = ["--kernels", "kernels/built/planted.co", "--test", "mul,eye"];
    let output = check(&args);
    assert_eq!(output.status.code(), Some(4));
    let shown = text(&output.stdout);
    for kernel in ["kernel_mul", "kernel_eye"] {
        let line = format!("  {kernel} is not in kernels/built/planted.co: ");
        assert!(shown.contains(&line), "{shown}");
    }
    let output = check(&[&args[..], &["--require-all"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("planted.co has no kernel `kernel_mul`"),
        "{shown}"
    );
    assert!(shown.contains("has no kernel `kernel_eye`"), "{shown}");
    assert!(
        shown.contains("--seed 0 --kernels kernels/built/planted.co --require-all --dump DIR"),
        "{shown}"
    );
}

/// A registry needs no more than an id, a contract and a shape. The tolerances are those of the contract's built-in tests.
#[test]
fn a_registry_of_ones_own_needs_an_id_a_contract_and_a_shape() {
    let mine = scratch("small-registry").join("mine.toml");
    let path = mine.display().to_string();
    let small = "schema = 1\n[[test]]\nid = \"my shape\"\ncontract = \"gemm_nt\"\nshape = { M = 5, N = 70, K = 9 }\n";
    std::fs::write(&mine, small).expect("written");
    let report = json(&["--registry", &path, "--format", "json"]);
    assert_eq!(report["totals"]["pass"], 1, "{report:#}");
    let tolerance = &report["phases"][0]["trials"][0]["outputs"][0]["tolerance"];
    assert!(
        tolerance["absolute"]
            .as_f64()
            .is_some_and(|given| given > 0.0),
        "{tolerance}"
    );
    std::fs::write(&mine, format!("{small}outputs.C = {{ tolerance = 0.5 }}\n")).expect("written");
    let report = json(&["--registry", &path, "--format", "json"]);
    let tolerance = &report["phases"][0]["trials"][0]["outputs"][0]["tolerance"];
    assert_eq!(
        (&tolerance["absolute"], &tolerance["ceiling"]),
        (&Value::from(0.5), &Value::from(0.5))
    );
    for (old, new, said) in [
        (
            "schema = 1",
            "schema = 1\nextends = \"nothing\"",
            "this test has no `outputs`",
        ),
        (
            "schema = 1",
            "schema = 1\nextends = \"buildin\"",
            "did you mean `built-in`?",
        ),
        (
            "contract = \"gemm_nt\"",
            "contract = \"gemm_tt\"",
            "did you mean `gemm_nt`?",
        ),
        ("id = \"my shape\"", "", "this test has no `id`"),
    ] {
        std::fs::write(&mine, small.replace(old, new)).expect("written");
        let (code, stderr) = ends(&["--registry", &path]);
        assert_eq!(code, 3, "{stderr}");
        assert!(stderr.contains(said), "{new}: {stderr}");
    }
}

/// Tests are chosen by the kernels that they launch.
#[test]
fn a_glob_of_kernels_selects_tests() {
    let list = |args: &[&str]| text(&check(&[args, &["--list"]].concat()).stdout);
    let found = list(&["--kernel", "kernel_eye,kernel_tri*"]);
    assert!(found.lines().count() > 1, "{found}");
    assert!(
        found
            .lines()
            .all(|id| id.starts_with("eye") || id.starts_with("tril")),
        "{found}"
    );
    // A test whose kernel depends on the case is selected by the kernel of the case.
    let found = list(&["--kernel", "gdn_scan_f16_128x8"]);
    assert!(found.contains("scan f16:"), "{found}");
    assert!(!found.contains("scan bf16:"), "{found}");
    let (code, stderr) = ends(&["--kernel", "nobody*"]);
    assert_eq!(code, 4, "{stderr}");
    assert!(stderr.contains("loosen --kernel"), "{stderr}");
}

#[test]
fn a_failing_test_exits_1_and_the_rest_run() {
    let dir = scratch("failing");
    let mine = dir.join("mine.toml");
    let registry = std::fs::read_to_string("phases.toml").expect("there");
    let (before, after) = registry.split_once("id = \"exp\"").expect("a test of e^x");
    let strict = after.replacen("tolerance = ", "tolerance = 1e-12, relative = 0.0 #", 1);
    let (line, rest) = strict.split_once('#').expect("a comment");
    let (_, rest) = rest.split_once('\n').expect("a line");
    let line = format!("{line}, ceiling = 1e-5, reason = \"too tight\" }}\n").replace(" ,", ",");
    std::fs::write(&mine, format!("{before}id = \"exp\"{line}{rest}")).expect("written");
    let mine = mine.display().to_string();
    let report = dir.join("report.json");
    let place = report.display().to_string();
    let output = check(&["--registry", &mine, "--phase", "1", "--report", &place]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value =
        serde_json::from_slice(&std::fs::read(report).expect("written")).expect("JSON");
    assert_eq!(
        (&report["totals"]["fail"], &report["totals"]["pass"]),
        (&1.into(), &3.into())
    );
    assert!(text(&output.stdout).contains("deltanet-check --test exp --seed 0 --registry"));
}

#[test]
fn results_depend_on_the_seed_and_on_nothing_else() {
    let run = |args: &[&str]| {
        timeless(json(
            &[&["--phase", "0-5", "--format", "json"], args].concat(),
        ))
    };
    let base = run(&["--seed", "5", "--jobs", "1"]);
    assert_eq!(base, run(&["--seed", "5", "--jobs", "4"]));
    assert_eq!(base, run(&["--seed", "0x5", "--repeat", "2"]));
    let other = run(&["--seed", "6"]);
    assert_ne!(base["phases"], other["phases"]);
    let random = run(&["--seed", "random", "--test", "exp"]);
    let seed = random["seed"].to_string();
    assert_eq!(random, run(&["--seed", &seed, "--test", "exp"]));
}

#[test]
fn tensors_are_dumped_as_npy() {
    let dir = scratch("dump");
    let place = dir.display().to_string();
    let (code, stderr) = ends(&["--test", "gemm_nt_naive_small", "--dump", &place]);
    assert_eq!(code, 0, "{stderr}");
    let mut files: Vec<String> = std::fs::read_dir(dir.join("gemm_nt_naive_small"))
        .expect("a directory of the test")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "golden.C.npy",
            "input.A.npy",
            "input.B.npy",
            "oracle.C.npy",
            "output.C.npy"
        ]
    );
    let oracle = std::fs::read(dir.join("gemm_nt_naive_small/oracle.C.npy")).expect("readable");
    assert!(
        String::from_utf8_lossy(&oracle)
            .contains("'descr': '<f8', 'fortran_order': False, 'shape': (8, 6)")
    );
    assert_eq!(oracle.len() % 64, (8 * 6 * 8) % 64);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    for args in [
        &["--list"][..],
        &["--test", "mul"],
        &["--test", "mul", "--format", "json"],
        &["--help"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args:?}: {}",
            text(&output.stderr)
        );
        assert_eq!(text(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn colour_is_for_those_who_ask() {
    let escape = |args: &[&str]| check(args).stdout.contains(&0x1b);
    assert!(!escape(&["--test", "mul"]), "a pipe is no terminal");
    assert!(escape(&["--test", "mul", "--color", "always"]));
    assert!(!escape(&["--test", "mul", "--color", "never"]));
}

#[test]
fn tolerances_have_headroom() {
    let result = json(&[
        "tolerances",
        "--seeds",
        "2",
        "--phase",
        "1-5",
        "--format",
        "json",
    ]);
    for output in result["outputs"].as_array().expect("a list") {
        assert_eq!(output["not_passed"], 0, "{output:#}");
        assert!(
            output["headroom"].as_f64().is_none_or(|share| share >= 3.0),
            "{output:#}"
        );
    }
}
