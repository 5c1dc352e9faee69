//! The order in which an output has elements along one of its axes, in words.

use std::collections::BTreeMap;

use crate::diagnose::weigh::plural;
use crate::tensor::Axis;

/// The most runs of elements that are told one by one.
const RUNS: usize = 2;

/// The longest axis along which blocks are looked for.
const LONGEST: usize = 1 << 12;

/// Returns the wrong order of an axis in words: as runs of elements, as pairs, or as transposed blocks. `belongs` has, for places along the axis, the
/// place at which the element that stands there belongs.
pub(super) fn told(axis: &Axis, belongs: &BTreeMap<usize, usize>) -> Option<String> {
    in_runs(axis, belongs)
        .or_else(|| in_pairs(axis, belongs))
        .or_else(|| transposed(axis, belongs))
}

fn in_pairs(axis: &Axis, belongs: &BTreeMap<usize, usize>) -> Option<String> {
    let n = axis.length;
    let powers = (0..usize::BITS).map(|bit| 1 << bit);
    let mut apart = powers.take_while(|&apart| apart < n);
    let is_pair = |apart: usize| {
        let mut all = belongs.iter();
        all.all(|(&at, &of)| of == at ^ apart || at ^ apart >= n && of == at)
    };
    let apart = apart.find(|&apart| is_pair(apart))?;
    let names = plural(&axis.name);
    Some(match apart {
        1 => format!("has its {names} exchanged in pairs: 0 and 1, 2 and 3"),
        apart => format!("has its {names} exchanged in pairs: i and i xor {apart}"),
    })
}

/// Blocks of equal length, one after another, each a matrix that is transposed.
fn transposed(axis: &Axis, belongs: &BTreeMap<usize, usize>) -> Option<String> {
    let n = axis.length;
    let moved = || belongs.iter().filter(|(at, of)| at != of);
    let (first, _) = moved().next().filter(|_| n <= LONGEST)?;
    // The first element of a matrix is in its place.
    let starts = [0, first.saturating_sub(1)];
    let blocks = starts.into_iter().flat_map(|start| {
        let lengths = (4..=n - start).rev();
        let lengths = lengths.filter(move |length| (n - start).is_multiple_of(*length));
        lengths.map(move |length| (start, length))
    });
    let mut matrices = blocks.flat_map(|(start, length)| {
        let rows = (2..length).filter(move |rows| length.is_multiple_of(*rows));
        rows.map(move |rows| (start, length, rows))
    });
    let (start, length, rows) = matrices.find(|&(start, length, rows)| {
        let belonging = |at: usize| match at.checked_sub(start) {
            None => at,
            Some(within) => {
                let (block, at) = (within / length * length, within % length);
                start + block + at % rows * (length / rows) + at / rows
            }
        };
        belongs.iter().all(|(&at, &of)| of == belonging(at))
    })?;
    let columns = length / rows;
    let (name, names) = (&axis.name, plural(&axis.name));
    Some(match (start, length) {
        (0, length) if length == n => format!(
            "has its {n} {names}, [{rows}, {columns}], transposed: at {name} i stands that of {name} (i mod {rows}) * {columns} + i / {rows}"
        ),
        (start, length) => {
            let from = match start {
                0 => String::new(),
                start => format!("from {name} {start} on "),
            };
            format!("has {from}each {length} {names}, [{rows}, {columns}], transposed")
        }
    })
}

fn in_runs(axis: &Axis, belongs: &BTreeMap<usize, usize>) -> Option<String> {
    let mut runs: Vec<[usize; 3]> = Vec::new();
    for (&at, &of) in belongs.iter().filter(|(at, of)| at != of) {
        match runs.last_mut() {
            Some([first, from, length]) if [*first + *length, *from + *length] == [at, of] => {
                *length += 1;
            }
            _ => runs.push([at, of, 1]),
        }
    }
    let are_runs = runs.iter().all(|[.., length]| *length > 1);
    if runs.is_empty() || runs.len() > RUNS || !are_runs {
        return None;
    }
    let names = plural(&axis.name);
    let told = runs.iter().map(|[first, from, length]| {
        let last = length - 1;
        format!(
            "at {names} {first} to {} stand those of {from} to {}",
            first + last,
            from + last
        )
    });
    let told: Vec<String> = told.collect();
    Some(format!("has {names} in other places: {}", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(length: usize, belongs: impl Fn(usize) -> usize) -> Option<String> {
        let axis = Axis {
            name: "head".into(),
            length,
        };
        told(&axis, &(0..length).map(|at| (at, belongs(at))).collect())
    }

    #[test]
    fn orders_have_words() {
        for (length, belongs, expected) in [
            (
                7,
                (|at| if at < 6 { at ^ 1 } else { at }) as fn(usize) -> usize,
                "has its heads exchanged in pairs: 0 and 1, 2 and 3",
            ),
            (
                8,
                |at| at ^ 2,
                "has its heads exchanged in pairs: i and i xor 2",
            ),
            (
                6,
                |at| at % 2 * 3 + at / 2,
                "has its 6 heads, [2, 3], transposed: at head i stands that of head (i mod 2) * 3 + i / 2",
            ),
            (
                14,
                |at| match at {
                    0..2 => at,
                    _ => 2 + (at - 2) / 6 * 6 + at % 2 * 3 + (at - 2) % 6 / 2,
                },
                "has from head 2 on each 6 heads, [2, 3], transposed",
            ),
            (
                8,
                |at| at ^ 4,
                "has heads in other places: at heads 0 to 3 stand those of 4 to 7, at heads 4 to 7 stand those of 0 to 3",
            ),
            (
                8,
                |at| if at < 3 { at + 5 } else { at - 3 },
                "has heads in other places: at heads 0 to 2 stand those of 5 to 7, at heads 3 to 7 stand those of 0 to 4",
            ),
        ] {
            assert_eq!(order(length, belongs).as_deref(), Some(expected));
        }
        assert_eq!(order(8, |at| 5 * at % 8), None);
        assert_eq!(order(8, |at| at), None);
    }
}
