//! Tests of whole diagnoses: none says what is not so.

use super::fixture::with_test;
use super::*;
use crate::contract::Case;
use crate::registry::REGISTRY;
use crate::trial::{Changes, ExperimentInput, ExperimentOutput};

/// Kernels without tests of their own.
struct NoKernelTests;

impl KernelTests for NoKernelTests {
    fn of<'p>(&'p self, _: &Plan<'p>) -> Vec<(String, Plan<'p>)> {
        Vec::new()
    }
}

/// Returns the causes that experiments find for a planted bug in the first case of a test that it makes wrong.
fn causes(test: &str, planted: &str) -> Vec<CauseReport> {
    causes_of(test, planted, 1, |_| true)
}

/// Returns the causes of the first cases of this kind.
fn causes_of(
    test: &str,
    planted: &str,
    cases: usize,
    counts: impl Fn(&Case) -> bool,
) -> Vec<CauseReport> {
    let mut found = Vec::new();
    with_test(test, Some(planted), |plan| {
        if !counts(plan.case) {
            return None;
        }
        let report = plan.run().report;
        if is_explainable(&report) {
            let diagnosis = diagnose_failure(&plan, &report, Depth::Blind, &NoKernelTests);
            found.push(diagnosis.map(|found| found.causes).unwrap_or_default());
        }
        (found.len() == cases).then_some(())
    });
    assert_eq!(found.len(), cases, "{test}: {planted}");
    found.into_iter().flatten().collect()
}

/// A smaller case may have no full tile: all of the products are lost, and not only the last ones.
#[test]
fn a_cause_of_a_smaller_case_is_one_of_the_case_itself() {
    for (test, input) in [
        ("state_update optimised, every two values", "K_cumdecay"),
        ("output_with_state optimised, every two values", "attn"),
    ] {
        let planted =
            "products past the last full part of a tile forgotten; C no multiple of 16 shows it";
        let has_tile = |case: &Case| case.values.get("C").is_some_and(|c| c > 16);
        for cause in causes_of(test, planted, 2, has_tile) {
            let whole = cause.kind == "not-applied" && cause.tensor.as_deref() == Some(input);
            assert!(!whole, "{test}: {cause:?}");
        }
    }
}

/// Lines and tokens of a padding that the contract leaves are no places of an input that is read wrongly.
#[test]
fn what_is_written_against_the_contract_is_told_of_the_output() {
    for (test, output) in [
        ("gdr_causal_conv1d_update_domain", "q"),
        ("gdn_conv_domain", "y"),
    ] {
        let causes = causes(test, "padding taken for line 0");
        let [cause] = &causes[..] else {
            panic!("{test}: {causes:?}");
        };
        // Line 0 is another sequence's, too, and the result may change with the order of the two.
        if cause.kind == "race" && test == "gdn_conv_domain" {
            continue;
        }
        let named = (cause.kind.as_str(), cause.output.as_deref());
        assert_eq!(named, ("index", Some(output)), "{cause:?}");
        let is_told = cause.text.starts_with(&format!("`{output}` is written "));
        assert!(
            is_told && cause.text.contains("the contract leaves"),
            "{cause:?}"
        );
    }
}

/// An output of many elements leaves little work for its candidates.
#[test]
fn the_order_of_a_large_output_is_told_of_the_output() {
    for (planted, text) in [
        (
            "the final states of heads in reverse order",
            "`final` is written with heads in reverse order",
        ),
        (
            "the output with heads before tokens",
            "`o` is written with token and head in the other order",
        ),
    ] {
        let causes = causes("a wave a column", planted);
        assert_eq!(causes[0].text, text, "{causes:?}");
    }
}

/// A factor of rows of bf16 differs by the roundings of their elements.
#[test]
fn one_factor_of_all_rows_of_a_narrow_output_is_a_scale() {
    let found = with_test(
        "gdr_sigmoid_gating_update_domain",
        Some("scale missing"),
        |plan| {
            let experiment = plan.experiment()?;
            let is_long = experiment.outputs()[0].axes.last()?.length > 8;
            experiment.begin_method();
            is_long.then(|| factors::row_factors(&experiment)).flatten()
        },
    );
    let cause = found.expect("a factor");
    assert_eq!(
        (cause.kind.as_str(), cause.output.as_deref()),
        ("scale", Some("o"))
    );
    assert!(cause.text.contains("sqrt("), "{}", cause.text);
}

