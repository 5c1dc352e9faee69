//! Tests of outputs of other types than f32: tolerances in places, exact integers, f64.

use half::bf16;

use super::super::accepted_trivially;
use super::*;

fn bf16s(values: &[f64]) -> Vec<bf16> {
    values.iter().map(|&v| Element::nearest(v)).collect()
}

fn ramp(count: usize) -> Vec<f64> {
    (0..count).map(|at| at as f64 * 0.3701 - 5.113).collect()
}

fn within(ulp: u32) -> Tolerance {
    Tolerance {
        ulp: Some(ulp),
        ..Tolerance::absolute(0.0, 1e-2)
    }
}

pub(super) fn judged<E: Element>(
    got: &[E],
    golden: &[E],
    oracle: &[f64],
    by: &Tolerance,
) -> OutputReport {
    judge_output(&OutputCase {
        name: "out",
        axes: &[Axis::new("element", golden.len())],
        tolerance: by,
        got,
        golden,
        oracle,
        inputs: &[],
        alternatives: Some(&[]),
        owner: None,
    })
    .expect("usable")
}

/// Moves element 5 by a number of places.
fn moved(values: &[bf16], places: i64) -> Vec<bf16> {
    let mut moved = values.to_vec();
    moved[5] = Element::at_rank(Element::rank(moved[5]) + places);
    moved
}

#[test]
fn so_many_places_are_allowed_and_not_one_more() {
    let oracle = ramp(32);
    let golden = bf16s(&oracle);
    for ulp in [1, 3] {
        for sign in [-1, 1] {
            let places = i64::from(ulp) * sign;
            let report = judged(&moved(&golden, places), &golden, &oracle, &within(ulp));
            assert_eq!(report.problem, None);
            assert_eq!(report.golden.max_ulp, Some(u64::from(ulp)));
            assert_eq!(report.oracle.max_ulp, Some(u64::from(ulp)));
            assert_eq!((report.element.as_str(), report.golden.used), ("bf16", 1.0));
            let report = judged(
                &moved(&golden, places + sign),
                &golden,
                &oracle,
                &within(ulp),
            );
            let Some(Problem::Mismatch {
                count: 1, worst, ..
            }) = report.problem
            else {
                panic!("{:?}", report.problem)
            };
            assert_eq!(worst.index, [5]);
            assert!(worst.allowed < (worst.got - worst.want).abs());
        }
    }
}

/// Below a power of two the places are half as wide as above: the width above would let two of them pass.
#[test]
fn places_are_counted_and_not_measured() {
    let golden = bf16s(&[1.0; 8]);
    let down = |places: i64| judged(&moved(&golden, -places), &golden, &[1.0; 8], &within(1));
    assert_eq!(down(1).problem, None);
    assert_eq!(down(1).golden.max_abs, 2f64.powi(-8));
    assert!(down(2).problem.is_some());
    assert_eq!(down(2).golden.max_abs, 2f64.powi(-7));
}

/// The oracle is rounded first: half a place of its own rounding is not the kernel's error.
#[test]
fn both_references_are_rounded_to_the_type() {
    let oracle = [1.0 + 2f64.powi(-8) * 0.99, -3.0, 2.0];
    let golden = bf16s(&oracle);
    let report = judged(&golden, &golden, &oracle, &within(1));
    assert_eq!(
        (report.oracle.max_abs, report.oracle.relative_rms),
        (0.0, 0.0)
    );
    let mut other = golden.clone();
    other[0] = bf16::from_f64(1.0 - 2f64.powi(-8));
    let far = judged(
        &other,
        &other,
        &[1.0 + 2f64.powi(-7), -3.0, 2.0],
        &within(1),
    );
    assert!(matches!(
        far.problem,
        Some(Problem::Mismatch {
            against: Reference::Oracle,
            count: 1,
            ..
        })
    ));
}

/// Cancellation leaves an f32 error of many places of the result. An absolute tolerance beside the places bounds that
/// error.
#[test]
fn an_absolute_tolerance_beside_it_is_for_what_is_small() {
    let oracle = [1e-6, 1.0, -2.0];
    let golden = bf16s(&oracle);
    let mut got = golden.clone();
    got[0] = bf16::from_f64(1.2e-6);
    assert!(judged(&got, &golden, &oracle, &within(1)).problem.is_some());
    let mut both = within(1);
    both.absolute = 3e-7;
    assert_eq!(judged(&got, &golden, &oracle, &both).problem, None);
    let got = bf16s(&[1e-6, 1.02, -2.0]);
    assert!(judged(&got, &golden, &oracle, &both).problem.is_some());
}

/// A truncated result is within one place of the rounded one, everywhere.
#[test]
fn truncation_is_for_the_relative_rms_to_find() {
    let oracle: Vec<f64> = ramp(256).iter().map(|v| v + 0.001).collect();
    let golden = bf16s(&oracle);
    let cut = |v: &f64| bf16::from_bits(((*v as f32).to_bits() >> 16) as u16);
    let got: Vec<bf16> = oracle.iter().map(cut).collect();
    let mut by = within(1);
    assert_eq!(judged(&got, &golden, &oracle, &by).problem, None);
    by.relative_rms = Some(1e-3);
    let problem = judged(&got, &golden, &oracle, &by).problem;
    assert!(
        matches!(problem, Some(Problem::RelativeRms { .. })),
        "{problem:?}"
    );
    let exact = Tolerance::absolute(0.0, 0.0);
    let Some(Problem::Mismatch { hypotheses, .. }) = judged(&got, &golden, &oracle, &exact).problem
    else {
        panic!("truncation passed")
    };
    assert_eq!(
        hypotheses[0].explanation,
        "truncated to bf16 instead of rounded"
    );
    assert!(hypotheses[0].explains_all);
}

