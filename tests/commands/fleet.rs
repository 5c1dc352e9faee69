//! Runs that machines share, their reports put together and compared, and failures that are known.

use std::path::Path;

use serde_json::{Value, json};

use crate::schemas::validate;
use crate::{refused, run, scratch};

/// Three tests that pass, one that cannot.
const REGISTRY: &str = r#"schema = 1
[[phase]]
number = 1
title = "Mine"
[[phase.test]]
id = "good"
contract = "mul"
cases = [{ n = 4 }, { n = 5 }, { n = 600 }]
[[phase.test]]
id = "strict"
contract = "exp"
shape = { n = 400 }
outputs.out = { tolerance = 1e-12, relative = 0.0, ceiling = 1e-5, reason = "too tight" }
"#;

/// A report of a run of them; the exit code is 1 where the one that fails is in it.
fn report(here: &Path, name: &str, flags: &[&str]) -> Value {
    std::fs::write(here.join("mine.toml"), REGISTRY).expect("written");
    let run = run(
        here,
        &[&["--registry", "mine.toml", "--report", name], flags].concat(),
    );
    assert!(matches!(run.code, 0 | 1), "{}", run.err);
    read(&here.join(name))
}

fn read(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("written");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// Without times, and without the flags that a test is run again with.
fn timeless(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|key, _| !key.contains("seconds"));
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    // The time and the machine of each run are removed.
    if let Some(environment) = value["environment"].as_object_mut() {
        environment.retain(|key, _| key == "registry" || key == "bindings");
    }
    value
}

#[test]
fn every_test_is_in_one_part() {
    let here = scratch("fleet-parts");
    let list = |part: &str| run(&here, &["--list", "--seed", "5", "--partition", part]).out;
    let whole = run(&here, &["--list", "--seed", "5"]).out;
    let mut all: Vec<String> = Vec::new();
    let parts: Vec<String> = (1..=7).map(|part| list(&format!("{part}/7"))).collect();
    assert_eq!(parts[2], list("3/7"), "the same again");
    for part in &parts {
        all.extend(part.lines().map(str::to_owned));
        let count = part.lines().count() * 7;
        let even = whole.lines().count();
        assert!((even / 2..even * 2).contains(&count), "{count} of {even}");
    }
    let mut whole: Vec<String> = whole.lines().map(str::to_owned).collect();
    all.sort();
    whole.sort();
    assert_eq!(all, whole);
    let random = run(&here, &["--partition", "1/2", "--seed", "random"]);
    assert_eq!(random.code, 2, "{}", random.err);
}

#[test]
fn parts_put_together_are_the_whole_run() {
    let here = scratch("fleet-merge");
    let whole = report(&here, "whole.json", &[]);
    let names = ["1.json", "2.json", "3.json", "4.json", "5.json"];
    for (number, name) in names.iter().enumerate() {
        let part = report(&here, name, &["--partition", &format!("{}/5", number + 1)]);
        assert_eq!(part["partition"]["cases"], 4);
        validate(&part);
    }
    let merged = run(
        &here,
        &[
            "merge", "5.json", "2.json", "3.json", "1.json", "4.json", "-o", "all.json",
        ],
    );
    assert_eq!((merged.code, merged.err.as_str()), (1, ""));
    assert!(
        merged.out.contains("all tests        3/4 passed, 1 FAIL"),
        "{}",
        merged.out
    );
    assert!(
        merged.out.contains("deltanet-check --test strict --seed 0"),
        "{}",
        merged.out
    );
    validate(&read(&here.join("all.json")));
    assert_eq!(timeless(read(&here.join("all.json"))), timeless(whole));

    let said = refused(&here, &["merge", "1.json", "2.json", "4.json"]);
    assert_eq!(
        said,
        "parts 3/5, 5/5 are missing: name the reports of all parts"
    );
    let said = refused(&here, &["merge", "1.json", "2.json", "1.json"]);
    assert_eq!(
        said,
        "1.json and 1.json are both part 1/5: name each part once"
    );
    let said = refused(&here, &["merge", "whole.json", "2.json"]);
    assert!(
        said.starts_with("2.json is a part of a run, whole.json is not"),
        "{said}"
    );
    report(&here, "other.json", &["--partition", "3/5", "--seed", "1"]);
    let said = refused(
        &here,
        &[
            "merge",
            "1.json",
            "2.json",
            "other.json",
            "4.json",
            "5.json",
        ],
    );
    assert!(said.contains("their seed differs (0 and 1)"), "{said}");
    let mut damaged = read(&here.join("1.json"));
    damaged["partition"]["positions"] = json!([3, 3, 3]);
    std::fs::write(here.join("damaged.json"), damaged.to_string()).expect("written");
    let said = refused(&here, &["merge", "damaged.json", "2.json"]);
    assert!(
        said.contains("its partition does not fit its trials"),
        "{said}"
    );
}

