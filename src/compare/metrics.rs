//! How far an output is from a reference.

use crate::verdict::{self, Axis, Metrics};

use super::{Element, OwnerOf, tensor};

/// What every element is held against, and how closely.
pub(super) struct Yardstick {
    /// Reference values.
    pub want: Vec<f64>,
    /// Bit for bit; the two below are then 0.
    pub exact: bool,
    /// Absolute error allowed.
    pub absolute: f64,
    /// Error allowed on top as a share of the element's own reference value.
    pub relative: f64,
    /// Whether 0 and -0 are the same where `exact`.
    pub zero_signs_equal: bool,
}

/// Metrics and which elements are wrong.
pub(super) struct Measured {
    pub metrics: Metrics,
    pub wrong: Vec<bool>,
}

impl Yardstick {
    /// The error element `at` is allowed.
    pub fn allowed(&self, at: usize) -> f64 {
        let want = self.want[at];
        if self.exact || self.relative == 0.0 || !want.is_finite() {
            self.absolute
        } else {
            self.absolute + self.relative * want.abs()
        }
    }

    /// Whether `got` will do at `at`: false unless it surely does.
    fn accepts<E: Element>(&self, at: usize, got: E, error: f64) -> bool {
        if self.exact {
            let want = E::nearest(self.want[at]);
            let both_zero = got.to_f64() == 0.0 && want.to_f64() == 0.0;
            got.bits() == want.bits() || (self.zero_signs_equal && both_zero)
        } else {
            error <= self.allowed(at)
        }
    }
}

/// `|got - want|`. An infinity is right only where the reference, in the output's type, is the same one; NaN is never.
pub(super) fn error<E: Element>(got: E, want: f64) -> f64 {
    let value = got.to_f64();
    if value.is_infinite() && E::nearest(want).bits() == got.bits() {
        0.0
    } else if value.is_infinite() && want.is_infinite() {
        f64::INFINITY
    } else {
        (value - want).abs()
    }
}

/// Measures all of an output. `got` and the yardstick have the same length.
pub(super) fn measure<E: Element>(
    axes: &[Axis],
    got: &[E],
    yardstick: &Yardstick,
    owner: Option<&OwnerOf<'_>>,
) -> Measured {
    let mut max_abs = 0.0;
    let mut used = 0.0;
    let mut max_ulp = Some(0);
    let (mut squares, mut reference_squares) = (0.0, 0.0);
    let mut worst: Option<(usize, f64)> = None;
    let mut wrong = vec![false; got.len()];

    for (at, (&value, &want)) in got.iter().zip(&yardstick.want).enumerate() {
        let error = error(value, want);
        let allowed = yardstick.allowed(at);
        wrong[at] = !yardstick.accepts(at, value, error);
        max_abs = larger(max_abs, error);
        used = larger(used, share(error, allowed, wrong[at]));
        max_ulp = max_ulp.and_then(|most| ulps(value, want).map(|ulps| ulps.max(most)));
        squares += error * error;
        let reference = E::nearest(want).to_f64();
        if reference.is_finite() {
            reference_squares += want * want;
        }
        // A wrong element outranks a right one whatever their errors: the sign of a zero has no error.
        let excess = if wrong[at] && error <= allowed {
            f64::MIN_POSITIVE
        } else {
            error - allowed
        };
        if worst.is_none_or(|(_, most)| exceeds(excess, most)) {
            worst = Some((at, excess));
        }
    }

    let metrics = Metrics {
        max_abs,
        relative_rms: relative_rms(squares, reference_squares),
        max_ulp,
        mismatched: wrong.iter().filter(|&&bad| bad).count(),
        total: got.len(),
        used,
        worst: worst.map(|(at, _)| element(axes, got, yardstick, at, owner)),
    };
    Measured { metrics, wrong }
}

/// One element as reports show it.
pub(super) fn element<E: Element>(
    axes: &[Axis],
    got: &[E],
    yardstick: &Yardstick,
    at: usize,
    owner: Option<&OwnerOf<'_>>,
) -> verdict::Element {
    let index = tensor::index(axes, at);
    verdict::Element {
        got: got[at].to_f64(),
        want: yardstick.want[at],
        allowed: yardstick.allowed(at),
        owner: owner.and_then(|owner| owner(&index)),
        index,
    }
}

/// Maximum in which NaN wins.
fn larger(most: f64, next: f64) -> f64 {
    if most.is_nan() || next <= most {
        most
    } else {
        next
    }
}

/// Strictly greater, NaN above everything.
fn exceeds(next: f64, most: f64) -> bool {
    !most.is_nan() && (next.is_nan() || next > most)
}

fn share(error: f64, allowed: f64, wrong: bool) -> f64 {
    if error.is_nan() {
        f64::NAN
    } else if allowed == 0.0 {
        if wrong { f64::INFINITY } else { 0.0 }
    } else {
        error / allowed
    }
}

fn ulps<E: Element>(got: E, want: f64) -> Option<u64> {
    if got.to_f64().is_nan() || want.is_nan() {
        return None;
    }
    Some(got.rank().abs_diff(E::nearest(want).rank()))
}

fn relative_rms(squares: f64, reference_squares: f64) -> f64 {
    if squares == 0.0 {
        0.0
    } else {
        (squares / reference_squares).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn yardstick(want: &[f64], absolute: f64) -> Yardstick {
        Yardstick {
            want: want.to_vec(),
            exact: absolute == 0.0,
            absolute,
            relative: 0.0,
            zero_signs_equal: false,
        }
    }

    fn measured(got: &[f32], want: &[f64], absolute: f64) -> Metrics {
        let axes = [Axis::new("element", got.len())];
        measure(&axes, got, &yardstick(want, absolute), None).metrics
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
        let mut stick = yardstick(&[1000.0, 0.001], 1e-6);
        stick.relative = 1e-3;
        let metrics = measure(&axes, &[1000.5f32, 0.101], &stick, None).metrics;
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
        let mut stick = yardstick(&[0.0], 0.0);
        stick.zero_signs_equal = true;
        assert!(!measure(&[Axis::new("element", 1)], &[-0.0f32], &stick, None).wrong[0]);
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
}
