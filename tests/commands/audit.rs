//! `audit`: the cost of the documented pipeline's departures.

use std::path::Path;

use serde_json::Value;

use crate::{DATA, run};

/// Runs `audit` and reads its JSON.
fn json(args: &[&str]) -> Value {
    let run = run(
        Path::new(DATA),
        &[&["audit", "--format", "json"], args].concat(),
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    serde_json::from_str(&run.out).expect("JSON")
}

/// Returns the costs of a function in a regime.
fn cost<'a>(report: &'a Value, regime: &str, function: &str) -> &'a Value {
    let named = |list: &'a Value, key: &str, name: &str| {
        let mut found = list
            .as_array()
            .expect("a list")
            .iter()
            .filter(|one| one[key] == name);
        found.next().unwrap_or_else(|| panic!("no {name}"))
    };
    named(
        &named(&report["regimes"], "name", regime)["functions"],
        "id",
        function,
    )
}

fn median(cost: &Value) -> f64 {
    cost["median"].as_f64().expect("a finite median")
}

#[test]
fn the_table() {
    let run = run(Path::new(DATA), &["audit", "--draws", "2"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn the_json_does_not_depend_on_jobs_but_on_the_seed() {
    let slow = ["--draws", "2", "--regime", "slow"];
    let with = |more: &[&str]| json(&[&slow, more].concat());
    let one = with(&["--jobs", "1", "--seed", "5"]);
    assert_eq!(one, with(&["--jobs", "3", "--seed", "5"]));
    assert_ne!(one["regimes"], with(&[])["regimes"]);
    assert_eq!(one["schema"], "deltanet-check/audit/1");
    assert_eq!((&one["seed"], &one["draws"]), (&5.into(), &2.into()));
}

/// The control and what is known without measuring.
#[test]
fn the_rule_has_no_error_and_each_departure_shows_where_it_is() {
    let report = json(&["--draws", "1"]);
    let regimes = report["regimes"].as_array().expect("a list");
    assert_eq!(regimes.len(), 7);
    for regime in regimes {
        let name = regime["name"].as_str().expect("a name");
        let rule = cost(&report, name, "rule-by-chunks");
        assert!(
            median(&rule["state"]) < 1e-12 && median(&rule["output"]) < 1e-12,
            "{name}"
        );
        assert_eq!(rule["not_finite_f32"], 0, "{name}");
        // The output's own departures leave the state alone.
        let output = cost(&report, name, "output-uncorrected");
        assert_eq!(output["state"], rule["state"], "{name}");
        assert!(median(&output["output"]) > 1e-12, "{name}");
        for silent in ["no-output", "documented", "documented-with-mask-mended"] {
            assert_eq!(
                cost(&report, name, silent)["output"],
                Value::Null,
                "{name} {silent}"
            );
        }
    }
    // Without decay a mask has no sign; where all is forgotten in a token, it grows past f32 and past f64.
    assert!(median(&cost(&report, "none", "mask-sign")["state"]) < 1e-12);
    let fast = cost(&report, "fast", "documented");
    assert_eq!(
        (&fast["not_finite_f32"], &fast["state"]["not_finite"]),
        (&1.into(), &1.into())
    );
    assert_eq!(fast["state"]["median"], "inf");
}

/// The published figures: about 2 as documented, 0.9 with the mask's sign mended.
#[test]
fn moderate_gates_cost_what_was_published() {
    let report = json(&["--draws", "8", "--regime", "moderate-even"]);
    let state = |function| median(&cost(&report, "moderate-even", function)["state"]);
    let (all, mended) = (state("documented"), state("documented-with-mask-mended"));
    assert!((1.4..2.8).contains(&all), "{all}");
    assert!((0.85..1.05).contains(&mended), "{mended}");
}

#[test]
fn usage() {
    for args in [
        &["audit", "--draws", "0"][..],
        &["audit", "--seed", "x"],
        &["audit", "--regime", "quick"],
        &["audit", "a"],
    ] {
        assert_eq!(run(Path::new(DATA), args).code, 2, "{args:?}");
    }
}