/// The largest of a few elements may lie on the other side of a tie: most of the output's RMS error, and right.
#[test]
fn the_relative_rms_allows_two_elements_a_place() {
    let mut by = within(1);
    by.relative_rms = Some(1e-4);
    let mut oracle = ramp(12);
    oracle[5] = 100.2;
    let golden = bf16s(&oracle);
    assert_eq!(
        judged(&moved(&golden, 1), &golden, &oracle, &by).problem,
        None
    );
    let shifted = |elements: usize| -> Vec<bf16> {
        let next = |(at, &value): (usize, &bf16)| match at < elements {
            true => Element::at_rank(Element::rank(value) + 1),
            false => value,
        };
        bf16s(&[100.2; 12]).iter().enumerate().map(next).collect()
    };
    for (elements, is_right) in [(2, true), (3, false)] {
        let golden = bf16s(&[100.2; 12]);
        let report = judged(&shifted(elements), &golden, &[100.2; 12], &by);
        assert_eq!(report.problem.is_none(), is_right, "{elements} elements");
    }
}

#[test]
fn infinities_and_nan_are_no_place_next_to_the_largest() {
    let oracle = [f64::from(bf16::MAX), 1.0, f64::INFINITY];
    let golden = bf16s(&oracle);
    assert_eq!(judged(&golden, &golden, &oracle, &within(64)).problem, None);
    for wrong in [bf16::INFINITY, bf16::NAN, bf16::NEG_INFINITY] {
        let got = [wrong, golden[1], golden[2]];
        let report = judged(&got, &golden, &oracle, &within(64));
        assert!(matches!(report.problem, Some(Problem::NonFinite { .. })));
        assert_eq!(report.golden.mismatched, 1);
    }
    let got = [golden[0], golden[1], bf16::MAX];
    assert!(
        judged(&got, &golden, &oracle, &within(64))
            .problem
            .is_some()
    );
}

#[test]
fn integers_are_right_or_wrong() {
    let golden = [7i32, -1, 0, i32::MAX];
    let oracle = golden.map(f64::from);
    let exact = Tolerance::absolute(0.0, 0.0);
    let report = judged(&golden, &golden, &oracle, &exact);
    assert_eq!((report.problem, report.element.as_str()), (None, "i32"));
    let report = judged(&[7, -1, 0, i32::MAX - 1], &golden, &oracle, &exact);
    assert!(matches!(
        report.problem,
        Some(Problem::Mismatch { count: 1, .. })
    ));
    assert_eq!(report.golden.max_ulp, Some(1));
    let left = judged(&[7, -1, poison::element(), 3], &golden, &oracle, &exact);
    assert!(matches!(
        left.problem,
        Some(Problem::PoisonLeft { count: 1, .. })
    ));
}

#[test]
fn an_f64_is_held_to_what_f32_cannot_show() {
    let oracle = [-1_280.125_000_001, 0.1, 5.0];
    let tolerance = Tolerance::absolute(1e-10, 1e-10);
    assert_eq!(judged(&oracle, &oracle, &oracle, &tolerance).problem, None);
    let rounded = oracle.map(|v| f64::from(v as f32));
    let report = judged(&rounded, &oracle, &oracle, &tolerance);
    assert!(matches!(
        report.problem,
        Some(Problem::Mismatch { count: 2, .. })
    ));
    let mut unwritten = oracle;
    unwritten[1] = poison::element();
    let report = judged(&unwritten, &oracle, &oracle, &tolerance);
    assert!(matches!(
        report.problem,
        Some(Problem::PoisonLeft { count: 1, .. })
    ));
}

/// The right output of a conversion is its input in another type; anywhere else that is an echo.
#[test]
fn an_echo_across_types_is_one_unless_it_is_right() {
    let values = ramp(16);
    let input = bf16s(&values);
    let trivially = |golden: &[bf16], converted: bool, tolerance: &Tolerance| {
        let oracle: Vec<f64> = golden.iter().map(|v| v.to_f64()).collect();
        accepted_trivially(&OutputCase {
            name: "out",
            axes: &[Axis::new("element", 16)],
            tolerance,
            got: golden,
            golden,
            oracle: &oracle,
            inputs: &[NamedInput {
                name: "x",
                values: &input,
                converted,
            }],
            alternatives: Some(&[]),
            owner: None,
        })
    };
    let exact = Tolerance::absolute(0.0, 0.0);
    assert_eq!(trivially(&input, true, &exact), Ok(vec![]));
    let echo = vec!["the input `x` echoed".to_string()];
    assert_eq!(trivially(&input, false, &exact), Ok(echo.clone()));
    let near = moved(&input, 1);
    assert_eq!(trivially(&near, true, &within(1)), Ok(echo));
    assert_eq!(trivially(&near, true, &exact), Ok(vec![]));
}
