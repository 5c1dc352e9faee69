use super::*;
use proptest::prelude::*;

fn matrix(rows: usize, columns: usize, marked: impl Fn(usize, usize) -> bool) -> Option<String> {
    let axes = [Axis::new("row", rows), Axis::new("column", columns)];
    let bits: Vec<bool> = (0..rows * columns)
        .map(|flat| marked(flat / columns, flat % columns))
        .collect();
    pattern(&axes, &bits)
}

fn vector(length: usize, marked: impl Fn(usize) -> bool) -> Option<String> {
    let bits: Vec<bool> = (0..length).map(marked).collect();
    pattern(&[Axis::new("element", length)], &bits)
}

#[test]
fn rows_and_columns() {
    let words = |found: Option<String>| found.expect("there is a pattern");
    assert_eq!(
        words(matrix(64, 64, |r, _| (16..32).contains(&r))),
        "rows 16..31 only"
    );
    assert_eq!(words(matrix(64, 64, |_, c| c == 0)), "column 0 only");
    assert_eq!(words(matrix(64, 64, |r, _| r > 0)), "second row on");
    assert_eq!(words(matrix(64, 64, |r, _| r >= 48)), "row 48 on");
    assert_eq!(
        words(matrix(64, 64, |_, c| c % 32 == 0 && c < 64)),
        "columns 0, 32 only"
    );
    assert_eq!(
        words(matrix(64, 256, |_, c| c % 32 == 0)),
        "every 32nd column from 0"
    );
    assert_eq!(
        words(matrix(64, 64, |_, c| c % 16 >= 8)),
        "columns 8..15 of every 16"
    );
    assert_eq!(words(matrix(64, 64, |r, _| r != 5)), "every row but 5");
    assert_eq!(
        words(matrix(64, 64, |r, c| r < 16 && c >= 32)),
        "rows 0..15 only, column 32 on"
    );
    assert_eq!(
        words(matrix(64, 64, |r, c| (r, c) == (3, 17))),
        "one element: row 3, column 17"
    );
    assert_eq!(words(matrix(64, 64, |_, _| true)), "every element");
    assert_eq!(matrix(64, 64, |_, _| false), None);
}

#[test]
fn the_diagonal() {
    let words = |found: Option<String>| found.expect("there is a pattern");
    assert_eq!(words(matrix(64, 64, |r, c| c > r)), "above the diagonal");
    assert_eq!(words(matrix(64, 64, |r, c| c < r)), "below the diagonal");
    assert_eq!(words(matrix(64, 64, |r, c| c == r)), "on the diagonal only");
    assert_eq!(
        words(matrix(64, 64, |r, c| c == r && (2..16).contains(&r))),
        "on the diagonal only, rows 2..15"
    );
    assert_eq!(
        words(matrix(16, 16, |r, c| c == r && r > 1)),
        "on the diagonal only, rows 2..15"
    );
    assert_eq!(
        words(matrix(64, 64, |r, c| c > r && r < 8)),
        "above the diagonal, rows 0..7 only"
    );
    // Three elements are on one side by chance; one position in every head is a position.
    let few = [(0, 5), (1, 9), (40, 50)];
    assert_eq!(
        words(matrix(64, 64, |r, c| few.contains(&(r, c)))),
        "rows 0, 1, 40 only, columns 5, 9, 50 only (33 % of that box)"
    );
    let axes = [
        Axis::new("head", 2),
        Axis::new("row", 3),
        Axis::new("column", 3),
    ];
    let marked: Vec<bool> = (0..18).map(|at| at % 9 == 4).collect();
    assert_eq!(words(pattern(&axes, &marked)), "row 1 only, column 1 only");
    // A row says more than a side of the diagonal, and a matrix that is not square has none.
    assert_eq!(
        words(matrix(64, 64, |r, c| r == 0 && c > 3)),
        "row 0 only, column 4 on"
    );
    assert_eq!(
        matrix(64, 65, |r, c| c > r),
        Some("second column on (50 % of that box)".into())
    );
}

#[test]
fn heads_and_chunks() {
    let axes = [
        Axis::new("chunk", 4),
        Axis::new("head", 2),
        Axis::new("row", 3),
        Axis::new("column", 3),
    ];
    let bits = |marked: fn(usize, usize) -> bool| -> Vec<bool> {
        (0..72)
            .map(|flat| marked(flat / 18, flat / 9 % 2))
            .collect()
    };
    assert_eq!(
        pattern(&axes, &bits(|chunk, _| chunk > 0)),
        Some("second chunk on".into())
    );
    assert_eq!(
        pattern(&axes, &bits(|_, head| head == 1)),
        Some("head 1 only".into())
    );
    assert_eq!(
        pattern(&axes, &bits(|chunk, head| chunk == 3 && head == 0)),
        Some("chunk 3 only, head 0 only".into())
    );
}

#[test]
fn one_axis_shows_waves_lanes_and_blocks() {
    let words = |found: Option<String>| found.expect("there is a pattern");
    assert_eq!(
        words(vector(1024, |i| i % 64 == 63)),
        "every 64th element from 63 (lane 63)"
    );
    assert_eq!(
        words(vector(1000, |i| i >= 960)),
        "the tail from 960 on (the last, partial block of 64)"
    );
    assert_eq!(
        words(vector(1000, |i| i >= 768)),
        "the tail from 768 on (the last, partial block of 256)"
    );
    assert_eq!(words(vector(1024, |i| i >= 512)), "the tail from 512 on");
    assert_eq!(
        words(vector(1024, |i| i % 64 >= 32)),
        "elements 32..63 of every 64"
    );
    assert_eq!(
        words(vector(1024, |i| (64..128).contains(&i))),
        "elements 64..127 only"
    );
    assert_eq!(words(vector(1024, |i| i > 0)), "second element on");
    assert_eq!(
        words(vector(1024, |i| i % 2 == 1)),
        "every 2nd element from 1"
    );
}

