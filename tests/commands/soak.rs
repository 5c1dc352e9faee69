//! `soak` and `--seeds`: one seed after another, a summary, failures that can be run again, and flags that take a single seed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{run, scratch};

const LINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.co");
const BINDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.toml");

/// A binding that launches a kernel of sums for products.
pub(crate) const WRONG: &str = "schema = 1\n[[binding]]\ncontract = \"mul\"\nsymbol = \"kernel_add\"\ngrid = [\"ceil(n / 256)\"]\nblock = [256]\n\
                     args = [\"a\", \"b\", \"out\", \"i32 n\"]\n";

fn report(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The lines without the seconds that it took.
fn untimed(out: &str) -> Vec<String> {
    let lines = out.lines().map(|line| match line.split_once(" s: ") {
        Some((before, after)) => {
            let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{before}N s: {after}")
        }
        None => line.to_owned(),
    });
    lines.collect()
}

#[test]
fn what_passes_is_counted() {
    let here = scratch("soak");
    let soak = run(
        &here,
        &[
            "soak",
            "--minutes",
            "1e-9",
            "--test",
            "mul,add",
            "--seed",
            "4",
        ],
    );
    assert_eq!((soak.code, soak.err.as_str()), (0, ""), "{}", soak.out);
    // Time that is up ends no seed that has begun.
    assert_eq!(
        untimed(&soak.out),
        [
            "seed 4: 4 passed",
            "1 seed from 4 on, 4 trials in N s: all passed"
        ]
    );
    let seeds = run(&here, &["--seeds", "3", "--seed", "5", "--test", "mul"]);
    assert_eq!((seeds.code, seeds.err.as_str()), (0, ""), "{}", seeds.out);
    assert_eq!(
        untimed(&seeds.out),
        [
            "seed 5: 1 passed",
            "seed 6: 1 passed",
            "seed 7: 1 passed",
            "3 seeds from 5 on, 3 trials in N s: all passed"
        ]
    );
    let args = [
        "--seeds", "2", "--test", "mul", "--format", "json", "--report", "r.json",
    ];
    let both = run(&here, &args);
    let mut found = report(&both.out);
    assert_eq!(
        fs::read_to_string(here.join("r.json")).expect("written"),
        both.out
    );
    assert!(found["seconds"].take().is_f64());
    let want = json!({
        "schema": "deltanet-check/soak/1", "complete": true, "seeds": [0, 1], "trials": 2, "seconds": null, "failures": [],
    });
    assert_eq!(found, want);
}

#[test]
fn a_kernel_that_fails_is_told_with_the_line_that_runs_it_again() {
    let here = scratch("soak-fails");
    fs::write(here.join("wrong.toml"), WRONG).expect("written");
    let args = [
        "--seeds",
        "2",
        "--seed",
        "8",
        "--test",
        "mul",
        "--bind",
        "wrong.toml",
    ];
    let seeds = run(&here, &args);
    assert_eq!((seeds.code, seeds.err.as_str()), (1, ""), "{}", seeds.out);
    for (seed, told) in [
        (8, "FAIL mul: a * b (seed 8)\n"),
        (9, "FAIL mul (seed 9): as before\n"),
    ] {
        assert!(seeds.out.contains(told), "{}", seeds.out);
        assert!(
            seeds
                .out
                .contains(&format!("seed {seed}: 0 passed, 1 not\n")),
            "{}",
            seeds.out
        );
    }
    assert!(seeds.out.ends_with(": 2 did not pass\n"), "{}", seeds.out);
    let mut lines = seeds
        .out
        .lines()
        .filter_map(|line| line.trim().strip_prefix("rerun"));
    let again = lines.next_back().expect("a line").trim();
    let again: Vec<&str> = again.split_whitespace().skip(1).collect();
    let again = run(&here, &again);
    assert_eq!(again.code, 1, "{}", again.err);
    assert!(
        again
            .out
            .contains("all tests        0/1 passed, 1 failed\n"),
        "{}",
        again.out
    );
}

/// A kernel that is missing fails where everything is required, and a law is tried where laws are.
#[test]
fn what_is_required_and_what_laws_say_counts() {
    let here = scratch("soak-required");
    let own = [
        "--seeds",
        "1",
        "--kernels",
        LINES,
        "--bind",
        BINDING,
        "--test",
        "neg,mul",
    ];
    let some = run(&here, &own);
    assert_eq!((some.code, some.err.as_str()), (0, ""), "{}", some.out);
    assert!(
        some.out.starts_with("seed 0: 3 passed, 1 not run\n"),
        "{}",
        some.out
    );
    let all = run(&here, &[&own[..], &["--require-all"]].concat());
    assert_eq!((all.code, all.err.as_str()), (1, ""), "{}", all.out);
    assert!(all.out.contains("seed 0: 3 passed, 1 not\n"), "{}", all.out);

    fs::write(here.join("wrong.toml"), WRONG).expect("written");
    let own = [
        "--seeds",
        "1",
        "--bind",
        "wrong.toml",
        "--test",
        "mul",
        "--format",
        "json",
    ];
    let tried = |more: &[&str]| {
        let run = run(&here, &[&own[..], more].concat());
        let relations = &report(&run.out)["failures"][0]["relations"];
        relations.as_array().map_or(0, Vec::len)
    };
    assert_eq!((tried(&[]), tried(&["--relations"])), (0, 1));
}

#[test]
fn what_needs_one_seed_is_refused() {
    let here = scratch("soak-refused");
    for flag in [
        &["--list"][..],
        &["--self-test"],
        &["--dump", "x"],
        &["--trace", "x"],
        &["--counters"],
        &["--color", "never"],
        &["--verbose"],
    ] {
        for (many, why) in [
            (&["--seeds", "2"][..], "cannot be used with"),
            (&["soak", "--minutes", "1"], "unexpected argument"),
        ] {
            let run = run(&here, &[many, flag].concat());
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{many:?} {flag:?}");
            assert!(
                run.err.contains(why) && run.err.contains(flag[0]),
                "{}",
                run.err
            );
        }
    }
    let nested = run(&here, &["soak", "--minutes", "1", "--seeds", "2"]);
    assert_eq!(nested.code, 2, "{}", nested.err);
    for minutes in ["0", "-1", "inf", "x"] {
        let run = run(&here, &["soak", &format!("--minutes={minutes}")]);
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains("is no time"), "{}", run.err);
    }
}

