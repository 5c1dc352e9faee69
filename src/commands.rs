//! The commands of the program: one file or folder per subcommand, and the run of the tests.

pub mod audit;
pub mod bench;
pub mod bind;
pub mod calibrate;
pub mod compare_reports;
pub mod contracts;
pub mod debug;
pub mod disasm;
pub mod exec;
pub mod explain;
pub mod export;
mod functions;
pub mod hip;
mod hung;
pub mod inspect;
pub mod isa;
pub mod judge;
pub mod lint;
pub mod merge;
pub mod mutate;
pub mod profile;
mod report_files;
pub mod run;
pub mod soak;
pub mod tolerances;
mod trials;
pub mod vectors;

use std::path::Path;

use anyhow::Context as _;
use comfy_table::{CellAlignment, Table, presets};
use gfx906::code_object::{CodeObject, Lines};

use crate::args::{Color, look};
use crate::files;
use crate::program::{MAX_CODE_OBJECT, Program};
use crate::report::fit;
use crate::text::{nearest, shown};

/// The largest text file that is read, such as a launch file or lines of hex.
const MAX_TEXT: u64 = 256 << 20;

/// The number of kernels that a message lists.
const LISTED: usize = 40;

/// Reads the code object in a file.
fn load_code_object(path: &Path) -> anyhow::Result<CodeObject> {
    let bytes = files::read(path, MAX_CODE_OBJECT)?;
    CodeObject::parse(&bytes).with_context(|| shown(path))
}

/// Reads the code object in a file with its line tables, if it has some.
fn load_with_lines(path: &Path) -> anyhow::Result<(CodeObject, Option<Lines>)> {
    let bytes = files::read(path, MAX_CODE_OBJECT)?;
    let object = CodeObject::parse(&bytes).with_context(|| shown(path))?;
    Ok((object, Lines::read(&bytes)))
}

/// Reads the code object in a file, and keeps its bytes.
fn load_program(path: &Path) -> anyhow::Result<Program> {
    let bytes = files::read(path, MAX_CODE_OBJECT)?;
    Ok(Program::parse(&shown(path), bytes, None)?)
}

/// Formats a table without borders. The columns in `right` hold numbers, and are aligned to the right.
fn table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.to_vec())
        .add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    fit(&mut table, look(Color::Never).width);
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    lines.concat()
}

/// Returns ` (did you mean ...?)` with the candidate that is spelled most like `name`, or nothing if no candidate is similar.
fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(name, candidates, 1);
    near.first().map_or_else(String::new, |candidate| {
        format!(" (did you mean `{candidate}`?)")
    })
}

/// Returns the message that a code object has no kernel of a name, with the most similar name.
fn no_kernel(object: &CodeObject, name: &str) -> String {
    let names = object.kernels.iter().map(|kernel| kernel.name.as_str());
    let nearest = did_you_mean(name, names.clone());
    let count = object.kernels.len();
    let listed: Vec<&str> = names.take(LISTED).collect();
    let has = match count {
        0 => "none".to_owned(),
        _ if count > LISTED => format!("{} and {} more", listed.join(", "), count - LISTED),
        _ => listed.join(", "),
    };
    format!(
        "no kernel `{}`{nearest}; there is: {has}",
        name.escape_debug()
    )
}