#[test]
fn memory_order_where_the_axes_say_nothing() {
    let words = |found: Option<String>| found.expect("there is a pattern");
    assert_eq!(
        words(matrix(17, 33, |r, c| r * 33 + c >= 16)),
        "the tail from 16 on"
    );
    assert_eq!(
        words(matrix(17, 33, |r, c| (r * 33 + c) % 64 == 5)),
        "every 64th element in memory order from 5"
    );
}

#[test]
fn ordinals() {
    let words: Vec<String> = [2, 3, 11, 12, 21, 32, 64, 113]
        .into_iter()
        .map(ordinal)
        .collect();
    assert_eq!(
        words,
        [
            "2nd", "3rd", "11th", "12th", "21st", "32nd", "64th", "113th"
        ]
    );
}

proptest! {
    #[test]
    fn no_shape_panics_and_only_nothing_marked_says_nothing_certain(
        lengths in prop::collection::vec(1usize..6, 0..4), seed: u64, density in 0u64..5,
    ) {
        let axes: Vec<Axis> = lengths.iter().map(|&length| Axis::new("row", length)).collect();
        let total: usize = lengths.iter().product();
        let marked: Vec<bool> = (0..total as u64)
            .map(|i| (i + 1).wrapping_mul(seed | 1).rotate_left(17) % 4 < density)
            .collect();
        let words = pattern(&axes, &marked);
        if !marked.contains(&true) {
            prop_assert_eq!(words, None);
        } else if !marked.contains(&false) {
            prop_assert_eq!(words, Some("every element".to_string()));
        }
    }
}

#[test]
fn the_diagonal_and_what_lies_beside_it() {
    let words = |found: Option<String>| found.expect("there is a pattern");
    // An identity lost from row 2 on, and two columns wrong below it.
    assert_eq!(
        words(matrix(16, 16, |r, c| r > 1 && (c == r || c < 2))),
        "on the diagonal, rows 2..15; below the diagonal, rows 2..15, columns 0..1"
    );
    assert_eq!(
        words(matrix(16, 16, |r, c| c < 2 && (r > 1 || c == r))),
        "on the diagonal, rows 0..1; below the diagonal, rows 2..15, columns 0..1"
    );
    // All of the lower triangle is simply wrong: nothing to be said of either side.
    assert_eq!(matrix(16, 16, |r, c| c <= r), None);
    assert_eq!(
        words(matrix(16, 16, |r, c| c == r || (c == 0 && r > 0))),
        "on the diagonal; below the diagonal, column 0"
    );
    assert_eq!(
        words(matrix(16, 16, |r, c| c <= r && r > 7)),
        "row 8 on (78 % of that box)"
    );
    assert_eq!(
        words(matrix(16, 16, |r, c| c <= r && c < 2)),
        "columns 0..1 only (96 % of that box)"
    );
    // A range of whole rows describes the damage without a diagonal.
    assert_eq!(words(matrix(16, 16, |r, _| r > 1)), "row 2 on");
}

#[test]
fn rows_and_columns_with_heads_between_them_are_matrices() {
    let axes = [
        Axis::new("chunk", 2),
        Axis::new("row", 16),
        Axis::new("head", 3),
        Axis::new("column", 16),
    ];
    let marked = |head: Option<usize>| -> Vec<bool> {
        let element = |at: usize| {
            let (row, column) = (at / 48 % 16, at % 16);
            row == column && row > 1 && head.is_none_or(|head| at / 16 % 3 == head)
        };
        (0..2 * 16 * 48).map(element).collect()
    };
    let words = |marked: &[bool]| pattern(&axes, marked).expect("there is a pattern");
    assert_eq!(words(&marked(None)), "on the diagonal only, rows 2..15");
    assert_eq!(
        words(&marked(Some(1))),
        "on the diagonal only, rows 2..15, head 1 only"
    );
}

/// `rows 16..31 only` was said of two elements in 1024.
#[test]
fn a_bounding_box_says_how_full_it_is() {
    let words = |found: Option<String>| found.expect("there is a pattern");
    let chequered = |r: usize, c: usize| {
        (16..32).contains(&r) && c.is_multiple_of(4) && (r + c / 4).is_multiple_of(2)
    };
    assert_eq!(
        words(matrix(64, 60, chequered)),
        "rows 16..31 only, every 4th column from 0 (50 % of that box)"
    );
    let few = [(16, 3), (20, 40), (31, 11), (25, 5), (28, 22)];
    assert_eq!(
        words(matrix(64, 64, |r, c| few.contains(&(r, c)))),
        "rows 16..31 only, columns 3..40 only (<1 % of that box)"
    );
    assert_eq!(
        words(matrix(64, 64, |r, c| c > r && (r + c) % 2 == 1)),
        "above the diagonal (50 % of that part)"
    );
}

#[test]
fn elements_without_a_pattern_lie_in_a_range() {
    let some = [117, 118, 130, 500, 501, 700];
    assert_eq!(
        vector(1024, |i| some.contains(&i)),
        Some("elements 117..700 only (1 % of that range)".into())
    );
    let all_over = [7, 118, 130, 500, 501, 1000];
    assert_eq!(vector(1024, |i| all_over.contains(&i)), None);
}
