use super::super::{NamedInput, OutputCase, judge_output};
use super::*;
use crate::verdict::{Axis, Problem, Tolerance};

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

/// What a wrong kernel makes of a right value.
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
        alternatives,
        owner: None,
    })
    .expect("the case can be judged");
    match report.problem {
        Some(Problem::Mismatch { hypotheses, .. }) => hypotheses,
        other => panic!("expected a mismatch, found {other:?}"),
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
fn a_transposed_matrix_is_named_square_or_not() {
    for (rows, columns) in [(16, 16), (8, 24)] {
        let axes = [
            Axis::new("head", 2),
            Axis::new("row", rows),
            Axis::new("column", columns),
        ];
        let want = values(2 * rows * columns, 1);
        let mut got = want.clone();
        for head in 0..2 {
            for row in 0..rows {
                for column in 0..columns {
                    let base = head * rows * columns;
                    got[base + column * rows + row] = want[base + row * columns + column];
                }
            }
        }
        assert_eq!(
            best(&hypotheses_of(&axes, &got, &want, &[])).0,
            "transposed"
        );
        // The inverse mistake: what is stored reads right with the other row length.
        assert_eq!(
            best(&hypotheses_of(&axes, &want, &got, &[])).0,
            "transposed"
        );
    }
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
fn shifts_and_reversals_are_named_with_their_axis() {
    let want = values(256, 4);
    let axes = square(16);
    let moved =
        |from: fn(usize) -> usize| -> Vec<f32> { (0..256).map(|at| want[from(at)]).collect() };

    let down = hypotheses_of(&axes, &moved(|at| at.saturating_sub(16)), &want, &[]);
    assert_eq!(
        best(&down),
        (
            "shifted",
            "shifted: row i holds what belongs into row i-1 (exclusive instead of inclusive, or off by one)"
        )
    );
    let left = hypotheses_of(
        &axes,
        &moved(|at| if at % 16 == 15 { at } else { at + 1 }),
        &want,
        &[],
    );
    assert_eq!(
        best(&left).1,
        "shifted: column i holds what belongs into column i+1 (off by one)"
    );
    let backwards = hypotheses_of(&axes, &moved(|at| at / 16 * 16 + 15 - at % 16), &want, &[]);
    assert_eq!(
        best(&backwards),
        ("reversed", "the columns stand in reverse order")
    );
    let same = hypotheses_of(&axes, &moved(|at| at % 16), &want, &[]);
    assert_eq!(
        best(&same),
        ("broadcast", "every row holds what belongs into row 0")
    );
}

#[test]
fn the_other_head_map_is_named() {
    let axes = [
        Axis::new("token", 3),
        Axis::new("head", 8),
        Axis::new("column", 5),
    ];
    let want = values(120, 12);
    // Head h of a tiled map is head h % 2 of its group of 4 in a block map.
    let source = |head: usize| head % 2 * 4 + head / 2;
    let got: Vec<f32> = (0..120)
        .map(|at| want[at - at / 5 % 8 * 5 + source(at / 5 % 8) * 5])
        .collect();
    let found = hypotheses_of(&axes, &got, &want, &[]);
    let (name, explanation) = best(&found);
    assert_eq!(name, "head-map");
    assert!(
        explanation.ends_with("head h holds what belongs into head h % 2 * 4 + h / 2"),
        "{explanation}"
    );
}

#[test]
fn a_head_map_is_one_of_heads_in_whole_groups() {
    let names = |axis: &str, heads: usize| -> Vec<String> {
        let want = values(heads * 5, 12);
        let source = |head: usize| head % 2 * (heads / 2) + head / 2;
        let got: Vec<f32> = (0..heads * 5)
            .map(|at| want[source(at / 5) * 5 + at % 5])
            .collect();
        let axes = [Axis::new(axis, heads), Axis::new("column", 5)];
        let found = hypotheses_of(&axes, &got, &want, &[]);
        found.into_iter().map(|h| h.name).collect()
    };
    assert_eq!(names("head", 8), ["head-map"]);
    assert_eq!(names("head", 7), [""; 0]);
    assert_eq!(names("row", 8), [""; 0]);
}

#[test]
fn zeros_are_zeros_and_no_scale() {
    let found = hypotheses_of(&square(16), &[0.0; 256], &positive(256), &[]);
    let names: Vec<&str> = found.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["zero"]);
}

#[test]
fn an_exclusive_scan_is_a_shift_by_one_element() {
    let addends = values(100, 5);
    let mut sum = 0.0;
    let inclusive: Vec<f32> = addends
        .iter()
        .map(|value| {
            sum += value;
            sum
        })
        .collect();
    let exclusive: Vec<f32> = std::iter::once(0.0)
        .chain(inclusive[..99].iter().copied())
        .collect();
    let found = hypotheses_of(
        &[Axis::new("token", 100)],
        &exclusive,
        &inclusive,
        &[("g", &addends)],
    );
    assert!(
        found.iter().any(|h| h.name == "shifted" && h.explains_all),
        "{found:?}"
    );
    // The missing last addend says the same, and differs nowhere.
    assert!(
        found
            .iter()
            .any(|h| h.explanation.contains("`g` is missing")),
        "{found:?}"
    );
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
    // Row 0 is wrong, where a shift by a row does not say what to expect; elsewhere it says what is right anyway.
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

#[test]
fn every_row_of_the_table_has_its_own_name() {
    let mut names: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TABLE.len());
}