#[test]
fn reports_that_share_no_test_are_one() {
    let here = scratch("fleet-merge-tests");
    report(&here, "good.json", &["--test", "good"]);
    report(&here, "strict.json", &["--test", "strict"]);
    let whole = report(&here, "whole.json", &[]);
    let merged = run(
        &here,
        &["merge", "good.json", "strict.json", "-o", "all.json"],
    );
    assert_eq!(merged.code, 1, "{}", merged.err);
    assert_eq!(timeless(read(&here.join("all.json"))), timeless(whole));
    let said = refused(&here, &["merge", "good.json", "whole.json"]);
    assert_eq!(
        said,
        "`good:n=4` is in good.json and in whole.json: merge reports that share no test"
    );
}

#[test]
fn what_is_no_report_is_told_in_one_line() {
    let here = scratch("fleet-foreign");
    std::fs::write(here.join("cut.json"), "{\"schema\": \"deltanet-check/rep").expect("written");
    std::fs::write(
        here.join("list.json"),
        run(&here, &["--list", "--format", "json"]).out,
    )
    .expect("written");
    for (name, said) in [
        ("no.json", "cannot read no.json"),
        ("cut.json", "report cut.json: not JSON, or cut short"),
        (
            "list.json",
            "report list.json: its schema is `deltanet-check/list/1`",
        ),
    ] {
        for args in [
            vec!["merge", name],
            vec!["compare", name, name],
            vec!["--failed", name],
        ] {
            let line = refused(&here, &args);
            assert!(line.starts_with(said), "{line}");
        }
    }
}

#[test]
fn only_what_did_not_pass_runs_again() {
    let here = scratch("fleet-failed");
    report(&here, "whole.json", &[]);
    let again = report(&here, "again.json", &["--failed", "whole.json"]);
    assert_eq!(
        again["totals"],
        json!({ "pass": 0, "fail": 1, "error": 0, "skip": 0, "unsupported": 0 })
    );
    let bound = run(&here, &["--failed", "whole.json", "--bind", "no.toml"]);
    assert_eq!(bound.code, 3, "{}", bound.err);
    assert!(bound.err.contains("cannot read no.toml"), "{}", bound.err);
    for (args, code, said) in [
        (
            vec!["--failed", "whole.json", "--test", "good"],
            4,
            "no test that did not pass in whole.json is selected",
        ),
        (
            vec!["--failed", "whole.json", "--seed", "3"],
            2,
            "give --seed 0",
        ),
        (
            vec!["--failed", "good.json"],
            4,
            "every test of good.json passed",
        ),
    ] {
        report(&here, "good.json", &["--test", "good"]);
        let run = run(&here, &args);
        assert_eq!(run.code, code, "{}", run.err);
        assert!(run.err.contains(said), "{}", run.err);
    }
}

#[test]
fn known_failures_do_not_count_and_stale_ones_do() {
    let here = scratch("fleet-known");
    report(&here, "whole.json", &[]);
    let known = "schema = 1\n[[known]]\ntest = \"strict\"\noutput = \"out\"\nreason = \"no exp is so good\"\n";
    let stale = "[[known]]\ntest = \"good:n=4\"\nreason = \"was wrong on Tuesdays\"\n";
    std::fs::write(here.join("known.toml"), known).expect("written");
    std::fs::write(here.join("stale.toml"), format!("{known}{stale}")).expect("written");
    let told = "known  strict: no exp is so good\nknown failures   1 of 1 that did not pass\n";
    for args in [vec!["--registry", "mine.toml"], vec!["merge", "whole.json"]] {
        let fine = run(&here, &[&args[..], &["--known", "known.toml"]].concat());
        assert_eq!((fine.code, fine.err.as_str()), (0, ""));
        assert!(fine.out.ends_with(told), "{}", fine.out);
        let wrong = run(&here, &[&args[..], &["--known", "stale.toml"]].concat());
        assert_eq!(wrong.code, 1);
        assert_eq!(
            wrong.err,
            "error: stale.toml:7: known failure `good:n=4` is stale: the test passes; remove it (was wrong on Tuesdays)\n"
        );
    }
    // Standard output is the report's.
    let quiet = run(
        &here,
        &[
            "--registry",
            "mine.toml",
            "--known",
            "known.toml",
            "--format",
            "json",
        ],
    );
    assert_eq!((quiet.code, quiet.err.as_str()), (0, told));
    assert!(serde_json::from_str::<Value>(&quiet.out).is_ok());
    let misspelled = run(&here, &["--known", "known.toml", "--phase", "1"]);
    assert_eq!(misspelled.code, 3);
    assert!(
        misspelled.err.contains("no test is `strict`"),
        "{}",
        misspelled.err
    );
}

