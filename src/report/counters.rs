//! Tables of kernels' counters: a row for each test and kernel, and only the columns with a count above 0.

use comfy_table::{CellAlignment, Table as Grid};

use crate::report::model::{CountersReport, RunReport};
use crate::text::{kernel_label, shortened};

use super::table::STYLE;
use super::{fit, plain};

/// The launches of a kernel in one test, or in a HIP program.
#[derive(Debug)]
pub struct Row<'a> {
    /// The test's name; empty for a HIP program.
    pub test: &'a str,
    /// The kernel's name.
    pub kernel: &'a str,
    /// The number of launches.
    pub launches: u64,
    /// The counters of all these launches.
    pub counters: CountersReport,
}

/// Returns the tables of instructions and of bytes; none where nothing was counted.
pub(super) fn tables(report: &RunReport, room: Option<usize>) -> Option<String> {
    let rows = rows(report);
    (!rows.is_empty()).then(|| of_rows(&rows, room))
}

/// Returns the tables of instructions and of bytes of some rows.
pub fn of_rows(rows: &[Row<'_>], room: Option<usize>) -> String {
    format!(
        "{}\n\nBytes that instructions asked for\n{}",
        instructions(rows, room),
        bytes(rows, room)
    )
}

fn rows(report: &RunReport) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for trial in report.trials() {
        for launch in &trial.launches {
            let Some(counters) = &launch.counters else {
                continue;
            };
            let known = rows
                .iter_mut()
                .find(|row| row.test == trial.id && row.kernel == launch.kernel);
            match known {
                Some(row) => {
                    row.launches += 1;
                    row.counters.add(counters);
                }
                None => rows.push(Row {
                    test: &trial.id,
                    kernel: &launch.kernel,
                    launches: 1,
                    counters: counters.clone(),
                }),
            }
        }
    }
    rows
}

/// Returns the share of lanes that were active: `93.8 %`.
pub fn share(utilisation: Option<f64>) -> String {
    utilisation.map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn instructions(rows: &[Row<'_>], room: Option<usize>) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        let counted = row.counters.by_kind.iter().filter(|(_, count)| **count > 0);
        kinds.extend(counted.map(|(kind, _)| kind.as_str()));
    }
    kinds.sort_unstable();
    kinds.dedup();
    let mut header = vec!["launches"];
    header.extend(&kinds);
    header.extend(["taken", "barriers", "lanes on"]);
    grid(&header, rows, room, |row| {
        let counters = &row.counters;
        let mut cells = vec![row.launches.to_string()];
        let kind = |kind: &&str| counters.by_kind.get(*kind).copied().unwrap_or(0);
        cells.extend(kinds.iter().map(|name| kind(name).to_string()));
        cells.push(counters.branches_taken.to_string());
        cells.push(counters.barriers.to_string());
        cells.push(share(counters.lane_utilisation));
        cells
    })
}

fn bytes(rows: &[Row<'_>], room: Option<usize>) -> String {
    let mut columns: Vec<(&str, bool)> = Vec::new();
    for row in rows {
        for (space, bytes) in &row.counters.bytes {
            for (written, count) in [(false, bytes.read), (true, bytes.written)] {
                if count > 0 && !columns.contains(&(space, written)) {
                    columns.push((space, written));
                }
            }
        }
    }
    columns.sort_unstable();
    let verb = |written: bool| if written { "written" } else { "read" };
    let header: Vec<String> = columns
        .iter()
        .map(|(space, written)| format!("{space} {}", verb(*written)))
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    grid(&header, rows, room, |row| {
        let cell = |(space, written): &(&str, bool)| {
            let bytes = row.counters.bytes.get(*space).copied().unwrap_or_default();
            let count = if *written { bytes.written } else { bytes.read };
            count.to_string()
        };
        columns.iter().map(cell).collect()
    })
}

fn grid(
    header: &[&str],
    rows: &[Row<'_>],
    room: Option<usize>,
    cells: impl Fn(&Row<'_>) -> Vec<String>,
) -> String {
    let mut grid = Grid::new();
    grid.load_style(STYLE);
    grid.force_no_tty();
    let named = rows.iter().any(|row| !row.test.is_empty());
    let names: &[&str] = if named {
        &["name", "kernel"]
    } else {
        &["kernel"]
    };
    grid.set_header(names.iter().chain(header));
    let mut last = "";
    for row in rows {
        // A test's name is in the row of its first kernel only.
        let name = if row.test == last { "" } else { row.test };
        last = row.test;
        let mut line = vec![kernel_label(row.kernel)];
        if named {
            let whole = plain::line(name);
            line.insert(0, room.map_or(whole.clone(), |_| shortened(&whole)));
        }
        line.extend(cells(row));
        grid.add_row(line);
    }
    for (n, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if n >= names.len() {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    // Names that do not fit are broken.
    fit(&mut grid, room);
    grid.trim_fmt()
}
