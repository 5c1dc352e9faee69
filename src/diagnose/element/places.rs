//! Sets of elements as boxes of indices.

use std::collections::BTreeMap;

use super::super::weigh::runs;
use crate::tensor::{Axis, index};

/// Returns the fewest boxes that some elements fall into along their axes, each as text: `0, 0-5, 1, 0-63`. The flat positions are in order.
pub(super) fn places(axes: &[Axis], flat: &[usize]) -> Vec<String> {
    if flat.is_empty() {
        return Vec::new();
    }
    let all: Vec<Vec<usize>> = flat.iter().map(|&flat| index(axes, flat)).collect();
    let all: Vec<&[usize]> = all.iter().map(Vec::as_slice).collect();
    boxes(&all).iter().map(|one| one.join(", ")).collect()
}

/// Returns the boxes of some indices: indices of the first axis with the same boxes behind them are one.
fn boxes(all: &[&[usize]]) -> Vec<Vec<String>> {
    if all.first().is_none_or(|index| index.is_empty()) {
        return vec![Vec::new()];
    }
    let mut behind: BTreeMap<usize, Vec<&[usize]>> = BTreeMap::new();
    for index in all {
        behind.entry(index[0]).or_default().push(&index[1..]);
    }
    let mut same: Vec<(Vec<Vec<String>>, Vec<usize>)> = Vec::new();
    for (first, rest) in behind {
        let rest = boxes(&rest);
        match same.iter_mut().find(|(known, _)| *known == rest) {
            Some((_, firsts)) => firsts.push(first),
            None => same.push((rest, vec![first])),
        }
    }
    let mut found = Vec::new();
    for (rest, firsts) in same {
        for tail in rest {
            let mut one = vec![joined(&firsts)];
            one.extend(tail);
            found.push(one);
        }
    }
    found
}

/// Returns indices in order as text: `0-5`, `0|2|4`.
fn joined(indices: &[usize]) -> String {
    let texts = runs(indices).into_iter();
    let texts = texts.map(|(first, last)| match last == first {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_few_boxes() {
        let axes = [
            Axis::new("token", 4),
            Axis::new("head", 2),
            Axis::new("channel", 8),
        ];
        let flat = |token: usize, head: usize, channel: usize| (token * 2 + head) * 8 + channel;
        let all = (0..3).flat_map(|t| (0..4).map(move |c| flat(t, 1, c)));
        assert_eq!(places(&axes, &all.collect::<Vec<_>>()), ["0-2, 1, 0-3"]);
        let some = [flat(0, 0, 0), flat(0, 0, 2), flat(3, 1, 7)];
        assert_eq!(places(&axes, &some), ["0, 0, 0|2", "3, 1, 7"]);
        assert_eq!(places(&axes, &[]), [""; 0]);
        assert_eq!(places(&[], &[0]), [""]);
    }
}
