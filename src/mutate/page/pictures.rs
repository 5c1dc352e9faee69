//! The pictures of a campaign's page: shares of outcomes, and functions instruction by instruction.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::report::{Counts, Line, MutantOutcome, MutantReport};

/// Number of instructions in a line of a strip, and the side of an instruction's square.
const ACROSS: usize = 96;
const SIDE: usize = 8;

/// The meanings of a strip's colours.
pub(super) const LEGEND: [(&str, &str); 5] = [
    ("survived", "a mutant survived"),
    ("killed", "a mutant was noticed, and none survived"),
    ("settled", "equivalent or not judged"),
    ("executed", "executed, not changed"),
    ("uncovered", "no test executes it"),
];

/// Draws the shares of killed, surviving and other mutants as a bar.
pub(super) fn bar(counts: &Counts) -> String {
    let mut text =
        String::from("<svg class=\"shares\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\">");
    let survived = counts.missed + counts.within_tolerance + counts.not_infected;
    let settled = counts.equivalent + counts.not_judged;
    let parts = [
        ("killed", counts.killed),
        ("survived", survived),
        ("settled", settled),
    ];
    let all: usize = parts.iter().map(|(_, count)| count).sum();
    let mut x = 0.0;
    for (class, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
        let width = 100.0 * count as f64 / all as f64;
        let _ = write!(
            text,
            "<rect class=\"{class}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"10\"><title>{count} {class}</title></rect>"
        );
        x += width;
    }
    text + "</svg>"
}

fn class(executed: bool, mutants: Option<&Vec<&MutantReport>>) -> &'static str {
    let Some(mutants) = mutants else {
        return if executed { "executed" } else { "uncovered" };
    };
    let killed = |mutant: &&MutantReport| matches!(mutant.outcome, MutantOutcome::Killed { .. });
    if mutants.iter().any(|mutant| mutant.outcome.survived()) {
        "survived"
    } else if mutants.iter().any(killed) {
        "killed"
    } else {
        "settled"
    }
}

/// Draws the instructions of a function. Neighbouring instructions of one class share a rectangle.
pub(super) fn strip(
    listing: &[Line],
    executed: &[bool],
    mutants: &BTreeMap<u64, Vec<&MutantReport>>,
) -> String {
    let lines = listing.len().div_ceil(ACROSS).max(1);
    let (width, height) = (ACROSS * SIDE, lines * SIDE);
    let mut text = format!(
        "<svg class=\"cells\" role=\"img\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\">"
    );
    let cells = listing.iter().zip(executed);
    let cells: Vec<(&Line, &str)> = cells
        .map(|(line, executed)| (line, class(*executed, mutants.get(&line.offset))))
        .collect();
    for (row, cells) in cells.chunks(ACROSS).enumerate() {
        let mut column = 0;
        for group in cells.chunk_by(|a, b| a.1 == b.1) {
            let (first, last) = (group[0].0.offset, group[group.len() - 1].0.offset);
            let place = match first == last {
                true => format!("{first:#x}"),
                false => format!("{first:#x} to {last:#x}"),
            };
            let class = group[0].1;
            let words = LEGEND.iter().find(|(known, _)| *known == class);
            let _ = write!(
                text,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{SIDE}\"><title>{place}: {}</title></rect>",
                column * SIDE,
                row * SIDE,
                group.len() * SIDE,
                words.map_or("", |(_, words)| words)
            );
            column += group.len();
        }
    }
    text + "</svg>"
}
