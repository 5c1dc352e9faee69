//! The source lines that an element came through.

use std::collections::{BTreeSet, HashMap};

use super::{ElementReport, NodeReport};

/// A source line, or an instruction without one.
pub(super) struct Line {
    /// `FILE:LINE`, or the address.
    pub(super) place: String,
    pub(super) kernel: String,
    /// Number of values that its instructions made for the element.
    pub(super) values: u64,
    /// The instruction that ran last.
    pub(super) text: String,
    /// Its value.
    pub(super) value: Option<String>,
}

/// Returns the lines of an explanation, from the element backwards, and the number of each node's line. Constants are left out: they have
/// none.
pub(super) fn lines(report: &ElementReport) -> (Vec<Line>, Vec<Option<usize>>) {
    let mut lines: Vec<Line> = Vec::new();
    let mut known: HashMap<(&str, String), usize> = HashMap::new();
    let varies = varying(report);
    let of = |(number, node): (usize, &'_ NodeReport)| -> Option<(String, usize)> {
        let place = node.source.clone();
        let place = place.unwrap_or_else(|| format!("{:#x}", node.pc));
        varies.contains(&number).then_some((place, number))
    };
    let mut numbers = vec![None; report.nodes.len()];
    for (place, number) in report.nodes.iter().enumerate().filter_map(of) {
        let node = &report.nodes[number];
        let at = *known
            .entry((&node.kernel, place.clone()))
            .or_insert(lines.len());
        numbers[number] = Some(at);
        match lines.get_mut(at) {
            Some(line) => line.values += node.values,
            None => lines.push(Line {
                place,
                kernel: node.kernel.clone(),
                values: node.values,
                text: node.text.clone(),
                value: node.value.clone(),
            }),
        }
    }
    (lines, numbers)
}

/// Returns the nodes that depend on an input.
fn varying(report: &ElementReport) -> BTreeSet<usize> {
    let sources = report.sources.iter().flat_map(|source| &source.to);
    let others = report.others.iter().flat_map(|other| &other.to);
    let mut open: Vec<usize> = sources.chain(others).copied().collect();
    let mut found = BTreeSet::new();
    while let Some(node) = open.pop() {
        if found.insert(node) {
            let users = report.edges.iter().filter(|[from, _]| *from == node);
            open.extend(users.map(|[_, to]| *to));
        }
    }
    found
}
