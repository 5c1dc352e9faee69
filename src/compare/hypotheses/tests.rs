mod moved;
mod ranked;
mod trivial;

use super::super::{NamedInput, OutputCase, judge_output};
use super::*;
use crate::report::model::{Problem, Tolerance};
use crate::tensor::Axis;

/// Values without symmetry, of both signs, none of them 0 or 1.
fn values(count: usize, salt: u32) -> Vec<f32> {
    let word = |at: usize| {
        (at as u32 + 1)
            .wrapping_mul(0x9E37_79B9 ^ salt)
            .rotate_left(13)
            .wrapping_mul(0x85EB_CA6B)
    };
    (0..count)
        .map(|at| (word(at) >> 8) as f32 / (1 << 22) as f32 - 2.03)
        .collect()
}

fn positive(count: usize) -> Vec<f32> {
    values(count, 7)
        .into_iter()
        .map(|value| value.abs() + 0.3)
        .collect()
}

/// A wrong kernel's mapping of right values to wrong values.
type Mistake = fn(f32) -> f32;

fn hypotheses_of(
    axes: &[Axis],
    got: &[f32],
    golden: &[f32],
    inputs: &[(&str, &[f32])],
) -> Vec<Hypothesis> {
    with_alternatives(axes, got, golden, inputs, &[])
}

fn with_alternatives(
    axes: &[Axis],
    got: &[f32],
    golden: &[f32],
    inputs: &[(&str, &[f32])],
    alternatives: &[Alternative<'_>],
) -> Vec<Hypothesis> {
    let oracle: Vec<f64> = golden.iter().map(|&value| f64::from(value)).collect();
    let inputs: Vec<NamedInput<'_, f32>> = inputs
        .iter()
        .map(|&(name, values)| NamedInput {
            name,
            values,
            converted: false,
        })
        .collect();
    let report = judge_output(&OutputCase {
        name: "out",
        axes,
        tolerance: &Tolerance::absolute(1e-5, 1e-4),
        got,
        golden,
        oracle: &oracle,
        inputs: &inputs,
        alternatives: Some(alternatives),
        owner: None,
    })
    .expect("the case can be judged");
    match report.problem {
        Some(Problem::Mismatch { hypotheses, .. } | Problem::NonFinite { hypotheses, .. }) => {
            hypotheses
        }
        other => panic!("expected wrong elements, found {other:?}"),
    }
}

fn square(n: usize) -> Vec<Axis> {
    vec![Axis::new("row", n), Axis::new("column", n)]
}

/// The name and explanation of the best hypothesis, which has to explain everything.
fn best(found: &[Hypothesis]) -> (&str, &str) {
    let first = found.first().expect("there is a hypothesis");
    assert!(first.explains_all, "{first:?}");
    (&first.name, &first.explanation)
}

#[test]
fn each_elementwise_mistake_is_named() {
    let want = positive(256);
    let axes = square(16);
    let mistakes: [(&str, &str, Mistake); 11] = [
        ("zero", "every element is 0", |_| 0.0),
        ("sign", "flipped", |w| -w),
        ("scale", "scaled by 2:", |w| 2.0 * w),
        ("scale", "scaled by 1/sqrt(128):", |w| w / 128f32.sqrt()),
        ("scale", "scaled by -3:", |w| -3.0 * w),
        ("scale", "scaled by 1.730000:", |w| 1.73 * w),
        ("reciprocal", "reciprocal", |w| 1.0 / w),
        ("base", "base 2 where base e", |w| w.ln().exp2()),
        ("base", "base e where base 2", |w| w.log2().exp()),
        ("power", "squared", |w| w * w),
        ("complement", "one minus", |w| 1.0 - w),
    ];
    for (name, words, mistake) in mistakes {
        let got: Vec<f32> = want.iter().map(|&w| mistake(w)).collect();
        let found = hypotheses_of(&axes, &got, &want, &[]);
        let (found_name, explanation) = best(&found);
        assert_eq!(found_name, name, "{found:?}");
        assert!(explanation.contains(words), "{explanation}");
    }
}

#[test]
fn what_is_wrong_with_a_diagonal_is_named() {
    let want = values(256, 3);
    let mistakes: [(&str, Mistake); 4] = [
        ("missing", |w| w - 1.0),
        ("still held it", |w| w + 1.0),
        ("left at 0", |_| 0.0),
        ("set to 1", |_| 1.0),
    ];
    for (words, mistake) in mistakes {
        let mut got = want.clone();
        for i in 0..16 {
            got[i * 17] = mistake(want[i * 17]);
        }
        let found = hypotheses_of(&square(16), &got, &want, &[]);
        let (name, explanation) = best(&found);
        assert_eq!(name, "identity");
        assert!(explanation.contains(words), "{explanation}");
    }
}

#[test]
fn an_identity_that_some_rows_lack_is_named_with_them() {
    let want = values(2 * 256, 3);
    let with = |rows: std::ops::Range<usize>, added: f32| {
        let mut got = want.clone();
        // Chunks of 16 rows with a head between rows and columns.
        for (chunk, row) in rows.flat_map(|row| [(0, row), (1, row)]) {
            got[chunk * 256 + row * 17] += added;
        }
        let axes = [("chunk", 2), ("row", 16), ("head", 1), ("column", 16)];
        let axes = axes.map(|(name, length)| Axis::new(name, length));
        hypotheses_of(&axes, &got, &want, &[])
    };
    for (rows, added, words) in [
        (2..16, -1.0, "the identity is missing from rows 2..15"),
        (0..2, 1.0, "still held it in rows 0..1"),
    ] {
        let found = with(rows, added);
        let (name, explanation) = best(&found);
        assert_eq!(name, "identity");
        assert!(explanation.contains(words), "{explanation}");
    }
}

#[test]
fn zeros_are_zeros_and_no_scale() {
    let found = hypotheses_of(&square(16), &[0.0; 256], &positive(256), &[]);
    let names: Vec<&str> = found.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["zero"]);
}

