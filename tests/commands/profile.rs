//! `profile`: costs of tests and of launch files, against counts by hand and the counters of a run.

use serde_json::{Value, json};

use super::{KERNELS, run, scratch};

/// The transpose with waves that are rows: each loads 64 neighbours and stores a column.
const BY_ROWS: &str = r#"
schema = 1

[[binding]]
contract = "transpose"
symbol = "kernel_transpose"
grid = ["ceil(cols / 64)", "rows"]
block = ["64", "1"]
args = ["in", "out", "i32 rows", "i32 cols"]
"#;

/// The JSON that a run printed, which holds to its schema.
fn parsed(run: &super::Run) -> Value {
    let report = serde_json::from_str(&run.out);
    let report = report.unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err));
    super::schemas::validate(&report);
    report
}

fn transpose(name: &str, more: &[&str]) -> super::Run {
    let directory = scratch(name);
    std::fs::write(directory.join("rows.bind.toml"), BY_ROWS).expect("written");
    let mut args = vec!["profile", "--bind", "rows.bind.toml"];
    args.extend(["--test", "transpose:rows=64,cols=64"]);
    args.extend(more);
    let done = run(&directory, &args);
    assert_eq!(done.code, 0, "{}", done.err);
    done
}

#[test]
fn a_transpose_costs_what_one_counts_by_hand() {
    let report = parsed(&transpose("profile_json", &["--format", "json"]));
    assert_eq!(report["schema"], "deltanet-check/profile/2");
    let profiled = &report["profiles"][0];
    assert_eq!(profiled["id"], "transpose:rows=64,cols=64");
    let launch = &profiled["launches"][0];
    assert_eq!(
        (&launch["work_groups"], &launch["waves"]),
        (&64.into(), &64.into())
    );
    // A row is 4 lines, and a column 64 of which 4 would do.
    assert_eq!(launch["lines"], 64 * (4 + 64));
    assert_eq!(launch["lines_ideal"], 64 * (4 + 4));
    assert_eq!(launch["unique_bytes"]["read"], 64 * 64 * 4);
    assert_eq!(launch["unique_bytes"]["written"], 64 * 64 * 4);
    assert_eq!(
        (&launch["lds_cycles"], &launch["barriers"]),
        (&0.into(), &0.into())
    );
    let store = launch["memory_instructions"].as_array().expect("a list");
    let store = store
        .iter()
        .find(|one| one["lines"] == 64 * 64)
        .expect("the store");
    assert_eq!(
        (&store["stride"], &store["executed"]),
        (&256.into(), &64.into())
    );
    // 64 work-groups on 60 compute units: four have two.
    let dealing = &launch["dealing"];
    assert_eq!(
        (&dealing["compute_units"], &dealing["simds"]),
        (&60.into(), &64.into())
    );
    assert_eq!(dealing["pipes"]["vmem"], 2 * (4 + 64));
    let model = &launch["model"];
    let seconds = |name: &str| model[name].as_f64().expect("a time");
    assert!(seconds("floor") <= seconds("bound") && seconds("bound") <= seconds("kernel"));
    assert_eq!(profiled["seconds"], model["seconds"]);
}

#[test]
fn the_text_names_the_instruction_and_its_stride() {
    let done = transpose("profile_text", &["--clock", "1606"]);
    // The address of the store depends on the other kernels of the code object.
    let (before, rest) = done.out.split_once("hint         0x").expect("a hint");
    let (address, after) = rest.split_once(' ').expect("an instruction");
    assert!(u64::from_str_radix(address, 16).is_ok(), "{address}");
    insta::assert_snapshot!(format!("{before}hint         ADDRESS {after}"));
}