#[test]
fn reports_are_compared_and_conditions_fail() {
    let here = scratch("fleet-compare");
    let old = report(&here, "old.json", &["--counters"]);
    let same = run(
        &here,
        &[
            "compare",
            "old.json",
            "old.json",
            "--fail-if",
            "traffic > +0",
        ],
    );
    assert_eq!((same.code, same.err.as_str()), (0, ""));
    let mut new = old.clone();
    let trials = new["phases"][0]["trials"].as_array_mut().expect("trials");
    let counted = trials[0]["wave_instructions"].as_u64().expect("counted");
    trials[0]["wave_instructions"] = json!(counted * 2);
    trials[1]["launches"][0]["counters"]["bytes"]["memory"]["read"] = json!(0);
    std::fs::write(here.join("new.json"), new.to_string()).expect("written");
    let more = [
        "compare",
        "old.json",
        "new.json",
        "--fail-if",
        "instructions > +5%",
        "--fail-if",
        "total traffic > +5%",
    ];
    let worse = run(&here, &more);
    assert_eq!((worse.code, worse.err.as_str()), (1, ""));
    insta::assert_snapshot!("compared", worse.out);
    let same = run(
        &here,
        &[
            "compare",
            "old.json",
            "new.json",
            "--fail-if",
            "instructions > +101%",
        ],
    );
    assert_eq!(same.code, 0, "{}", same.out);

    // A test that passed and does not any more needs no condition; one that is gone needs a flag.
    new["phases"][0]["trials"][0]["verdict"] = json!("fail");
    new["phases"][0]["trials"]
        .as_array_mut()
        .expect("trials")
        .pop();
    new["totals"] = json!({ "pass": 2, "fail": 1, "error": 0, "skip": 0, "unsupported": 0 });
    std::fs::write(here.join("new.json"), new.to_string()).expect("written");
    let worse = run(
        &here,
        &["compare", "old.json", "new.json", "--format", "json"],
    );
    assert_eq!(worse.code, 1);
    let told: Value = serde_json::from_str(&worse.out).expect("JSON");
    assert_eq!(
        told["comparison"]["verdicts"],
        json!([["good:n=4", "pass", "fail"]])
    );
    assert_eq!(told["comparison"]["missing"], json!(["strict"]));
    let gone = ["compare", "new.json", "old.json"];
    assert_eq!(run(&here, &gone).code, 0);
    report(&here, "good.json", &["--test", "good"]);
    assert_eq!(run(&here, &["compare", "old.json", "good.json"]).code, 0);
    assert_eq!(
        run(
            &here,
            &["compare", "old.json", "good.json", "--require-all"]
        )
        .code,
        1
    );
    let said = refused(
        &here,
        &[
            "compare",
            "old.json",
            "good.json",
            "--fail-if",
            "traffic > +1%",
        ],
    );
    assert!(
        said.starts_with("no test has `traffic` in both old.json and good.json"),
        "{said}"
    );
    report(&here, "strict.json", &["--test", "strict"]);
    assert_eq!(run(&here, &["compare", "strict.json", "good.json"]).code, 4);
}

/// Bindings of two contracts of which the kernels are in no code object of ours but the built-in one.
const BOUND: &str = r#"schema = 1
[[binding]]
contract = "exp"
when = "n > 100"
symbol = "kernel_exp"
grid = ["ceil(n / 64)"]
block = [64]
args = ["in", "out", "i32 n"]
[[binding]]
contract = "mul"
symbol = "kernel_mul"
grid = ["ceil(n / 64)"]
block = [64]
args = ["a", "b", "out", "i32 n"]
"#;

/// Tests of the two: the binding of `exp` is for one of them.
const TESTS: &str = r#"schema = 1
[[test]]
id = "small"
contract = "exp"
cases = [{ n = 4 }, { n = 5 }, { n = 6 }]
[[test]]
id = "large"
contract = "exp"
shape = { n = 400 }
[[test]]
id = "product"
contract = "mul"
shape = { n = 8 }
"#;

const FLAGS: [&str; 4] = ["--bind", "bound.toml", "--registry", "tests.toml"];

