//! What the program does: one file or folder a subcommand, and the run of the tests.

pub mod audit;
pub mod bench;
pub mod bind;
pub mod compare_reports;
pub mod contracts;
pub mod disasm;
pub mod exec;
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
pub mod run;
pub mod soak;
pub mod tolerances;
mod trials;
pub mod vectors;
mod written;

use std::path::Path;

use anyhow::Context as _;
use comfy_table::{CellAlignment, Table, presets};
use gfx906::code_object::CodeObject;

use crate::args::{Color, look};
use crate::files;
use crate::program::{MAX_CODE_OBJECT, Program};
use crate::report::fit;
use crate::text::{nearest, shown};

/// A file of text: a launch file, lines of hex.
const MAX_TEXT: u64 = 256 << 20;

/// The kernels that a message lists.
const LISTED: usize = 40;

/// The code object in a file.
fn load_code_object(path: &Path) -> anyhow::Result<CodeObject> {
    let bytes = files::read(path, MAX_CODE_OBJECT)?;
    CodeObject::parse(&bytes).with_context(|| shown(path))
}

/// The code object in a file, with its bytes.
fn load_program(path: &Path) -> anyhow::Result<Program> {
    let bytes = files::read(path, MAX_CODE_OBJECT)?;
    Ok(Program::parse(&shown(path), bytes, None)?)
}

/// A table without borders; the columns in `right` hold numbers.
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

/// ` (did you mean ...?)` with the candidate that is spelled most like `name`, if one comes near.
fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(name, candidates, 1);
    near.first().map_or_else(String::new, |candidate| {
        format!(" (did you mean `{candidate}`?)")
    })
}

/// Why a code object has no such kernel, with the nearest name.
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