/// The counters of a run and the profile come from two observers and must agree.
#[test]
fn counters_of_a_run_are_the_same() {
    let directory = scratch("profile_counters");
    let test =
        "recurrent:B=1,T=1,H=3,HV=9,K=128,V=128,gates=none,map=block,state=zero,layout=value-major";
    let args = ["--format", "json", "--test", test];
    let counted = parsed(&run(&directory, &[&["--counters"], &args[..]].concat()));
    let profiled = parsed(&run(&directory, &[&["profile"], &args[..]].concat()));
    let trial = &counted["phases"][0]["trials"][0];
    assert_eq!(trial["id"], profiled["profiles"][0]["id"]);
    let launches = trial["launches"].as_array().expect("launches");
    let profiles = profiled["profiles"][0]["launches"]
        .as_array()
        .expect("launches");
    assert_eq!(launches.len(), profiles.len());
    for (launch, profile) in launches.iter().zip(profiles) {
        let kinds = &launch["counters"]["by_kind"];
        let of = |names: &[&str]| -> u64 {
            let counts = names
                .iter()
                .map(|name| profile["instructions"][name].as_u64());
            counts.map(|count| count.expect("a class")).sum()
        };
        assert_eq!(kinds["valu"], profile["valu_instructions"]);
        assert_eq!(
            kinds["valu"],
            of(&["valu", "valu_half_rate", "valu_quarter_rate"])
        );
        assert_eq!(kinds["lds"], of(&["lds", "lds_exchange"]));
        assert_eq!(kinds["control"], of(&["control", "barrier"]));
        for kind in ["salu", "smem", "vmem", "branch"] {
            assert_eq!(kinds[kind], of(&[kind]), "{kind}");
        }
        assert_eq!(launch["counters"]["barriers"], profile["barriers"]);
        assert!(profile["valu_instructions"].as_u64() > Some(100));
        assert_eq!(
            launch["counters"]["bytes"]["memory"]["written"],
            profile["unique_bytes"]["written"]
        );
    }
}