fn bound(name: &str) -> std::path::PathBuf {
    let here = scratch(name);
    std::fs::write(here.join("bound.toml"), BOUND).expect("written");
    std::fs::write(here.join("tests.toml"), TESTS).expect("written");
    here
}

#[test]
fn the_last_line_says_what_did_not_run() {
    let here = bound("fleet-not-run");
    let done = run(
        &here,
        &[&FLAGS[..], &["--report", "r.json", "--report", "r.md"]].concat(),
    );
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let last = done.out.lines().last().expect("lines");
    assert!(
        last.starts_with("not run          3 of 5 tests: its binding ") && last.contains("n > 100"),
        "{last}"
    );
    let merged = run(&here, &["merge", "r.json"]);
    assert_eq!(merged.code, 0, "{}", merged.err);
    assert_eq!(merged.out.lines().last(), Some(last));
    let page = std::fs::read_to_string(here.join("r.md")).expect("written");
    assert!(
        page.contains("\nNot run: 3 of 5 tests: its binding "),
        "{page}"
    );
    let seeds = run(&here, &[&FLAGS[..], &["--seeds", "2"]].concat());
    assert_eq!(seeds.code, 0, "{}", seeds.err);
    let last = seeds.out.lines().last().expect("lines");
    assert!(last.starts_with("not run: 6 of 10 tests: "), "{last}");

    for (least, code) in [("2", 0), ("3", 1)] {
        let demand = ["--min-tests", least];
        let ran = run(&here, &[&FLAGS[..], &demand].concat());
        let put = run(&here, &[&["merge", "r.json"][..], &demand].concat());
        for done in [ran, put] {
            assert_eq!(done.code, code, "{}", done.err);
            let said = "error: 2 tests ran, and --min-tests asks for 3\n";
            assert_eq!(done.err, if code == 0 { "" } else { said });
        }
    }
    let many = run(
        &here,
        &[&FLAGS[..], &["--seeds", "2", "--min-tests", "5"]].concat(),
    );
    assert_eq!(many.code, 1, "{}", many.err);
    // A part cannot check `--min-tests`, because only the merged parts have the total number of tests.
    let part = run(
        &here,
        &[&FLAGS[..], &["--partition", "1/2", "--min-tests", "1"]].concat(),
    );
    assert_eq!(part.code, 2, "{}", part.err);
}

#[test]
fn a_binding_that_runs_no_case_is_told() {
    let here = bound("fleet-bindings");
    // It is an error if every case selected for a binding is skipped, in a part of the run as in the whole run.
    let small = ["--test", "small", "--test", "product"];
    for more in [
        &[][..],
        &["--partition", "1/2"],
        &["--partition", "2/2"],
        &["--seeds", "2"],
    ] {
        let refused = run(&here, &[&FLAGS[..], &small, more].concat());
        assert_eq!(refused.code, 3, "{more:?}: {}", refused.err);
        for said in [
            "the binding of `exp` in bound.toml",
            "are skipped",
            "n > 100",
        ] {
            assert!(refused.err.contains(said), "{more:?}: {}", refused.err);
        }
    }
    // A binding without a selected case gives a warning.
    for more in [&[][..], &["--partition", "1/1"], &["--seeds", "1"]] {
        let warned = run(&here, &[&FLAGS[..], &["--test", "product"], more].concat());
        assert_eq!(warned.code, 0, "{}", warned.err);
        assert!(
            warned.err.starts_with(
                "warning: the binding of `exp` in bound.toml is not used: no selected case is for it\n"
            ),
            "{}",
            warned.err
        );
        assert_eq!(warned.err.lines().count(), 2, "{}", warned.err);
    }
    let used = run(&here, &FLAGS);
    assert_eq!((used.code, used.err.as_str()), (0, ""));
    // A selection may be for one of two bindings of a contract.
    let here = crate::scratch("fleet-two-bindings");
    let binding = |when: &str| {
        format!(
            "[[binding]]\ncontract = \"exp\"\nwhen = \"{when}\"\n[[binding.launch]]\nsymbol = \"kernel_exp\"\n\
             grid = [\"ceil(n / 256)\"]\nblock = [256]\nargs = [\"in\", \"out\", \"i32 n\"]\n"
        )
    };
    let text = format!("schema = 1\n{}{}", binding("n <= 64"), binding("n > 64"));
    std::fs::write(here.join("two.toml"), text).expect("written");
    for more in [&[][..], &["--test", "exp"], &["--test", "exp_domain:n=1*"]] {
        let used = run(&here, &[&["--bind", "two.toml"], more].concat());
        assert_eq!((used.code, used.err.as_str()), (0, ""), "{more:?}");
    }
}

