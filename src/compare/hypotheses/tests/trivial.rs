//! Tests of hypotheses that fit trivially, and of outputs that contain NaN.

use super::*;

fn names(found: &[Hypothesis]) -> Vec<&str> {
    found.iter().map(|one| one.name.as_str()).collect()
}

/// "Scaled by 22.011349" explained all of one wrong element, and of two.
#[test]
fn fewer_than_three_wrong_elements_have_no_explanation() {
    let want = values(256, 31);
    for count in 1..=4 {
        let mut got = want.clone();
        for at in 0..count {
            got[at * 17] = 0.0;
        }
        let found = hypotheses_of(&square(16), &got, &want, &[]);
        let expected: &[&str] = if count < 3 { &[] } else { &["identity"] };
        // Four zeros are not the whole diagonal: most of nothing is explained.
        let all = names(&found) == expected || found.is_empty();
        assert!(all, "{count}: {found:?}");
    }
    for count in [1, 2, 3] {
        let want = positive(count);
        let got: Vec<f32> = want.iter().map(|w| 22.011_349 * w).collect();
        let found = hypotheses_of(&[Axis::new("element", count)], &got, &want, &[]);
        let expected: &[&str] = if count < 3 { &[] } else { &["scale"] };
        assert_eq!(names(&found), expected);
    }
}

/// A fit to the one element that is far off fits it, and nothing else.
#[test]
fn one_element_far_off_is_explained_by_nothing() {
    let want = values(256, 32);
    let mut got = want.clone();
    for at in [3, 40, 77, 130] {
        got[at] += 0.5;
    }
    got[200] *= 1e30;
    assert_eq!(hypotheses_of(&square(16), &got, &want, &[]), []);
}

/// "Scaled by 0.000000" stood beside "zero", and whatever moves the zeros of a mask about.
#[test]
fn zeros_are_zeros_only() {
    let want: Vec<f32> = (0..256)
        .map(|at| {
            if at % 16 > at / 16 {
                0.0
            } else {
                values(256, 33)[at]
            }
        })
        .collect();
    let nothing = vec![0.0; 256];
    let found = hypotheses_of(&square(16), &nothing, &want, &[("x", &nothing)]);
    assert_eq!(names(&found), ["zero"]);
    let noise: Vec<f32> = values(256, 34).iter().map(|v| v * 1e-4).collect();
    let found = hypotheses_of(&square(16), &noise, &want, &[]);
    assert_eq!(names(&found), ["zero"], "{found:?}");
    assert!(!found[0].explains_all);
}

#[test]
fn a_factor_of_nearly_one_is_no_factor() {
    let want = positive(64);
    let got: Vec<f32> = want.iter().map(|w| w * 1.000_03).collect();
    let axes = [Axis::new("element", 64)];
    assert_eq!(names(&hypotheses_of(&axes, &got, &want, &[])), [""; 0]);
    let small: Vec<f32> = want.iter().map(|w| w * 1.25e-4).collect();
    let found = hypotheses_of(&axes, &small, &want, &[]);
    assert!(
        !found.iter().any(|one| one.explanation.contains("0.000")),
        "{found:?}"
    );
}

/// Decays that underflow are zeros, of which a flipped exponent makes infinities; a mask's zeros stay.
#[test]
fn a_flipped_exponent_is_named_beside_zeros() {
    let axes = square(16);
    let exponent = |at: usize| -> f32 { -0.7 * (at / 16) as f32 * (at % 16) as f32 };
    for masked in [false, true] {
        let kept = |at: usize| !masked || at % 16 <= at / 16;
        let with = |sign: f32| -> Vec<f32> {
            let value = |at| {
                if kept(at) {
                    (sign * exponent(at)).exp()
                } else {
                    0.0
                }
            };
            (0..256).map(value).collect()
        };
        let (want, got) = (with(1.0), with(-1.0));
        assert!(want.contains(&0.0) && got.contains(&f32::INFINITY));
        let found = hypotheses_of(&axes, &got, &want, &[]);
        let first = found.first().expect("a reason");
        assert_eq!(
            (first.name.as_str(), first.except),
            ("reciprocal", 0),
            "{found:?}"
        );
    }
    // The output has zeros from a mask; its other values are finite.
    let want: Vec<f32> = (0..256)
        .map(|at| {
            if at % 16 <= at / 16 {
                (exponent(at) / 50.0).exp()
            } else {
                0.0
            }
        })
        .collect();
    let got: Vec<f32> = want
        .iter()
        .map(|w| if *w == 0.0 { 0.0 } else { 1.0 / w })
        .collect();
    assert_eq!(
        best(&hypotheses_of(&axes, &got, &want, &[])).0,
        "reciprocal"
    );
}

/// A single NaN took every explanation away.
#[test]
fn what_is_no_number_hides_no_explanation() {
    let want = values(256, 35);
    let mut got: Vec<f32> = want.iter().map(|w| -w).collect();
    got[77] = f32::NAN;
    got[78] = f32::INFINITY;
    let found = hypotheses_of(&square(16), &got, &want, &[]);
    let first = found.first().expect("a reason");
    assert_eq!(
        (first.name.as_str(), first.explains_all, first.except),
        ("sign", true, 2)
    );
    let nan: Vec<f32> = vec![f32::NAN; 256];
    assert_eq!(hypotheses_of(&square(16), &nan, &want, &[]), []);
}