#[test]
fn echoed_and_missing_inputs_are_named() {
    let (want, a, b) = (values(64, 6), values(64, 7), values(64, 8));
    let axes = [Axis::new("element", 64)];
    let inputs: [(&str, &[f32]); 2] = [("a", &a), ("b", &b)];
    assert_eq!(
        best(&hypotheses_of(&axes, &b, &want, &inputs)),
        ("echo", "the output is the input `b`, unchanged")
    );
    let missing: Vec<f32> = want.iter().zip(&a).map(|(w, a)| w - a).collect();
    assert_eq!(
        best(&hypotheses_of(&axes, &missing, &want, &inputs)).1,
        "the input `a` is missing from a sum"
    );
    let twice: Vec<f32> = want.iter().zip(&b).map(|(w, b)| w + b).collect();
    assert_eq!(
        best(&hypotheses_of(&axes, &twice, &want, &inputs)).1,
        "the input `b` is added once too often"
    );
}

#[test]
fn lost_precision_is_named() {
    let want = positive(64);
    let axes = [Axis::new("element", 64)];
    let truncated: Vec<f32> = want
        .iter()
        .map(|w| f32::from_bits(w.to_bits() & 0xFFFF_0000))
        .collect();
    assert_eq!(
        best(&hypotheses_of(&axes, &truncated, &want, &[])).1,
        "truncated to bf16"
    );
    let halves: Vec<f32> = want
        .iter()
        .map(|w| half::f16::from_f32(*w).to_f32())
        .collect();
    assert_eq!(
        best(&hypotheses_of(&axes, &halves, &want, &[])).1,
        "rounded to f16"
    );
}

#[test]
fn every_row_of_the_table_has_its_own_name() {
    let mut names: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TABLE.len());
}

/// Numbers beyond what an output of f16 holds: an infinity has one reason, though many mistakes would give the same infinities.
#[test]
fn infinities_beyond_the_type_are_an_overflow() {
    use half::f16;
    let axes = [Axis::new("channel", 8)];
    let oracle: Vec<f64> = (0..8u8).map(|at| 1e4 * f64::from(at) - 4e4 + 1e5).collect();
    let golden: Vec<f16> = oracle
        .iter()
        .map(|&value| f16::from_f64(value.clamp(-65504.0, 65504.0)))
        .collect();
    let got: Vec<f16> = oracle.iter().map(|&value| f16::from_f64(value)).collect();
    assert!(got.iter().filter(|value| value.is_infinite()).count() >= FEWEST);
    let report = judge_output(&OutputCase {
        name: "o",
        axes: &axes,
        tolerance: &Tolerance::absolute(1e-5, 1e-4),
        golden: &golden,
        oracle: &oracle,
        got: &got,
        inputs: &[],
        alternatives: Some(&[]),
        owner: None,
    })
    .expect("the case can be judged");
    let Some(Problem::NonFinite { hypotheses, .. }) = report.problem else {
        panic!("{report:?}");
    };
    let told: Vec<&str> = hypotheses
        .iter()
        .map(|one| one.explanation.as_str())
        .collect();
    assert_eq!(
        told,
        ["numbers beyond 65504 became infinite, where the contract has 65504"]
    );
}
