//! Tests of the self-test's order and complaints, and of reports on planted bugs: a report must name the
//! mistake.

mod exchanged;
mod gdr;
mod operators;

use super::pairs::{PairResult, next_pairs};
use super::{PlantedBugResult, SelfTest, TestResult};
use crate::binding::Reason;
use crate::device::{Device, Spec};
use crate::program::{BUILT_IN, PLANTED};
use crate::registry::REGISTRY;
use crate::report::model::CauseReport;
use crate::report::model::{ErrorKind, Problem, TrialReport, Verdict};
use crate::trial::{Bound, Plan, PlantedKernel};

/// Returns the report of a case whose id contains all these parts, on a device, with a planted bug or none.
fn problems_on(
    device: &dyn Device,
    test: &str,
    parts: &[&str],
    planted: Option<&str>,
) -> TrialReport {
    let mut tests = REGISTRY.tests();
    let test = tests.find(|known| known.id == test).expect("the test");
    let mut cases = test.cases.iter();
    let case = cases.find(|case| parts.iter().all(|part| case.id.contains(part)));
    let case = case.expect("the case");
    let mut bound = Bound::built_in(test.function).expect("a binding");
    bound.planted = planted.map(|name| {
        let mut bugs = bound.binding.planted.iter();
        let bug = bugs.find(|bug| bug.name == name).expect("the bug");
        PlantedKernel {
            bug,
            program: &PLANTED,
        }
    });
    let plan = Plan::new(device, (&BUILT_IN, bound), (10, test, case), 0);
    plan.run().report
}

/// Returns the report of a planted bug on the emulator.
fn report(test: &str, parts: &[&str], planted: &str) -> TrialReport {
    let device = Spec::EMULATOR.open().expect("it is there");
    problems_on(&*device, test, parts, Some(planted))
}

/// Returns the problem of each output under a planted bug.
fn problems(test: &str, parts: &[&str], planted: &str) -> Vec<Problem> {
    let outputs = report(test, parts, planted).outputs.into_iter();
    outputs.filter_map(|output| output.problem).collect()
}

#[test]
fn an_access_beyond_a_buffer_is_reported_with_its_instruction_and_lane() {
    for (test, parts, planted, expected) in [
        (
            "sigmoid_domain",
            ["n=64"],
            "writes out[n]: guard violation",
            &[
                "write of 4 bytes outside every allocation",
                "planted_sigmoid_one_past",
                "pc ",
                "global_store_dword",
                "work-group (0, 0, 0), wave 0, lane 0 (work-item (0, 0, 0))",
                "right behind the end of `out` (256 bytes",
            ][..],
        ),
        (
            "cumsum_domain",
            ["n=63"],
            "writes out[-1]: guard violation",
            &[
                "planted_cumsum_one_before",
                "wave 0, lane 0",
                "4 bytes before the start of `out` (252 bytes",
            ],
        ),
    ] {
        let report = report(test, &parts, planted);
        assert_eq!(report.verdict, Verdict::Error);
        assert_eq!(report.error_kind, Some(ErrorKind::Fault));
        let error = report.error.expect("an error");
        for words in expected {
            let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(error.contains(words.trim()), "{words}: {error}");
        }
    }
}

/// Returns the names of the hypotheses for a planted bug.
fn hypotheses(test: &str, parts: &[&str], planted: &str) -> Vec<String> {
    let problems = problems(test, parts, planted).into_iter();
    let named = problems.flat_map(|problem| match problem {
        Problem::Mismatch { hypotheses, .. } => hypotheses,
        _ => Vec::new(),
    });
    named.map(|hypothesis| hypothesis.name).collect()
}

#[test]
fn the_likely_mistake_is_named() {
    let grouped = ["B=1,T=64,H=3,HV=9", "gates=slow", "state=random"];
    let long = ["B=3,T=100", "gates=slow", "state=random"];
    for (test, parts, planted, name) in [
        ("recurrent", &grouped[..], "head maps swapped", "head-map"),
        ("recurrent", &grouped, "scale missing", "scale-missing"),
        ("recurrent", &grouped, "gate sign flipped", "gate-sign"),
        (
            "recurrent",
            &grouped,
            "error from the undecayed state",
            "undecayed-error",
        ),
        ("recurrent", &grouped, "beta on v only", "beta-on-v-only"),
        (
            "recurrent",
            &grouped,
            "initial state transposed",
            "initial-transposed",
        ),
        (
            "recurrent",
            &long,
            "state dropped at a chunk boundary",
            "state-dropped",
        ),
        (
            "recurrent",
            &["B=3,T=100", "state=random"],
            "a state carried over between sequences",
            "state-shared",
        ),
        (
            "recurrent",
            &["B=3,T=100", "K=128,V=128", "state=random"],
            "final state transposed",
            "transposed",
        ),
        (
            "chunk_solve",
            &["T=65"],
            "identity missing",
            "identity-missing",
        ),
    ] {
        let found = hypotheses(test, parts, planted);
        assert!(
            found.iter().any(|hypothesis| hypothesis == name),
            "{planted}: {found:?}"
        );
    }
}

