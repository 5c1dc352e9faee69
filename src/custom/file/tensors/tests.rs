//! Tests of the tolerance of outputs without one: right results pass, and results that are cut off or lie near 0 are told apart.

use half::{bf16, f16};
use proptest::prelude::*;

use super::usual;
use crate::compare::{OutputCase, judge_output};
use crate::report::model::{Problem, Tolerance};
use crate::tensor::{Axis, Element};

/// Returns the problem of an output, if it has one.
fn problem<E: Element>(got: &[E], oracle: &[f64], tolerance: &Tolerance) -> Option<Problem> {
    let golden: Vec<E> = oracle.iter().map(|&want| E::nearest(want)).collect();
    let case = OutputCase {
        name: "y",
        axes: &[Axis::new("element", oracle.len())],
        tolerance,
        got,
        golden: &golden,
        oracle,
        inputs: &[],
        alternatives: Some(&[]),
        owner: None,
    };
    judge_output(&case).expect("usable").problem
}

/// Cuts the digits off that the type has no room for.
fn cut<E: Element>(value: f64) -> E {
    let near = E::nearest(value);
    match near.to_f64().abs() > value.abs() {
        true => E::at_rank(near.rank() - value.signum() as i64),
        false => near,
    }
}

/// Judges results that are off by `off` of their size, rounded and cut off, at a sum of `sums` terms.
fn both<E: Element>(oracle: &[f64], off: &[f64], sums: f64) -> [Option<Problem>; 2] {
    let tolerance = usual(E::KIND, sums).tolerance;
    let single = f64::from(f32::EPSILON) / 2.0;
    let before = oracle.iter().zip(off);
    // As much as honest f32 is off by: a rounding, and a tenth of one for each of the square root of the terms.
    let before = before.map(|(want, off)| want * (1.0 + off * single * (1.0 + 0.1 * sums.sqrt())));
    let before: Vec<f64> = before.collect();
    let rounded: Vec<E> = before.iter().map(|&value| E::nearest(value)).collect();
    let less: Vec<E> = before.iter().map(|&value| cut(value)).collect();
    [&rounded, &less].map(|got| problem(got, oracle, &tolerance))
}

fn outputs(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((-4.0..4.0f64, -1.0..1.0f64), count)
}

proptest! {
    #[test]
    fn results_of_honest_f32_pass_whether_many_or_few(
        elements in outputs(1..300),
        sums in prop::sample::select(vec![1.0, 64.0, 5120.0, 32000.0]),
    ) {
        let (oracle, off): (Vec<f64>, Vec<f64>) = elements.into_iter().unzip();
        let [rounded, _] = both::<bf16>(&oracle, &off, sums);
        prop_assert_eq!(rounded, None);
        let [rounded, _] = both::<f16>(&oracle, &off, sums);
        prop_assert_eq!(rounded, None);
    }

    #[test]
    fn results_that_are_cut_off_do_not_pass(
        elements in outputs(256..600),
        sums in prop::sample::select(vec![1.0, 64.0, 5120.0]),
    ) {
        let (oracle, off): (Vec<f64>, Vec<f64>) = elements.into_iter().unzip();
        for less in [both::<bf16>(&oracle, &off, sums)[1].clone(), both::<f16>(&oracle, &off, sums)[1].clone()] {
            let as_a_whole = matches!(less, Some(Problem::RelativeRms { .. }));
            prop_assert!(as_a_whole, "{:?}", less);
        }
    }
}

/// A log-softmax of a row with one dominating logit is the difference of nearly equal numbers.
#[test]
fn an_output_near_zero_may_be_off_by_a_rounding_on_the_way() {
    let tolerance = usual(f32::KIND, 1.0).tolerance;
    let oracle = [-1.42e-8, -3e-9, -5e-12];
    assert_eq!(problem(&[0.0f32, 0.0, 0.0], &oracle, &tolerance), None);
    // An error that no rounding of numbers up to 1 makes.
    let far = problem(&[1.9e-6f32, 0.0, 0.0], &oracle, &tolerance);
    assert!(matches!(far, Some(Problem::RelativeRms { .. })), "{far:?}");
}
