//! A failed test fails again in the same way: by the line that its failure prints, and by `--failed`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Run, ended, run, scratch};

const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/planted.co");
const FAMILY: &str = include_str!("../../kernels/elementwise.bind.toml");

/// Flags of which each decides a verdict, or the order in which the emulator works; one case a contract, and one in another launch form.
const FLAGS: [&str; 20] = [
    "--test",
    "sigmoid",
    "--test",
    "exp",
    "--test",
    "mul,cumsum",
    "--test",
    "cumsum_domain:*",
    "--test",
    "broadcast_mul:S=17,C=33",
    "--seed",
    "7",
    "--sanitize=memory,init",
    "--schedule",
    "reverse",
    "--turn",
    "64",
    "--repeat",
    "2",
    "--budget=3e6",
];

/// Returns the bindings of a family with the n-th planted bug of each contract in place of its kernel; none where no contract has n bugs.
fn bindings(bug: usize) -> Option<String> {
    let blocks = FAMILY.split("[[binding]]").skip(1);
    let planted = blocks.filter_map(|block| {
        let (kernel, wrong) = block
            .split("replace = { ")
            .skip(1)
            .filter_map(|entry| entry.split(" }").next()?.split_once(" = "))
            .nth(bug)?;
        let (binding, _) = block.split_once("planted = [")?;
        let own = format!("symbol = \"{kernel}\"");
        assert!(binding.contains(&own), "{binding}");
        Some(binding.replace(&own, &format!("symbol = {wrong}")))
    });
    let all: Vec<String> = planted.collect();
    (!all.is_empty()).then(|| format!("schema = 1\n[[binding]]{}", all.join("[[binding]]")))
}

/// Makes a folder with the planted kernels and the bindings of the n-th bugs, under names that a shell needs quotes for.
fn place(name: &str, bug: usize) -> Option<PathBuf> {
    let here = scratch(name).join("it's a folder");
    fs::create_dir(&here).expect("made");
    fs::copy(PLANTED, here.join("my kernels.co")).expect("copied");
    fs::write(here.join("it's bound.toml"), bindings(bug)?).expect("written");
    Some(here)
}

const FILES: [&str; 4] = ["--kernels", "my kernels.co", "--bind", "it's bound.toml"];

