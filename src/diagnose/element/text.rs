//! The explanation of an element as text.

use std::fmt::Write as _;

use super::lines::lines;
use super::{ElementReport, SourceReport};
use crate::text::{kernel_label, shortest};

/// Most lines of instructions, and most boxes of a tensor's elements.
const LINES: usize = 30;
const BOXES: usize = 4;

/// Returns an explanation as text.
pub fn text(report: &ElementReport) -> String {
    let mut text = format!(
        "{} of {}, seed {}\n",
        report.element, report.test, report.seed
    );
    let verdict = if report.wrong { "wrong" } else { "right" };
    let _ = writeln!(
        text,
        "  got {}, reference {}, allowed error {:.1e}: {verdict}",
        shortest(report.got),
        shortest(report.expected),
        report.allowed
    );
    if report.departures.is_empty() {
        text += "\nNo departure from what the reference depends on was found.\n";
    } else {
        text += "\nIt departs from the reference:\n";
        for one in &report.departures {
            let _ = writeln!(text, "  {one}");
        }
    }
    if !report.not_compared.is_empty() {
        let names = report.not_compared.iter().map(|name| format!("`{name}`"));
        let _ = writeln!(
            text,
            "Not every index was compared of {}: the case is too large.",
            names.collect::<Vec<_>>().join(", ")
        );
    }
    text += "\nIt came from:\n";
    for source in &report.sources {
        text += &source_text(source);
    }
    for other in &report.others {
        let _ = writeln!(text, "  {}", other.text);
    }
    let _ = writeln!(
        text,
        "\nIt came through, from the element backwards ({} of {} runs of instructions):",
        report.nodes.iter().map(|node| node.runs).sum::<u64>(),
        report.runs
    );
    let lines = lines(report).0;
    let kernels = report
        .nodes
        .windows(2)
        .any(|pair| pair[0].kernel != pair[1].kernel);
    let width = lines.iter().map(|line| line.place.len()).max().unwrap_or(0);
    for line in lines.iter().take(LINES) {
        let _ = write!(
            text,
            "  {:width$}  {:>6} values  {}",
            line.place, line.values, line.text
        );
        if let Some(value) = &line.value {
            let _ = write!(text, " = {value}");
        }
        if kernels {
            let _ = write!(text, "  ({})", kernel_label(&line.kernel));
        }
        text.push('\n');
    }
    if lines.len() > LINES {
        let _ = writeln!(
            text,
            "  ... and {} more: --format json has all",
            lines.len() - LINES
        );
    }
    text
}

fn source_text(source: &SourceReport) -> String {
    let mut text = String::new();
    for (number, place) in source.elements.iter().enumerate() {
        if number == BOXES {
            let _ = writeln!(
                text,
                "  ... and {} more parts of `{}`",
                source.elements.len() - BOXES,
                source.tensor
            );
            break;
        }
        let _ = write!(text, "  {}[{place}]", source.tensor);
        if number == 0 {
            let axes = source.axes.join(", ");
            let count = source.count;
            let plural = if count == 1 { "" } else { "s" };
            let _ = write!(text, "  {count} element{plural} along {axes}");
            if let ([value], 1) = (source.values.as_slice(), count) {
                let _ = write!(text, " = {}", shortest(value.value.0));
            }
        }
        text.push('\n');
    }
    text
}
