//! The source of a code object's instructions: lines, frames of inlined functions, and places of variables. The code object must be built with
//! debug information (`-g`); line tables alone give lines and frames.

mod variables;

use std::collections::BTreeMap;

use addr2line::Context;
use gimli::Dwarf;

use super::dwarf::{self, Section};
pub use variables::{SourceVariable, VariablePart, VariablePlace};

/// Largest number of frames at an address. A damaged file may have more.
const MAX_FRAMES: usize = 64;

/// A position in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// The path of the file, as the compiler wrote it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, or 0 if it is not known.
    pub column: u32,
}

/// A function that an instruction belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFrame {
    /// The name of the function.
    pub function: Option<String>,
    /// The position of the instruction, or of the call in functions that the innermost is inlined into.
    pub position: Option<SourcePosition>,
}

/// Consecutive instructions of a line.
#[derive(Clone, Debug)]
struct Row {
    start: u64,
    end: u64,
    /// Number of the file.
    file: usize,
    line: u32,
}

/// The debug information of a code object.
pub struct Source {
    context: Context<Section>,
    dwarf: Dwarf<Section>,
    files: Vec<String>,
    /// Rows with a line, sorted by address.
    rows: Vec<Row>,
    /// Addresses behind the prologues of functions.
    prologue_ends: Vec<u64>,
}

impl Source {
    /// Reads the debug information of any input of [`super::CodeObject::parse`]. Returns `None` if the file has none or it cannot be read.
    pub fn read(bytes: &[u8]) -> Option<Source> {
        let context = Context::from_dwarf(dwarf::read(bytes)?).ok()?;
        let dwarf = dwarf::read(bytes)?;
        let mut numbers = BTreeMap::<String, usize>::new();
        let mut rows = Vec::new();
        for (start, length, location) in context.find_location_range(0, u64::MAX).ok()? {
            let (Some(file), Some(line)) = (location.file, location.line.filter(|&l| l > 0)) else {
                continue;
            };
            let next = numbers.len();
            let file = match numbers.get(file) {
                Some(&number) => number,
                None => *numbers.entry(file.to_owned()).or_insert(next),
            };
            let end = start.saturating_add(length);
            rows.push(Row {
                start,
                end,
                file,
                line,
            });
        }
        rows.sort_by_key(|row| row.start);
        let mut files = vec![String::new(); numbers.len()];
        for (name, number) in numbers {
            files[number] = name;
        }
        Some(Source {
            context,
            prologue_ends: prologue_ends(&dwarf).unwrap_or_default(),
            dwarf,
            files,
            rows,
        })
    }

    /// Returns the paths of the files that instructions come from.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Returns the first address of each stretch of a line's instructions.
    pub fn addresses(&self, file: &str, line: u32) -> Vec<u64> {
        let Some(file) = self.files.iter().position(|name| name == file) else {
            return Vec::new();
        };
        let is_here = |row: &Row| row.file == file && row.line == line;
        let mut addresses = Vec::new();
        let mut end = None;
        for row in self.rows.iter().filter(|row| is_here(row)) {
            if end != Some(row.start) {
                addresses.push(row.start);
            }
            end = Some(row.end);
        }
        addresses
    }

    /// Returns the first line of a file, from `line` on, that has instructions.
    pub fn line_from(&self, file: &str, line: u32) -> Option<u32> {
        let file = self.files.iter().position(|name| name == file)?;
        let rows = self.rows.iter().filter(|row| row.file == file);
        rows.map(|row| row.line).filter(|&at| at >= line).min()
    }

    /// Returns the number of the file and the line of the instruction at a link address.
    pub fn line_at(&self, address: u64) -> Option<(usize, u32)> {
        let after = self.rows.partition_point(|row| row.start <= address);
        let row = self.rows[..after].last()?;
        (address < row.end).then_some((row.file, row.line))
    }

    /// Returns the address at which a function has prepared its registers and its frame: the entry, unless the line tables name another.
    pub fn behind_prologue(&self, entry: u64, size: u64) -> u64 {
        let inside = entry..entry.saturating_add(size);
        let ends = self.prologue_ends.iter();
        ends.copied()
            .filter(|end| inside.contains(end))
            .min()
            .unwrap_or(entry)
    }

    /// Returns the functions that the instruction at a link address belongs to, the innermost inlined function first.
    pub fn frames(&self, address: u64) -> Vec<SourceFrame> {
        let mut frames = Vec::new();
        let Ok(mut found) = self.context.find_frames(address).skip_all_loads() else {
            return frames;
        };
        while let Ok(Some(frame)) = found.next()
            && frames.len() < MAX_FRAMES
        {
            let function = frame.function.as_ref();
            let name = function.and_then(|function| function.demangle().ok());
            let position = frame.location.and_then(|location| {
                Some(SourcePosition {
                    file: location.file?.to_owned(),
                    line: location.line.filter(|&line| line > 0)?,
                    column: location.column.unwrap_or(0),
                })
            });
            frames.push(SourceFrame {
                function: name.map(|name| name.into_owned()),
                position,
            });
        }
        frames
    }

    /// Returns the variables that the source shows at a link address, for each frame of [`Source::frames`]. A part of the debug information
    /// that is damaged gives no variables.
    pub fn variables(&self, address: u64) -> Vec<Vec<SourceVariable>> {
        variables::at(&self.dwarf, address).unwrap_or_default()
    }
}

/// Reads the ends of prologues from the line tables.
fn prologue_ends(dwarf: &Dwarf<Section>) -> gimli::Result<Vec<u64>> {
    let mut ends = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let Some(program) = dwarf.unit(header)?.line_program else {
            continue;
        };
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            if row.prologue_end() {
                ends.push(row.address());
            }
        }
    }
    Ok(ends)
}

#[cfg(test)]
mod tests;
