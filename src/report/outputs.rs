//! Outputs that belong to no test: a table, then the failures in full.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table as Grid};

use crate::report::model::{OutputReport, Problem, Verdict};

use super::table::{STYLE, rows};
use super::{Look, failure, plain};

const HEADER: [&str; 9] = [
    "status",
    "buffer",
    "type",
    "shape",
    "max_diff",
    "tolerance",
    "headroom",
    "rel RMS",
    "max ULP",
];

/// Returns the text of judged outputs, in the columns and words of a test's outputs.
pub fn outputs(outputs: &[OutputReport]) -> String {
    let mut grid = Grid::new();
    grid.load_style(STYLE);
    grid.force_no_tty();
    grid.set_header(HEADER);
    for output in outputs {
        let sides: Vec<String> = output
            .axes
            .iter()
            .map(|axis| axis.length.to_string())
            .collect();
        let ulp = output.golden.max_ulp;
        grid.add_row([
            output.verdict.word().to_owned(),
            plain::line(&output.name),
            output.element.clone(),
            sides.join("x"),
            plain::error(output.golden.max_abs),
            plain::tolerance(output),
            rows::headroom(output),
            plain::error(output.golden.relative_rms),
            ulp.map_or("-".to_owned(), |ulp| ulp.to_string()),
        ]);
    }
    for (n, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if n >= 4 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let look = Look::default();
    let mut text = String::new();
    for line in grid.lines() {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for output in outputs
        .iter()
        .filter(|output| output.verdict != Verdict::Pass)
    {
        let _ = writeln!(
            text,
            "\n{} {}",
            output.verdict.word(),
            plain::line(&output.name)
        );
        text += &look.labelled(&failure::of_output(output, &[], false, look));
    }
    text
}

/// Returns the text of a problem of whole buffers, in the words of a test's problem.
pub fn problem(problem: &Problem) -> String {
    Look::default().labelled(&super::problem::explain(problem, None, &[]))
}