/// Parts of which some have no test, and some only tests that are skipped.
#[test]
fn a_part_in_which_nothing_runs_is_no_failure() {
    let here = bound("fleet-empty");
    let names: Vec<String> = (1..=8).map(|part| format!("{part}.json")).collect();
    let mut empty = 0;
    for (part, name) in (1..).zip(&names) {
        let part = format!("{part}/8");
        let done = run(
            &here,
            &[&FLAGS[..], &["--partition", &part, "--report", name]].concat(),
        );
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{part}");
        let told = done.out.lines().find(|line| line.starts_with("part  "));
        empty += usize::from(told.expect("a line").ends_with("nothing in this part"));
        validate(&read(&here.join(name)));
    }
    assert_eq!(empty, 6, "two of five tests run, in eight parts");
    let mut merge: Vec<&str> = vec!["merge", "-o", "all.json"];
    merge.extend(names.iter().map(String::as_str));
    let merged = run(&here, &merge);
    assert_eq!(merged.code, 0, "{}", merged.err);
    assert!(merged.out.contains("2/5 passed"), "{}", merged.out);
    // The whole run says so where nothing runs in any part.
    std::fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings/tile.co"),
        here.join("tile.co"),
    )
    .expect("copied");
    let flags = ["--kernels", "tile.co", "--registry", "tests.toml"];
    for part in ["1/2", "2/2"] {
        let report = format!("none-{}.json", &part[..1]);
        let done = run(
            &here,
            &[&flags[..], &["--partition", part, "--report", &report]].concat(),
        );
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let merged = run(&here, &["merge", "none-1.json", "none-2.json"]);
    assert_eq!(merged.code, 4, "{}", merged.out);
    assert_eq!(run(&here, &flags).code, 4);
}

#[test]
fn profiles_are_compared_by_their_times() {
    let here = scratch("fleet-profiles");
    let args = ["profile", "--test", "mul,add", "--report", "old.json"];
    let done = run(&here, &args);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(here.join("old.json")).expect("written");
    let old: Value = serde_json::from_str(&text).expect("JSON");
    let compare = |new: &Value, more: &[&str]| {
        std::fs::write(here.join("new.json"), new.to_string()).expect("written");
        run(
            &here,
            &[&["compare", "old.json", "new.json"], more].concat(),
        )
    };
    let same = compare(&old, &["--fail-if", "model > +0"]);
    assert_eq!((same.code, same.err.as_str()), (0, ""), "{}", same.out);
    for metric in ["model ", "bound", "floor", "lines", "vgprs", "instructions"] {
        let row = same.out.lines().find(|line| line.starts_with(metric));
        assert!(
            row.is_some_and(|row| row.contains("same")),
            "{metric}: {}",
            same.out
        );
    }
    let mut slower = old.clone();
    let model = &mut slower["profiles"][0]["launches"][0]["model"];
    let doubled = model["seconds"].as_f64().expect("a number") * 2.0;
    model["seconds"] = json!(doubled);
    let worse = compare(&slower, &["--fail-if", "model > +5%"]);
    assert_eq!((worse.code, worse.err.as_str()), (1, ""), "{}", worse.out);
    let id = old["profiles"][0]["id"].as_str().expect("an id");
    let line = format!("model > +5%: {id}: ");
    assert!(worse.out.contains(&line), "{}", worse.out);
    assert_eq!(compare(&slower, &["--fail-if", "bound > +5%"]).code, 0);

    let mut other = old.clone();
    other["clock_mhz"] = json!(1606.0);
    std::fs::write(here.join("clock.json"), other.to_string()).expect("written");
    let clock = refused(&here, &["compare", "old.json", "clock.json"]);
    assert!(clock.ends_with("profile both at one --clock"), "{clock}");
    let mut other = old.clone();
    other["timing"] = json!("event");
    std::fs::write(here.join("timing.json"), other.to_string()).expect("written");
    let timing = refused(&here, &["compare", "old.json", "timing.json"]);
    assert!(
        timing.ends_with("profile both with the same --timing"),
        "{timing}"
    );
    report(&here, "run.json", &[]);
    let mixed = refused(&here, &["compare", "run.json", "old.json"]);
    assert_eq!(
        mixed,
        "old.json is a profile and run.json the report of a run: compare two of a kind"
    );
    let failed = refused(&here, &["--failed", "old.json"]);
    assert!(failed.contains("no report of a run"), "{failed}");
}
