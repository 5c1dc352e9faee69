//! Tests of the choice and the order of explanations.

use super::*;

#[test]
fn an_alternative_of_the_test_comes_first() {
    let want = values(64, 9);
    let wrong: Vec<f32> = want.iter().map(|w| -w).collect();
    let compute = || wrong.iter().map(|&w| f64::from(w)).collect();
    let alternative = Alternative {
        name: "state-dropped",
        explanation: "the state is dropped",
        values: &compute,
    };
    let found = with_alternatives(
        &[Axis::new("element", 64)],
        &wrong,
        &want,
        &[],
        &[alternative],
    );
    assert_eq!(best(&found).0, "state-dropped");
    assert_eq!(found[1].name, "sign");
}

#[test]
fn an_alternative_that_explains_infinities_alone_is_no_explanation() {
    let want = values(64, 9);
    let infinite = vec![f32::INFINITY; 64];
    let compute = || vec![f64::INFINITY; 64];
    let alternative = Alternative {
        name: "scale-missing",
        explanation: "the scale is missing",
        values: &compute,
    };
    let found = with_alternatives(
        &[Axis::new("element", 64)],
        &infinite,
        &want,
        &[],
        &[alternative],
    );
    assert!(found.iter().all(|found| found.name != "scale-missing"));
}

#[test]
fn an_alternative_of_the_wrong_length_is_no_explanation() {
    let want = values(64, 9);
    let noise = values(64, 99);
    let compute = || noise.iter().take(3).map(|&v| f64::from(v)).collect();
    let alternative = Alternative {
        name: "short",
        explanation: "too short",
        values: &compute,
    };
    assert_eq!(
        with_alternatives(
            &[Axis::new("element", 64)],
            &noise,
            &want,
            &[],
            &[alternative]
        ),
        []
    );
}

#[test]
fn what_says_nothing_about_the_damage_explains_nothing() {
    // Row 0 is wrong. A shift by a row predicts nothing for row 0, and the right values for the other rows.
    let want = vec![1.5; 256];
    let got: Vec<f32> = (0..256)
        .map(|at| if at < 16 { at as f32 } else { 1.5 })
        .collect();
    assert_eq!(hypotheses_of(&square(16), &got, &want, &[]), []);
}

#[test]
fn what_explains_everything_comes_before_what_explains_most() {
    let want = values(64, 13);
    let got: Vec<f32> = want.iter().map(|w| -1.001 * w).collect();
    let found = hypotheses_of(&[Axis::new("element", 64)], &got, &want, &[]);
    let names: Vec<(&str, bool)> = found
        .iter()
        .map(|h| (h.name.as_str(), h.explains_all))
        .collect();
    assert_eq!(names, [("scale", true), ("sign", false)]);
}

#[test]
fn no_more_than_three_are_shown() {
    let (want, got) = (vec![2.0; 8], vec![4.0; 8]);
    let found = hypotheses_of(
        &[Axis::new("element", 8)],
        &got,
        &want,
        &[("a", &[4.0; 8]), ("b", &[2.0; 8])],
    );
    let names: Vec<&str> = found.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["echo", "scale", "power"]);
}

#[test]
fn noise_has_no_explanation() {
    assert_eq!(
        hypotheses_of(
            &square(16),
            &values(256, 20),
            &values(256, 21),
            &[("a", &values(256, 22))]
        ),
        []
    );
}

#[test]
fn what_remains_is_said_where_much_but_not_all_is_explained() {
    let want = values(256, 10);
    let got: Vec<f32> = want
        .iter()
        .enumerate()
        .map(|(at, w)| 2.0 * w + if at == 9 { 1e-3 } else { 0.0 })
        .collect();
    let found = hypotheses_of(&square(16), &got, &want, &[]);
    let first = found.first().expect("there is a hypothesis");
    assert_eq!((first.name.as_str(), first.explains_all), ("scale", false));
    assert!((first.remaining - 1e-3).abs() < 1e-5, "{first:?}");
}

/// A kernel that left zeros made some mistake that gives zeros, and nothing tells which.
#[test]
fn an_output_of_zeros_is_said_to_be_zero_before_a_mistake_that_makes_zeros() {
    let want = values(64, 9);
    let zeros = vec![0.0f32; 64];
    let compute = || vec![0.0; 64];
    let alternative = Alternative {
        name: "arguments-exchanged",
        explanation: "two inputs are exchanged",
        values: &compute,
    };
    let axes = [Axis::new("element", 64)];
    let found = with_alternatives(&axes, &zeros, &want, &[], &[alternative]);
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["zero", "arguments-exchanged"]);
}
