//! What the program does beside running the tests: one file a subcommand.

pub mod disasm;
pub mod exec;
pub mod inspect;

use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use comfy_table::{CellAlignment, Table, presets};
use gfx906::code_object::CodeObject;

use crate::exit::Stop;

/// A file of text: a launch file, lines of hex.
const MAX_TEXT: u64 = 256 << 20;
/// A code object is smaller than the image it makes, but may carry debug information, or other targets beside it.
const MAX_CODE_OBJECT: u64 = 1 << 30;
/// What is not a regular file (a pipe, a device) may never end.
const MAX_STREAM: u64 = 256 << 20;

/// The kernels that a message lists.
const LISTED: usize = 40;

/// All bytes of a file that has at most `limit` of them.
fn read_file(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let read = || -> anyhow::Result<Vec<u8>> {
        let file = std::fs::File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            bail!("it is a directory, name a file in it");
        }
        let limit = if metadata.is_file() {
            limit
        } else {
            limit.min(MAX_STREAM)
        };
        let mut bytes = Vec::new();
        if metadata.len() <= limit {
            file.take(limit + 1).read_to_end(&mut bytes)?;
        }
        if metadata.len().max(bytes.len() as u64) > limit {
            bail!("it is larger than {limit} bytes: name the right file");
        }
        Ok(bytes)
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// The code object in a file.
fn load_code_object(path: &Path) -> anyhow::Result<CodeObject> {
    let bytes = read_file(path, MAX_CODE_OBJECT)?;
    CodeObject::parse(&bytes).with_context(|| path.display().to_string())
}

/// Writes to standard output. A reader that closed the pipe has seen enough: that is no error.
fn print(text: &str) -> Result<(), Stop> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Stop::setup(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
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
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    lines.concat()
}

/// ` (did you mean ...?)` with the candidate that is spelled most like `name`, if one comes near.
fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let scored = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    let best = scored
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(String::new, |(_, candidate)| {
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