/// Ids of cases, of tests that name their cases and of tests that leave them to a design.
struct ListedIds {
    named: BTreeSet<String>,
    designed: BTreeSet<String>,
}

/// Returns the ids of the tests in a file of the registry that leave their cases to a design.
fn by_design(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("readable");
    let part: toml::Table = text.parse().expect("TOML");
    let phases = part["phase"].as_array().expect("phases");
    let tests = phases.iter().filter_map(|phase| phase.get("test"));
    let tests = tests.flat_map(|tests| tests.as_array().expect("tests"));
    let designed = tests.filter(|test| test.get("cases").is_some_and(toml::Value::is_str));
    let ids = designed.map(|test| test["id"].as_str().expect("an id").to_owned());
    let domains = phases.iter().filter_map(|phase| phase.get("domains"));
    let domains = domains.flat_map(|domains| domains.as_table().expect("a table").keys());
    ids.chain(domains.map(|contract| format!("{contract}_domain")))
        .collect()
}

fn listed(here: &Path, seed: &str) -> ListedIds {
    let run = run(here, &["--list", "--seed", seed, "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parts = fs::read_dir(root.join("phases")).expect("a directory");
    let mut files: Vec<PathBuf> = parts.map(|entry| entry.expect("a file").path()).collect();
    files.push(root.join("phases.toml"));
    let by_design: BTreeSet<String> = files.iter().flat_map(|file| by_design(file)).collect();
    let listed = report(&run.out);
    let ids = listed["tests"].as_array().expect("tests");
    let ids = ids
        .iter()
        .map(|test| test["id"].as_str().expect("an id").to_owned());
    let (designed, named) = ids.partition(|id| {
        let test = id.split_once(':').map_or(&id[..], |(test, _)| test);
        by_design.contains(test)
    });
    ListedIds { named, designed }
}

/// Another seed has other cases of designs. All other cases stay the same.
#[test]
fn a_seed_draws_the_cases_of_designs_and_no_others() {
    let here = scratch("soak-designs");
    let (one, other) = (listed(&here, "0"), listed(&here, "3"));
    assert_eq!(one.named, other.named);
    let kept = other
        .designed
        .iter()
        .filter(|id| one.designed.contains(*id));
    let (kept, all) = (kept.count(), other.designed.len());
    assert!(kept * 2 < all, "{kept} of {all} are the same");
    assert_eq!(listed(&here, "3").designed, other.designed);
    // The second of two seeds has the cases that it has alone.
    let one_test = ["--test", "mul_domain", "--format", "json"];
    let both = run(
        &here,
        &[&["--seeds", "2", "--seed", "2"], &one_test[..]].concat(),
    );
    let count = |seed: &str| {
        let ids = listed(&here, seed).designed;
        ids.iter()
            .filter(|id| id.starts_with("mul_domain:"))
            .count()
    };
    assert_eq!(report(&both.out)["trials"], count("2") + count("3"));
}