#[test]
fn launch_files_are_profiled() {
    let directory = scratch("profile_exec");
    let file = json!({
        "code_object": KERNELS,
        "buffers": { "input": {"bytes": 400, "fill": "zero"}, "output": {"bytes": 400, "fill": "poison"} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", "$output", {"i32": 99}, {"f32": 3.0}]} ],
    });
    std::fs::write(directory.join("launch.json"), file.to_string()).expect("written");
    let done = run(&directory, &["profile", "launch.json", "--format", "json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let profiled = &parsed(&done)["profiles"][0];
    assert_eq!(
        (&profiled["id"], &profiled["shape"]),
        (&"launch.json".into(), &Value::Null)
    );
    let launch = &profiled["launches"][0];
    // 64 elements and 35, loaded and stored.
    assert_eq!(
        (&launch["lines"], &launch["lines_ideal"]),
        (&14.into(), &14.into())
    );
    assert_eq!(
        launch["unique_bytes"],
        json!({ "read": 396, "written": 396 })
    );
    assert_eq!(launch["dealing"]["simds"], 2);
    let done = run(&directory, &["profile", "launch.json"]);
    assert!(
        done.out
            .contains("hint         2 waves for 240 SIMDs: 1 % of the card"),
        "{}",
        done.out
    );
}

/// A launch file that does not end is reported in the words of `exec`.
#[test]
fn a_trap_is_told_as_by_exec() {
    let directory = scratch("profile_trap");
    let file = json!({
        "code_object": KERNELS,
        "buffers": { "input": {"bytes": 400, "fill": "zero"}, "output": {"bytes": 40, "fill": "poison"} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", "$output", {"i32": 99}, {"f32": 3.0}]} ],
    });
    std::fs::write(directory.join("launch.json"), file.to_string()).expect("written");
    let done = run(&directory, &["profile", "launch.json"]);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.out.contains("trapped"), "{}", done.out);
}

#[test]
fn what_does_not_pass_is_not_profiled() {
    let directory = scratch("profile_wrong");
    let swapped = BY_ROWS.replace("\"i32 rows\", \"i32 cols\"", "\"i32 cols\", \"i32 rows\"");
    std::fs::write(directory.join("wrong.bind.toml"), swapped).expect("written");
    let args = [
        "profile",
        "--bind",
        "wrong.bind.toml",
        "--test",
        "transpose:rows=17,cols=33",
    ];
    let done = run(&directory, &args);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{}", done.err);
    let begin = "error: transpose:rows=17,cols=33 did not pass and is not profiled: ";
    assert!(done.err.starts_with(begin), "{}", done.err);
}

#[test]
fn bad_input_is_refused() {
    let directory = scratch("profile_refused");
    let code = |args: &[&str]| {
        let done = run(&directory, &[&["profile"], args].concat());
        assert_eq!(done.out, "");
        (done.code, done.err)
    };
    let (exit, error) = code(&[]);
    assert_eq!(exit, 2);
    assert!(
        error.starts_with("error: nothing to profile is named"),
        "{error}"
    );
    assert_eq!(code(&["--test", "transpose", "--clock", "0"]).0, 2);
    assert_eq!(code(&["x.json", "--test", "transpose"]).0, 2);
    assert_eq!(code(&["--test", "nothing_like_it"]).0, 2);
    let card = "[constants]\nread = { value = 0 }\n";
    std::fs::write(directory.join("c.toml"), card).expect("written");
    let (exit, error) = code(&["--test", "mul", "--card", "c.toml"]);
    assert_eq!(exit, 3);
    assert!(
        error.starts_with("error: `read` is 0\n --> c.toml:2:18\n"),
        "{error}"
    );
    let (exit, error) = code(&["--test", "mul", "--card", "none.toml"]);
    assert_eq!(exit, 3);
    assert!(error.starts_with("error: card"), "{error}");
    assert_eq!(code(&["--test", "mul", "--timing", "wall"]).0, 2);
}

/// The flags of the model change the terms that they are about, and nothing else.
#[test]
fn flags_of_the_model_change_their_terms() {
    let terms = |name: &str, more: &[&str]| {
        let done = transpose(name, &[more, &["--format", "json"]].concat());
        let report = parsed(&done);
        let launch = &report["profiles"][0]["launches"][0];
        let terms = ["chain", "pipes", "memory", "dispatch", "overhead"];
        let seconds = |term| launch["model"]["terms"][term].as_f64().expect("a time");
        terms.map(seconds)
    };
    let plain = terms("profile_model", &[]);
    let hot = terms("profile_model_hot", &["--hot"]);
    assert!(hot[2] < plain[2] && hot[2] > 0.0);
    assert_eq!((hot[0], hot[4]), (plain[0], plain[4]));
    let event = terms("profile_model_event", &["--timing", "event"]);
    assert!(event[4] > 4.0 * plain[4]);
    assert_eq!(event[..4], plain[..4]);
    let slow = terms("profile_model_clock", &["--clock", "862.5"]);
    assert_eq!(
        slow,
        [
            2.0 * plain[0],
            2.0 * plain[1],
            plain[2],
            2.0 * plain[3],
            plain[4]
        ]
    );
    let directory = scratch("profile_model_card");
    let card = directory.join("card.toml");
    std::fs::write(&card, "[constants]\nvector_latency = { value = 1375 }\n").expect("written");
    let card = card.to_str().expect("UTF-8");
    // A wave waits for its load once, a thousand cycles longer.
    let far = terms("profile_model_far", &["--card", card]);
    assert!((far[0] - plain[0]) * 1725e6 > 999.0, "{far:?} {plain:?}");
    assert_eq!(far[1..], plain[1..]);
}

#[test]
fn the_constants_stand_in_the_docs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = run(root, &["profile", "--constants"]);
    let docs = std::fs::read_to_string(root.join("docs/profile.md")).expect("docs");
    let facts = done.out.find("fact ").expect("the table of facts");
    assert!(
        docs.contains(done.out[facts..].trim_end()),
        "docs/profile.md has another table"
    );
    // The fitted constants stand in their own file.
    assert!(done.out.contains("vector_latency"), "{}", done.out);
}

#[test]
fn a_profile_is_written_as_json_and_as_a_page() {
    let files = ["--report", "p.json", "--report", "p.html"];
    let done = transpose(
        "profile_report",
        &[&files[..], &["--format", "json"]].concat(),
    );
    let here = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("commands/profile_report");
    let read = |name: &str| std::fs::read_to_string(here.join(name)).expect("written");
    assert_eq!(read("p.json"), done.out);
    let page = read("p.html");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("://"), "nothing is loaded");
    for part in [
        "data-words=\"transpose:rows=64,cols=64",
        "<h2>Roofline of asked bytes</h2>",
        "class=\"part-4\"",
        "class=\"roof\"",
        "<title>kernel_transpose: ",
        "instructions on memory and LDS",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    let bad = run(&here, &["profile", "--test", "mul", "--report", "p.xml"]);
    assert_eq!(bad.code, 2);
    assert!(
        bad.err
            .contains("--report p.xml: its name must end in .json or .html"),
        "{}",
        bad.err
    );
    let nowhere = super::refused(
        &here,
        &["profile", "--test", "mul", "--report", "no/p.html"],
    );
    assert!(nowhere.starts_with("cannot write no/p.html"), "{nowhere}");
}
