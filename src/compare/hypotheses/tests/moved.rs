//! Values that are right, in other places.

use super::*;

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
        // The inverse mistake is a matrix that is right if it is read with the other row length.
        assert_eq!(
            best(&hypotheses_of(&axes, &want, &got, &[])).0,
            "transposed"
        );
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
    assert_eq!(name, "heads");
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
    assert_eq!(names("head", 8), ["heads"]);
    assert_eq!(names("head", 7), [""; 0]);
    assert_eq!(names("row", 8), [""; 0]);
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