fn report(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("written");
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the trials that did not pass by their ids, without fields that differ from run to run.
fn failed(report: &Value) -> BTreeMap<String, Value> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                // One trial of each kind of failure has a diagnosis.
                let left = ["rerun", "diagnosis"];
                map.retain(|key, _| !left.contains(&key.as_str()) && !key.contains("seconds"));
                // Which wave uses the budget up depends on how threads take turns.
                if map.get("error_kind").is_some_and(|kind| kind == "hang") {
                    let first = map["error"].as_str().and_then(|error| error.lines().next());
                    map["error"] = first.unwrap_or_default().into();
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let bad =
        trials(report).filter(|trial| trial["verdict"] == "fail" || trial["verdict"] == "error");
    bad.map(|trial| {
        let mut trial = trial.clone();
        strip(&mut trial);
        (trial["id"].as_str().expect("an id").to_owned(), trial)
    })
    .collect()
}

fn trials(report: &Value) -> impl Iterator<Item = &Value> {
    let phases = report["phases"].as_array().expect("phases").iter();
    phases.flat_map(|phase| phase["trials"].as_array().expect("trials"))
}

/// Types a line into a shell.
fn pasted(here: &Path, line: &str) -> Run {
    let program = Path::new(env!("CARGO_BIN_EXE_deltanet-check"));
    let programs = program.parent().expect("a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    ended(
        Command::new("bash")
            .args(["-c", line])
            .env("PATH", format!("{}:{path}", programs.display()))
            .current_dir(here),
    )
}

#[test]
#[ignore = "half a minute: .ci/nightly slow-tests"]
fn each_line_of_a_failure_reproduces_it_where_it_is_pasted() {
    let mut lines = 0;
    for bug in 0.. {
        let Some(here) = place("again-lines", bug) else {
            break;
        };
        let args = [&FLAGS[..], &FILES, &["--report", "r.json"]].concat();
        let first = run(&here, &args);
        assert_eq!(first.code, 1, "{}", first.err);
        let first = report(&here.join("r.json"));
        for (id, trial) in failed(&first) {
            let told = trials(&first).find(|trial| trial["id"] == id.as_str());
            let line = told
                .and_then(|trial| trial["rerun"].as_str())
                .expect("a line");
            let again = pasted(&here, &format!("{line} --report again.json"));
            assert_eq!(again.code, 1, "{line}: {}", again.err);
            let again = failed(&report(&here.join("again.json")));
            assert_eq!(again, BTreeMap::from([(id, trial)]), "{line}");
            lines += 1;
        }
    }
    assert!(lines > 20, "{lines}");
}

#[test]
fn what_failed_runs_again_with_the_files_and_flags_of_its_report() {
    let here = place("again-failed", 0).expect("bugs");
    let first = run(
        &here,
        &[&FLAGS[..], &FILES, &["--report", "r.json"]].concat(),
    );
    assert_eq!(first.code, 1, "{}", first.err);
    for part in ["1", "2"] {
        let (part, name) = (format!("{part}/2"), format!("{part}.json"));
        let flags = [
            &FLAGS[..],
            &FILES,
            &["--partition", &part, "--report", &name],
        ]
        .concat();
        assert_eq!(run(&here, &flags).code, 1);
    }
    assert_eq!(
        run(&here, &["merge", "1.json", "2.json", "-o", "m.json"]).code,
        1
    );
    let want = failed(&report(&here.join("r.json")));
    assert!(want.len() > 5, "{want:?}");
    // The other folder has none of the report's files.
    let other = here.join("elsewhere");
    fs::create_dir(&other).expect("made");
    for name in ["../r.json", "../m.json"] {
        let again = run(&other, &["--failed", name, "--report", "again.json"]);
        assert_eq!((again.code, again.err.as_str()), (1, ""), "{}", again.out);
        assert_eq!(failed(&report(&other.join("again.json"))), want, "{name}");
    }
    // The report of a repeated run names its files, too.
    let thrice = run(
        &here,
        &[
            "--failed",
            "elsewhere/again.json",
            "--report",
            "thrice.json",
        ],
    );
    assert_eq!(thrice.code, 1, "{}", thrice.err);
    assert_eq!(failed(&report(&here.join("thrice.json"))), want);

    let seed = run(&here, &["--failed", "r.json", "--seed", "3"]);
    assert_eq!(seed.code, 2, "{}", seed.err);
    assert!(seed.err.contains("give --seed 7"), "{}", seed.err);

    // A flag that names what the report has replaces nothing, so there is no note.
    let same = [&["--failed", "r.json", "--device", "emulator"], &FILES[..]].concat();
    let same = run(&here, &same);
    assert_eq!((same.code, same.err.as_str()), (1, ""), "{}", same.out);

    // A changed or missing file is refused, and the message says what to do.
    for (file, flag) in [
        ("my kernels.co", "--kernels"),
        ("it's bound.toml", "--bind"),
    ] {
        let path = here.join(file);
        let bytes = fs::read(&path).expect("there");
        let (mut changed, mut hashes) = (bytes.clone(), Vec::new());
        changed.extend(b"\n# repaired\n");
        fs::write(&path, &changed).expect("written");
        for said in ["has changed", "is gone"] {
            let refused = run(&other, &["--failed", "../r.json"]);
            assert_eq!(
                (refused.code, refused.out.as_str()),
                (3, ""),
                "{}",
                refused.err
            );
            for part in [said, file, flag, "in the report  sha256 ", "there now"] {
                assert!(refused.err.contains(part), "{part}: {}", refused.err);
            }
            hashes.push(refused.err.matches("sha256 ").count());
            let _ = fs::remove_file(&path);
        }
        assert_eq!(hashes, [2, 1]);
        fs::write(&path, &bytes).expect("written");
    }

    // A file of the command line replaces the report's file, and the output says so.
    let honest = FAMILY
        .split("planted = [")
        .map(|part| part.split("\n]\n").last().unwrap_or(part));
    fs::write(here.join("right.toml"), honest.collect::<String>()).expect("written");
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/deltanet.co");
    let mended = [
        "--failed",
        "r.json",
        "--kernels",
        kernels,
        "--bind",
        "right.toml",
    ];
    let mended = run(&here, &[&mended[..], &["--sanitize=memory"]].concat());
    assert_eq!(mended.code, 0, "{}{}", mended.out, mended.err);
    assert_eq!(
        mended.err,
        "note: --sanitize, --kernels, --bind of this command line are taken, not what r.json was made with\n"
    );
}

#[test]
fn a_report_of_another_build_is_refused() {
    let here = scratch("again-build");
    let registry = "schema = 1\n[[test]]\nid = \"strict\"\ncontract = \"exp\"\nshape = { n = 400 }\noutputs.out = { tolerance = 1e-12 }\n";
    fs::write(here.join("mine.toml"), registry).expect("written");
    let first = run(&here, &["--registry", "mine.toml", "--report", "r.json"]);
    assert_eq!(first.code, 1, "{}", first.err);
    let original = report(&here.join("r.json"));
    for (pointer, said) in [
        (
            "/code_object/sha256",
            "the built-in kernels are not those of r.json",
        ),
        (
            "/environment/registry/sha256",
            "the built-in registry are not those of r.json",
        ),
        (
            "/environment/bindings/0/sha256",
            "the built-in bindings are not those of r.json",
        ),
        (
            "/environment/settings",
            "r.json: it does not say which files and flags",
        ),
    ] {
        let mut other = original.clone();
        *other.pointer_mut(pointer).expect("there") = Value::Null;
        fs::write(here.join("r.json"), other.to_string()).expect("written");
        let refused = run(&here, &["--failed", "r.json"]);
        assert_eq!(refused.code, 3, "{pointer}: {}", refused.err);
        assert!(refused.err.contains(said), "{pointer}: {}", refused.err);
    }
}
