//! The reason of a failure, found by experiments.

use serde_json::Value;

use crate::{Run, run, scratch};

/// A cumulative sum whose planted bug leaves out the element itself.
pub(crate) const EXCLUSIVE: &str = r#"
schema = 1
[[binding]]
contract = "cumsum"
symbol = "planted_cumsum_exclusive"
grid = [1]
block = [1]
args = ["in", "out", "i32 n"]
"#;

pub(crate) const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/planted.co");

/// Every planted bug of the document's phases, with the reason that experiments find. None may be written by hand.
#[test]
#[ignore = "half a minute: .ci/nightly slow-tests"]
fn the_reasons_of_planted_bugs() {
    let here = scratch("reasons");
    let args = ["--phase", "1-7", "--explain", "blind", "--format", "json"];
    let run = run(&here, &[&["self-test"][..], &args].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let mut lines = Vec::new();
    for test in report["tests"].as_array().expect("tests") {
        for bug in test["planted"].as_array().expect("bugs") {
            let cause = &bug["reason"];
            let reason = match cause["kind"].as_str().zip(cause["text"].as_str()) {
                Some((kind, text)) => format!("{kind}: {text}"),
                None => "no reason".to_owned(),
            };
            assert_ne!(bug["reason_is_right"], false, "{bug}");
            let labels = bug["right_reasons"].as_array().expect("reasons");
            assert!(bug["wrong_values"] == false || !labels.is_empty(), "{bug}");
            // A kernel without lines has an address, which another build moves.
            let reason = match reason.split_once(": 0x") {
                Some((before, after)) => {
                    let instruction = after.split_once(": ").expect("an instruction").1;
                    format!("{before}: {instruction}")
                }
                None => reason,
            };
            let (test, name) = (&test["id"], &bug["name"]);
            lines.push(format!(
                "{}, {}\n    {reason}",
                test.as_str().expect("an id"),
                name.as_str().expect("a name")
            ));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// A norm of rows to which an input is added, and inputs in each other's place, in a custom contract.
#[test]
fn a_factor_under_a_bias_and_exchanged_inputs() {
    let here = scratch("layer");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");
    let python = crate::interpreter().expect("Python with NumPy: apt-get install python3-numpy");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_deltanet-check"));
    let run = command
        .args(["self-test", "--explain", "quick", "--format", "json"])
        .args(["--kernels", &format!("{folder}/layer.co")])
        .args(["--bind", &format!("{folder}/layer.toml")])
        .env("DELTANET_CHECK_PYTHON", python)
        .current_dir(&here);
    let run = crate::ended(run);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let bugs = report["tests"][0]["planted"].as_array().expect("bugs");
    let reasons: Vec<&str> = bugs
        .iter()
        .map(|bug| bug["reason"]["text"].as_str().unwrap_or("none"))
        .collect();
    assert_eq!(
        reasons,
        [
            "`y` less `b` is 0.9922 times the reference: sqrt(63 / 64), of 64 Ds and one less of `x`",
            "`w` and `b` are exchanged",
            "`w` is used in the place of `b`",
        ]
    );
}

/// Returns a command with the kernels of `tests/bindings/reasons.hip` and a Python for their references.
fn with_reasons(here: &std::path::Path, binding: &str, args: &[&str]) -> crate::Run {
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings/reasons.co");
    let python = crate::interpreter().expect("Python with NumPy: apt-get install python3-numpy");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_deltanet-check"));
    let run = command
        .args(args)
        .args(["--kernels", kernels, "--bind", binding])
        .env("DELTANET_CHECK_PYTHON", python)
        .current_dir(here);
    crate::ended(run)
}

/// Mistakes in custom contracts: a convolution of packed sequences, a norm of a sum in place, and the greatest of a row.
#[test]
fn the_reasons_of_mistakes_in_custom_contracts() {
    let binding = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings/reasons.toml");
    let args = ["self-test", "--explain", "quick", "--format", "json"];
    let run = with_reasons(&scratch("custom-reasons"), binding, &args);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let mut lines = Vec::new();
    for test in report["tests"].as_array().expect("tests") {
        for bug in test["planted"].as_array().expect("bugs") {
            assert_eq!(bug["reason_is_right"], true, "{bug}");
            let [name, reason] = [&bug["name"], &bug["reason"]["text"]].map(|text| text.as_str());
            lines.push(format!(
                "{}\n    {}",
                name.expect("a name"),
                reason.expect("a reason")
            ));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// Copies the contracts of `tests/bindings` to a folder, with a binding of one kernel for a right one.
fn copy_reasons(here: &std::path::Path, right: &str, wrong: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");
    for name in ["reasons.contract.toml", "reasons.py"] {
        std::fs::copy(format!("{folder}/{name}"), here.join(name)).expect("copied");
    }
    let text = std::fs::read_to_string(format!("{folder}/reasons.toml")).expect("a binding");
    let mut bindings = text.split("[[binding]]\n");
    let head = bindings.next().expect("a head");
    let binding = bindings.find(|binding| binding.contains(&format!("symbol = \"{right}\"")));
    let launch = binding.and_then(|binding| binding.split("[[binding.planted]]").next());
    let launch = launch.expect("a launch").replace(right, wrong);
    std::fs::write(here.join("b.toml"), format!("{head}[[binding]]\n{launch}")).expect("written");
}

/// Returns the event of the one diagnosis of a run that printed lines of JSON.
fn only_diagnosis(run: &Run) -> Value {
    let events = run.out.lines().map(serde_json::from_str::<Value>);
    let events = events.map(|event| event.expect("JSON"));
    let found: Vec<Value> = events
        .filter(|event| event["event"] == "diagnosis")
        .collect();
    let [found] = &found[..] else {
        panic!("{}", run.out);
    };
    found.clone()
}

/// A case with three tokens or more is diagnosed, and the cases of one token are told with it.
#[test]
fn the_case_of_a_reason_has_long_axes_and_dull_cases_join_it() {
    let here = scratch("telling");
    copy_reasons(&here, "taps_right", "taps_reversed");
    let run = with_reasons(&here, "b.toml", &["--format", "jsonl"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let found = only_diagnosis(&run);
    let cause = &found["diagnosis"]["causes"][0]["text"];
    assert_eq!(cause, "`w` is read with taps in reverse order");
    assert!(!found["id"].as_str().expect("an id").contains("lengths=1,"));
    let text = with_reasons(&here, "b.toml", &[]);
    let groups = text.out.split("Failures by cause").nth(1).expect("groups");
    assert_eq!(groups.matches("FAIL taps").count(), 1, "{groups}");
    assert_eq!(groups.matches("  why  ").count(), 1, "{groups}");
}

/// No input is said to be unread where values hardly respond, because a function is saturated or a maximum is far above.
#[test]
fn an_input_whose_influence_cannot_show_is_not_said_to_be_unread() {
    let here = scratch("saturated");
    for (right, wrong, usual, saturated) in [
        (
            "taps_right",
            "taps_sigmoid",
            r#"type = "bf16" }"#,
            r#"type = "bf16", values = "uniform(-80, 100)" }"#,
        ),
        (
            "best_right",
            "best_base_2",
            r#"["normal", "integers(-3, 4)"]"#,
            r#""normal(100)""#,
        ),
        (
            "best_right",
            "best_last",
            r#"["normal", "integers(-3, 4)"]"#,
            r#""integers(0, 2)""#,
        ),
    ] {
        copy_reasons(&here, right, wrong);
        let path = here.join("reasons.contract.toml");
        let text = std::fs::read_to_string(&path).expect("a contract");
        assert!(text.contains(usual), "{usual}");
        std::fs::write(&path, text.replacen(usual, saturated, 1)).expect("written");
        let run = with_reasons(&here, "b.toml", &[]);
        assert_eq!(run.code, 1, "{}", run.err);
        let reasons = run.out.lines().filter(|line| line.starts_with("  why  "));
        let unread = ["not read", "not used", "not depend", "not respond"];
        let told = |line: &&str| unread.iter().any(|word| line.contains(word));
        let told: Vec<&str> = reasons.filter(told).collect();
        assert!(told.is_empty(), "{wrong}: {told:?}");
    }
}

/// A supposition that leaves an error is no reason, even where the error is small beside a reference of huge numbers.
#[test]
fn a_right_kernel_beside_a_huge_reference_has_no_wrong_reason() {
    let here = scratch("huge");
    copy_reasons(&here, "norm_right", "norm_right");
    let python = std::fs::read_to_string(here.join("reasons.py")).expect("Python");
    let huge = python.replace("* gamma + beta}", "* gamma * 1e30 + beta}");
    std::fs::write(here.join("reasons.py"), huge).expect("written");
    let run = with_reasons(&here, "b.toml", &[]);
    assert_eq!(run.code, 1, "{}", run.err);
    let reasons = run.out.lines().filter(|line| line.starts_with("  why  "));
    let wrong = |line: &&str| {
        ["remains", "is 0", "unchanged"]
            .iter()
            .any(|word| line.contains(word))
    };
    let wrong: Vec<&str> = reasons.filter(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_failure_has_a_reason_and_a_smaller_case_that_fails() {
    let here = scratch("smaller");
    std::fs::write(here.join("b.toml"), EXCLUSIVE).expect("written");
    let flags = ["--kernels", PLANTED, "--bind", "b.toml", "--test", "cumsum"];
    let lines = run(&here, &[&flags[..], &["--format", "jsonl"]].concat());
    let found = only_diagnosis(&lines);
    assert_eq!(found["id"], "cumsum");
    let cause = &found["diagnosis"]["causes"][0]["text"];
    assert_eq!(cause, "`in` is read at element i - 1 for element i");
    let smallest = &found["diagnosis"]["smallest"];
    assert_eq!(smallest["case"], "cumsum:n=63");
    let rerun = smallest["rerun"].as_str().expect("a line");
    let rerun = rerun.strip_prefix("deltanet-check ").expect("a command");
    let again: Vec<&str> = rerun
        .split_terminator(" --dump")
        .next()
        .expect("flags")
        .split(' ')
        .collect();
    let report = ["--report", "r.json"];
    for args in [[&again[..], &report].concat(), vec!["--failed", "r.json"]] {
        let again = run(&here, &args);
        assert_eq!(again.code, 1, "{}", again.err);
        assert!(again.out.contains("FAIL cumsum:n=63"), "{}", again.out);
    }
    // Without experiments there is no reason.
    let off = run(
        &here,
        &[&flags[..], &["--format", "json", "--explain", "off"]].concat(),
    );
    assert_eq!(off.code, 1);
    assert!(!off.out.contains("diagnosis"), "{}", off.out);
}

#[test]
fn a_case_that_no_test_lists() {
    let here = scratch("described");
    let one = run(
        &here,
        &[
            "--test",
            "gemm_nt_tiled:M=17,K=9,cumsum:n=7",
            "--format",
            "json",
        ],
    );
    assert_eq!(one.code, 0, "{}", one.err);
    let report: Value = serde_json::from_str(&one.out).expect("JSON");
    let phases = report["phases"].as_array().expect("phases").iter();
    let trials = phases.flat_map(|phase| phase["trials"].as_array().expect("trials"));
    let shapes: Vec<&str> = trials.filter_map(|trial| trial["shape"].as_str()).collect();
    assert_eq!(shapes, ["n=7", "M=17 N=64 K=9"]);
    for wrong in [
        "cumsum:n=0",
        "cumsum:m=7",
        "cumsum:n=x",
        "cumsum:n=999999999",
        "nothing:n=7",
    ] {
        let refused = run(&here, &["--test", wrong]);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""));
        let line = format!("error: there is no test `{wrong}`");
        assert!(refused.err.starts_with(&line), "{}", refused.err);
    }
    // A glob with sizes is a glob. It is no case that nothing lists, beside all tests.
    let glob = "gemm_nt_tiled_domain:M=1,*";
    let listed = run(&here, &["--list", "--test", glob]).out;
    let ids = listed.lines().filter(|line| !line.is_empty());
    let prefix = glob.trim_end_matches('*');
    assert!(ids.clone().all(|id| id.starts_with(prefix)), "{listed}");
    let ran = run(&here, &["--test", glob, "--format", "jsonl"]);
    let mut trials = ran
        .out
        .lines()
        .filter(|line| line.contains(r#""event":"trial""#));
    assert!(ids.count() > 0 && trials.clone().count() > 0);
    assert!(trials.all(|line| line.contains(prefix)), "{}", ran.out);
}

/// A recurrence that takes negative values as 0.
const RECTIFIED: &str = r#"
schema = 1
[[binding]]
contract = "gdn_recurrent"
when = "K == 128"
symbol = "planted_wave_column_value_rectified"
grid = ["HV", "B", "ceil(V / 4)"]
block = [64, 4]
args = ["q", "k", "v", "g", "beta", "state == zero ? null : initial", "o", "final", "i32 B", "i32 T", "i32 H", "i32 HV", "i32 V", "f32 scale", "i32 map == tiled", "i32 layout == 'value-major'", "i32 gate_kind == factor ? 2 : gate_kind == negated ? 1 : 0"]
"#;

#[test]
fn values_beyond_a_bound_that_change_nothing() {
    let here = scratch("rectified");
    std::fs::write(here.join("b.toml"), RECTIFIED).expect("written");
    let case =
        "recurrent:B=1,T=4,H=2,HV=4,K=128,V=8,gates=model,map=block,state=random,layout=key-major";
    let flags = ["--kernels", PLANTED, "--bind", "b.toml", "--test", case];
    let run = run(&here, &[&flags[..], &["--explain", "blind"]].concat());
    assert_eq!(run.code, 1, "{}", run.err);
    let why = "`v` is cut off below 0.00: smaller values change nothing";
    assert!(run.out.contains(why), "{}", run.out);
}

/// A kernel that leaves what stands above the diagonal of its input.
const UPPER_KEPT: &str = r#"
schema = 1
[[binding]]
contract = "apply_causal_identity"
symbol = "planted_identity_keeps_upper"
grid = ["ceil(n / 16)", "ceil(n / 16)"]
block = [16, 16]
args = ["in", "out", "i32 n"]
"#;

#[test]
fn an_infinite_element_of_an_input_that_must_not_be_used() {
    let here = scratch("upper");
    std::fs::write(here.join("b.toml"), UPPER_KEPT).expect("written");
    let case = "apply_causal_identity_domain:n=16,values=infinite";
    let flags = ["--kernels", PLANTED, "--bind", "b.toml", "--test", case];
    let report = run(&here, &[&flags[..], &["--format", "json"]].concat());
    assert_eq!(report.code, 1, "{}", report.err);
    let report: Value = serde_json::from_str(&report.out).expect("JSON");
    let trial = &report["phases"][0]["trials"][0];
    let cause = &trial["diagnosis"]["causes"][0];
    assert_eq!(
        (&cause["kind"], &cause["tensor"]),
        (&"index".into(), &"in".into()),
        "{cause}"
    );
    let text = cause["text"].as_str().expect("text");
    let begins = "an element of `in` that is not finite is used where the result is finite: ";
    assert!(text.starts_with(begins), "{text}");
    // The element stands above the diagonal of 16 rows.
    let byte = text
        .split("byte ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let element: usize = byte.and_then(|byte| byte.parse().ok()).expect("a byte");
    let (row, column) = (element / 4 / 16, element / 4 % 16);
    assert!(column > row, "{text}");
    assert_eq!(trial["diagnosis"]["origins"][0]["tensor"], "in");
}

/// Mistakes of kinds that the experiments once missed, each in a kernel with outputs of bf16, with integers among its inputs, or with a head
/// between the rows and the columns of its matrices.
#[test]
fn reasons_in_narrow_outputs_packed_sequences_and_matrices_with_heads() {
    let expected = [
        (
            "solve_tril_tk BT=16",
            "the identity added to rows 0 and 1 twice",
            "`Ai` has an identity too many: 1 on the diagonal, at rows 0, 1",
        ),
        (
            "solve_tril_tk BT=16",
            "the diagonal lost from row 2 on",
            "`Ai` lacks the identity: 1 on the diagonal, at rows 2 to 15",
        ),
        (
            "fused_qkvzba_split_tk",
            "b and a exchanged",
            "`b` has the values of `a`; `a` has the values of `b`",
        ),
        (
            "fused_qkvzba_split_tk",
            "v and z exchanged",
            "does not respond to element",
        ),
        (
            "gdr_utils_tk max_reduce",
            "only the first wave of a work-group counts",
            "`x` is not read at elements 64 to 255; ",
        ),
        (
            "causal_conv1d_split_qkv_tk (decode)",
            "the row of the batch for the line of the state",
            "no output responds to `indices`",
        ),
        (
            "fused_gdn_gating_prefill_tk",
            "A_log taken for A",
            "`A_log` is used as it is: the contract uses its exp",
        ),
    ];
    assert_reasons("kinds", &expected);
}

/// Runs the planted bugs of some tests without known mistakes, and asserts parts of the reasons of some: a test, a bug, and the part.
fn assert_reasons(folder: &str, expected: &[(&str, &str, &str)]) {
    let mut args = vec!["self-test", "--explain", "blind", "--format", "json"];
    let mut tests: Vec<&str> = expected.iter().map(|(test, ..)| *test).collect();
    tests.dedup();
    for test in tests {
        args.extend(["--test", test]);
    }
    for (_, bug, _) in expected {
        args.extend(["--bug", bug]);
    }
    let run = run(&scratch(folder), &args);
    assert_eq!(run.code, 0, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let tests = report["tests"].as_array().expect("tests");
    for (test, name, reason) in expected {
        let test = tests.iter().find(|found| found["id"] == *test);
        let bugs = test.expect("a test")["planted"].as_array().expect("bugs");
        let bug = bugs.iter().find(|bug| bug["name"] == *name).expect("a bug");
        let text = bug["reason"]["text"].as_str().unwrap_or("none");
        assert!(text.contains(reason), "{name}: {text}");
        assert_eq!(bug["reason_is_right"], true, "{name}: {text}");
    }
}

/// An output from a kernel with a mistake, and another from a kernel without it: the mistake would make both wrong.
const ONE_WRONG_OUTPUT: &str = r#"
schema = 1
[[binding]]
contract = "gdn_packed"
when = "gate == head && start == all && K <= 256 && V <= 256"
scratch = { other_final = "f32[N, HV, K, V]", other_o = "f32[N * T, HV, V]" }
let = { value_major = "layout == 'value-major'" }
[[binding.launch]]
symbol = "planted_packed_undecayed"
grid = ["HV", "N"]
block = ["V"]
args = ["q", "k", "v", "g", "beta", "initial", "o", "other_final", "cu_seqlens", "has_initial", "i32 N", "i32 H", "i32 HV", "i32 K", "i32 V", "i32 1", "f32 scale", "i32 map == tiled", "i32 value_major", "i32 0"]
[[binding.launch]]
symbol = "planted_packed_no_scale"
grid = ["HV", "N"]
block = ["V"]
args = ["q", "k", "v", "g", "beta", "initial", "other_o", "final", "cu_seqlens", "has_initial", "i32 N", "i32 H", "i32 HV", "i32 K", "i32 V", "i32 1", "f32 scale", "i32 map == tiled", "i32 value_major", "i32 0"]
"#;

#[test]
fn a_known_mistake_is_not_told_where_it_would_make_a_right_output_wrong() {
    let here = scratch("contradicted");
    let flags = ["--kernels", PLANTED, "--bind", "b.toml", "--format", "json"];
    for contradicts in [true, false] {
        // With both outputs of the kernel with the mistake, it is the reason.
        let text = match contradicts {
            true => ONE_WRONG_OUTPUT.to_owned(),
            false => ONE_WRONG_OUTPUT
                .replacen("\"o\", \"other_final\"", "\"o\", \"final\"", 1)
                .replacen("\"other_o\", \"final\"", "\"other_o\", \"other_final\"", 1),
        };
        std::fs::write(here.join("b.toml"), text).expect("written");
        let told = run(
            &here,
            &[&flags[..], &["--test", "gdn_packed_domain"]].concat(),
        );
        assert_eq!(told.code, 1, "{}", told.err);
        let has = told
            .out
            .contains("the error is taken from the state before its decay");
        assert_eq!(has, !contradicts, "{}", told.out);
    }
}

/// Mistakes of the eps, where a row is nearly 0, where all values are small, and where the tolerance of an element is nothing.
#[test]
fn reasons_in_epsilons() {
    let reason = "the result is right for large values of `x` alone: the eps of a norm is wrong";
    assert_reasons(
        "eps",
        &[
            (
                "gdr_l2norm_fwd_domain",
                "epsilon outside of the root",
                reason,
            ),
            (
                "gdr_l2norm_fwd_domain",
                "epsilon on the mean of 64 squares",
                reason,
            ),
            (
                "gdr_l2_normalize_domain",
                "epsilon on the mean of 64 squares",
                reason,
            ),
            ("l2norm", "epsilon on the mean of 64 squares", reason),
        ],
    );
}

/// Mistakes in one use of an input, in inputs that the contract computes of others, in whole numbers, in norms, and in single values.
#[test]
fn reasons_in_uses_of_inputs_whole_numbers_and_norms() {
    assert_reasons(
        "uses",
        &[
            (
                "gdr_recompute_w_u_domain",
                "w with e^-G",
                "`g_cumsum` is taken with the opposite sign",
            ),
            (
                "gdr_op_domain",
                "safe_exp: 1 above 0",
                "`safe_exp` is 1 where it should be 0, where `x` is above 0.00",
            ),
            (
                "index_tk prepare_lens",
                "ends, not lengths",
                "`cu` at i + 1 is copied to `lens`: `cu` at i is not taken off",
            ),
            (
                "gdr_solve_tril_domain",
                "the diagonal of A used",
                "`Ai` responds to `A` on its diagonal",
            ),
            (
                "gdn_packed_uw_domain",
                "the gate of the first key channel for all",
                "`G` is read at channel 0 for every channel",
            ),
            (
                "gdn_l2norm_domain",
                "the sum of squares for its root",
                "each row of `y` has a factor of its own",
            ),
            (
                "gdr_causal_conv1d_fwd_domain",
                "the first token of a sequence lost",
                "`x` is not read at token 0",
            ),
            ("chunk_cumsum", "G rounded to f32", "`G` is rounded to f32"),
        ],
    );
}

/// A hang says who wrote last where the kernel waits, or that nobody has, and who can write there no more.
#[test]
fn the_last_writer_of_a_polled_address() {
    const WAITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/waits.co");
    let here = scratch("waits");
    let error = |symbol: &str| -> String {
        let bind = format!(
            "schema = 1\n[[binding]]\ncontract = \"mul\"\nsymbol = \"{symbol}\"\ngrid = [3]\nblock = [128]\nargs = [\"out\"]\n"
        );
        std::fs::write(here.join("b.toml"), bind).expect("written");
        let run = run(
            &here,
            &["--kernels", WAITS, "--bind", "b.toml", "--test", "mul"],
        );
        assert_eq!(run.code, 1, "{}", run.err);
        run.out
    };
    let written = error("waits_for_two");
    assert!(
        written.contains("written     last by work-group (")
            && written.contains(", wave 0, lane 0 of `waits_for_two` at ./waits.hip:5"),
        "{written}"
    );
    let never = error("waits_for_nobody");
    assert!(
        never.contains("written     never: no work-item has written there"),
        "{never}"
    );
    assert!(
        never.contains("gone        wave 1 has ended and will write nothing"),
        "{never}"
    );
    // All groups have begun.
    assert!(!(written + &never).contains("later       "));
}
