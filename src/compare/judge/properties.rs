//! Properties of the judgement that hold for all values.

use proptest::prelude::*;

use super::tests::Sample;
use super::*;
use crate::tensor::poison;

fn any_output() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(prop_oneof![4 => -1e3f32..1e3, 1 => Just(0.0f32)], 2..40)
}

proptest! {
    #[test]
    fn what_equals_its_references_passes(golden in any_output(), exact: bool) {
        let tolerance = if exact { 0.0 } else { 1e-6 };
        prop_assert_eq!(Sample::new(golden, tolerance, 1e-6).problem(), None);
    }

    #[test]
    fn nan_or_a_foreign_infinity_anywhere_fails(
        golden in any_output(), at: prop::sample::Index, bits in prop_oneof![
            0x7F80_0000u32..=0x7FFF_FFFF, 0xFF80_0000u32..=0xFFFF_FFFF,
        ], tolerance in 0.0f64..1e30,
    ) {
        let mut sample = Sample::new(golden, tolerance, tolerance);
        let at = at.index(sample.got.len());
        sample.got[at] = f32::from_bits(bits);
        prop_assert!(sample.problem().is_some());
    }

    #[test]
    fn poison_anywhere_fails_as_poison(golden in any_output(), at: prop::sample::Index, tolerance in 0.0f64..1e30) {
        let mut sample = Sample::new(golden, tolerance, tolerance);
        let at = at.index(sample.got.len());
        sample.got[at] = poison::element();
        prop_assert!(matches!(sample.problem(), Some(Problem::PoisonLeft { count: 1, .. })), "not poison");
    }

    #[test]
    fn exchanging_two_different_elements_fails(
        golden in any_output(), a: prop::sample::Index, b: prop::sample::Index, exact: bool,
    ) {
        let (a, b) = (a.index(golden.len()), b.index(golden.len()));
        let difference = (f64::from(golden[a]) - f64::from(golden[b])).abs();
        prop_assume!(difference > 0.0);
        let tolerance = if exact { 0.0 } else { difference * 0.99 };
        let mut sample = Sample::new(golden, tolerance, tolerance);
        sample.got.swap(a, b);
        let found = sample.problem();
        prop_assert!(matches!(found, Some(Problem::Mismatch { count: 2, .. })), "{:?}", found);
    }

    #[test]
    fn an_element_passes_up_to_its_tolerance_and_not_beyond(
        golden in any_output(), at: prop::sample::Index, error in -10.0f32..10.0, tolerance in 1e-3f64..10.0,
    ) {
        let mut sample = Sample::new(golden, tolerance, tolerance);
        let at = at.index(sample.got.len());
        sample.got[at] += error;
        let within = (f64::from(sample.got[at]) - f64::from(sample.golden[at])).abs() <= tolerance;
        prop_assert_eq!(sample.problem().is_none(), within);
    }
}
