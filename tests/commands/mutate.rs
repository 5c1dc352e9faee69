//! `mutate`: its results on a user's kernel, its parts, and the inputs that it refuses.

use std::fs;

use serde_json::Value;

use crate::{refused, run, scratch};

const LINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.co");
const BINDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.toml");

/// The arguments of a campaign on the kernel, and more of them.
fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let own = [
        "mutate",
        "--kernels",
        LINES,
        "--bind",
        BINDING,
        "--test",
        "neg",
    ];
    [&own[..], more].concat()
}

fn report(text: &str) -> Value {
    let report = serde_json::from_str(text).expect("JSON");
    crate::schemas::validate(&report);
    report
}

fn outcomes<'v>(report: &'v Value, outcome: &str) -> Vec<&'v Value> {
    let mutants = report["mutants"].as_array().expect("mutants");
    mutants
        .iter()
        .filter(|mutant| mutant["outcome"] == outcome)
        .collect()
}

#[test]
fn every_mutant_of_a_strangers_kernel_is_judged_and_says_its_line() {
    let here = scratch("mutate");
    // Blocks of one size do not tell every bit of the mask of a block's size.
    let operators = "opcode,sources,register,sign,constant,offset,delete,branch,exec";
    let all = [
        "--per-kernel",
        "0",
        "--operator",
        operators,
        "--format",
        "json",
    ];
    let all = run(&here, &args(&all));
    assert_eq!(all.code, 0, "{}", all.err);
    let found = report(&all.out);
    assert_eq!(found["not_launched"], serde_json::json!(["hidden"]));
    let killed = outcomes(&found, "killed");
    assert!(killed.len() > 100, "{} killed", killed.len());
    // The sign of the output is one instruction's, and any test of it says so.
    let sign = killed.iter().find(|mutant| {
        mutant["was"]
            .as_str()
            .is_some_and(|was| was.starts_with("v_xor_b32"))
    });
    let sign = sign.expect("the negation is an instruction");
    assert_eq!(sign["source"], "./lines.hip:8");
    assert!(
        sign["how"].as_str().expect("words").contains("wrong"),
        "{sign}"
    );
    // A mutant that only a count of elements beyond a whole work-group reveals is noticed too.
    let mask = killed.iter().find(|mutant| mutant["operator"] == "exec");
    assert!(mask.is_some(), "EXEC that is not narrowed");
    let survived: Vec<&Value> = ["missed", "within-tolerance", "not-infected"]
        .into_iter()
        .flat_map(|outcome| outcomes(&found, outcome))
        .collect();
    for mutant in &survived {
        assert_eq!(mutant["ran"], mutant["executed_by"], "{mutant}");
    }
    assert!(survived.len() * 10 < killed.len(), "{survived:#?}");
}

#[test]
fn what_is_proven_is_run_if_somebody_doubts_it_and_nothing_notices() {
    let here = scratch("mutate-doubt");
    let words = [
        "mutate",
        "--kernels",
        LINES,
        "--bind",
        BINDING,
        "--per-kernel",
        "0",
        "--doubt",
        "--format",
        "json",
    ];
    let doubted = run(&here, &words);
    assert_eq!(doubted.code, 0, "{}", doubted.err);
    let found = report(&doubted.out);
    let proven = outcomes(&found, "equivalent");
    let idle = proven.iter().filter(|mutant| {
        let rule = mutant["rule"].as_str().expect("a rule");
        rule.starts_with("idle") && mutant["was"].to_string().contains("s_cbranch_execz")
    });
    assert_eq!(idle.count(), 1);
    assert!(
        proven
            .iter()
            .all(|mutant| mutant["ran"] == mutant["executed_by"])
    );
}

