//! Steps by hand.

use super::*;
use crate::contract::relation::{Closeness, allowances, judge};
use crate::contract::{Value, axes, elements};
use crate::report::model::Tolerance;
use crate::tensor::ElementKind::F32;

fn row(name: &str, values: &[f64], allowed: f64) -> Array {
    let array = Array::exact(name, elements(values.len()), F32, values.to_vec());
    Array {
        allowed: vec![allowed; values.len()],
        ..array
    }
}

fn case(numbers: &[(&str, i64)], map: Option<&'static str>) -> Values {
    let numbers = numbers.iter();
    let numbers = numbers.map(|(name, number)| ((*name).to_owned(), Value::Number(*number)));
    let map = map.map(|map| ("map".to_owned(), Value::Word(map)));
    Values::new(numbers.chain(map).collect())
}

fn after(step: Step, arrays: &[Array]) -> Vec<Array> {
    let mut arrays = arrays.to_vec();
    step.apply(&Values::default(), &mut arrays);
    arrays
}

#[test]
fn factors_and_laws_carry_what_elements_may_be_off_by() {
    let arrays = [row("x", &[1.0, -4.0], 0.5), row("y", &[3.0], 0.5)];
    let doubled = after(Step::Times(&["x"], -2.0), &arrays);
    assert_eq!(doubled[0].values, [-2.0, 8.0]);
    assert_eq!(doubled[0].allowed, [1.0, 1.0]);
    assert_eq!(doubled[1], arrays[1]);
    let inverted = after(Step::Each(&["x"], f64::recip), &arrays);
    // 1 / (1 - 0.5) is 1 off, 1 / (-4 + 0.5) is 1/28.
    assert_eq!(inverted[0].values, [1.0, -0.25]);
    assert!((inverted[0].allowed[0] - 1.0).abs() < 1e-12);
    assert!((inverted[0].allowed[1] - 1.0 / 28.0).abs() < 1e-12);
    let unknown = after(Step::Each(&["x"], f64::recip), &[row("x", &[0.25], 0.5)]);
    assert_eq!(
        unknown[0].allowed,
        [f64::INFINITY],
        "a pole is between the ends"
    );
}

#[test]
fn places_move_along_one_axis_and_join() {
    let shape = axes([("token", 2), ("head", 3)]);
    let table = Array::exact("x", shape, F32, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let moved = after(
        Step::Moved(&[("*", "head")], reversed),
        std::slice::from_ref(&table),
    );
    assert_eq!(moved[0].values, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    let longer = Step::Moved(&[("x", "token")], |_, n| (0..n).chain(0..1).collect());
    let longer = after(longer, std::slice::from_ref(&table));
    assert_eq!(
        longer[0].values,
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0]
    );
    assert_eq!(longer[0].axes[0].length, 3);
    let other = Array {
        name: "x'".into(),
        ..moved[0].clone()
    };
    let joined = after(Step::Joined("x", "x'", "head"), &[table.clone(), other]);
    let both = [1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 4.0, 5.0, 6.0, 6.0, 5.0, 4.0];
    assert_eq!(joined[0].values, both);
    let turned = after(Step::Transposed(&["x"]), &[table]);
    assert_eq!(turned[0].values, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

/// Both maps keep the key head that each value head reads, so that no value head reads the key head of another group.
#[test]
fn value_heads_stay_with_their_key_head() {
    let block = within_groups(&case(&[("H", 2), ("HV", 6)], Some("block")), 6);
    assert_eq!(block, [2, 1, 0, 5, 4, 3]);
    let tiled = within_groups(&case(&[("H", 2), ("HV", 6)], Some("tiled")), 6);
    assert_eq!(tiled, [4, 5, 2, 3, 0, 1]);
    let ggml = within_groups(&case(&[("Hk", 2), ("H", 6)], None), 6);
    assert_eq!(ggml, tiled);
    let layer = within_groups(&case(&[("Hk", 2), ("H", 6)], Some("block")), 6);
    assert_eq!(layer, block);
    let keys = within_groups(&case(&[("Hg", 2), ("H", 6)], None), 2);
    assert_eq!(keys, [0, 1]);
}

#[test]
fn bits_are_bits_but_where_numbers_underflow_and_zeros_are_equal() {
    let right = row("o", &[1.0, 0.0, 2f64.powi(-130), f64::INFINITY, 1e39], 1e-5);
    let same = [1.0, -0.0, 0.0, f64::INFINITY, f64::INFINITY];
    assert_eq!(judge(&same, &right, Closeness::Bits), None);
    let next = f64::from(f32::from_bits(1.0f32.to_bits() + 1));
    let off = [next, 0.0, 0.0, f64::INFINITY, f64::INFINITY];
    let broken = judge(&off, &right, Closeness::Bits).expect("one place is seen");
    assert_eq!((broken.count, broken.total), (1, 5));
    assert_eq!((broken.worst.index, broken.worst.got), (vec![0], next));
    assert_eq!(judge(&off, &right, Closeness::Tolerance), None);
}

/// Decays that multiply to a subnormal number, and products in f16.
#[test]
fn bits_are_within_the_tolerance_where_factors_may_underflow() {
    let faded = row("o", &[1.0, 1e-32], 1e-5);
    assert_eq!(judge(&[1.0, 1.02e-32], &faded, Closeness::Bits), None);
    assert!(judge(&[1.0, 1e-4], &faded, Closeness::Bits).is_some());
    let small = row("o", &[1e-30, 1e-32], 1e-5);
    assert!(judge(&[1e-30, 1.02e-32], &small, Closeness::Bits).is_some());
    let in_half = row("o", &[1.0, 0.5], 8e-3);
    assert_eq!(judge(&[1.0, 0.503], &in_half, Closeness::Bits), None);
    assert!(judge(&[1.0, 0.51], &in_half, Closeness::Bits).is_some());
}

#[test]
fn what_is_no_number_on_one_side_or_missing_breaks_a_law() {
    let right = row("o", &[1.0, 2.0], 0.25);
    let broken = judge(&[f64::NAN, 2.5], &right, Closeness::Tolerance).expect("both are wrong");
    assert_eq!((broken.count, broken.worst.index), (2, vec![0]));
    assert_eq!(judge(&[1.25, 1.75], &right, Closeness::Tolerance), None);
    assert!(judge(&[1.0], &right, Closeness::Tolerance).is_some());
}

#[test]
fn allowances_are_those_of_the_tolerance() {
    let scaled = Tolerance {
        scaled: true,
        relative: 0.5,
        ..Tolerance::absolute(0.25, 1.0)
    };
    assert_eq!(allowances(F32, &scaled, &[4.0, -1.0]), [3.0, 1.5]);
    let places = Tolerance {
        ulp: Some(1),
        ..Tolerance::absolute(0.0, 1.0)
    };
    // A place more than one, of those above 1.
    assert_eq!(allowances(F32, &places, &[-1.0]), [2f64.powi(-22)]);
}
