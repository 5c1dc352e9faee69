//! Lengths of sequences that are packed one after another.

use crate::contract::Instance;

/// Lengths of the sequences: the contract's example, short ones around the convolution's width, unequal ones around a
/// chunk of 64, some without a token, more sequences than a work-group has work-items.
pub const LENGTHS: (&str, &[&str]) = ("lengths", &["three", "short", "unequal", "empty", "many"]);

/// Returns the lengths that a case names.
pub fn lengths(t: &Instance<'_>) -> Vec<i32> {
    match t.word(LENGTHS.0) {
        "short" => vec![1, 2, 3, 7, 8, 9],
        "unequal" => vec![63, 1, 64, 130, 65, 2, 200],
        "empty" => vec![0, 5, 0, 0, 64, 1, 0, 130, 0],
        "many" => (0..600).map(|at| at * 7 % 6).collect(),
        _ => vec![128, 192, 128],
    }
}
