//! `disasm`: code as text.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use gfx906::code_object::{CodeObject, Lines};
use gfx906::isa::{self, Encoding, Inst, Properties};

use super::functions::{Function, functions};
use super::{MAX_TEXT, load_with_lines};
use crate::args::DisasmArgs;
use crate::exit::{Exit, Stop};
use crate::files;
use crate::text::{escaped, print};

/// Runs the command.
///
/// # Errors
/// The file cannot be read, is not a gfx906 code object, or has no such kernel.
pub fn run(args: &DisasmArgs) -> Result<Exit, Stop> {
    if let Some(path) = &args.hex {
        print(&hex(&read_hex(path)?))?;
    } else if let Some(path) = &args.file {
        let (object, lines) = load_with_lines(path)?;
        print(&code(
            &object,
            lines.as_ref(),
            args.kernel.as_deref(),
            path,
        )?)?;
    }
    Ok(Exit::Passed)
}

fn read_hex(path: &Path) -> Result<Vec<u8>, Stop> {
    if path != Path::new("-") {
        return files::read(path, MAX_TEXT).map_err(Stop::setup);
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Stop::setup(format!("cannot read standard input: {error}")))?;
    Ok(bytes)
}

/// A line of text for each line of hex.
fn hex(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let mut out = String::new();
    if bytes.is_empty() {
        return out;
    }
    for line in bytes.split(|byte| *byte == b'\n') {
        let inst = hex_bytes(line).and_then(|bytes| {
            isa::decode(&bytes)
                .ok()
                .filter(|inst| inst.size() == bytes.len())
        });
        match inst {
            Some(inst) => out.push_str(&isa::disassemble(&inst)),
            None => out.push_str("invalid"),
        }
        out.push('\n');
    }
    out
}

/// Pairs of hex digits, with or without spaces between pairs.
fn hex_bytes(line: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in line.split(u8::is_ascii_whitespace) {
        for pair in word.chunks(2) {
            let [high, low] = pair else { return None };
            let (high, low) = (
                char::from(*high).to_digit(16)?,
                char::from(*low).to_digit(16)?,
            );
            bytes.push(u8::try_from(high << 4 | low).ok()?);
        }
    }
    Some(bytes)
}

/// The code of every function, or of one.
fn code(
    object: &CodeObject,
    lines: Option<&Lines>,
    only: Option<&str>,
    path: &Path,
) -> Result<String, Stop> {
    let mut out = String::new();
    for function in functions(object, only, path)? {
        let bytes = object
            .image
            .bytes(function.address, function.size)
            .unwrap_or_default();
        print_function(&mut out, &function, bytes, lines);
    }
    Ok(out)
}

/// Prints the code of a function. The source line stands before the first of its instructions.
fn print_function(out: &mut String, function: &Function, bytes: &[u8], lines: Option<&Lines>) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "{:016x} <{}>:",
        function.address,
        function.name.escape_debug()
    );
    let mut at = 0;
    let mut last = None;
    while at < bytes.len() {
        let address = function.address + at as u64;
        let source = lines.and_then(|lines| lines.line_at(address));
        if let Some(source) = source.as_ref().filter(|_| source != last) {
            let _ = writeln!(out, "  // {}", escaped(source));
        }
        last = source.or(last);
        let rest = &bytes[at..];
        match isa::decode(rest) {
            Ok(inst) => {
                let text = isa::disassemble(&inst) + &target(&inst, address);
                print_line(out, address, &rest[..inst.size()], &text);
                at += inst.size();
            }
            Err(_) => {
                let word = &rest[..rest.len().min(4)];
                print_line(out, address, word, "invalid");
                at += word.len();
            }
        }
    }
}

fn print_line(out: &mut String, address: u64, bytes: &[u8], text: &str) {
    let words: Vec<String> = bytes.chunks(4).map(word).collect();
    let _ = writeln!(out, "  {address:6x}:  {:26}  {text}", words.join(" "));
}

/// A little-endian dword, or what is left of one.
fn word(bytes: &[u8]) -> String {
    bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns the target of a branch as a comment.
fn target(inst: &Inst, address: u64) -> String {
    let branches = inst.encoding == Encoding::Sopp && inst.has(Properties::BRANCH);
    if !branches {
        return String::new();
    }
    let distance = i64::from((inst.words[0] & 0xffff) as u16 as i16) * 4;
    format!(
        "  // {:#x}",
        address.wrapping_add(4).wrapping_add_signed(distance)
    )
}