/// A binding may leave out a tensor that its kernels do not need: the right kernels do not respond to it, either.
#[test]
fn right_kernels_read_each_tensor_of_whole_numbers_that_counts() {
    let mut tried = 0;
    for test in REGISTRY.tests().filter(|test| test.id.ends_with("_domain")) {
        let found = with_test(&test.id, None, |plan| {
            let experiment = plan.experiment()?;
            experiment.begin_last_method();
            let count = experiment.integers().len();
            Some((count, influence::unread_integers(&experiment)))
        });
        let (count, cause) = found.unwrap_or_default();
        tried += usize::from(count > 0);
        assert_eq!(cause, None, "{}", test.id);
    }
    assert!(tried >= 10, "{tried}");
}

/// Another case confirms that kernels do not read an input, or contradicts it.
#[test]
fn a_missing_response_is_confirmed_where_the_kernels_lack_it_alone() {
    let cause = |tensor: &str, text: &str| CauseReport {
        kind: "unread".into(),
        output: Some("o".into()),
        tensor: Some(tensor.into()),
        kernel: None,
        text: text.into(),
        explains: None,
    };
    let test = "gdr_sigmoid_gating_update_domain";
    let answers = with_test(test, Some("dt_bias forgotten"), |plan| {
        let experiment = plan.experiment()?;
        let is_wrong = experiment.outputs()[0].wrong.contains(&true);
        let is_too = |tensor, text: &str| {
            experiment.begin_again();
            influence::is_unread_too(&experiment, &cause(tensor, text))
        };
        is_wrong.then(|| {
            [
                is_too("dt_bias", "`o` does not respond to `dt_bias`"),
                is_too("v", "`o` does not respond to `v`"),
                is_too("dt_bias", "dt_bias is left out of the gate"),
            ]
        })
    });
    assert_eq!(answers, Some([Some(true), Some(false), None]));
}

/// A kernel that takes A takes it in the place of the keys, of which the contract computes it.
#[test]
fn an_alternative_input_counts_in_the_place_of_what_it_follows_from() {
    let names = with_test("gdn_packed_outputs_domain", None, |plan| {
        let experiment = plan.experiment()?;
        let responds = |input: &&ExperimentInput| candidate::responds(&experiment, input);
        let inputs = experiment.inputs().iter().filter(responds);
        let names: Vec<String> = inputs.map(|input| input.name.clone()).collect();
        names.contains(&"vn".to_owned()).then_some(names)
    });
    let names = names.expect("a case");
    assert!(names.contains(&"A".to_owned()), "{names:?}");
    assert!(!names.contains(&"k".to_owned()), "{names:?}");
}

/// Without gates the state does not decay: a gate of 0 takes no term away.
#[test]
fn terms_with_an_input_are_told_of_factors_alone() {
    let factors = with_test("gdr_chunk_o_domain", None, |plan| {
        let experiment = plan.experiment()?;
        let inputs = experiment.inputs().iter();
        let of = |name: &str| inputs.clone().find(|input| input.tensor == name);
        let [k, gates] = ["k", "g_cumsum"].map(of);
        let has_gates = gates.is_some_and(|gates| gates.values.iter().any(|g| *g < -0.1));
        has_gates.then(|| [k, gates].map(|of| of.map(|of| uses::is_factor(&experiment, of))))
    });
    assert_eq!(factors, Some([Some(true), Some(false)]));
}

/// The flags of sequences that begin with a state may be changed one by one, and the reference follows.
#[test]
fn references_follow_the_flags_of_sequences() {
    for test in ["gdn_packed_domain", "gdn_conv_domain"] {
        let follows = with_test(test, None, |plan| {
            let experiment = plan.experiment()?;
            let mut tables = experiment.integers().iter();
            let flags = tables.find(|table| table.name == "has_initial")?;
            let turned = flags.values.iter().map(|flag| 1.0 - flag).collect();
            let changes = Changes::from([(flags.name.clone(), turned)]);
            let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
            let outputs = experiment.outputs().iter().enumerate();
            let differs = outputs.clone().any(|(at, of)| of.expected != predicted[at]);
            let is_right = |at: usize, of: &ExperimentOutput| {
                let pairs = left[at].iter().zip(&predicted[at]);
                let largest = of
                    .expected
                    .iter()
                    .fold(1.0, |most: f64, x| most.max(x.abs()));
                pairs
                    .into_iter()
                    .all(|(a, b)| (a - b).abs() < 1e-3 * largest)
            };
            differs.then(|| outputs.into_iter().all(|(at, of)| is_right(at, of)))
        });
        assert_eq!(follows, Some(true), "{test}");
    }
}