/// Runs the rounds of a test in which a case catches a bug where `catches` says. Returns the pairs that
/// were run. Later cases are cheaper.
fn rounds(
    (cases, bugs): (usize, usize),
    every_case: bool,
    catches: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut tried: Vec<Vec<Option<PairResult>>> = vec![vec![None; bugs]; cases];
    let mut run = Vec::new();
    loop {
        let pairs = next_pairs(&tried, every_case, |case| (cases - case) as u64);
        if pairs.is_empty() {
            break;
        }
        for (case, bug) in pairs {
            assert!(tried[case][bug].is_none(), "case {case}, bug {bug}: again");
            tried[case][bug] = Some(PairResult {
                wrong_values: true,
                reason: None,
                launched: true,
                caught: catches(case, bug).then(|| "caught".into()),
            });
            run.push((case, bug));
        }
    }
    run
}

#[test]
fn each_bug_runs_in_the_cheapest_case_that_catches_it() {
    let run = rounds((50, 3), false, |case, bug| bug != 1 || case < 48);
    let in_case = |bug: usize| {
        run.iter()
            .filter(move |pair| pair.1 == bug)
            .map(|pair| pair.0)
    };
    assert_eq!(in_case(0).collect::<Vec<_>>(), [49]);
    assert_eq!(in_case(1).collect::<Vec<_>>(), [49, 48, 47]);
    assert_eq!(in_case(2).collect::<Vec<_>>(), [49]);
}

#[test]
fn a_test_of_named_cases_stops_when_every_case_and_every_bug_has_its_catch() {
    let run = rounds((50, 10), true, |_, _| true);
    assert!((50..=60).contains(&run.len()), "{}", run.len());
    assert!((0..50).all(|case| run.iter().any(|pair| pair.0 == case)));
    assert!((0..10).all(|bug| run.iter().any(|pair| pair.1 == bug)));
}

#[test]
fn a_bug_or_a_case_without_a_catch_is_tried_everywhere_before_it_counts_as_missed() {
    let run = rounds((30, 6), true, |case, bug| case != 7 && bug != 3);
    assert_eq!(run.iter().filter(|pair| pair.0 == 7).count(), 6);
    assert_eq!(run.iter().filter(|pair| pair.1 == 3).count(), 30);
}

/// A planted bug that was not caught is a complaint only if the test must catch it.
#[test]
fn a_bug_that_a_design_need_not_catch_is_no_complaint() {
    let planted = |name: &str, due| PlantedBugResult {
        right_reasons: Vec::new(),
        kernels: Vec::new(),
        wrong_values: false,
        reason: None,
        name: name.into(),
        due,
        caught: None,
        caught_by: 0,
        tried: 3,
        launched: true,
    };
    let test = TestResult {
        id: "scan, every two values".into(),
        phase: 12,
        cases: Vec::new(),
        every_case_must_catch: false,
        planted: vec![planted("due", true), planted("elsewhere", false)],
    };
    let result = SelfTest {
        device: String::new(),
        seed: 0,
        diagnosed: false,
        complete: true,
        selected: 1,
        tests: vec![test],
    };
    let complaints = result.complaints();
    assert_eq!(
        complaints,
        ["scan, every two values: planted bug `due` was not caught"]
    );
    assert_eq!(result.planted(), (1, 0));
    let table = super::show::text(false, false, None, &result);
    assert!(
        table.contains("MISSED") && table.contains("not by it"),
        "{table}"
    );
}

#[test]
fn reasons_are_right_if_they_name_the_cause_or_the_kernel() {
    let cause = |kind: &str, kernel: Option<&str>| CauseReport {
        kind: kind.into(),
        output: Some("o".into()),
        tensor: Some("q".into()),
        kernel: kernel.map(String::from),
        text: String::new(),
        explains: None,
    };
    let bug = |reason: Option<CauseReport>| PlantedBugResult {
        name: "head maps swapped".into(),
        due: true,
        caught: Some("o: wrong".into()),
        right_reasons: ["head-map", "index q", "unread"]
            .map(|text| Reason::parse(text).expect("a reason"))
            .into(),
        kernels: vec!["kernel_mul".into()],
        wrong_values: true,
        reason,
        caught_by: 1,
        tried: 1,
        launched: true,
    };
    let judged = [
        (None, None),
        (Some(cause("index", None)), Some(true)),
        (Some(cause("head-map", None)), Some(true)),
        (Some(cause("unread", None)), Some(true)),
        (Some(cause("sign", None)), Some(false)),
        (Some(cause("sign", Some("kernel_mul"))), Some(true)),
        (Some(cause("index", Some("kernel_exp"))), Some(false)),
    ];
    for (reason, right) in judged {
        assert_eq!(bug(reason.clone()).reason_is_right(), right, "{reason:?}");
    }
    for wrong in ["", "index ", "index q k", "head-map q"] {
        let parsed = Reason::parse(wrong);
        assert_eq!(parsed, None, "{wrong}");
    }
}
