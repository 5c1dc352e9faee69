use super::*;
use proptest::prelude::*;

fn limits(want: &[f64], absolute: f64) -> ReferenceLimits {
    ReferenceLimits {
        want: want.to_vec(),
        exact: absolute == 0.0,
        ulp: 0,
        absolute,
        relative: 0.0,
        whole: None,
        zero_signs_equal: false,
    }
}

fn measured(got: &[f32], want: &[f64], absolute: f64) -> Metrics {
    let axes = [Axis::new("element", got.len())];
    measure(&axes, got, &limits(want, absolute), None).metrics
}

#[test]
fn numbers_of_a_worked_case() {
    let metrics = measured(&[1.0, 2.5, -4.0], &[1.0, 2.0, -3.0], 0.75);
    assert_eq!(metrics.max_abs, 1.0);
    assert_eq!(metrics.relative_rms, (1.25f64 / 14.0).sqrt());
    assert_eq!((metrics.mismatched, metrics.total), (1, 3));
    assert_eq!(metrics.used, 1.0 / 0.75);
    assert_eq!(
        metrics.max_ulp,
        Some(1 << 22),
        "from 2 to 2.5 is a quarter of 2^23, from -3 to -4 half"
    );
    let worst = metrics.worst.expect("there are elements");
    assert_eq!(
        (worst.index, worst.got, worst.want, worst.allowed),
        (vec![2], -4.0, -3.0, 0.75)
    );
}

#[test]
fn the_worst_element_is_the_one_furthest_beyond_what_it_is_allowed() {
    // The larger error is within its allowance, since the allowance grows with the value.
    let axes = [Axis::new("element", 2)];
    let mut limits = limits(&[1000.0, 0.001], 1e-6);
    limits.relative = 1e-3;
    let metrics = measure(&axes, &[1000.5f32, 0.101], &limits, None).metrics;
    assert_eq!(metrics.worst.expect("there are elements").index, [1]);
    assert_eq!(metrics.mismatched, 1);
}

#[test]
fn an_error_equal_to_the_tolerance_passes_and_the_next_float_does_not() {
    assert_eq!(measured(&[1.5], &[1.0], 0.5).mismatched, 0);
    assert_eq!(measured(&[1.5f32.next_up()], &[1.0], 0.5).mismatched, 1);
}

#[test]
fn exact_means_bits() {
    let zero = measured(&[-0.0], &[0.0], 0.0);
    assert_eq!(
        (zero.mismatched, zero.max_abs, zero.used),
        (1, 0.0, f64::INFINITY)
    );
    assert_eq!(measured(&[1.0f32.next_up()], &[1.0], 0.0).mismatched, 1);
    assert_eq!(measured(&[0.1], &[f64::from(0.1f32)], 0.0).mismatched, 0);
    let mut limits = limits(&[0.0], 0.0);
    limits.zero_signs_equal = true;
    assert!(!measure(&[Axis::new("element", 1)], &[-0.0f32], &limits, None).wrong[0]);
}

#[test]
fn a_wrong_sign_of_zero_is_the_worst_element_among_right_ones() {
    let metrics = measured(&[1.0, -0.0, 2.0], &[1.0, 0.0, 2.0], 0.0);
    assert_eq!(metrics.worst.expect("there are elements").index, [1]);
}

#[test]
fn an_infinity_is_right_only_where_the_reference_has_the_same_one() {
    let inf = f32::INFINITY;
    assert_eq!(measured(&[inf], &[f64::INFINITY], 1e-3).mismatched, 0);
    assert_eq!(measured(&[inf], &[f64::NEG_INFINITY], 1e-3).mismatched, 1);
    assert_eq!(measured(&[inf], &[1.0], f64::MAX).mismatched, 1);
    assert_eq!(measured(&[1.0], &[f64::INFINITY], f64::MAX).mismatched, 1);
    // A share of an infinite value is no licence either.
    let mut limits = limits(&[f64::INFINITY], 1e-3);
    limits.relative = 1e-3;
    assert!(measure(&[Axis::new("element", 1)], &[f32::MAX], &limits, None).wrong[0]);
    // The f64 oracle is finite where f32 has to overflow.
    assert_eq!(measured(&[inf], &[1e39], 1e-3).mismatched, 0);
    assert_eq!(
        measured(&[inf, 1.0], &[f64::INFINITY, 2.0], 1e-3).relative_rms,
        0.5
    );
}

#[test]
fn nan_is_the_largest_error_and_never_passes() {
    let metrics = measured(&[5.0, f32::NAN, 9.0], &[5.0, 5.0, 5.0], f64::MAX);
    assert!(metrics.max_abs.is_nan() && metrics.used.is_nan() && metrics.relative_rms.is_nan());
    assert_eq!((metrics.mismatched, metrics.max_ulp), (1, None));
    assert_eq!(metrics.worst.expect("there are elements").index, [1]);
}

#[test]
fn relative_rms_against_an_all_zero_reference_is_infinite_unless_right() {
    assert_eq!(measured(&[0.0], &[0.0], 1.0).relative_rms, 0.0);
    assert_eq!(measured(&[0.5], &[0.0], 1.0).relative_rms, f64::INFINITY);
}

fn finite() -> impl Strategy<Value = f32> {
    prop_oneof![
        -1e6f32..1e6,
        -1.0f32..1.0,
        Just(0.0f32),
        Just(f32::MAX),
        Just(f32::MIN_POSITIVE)
    ]
}

proptest! {
    #[test]
    fn equal_bits_have_no_error(values in prop::collection::vec(finite(), 1..50)) {
        let want: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        for tolerance in [0.0, 1e-6] {
            let metrics = measured(&values, &want, tolerance);
            prop_assert_eq!((metrics.max_abs, metrics.mismatched, metrics.max_ulp), (0.0, 0, Some(0)));
        }
    }

    #[test]
    fn nan_anywhere_fails_at_any_tolerance(
        values in prop::collection::vec(finite(), 1..50), at: prop::sample::Index, tolerance in 0.0f64..1e300,
    ) {
        let want: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
        let mut got = values;
        let at = at.index(got.len());
        got[at] = f32::NAN;
        let metrics = measured(&got, &want, tolerance);
        prop_assert_eq!(metrics.mismatched, 1);
        prop_assert_eq!(metrics.worst.map(|w| w.index), Some(vec![at]));
    }

    #[test]
    fn max_abs_bounds_every_error_and_is_reached(
        pairs in prop::collection::vec((finite(), finite()), 1..50), tolerance in 1e-6f64..1e6,
    ) {
        let got: Vec<f32> = pairs.iter().map(|p| p.0).collect();
        let want: Vec<f64> = pairs.iter().map(|p| f64::from(p.1)).collect();
        let metrics = measured(&got, &want, tolerance);
        let errors: Vec<f64> = pairs.iter().map(|p| (f64::from(p.0) - f64::from(p.1)).abs()).collect();
        prop_assert!(errors.iter().all(|e| *e <= metrics.max_abs));
        prop_assert!(errors.contains(&metrics.max_abs));
        prop_assert_eq!(metrics.mismatched, errors.iter().filter(|e| **e > tolerance).count());
    }

    #[test]
    fn one_step_of_the_type_is_one_ulp(value in finite()) {
        let metrics = measured(&[value.next_down()], &[f64::from(value)], 0.0);
        prop_assert_eq!((metrics.max_ulp, metrics.mismatched), (Some(1), 1));
    }
}