#[test]
fn parts_are_one_campaign_again() {
    let here = scratch("mutate-parts");
    let whole = run(&here, &args(&["--format", "json"]));
    for part in ["1/3", "2/3", "3/3"] {
        let name = format!("{}.json", part.replace('/', "-"));
        let done = run(&here, &args(&["--partition", part, "--report", &name]));
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let merged = run(
        &here,
        &[
            "mutate", "--merge", "2-3.json", "1-3.json", "3-3.json", "--format", "json",
        ],
    );
    assert_eq!(merged.code, 0, "{}", merged.err);
    let (whole, merged) = (report(&whole.out), report(&merged.out));
    let texts = |report: &Value| {
        let mutants = report["mutants"].as_array().expect("mutants");
        let mut texts: Vec<String> = mutants.iter().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    assert_eq!(texts(&whole), texts(&merged));
    let twice = refused(&here, &["mutate", "--merge", "1-3.json", "1-3.json"]);
    assert!(twice.contains("part 1/3 is in both"), "{twice}");
    let two = refused(&here, &["mutate", "--merge", "1-3.json", "3-3.json"]);
    assert!(
        two.contains("not all parts are there, 2/3 missing"),
        "{two}"
    );
    fs::write(here.join("none.json"), "{}").expect("written");
    let none = refused(&here, &["mutate", "--merge", "none.json"]);
    assert!(
        none.starts_with("none.json is no report of `mutate`"),
        "{none}"
    );
}

#[test]
fn a_score_below_the_bar_fails() {
    let here = scratch("mutate-bar");
    let bar = |percent: &str| {
        let words = ["--operator", "register,constant", "--per-kernel", "0"];
        let bar = ["--format", "json", "--fail-under", percent];
        run(&here, &args(&[&words[..], &bar].concat()))
    };
    let missed = bar("100");
    assert_eq!(missed.code, 1, "{}", missed.err);
    let found = report(&missed.out);
    let survived = |outcome: &&str| !outcomes(&found, outcome).is_empty();
    let survivors = ["missed", "within-tolerance", "not-infected"];
    assert!(survivors.iter().any(survived));
    assert_eq!(bar("50").code, 0);
}

#[test]
fn a_table_names_what_nobody_noticed_and_what_it_saw() {
    let here = scratch("mutate-table");
    let run = run(&here, &args(&["--per-kernel", "0", "-v"]));
    assert_eq!(run.code, 0, "{}", run.err);
    for told in [
        "negate_with_lines",
        "\nnot launched: hidden\n",
        "\nscore ",
        "  saw  ",
        "  ran  ",
        // System headers are reported at the line that uses them.
        "  ./lines.hip:6\n",
    ] {
        assert!(run.out.contains(told), "{told:?} in {}", run.out);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let here = scratch("mutate-refused");
    let usage = |more: &[&str]| {
        let run = run(&here, &args(more));
        assert_eq!(run.code, 2, "{}", run.err);
        run.err
    };
    assert!(usage(&["--partition", "3/2"]).contains("`3/2` is no part"));
    assert!(usage(&["--fail-under", "101"]).contains("no percentage"));
    assert!(usage(&["--operator", "colour"]).contains("invalid value 'colour'"));
}

#[test]
fn a_campaign_is_written_as_json_and_as_a_page() {
    let here = scratch("mutate-page");
    let more = [
        "--per-kernel",
        "12",
        "--format",
        "json",
        "--report",
        "m.json",
        "--report",
        "m.html",
    ];
    let done = run(&here, &args(&more));
    assert_eq!(done.code, 0, "{}", done.err);
    let read = |name: &str| fs::read_to_string(here.join(name)).expect("written");
    assert_eq!(read("m.json"), done.out);
    let found = report(&done.out);
    let mutants = found["mutants"].as_array().expect("mutants");
    let page = read("m.html");
    assert!(!page.contains("://"), "nothing is loaded");
    assert_eq!(page.matches("class=\"item mutant\"").count(), mutants.len());
    // The whole code, with its lines.
    let function = &found["functions"][0];
    let listing = function["listing"].as_array().expect("a listing");
    assert_eq!(
        Some(listing.len() as u64),
        function["instructions"].as_u64()
    );
    for line in listing {
        let text = line["text"].as_str().expect("text");
        assert!(page.contains(&format!("<td>{text}</td>")), "{text}");
    }
    assert!(page.contains("<td>./lines.hip:8</td>"));
    // A report can be put on a page later.
    let again = run(
        &here,
        &["mutate", "--merge", "m.json", "--report", "again.html"],
    );
    assert_eq!(again.code, 0, "{}", again.err);
    let lines = |page: &str| {
        let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&read("again.html")), lines(&page));
}
