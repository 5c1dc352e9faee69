//! Words for every row in every form, found by trying.

use std::io::{self, BufRead, Write};

use gfx906::isa::{self, Encoding, Flags, Form, Row};

use super::random::Random;
use super::{line, words};

/// Number of words per row and form. The first words found are taken; they differ in operands and modifiers.
const VARIANTS: usize = 3;

/// Random words tried before giving up on what is still missing.
const TRIES: u64 = 60_000_000;

/// The golden file's words: `(encoding, opcode, form)` and bytes.
fn find() -> io::Result<Vec<Vec<u8>>> {
    let mut missing: Vec<Vec<Slot>> = Vec::new();
    for (encoding, row) in isa::rows() {
        for form in Form::ALL {
            if row.has_form(encoding, form) {
                let slot = Slot {
                    row,
                    form,
                    bytes: Vec::new(),
                };
                let group = group(encoding);
                missing.resize_with(missing.len().max(group + 1), Vec::new);
                missing[group].push(slot);
            }
        }
    }
    let mut open: usize = missing.iter().map(Vec::len).sum();
    let mut random = Random::new(906);
    for _ in 0..TRIES {
        if open == 0 {
            break;
        }
        let (_, bytes) = words::random(&mut random);
        let Ok(inst) = isa::decode(&bytes) else {
            continue;
        };
        if inst.modifiers.flags.has(Flags::MALFORMED) {
            continue;
        }
        let slots = &mut missing[group(inst.encoding)];
        let Some(slot) = slots
            .iter_mut()
            .find(|slot| std::ptr::eq(slot.row, inst.row) && slot.form == inst.form)
        else {
            continue;
        };
        let bytes = bytes[..inst.size()].to_vec();
        if slot.bytes.len() < VARIANTS && !slot.bytes.contains(&bytes) {
            slot.bytes.push(bytes);
            // Some rows have one encoding only.
            let enough = if inst.row.operands.is_empty() {
                1
            } else {
                VARIANTS
            };
            open -= usize::from(slot.bytes.len() == enough);
        }
    }
    if let Some(slot) = missing.iter().flatten().find(|slot| slot.bytes.is_empty()) {
        return Err(io::Error::other(format!(
            "no words found for {} in its {:?} form",
            slot.row.mnemonic, slot.form
        )));
    }
    Ok(missing
        .into_iter()
        .flatten()
        .flat_map(|slot| slot.bytes)
        .collect())
}

/// A row in a form, and the words found for it.
struct Slot {
    row: &'static Row,
    form: Form,
    bytes: Vec<Vec<u8>>,
}

fn group(encoding: Encoding) -> usize {
    Encoding::ALL
        .iter()
        .position(|e| *e == encoding)
        .unwrap_or(0)
}

/// Prints the words for llvm-mc.
pub fn words() -> io::Result<bool> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for bytes in find()? {
        line(&mut out, &bytes)?;
    }
    out.flush()?;
    Ok(true)
}

/// Reads llvm-mc's output and prints the golden file.
pub fn join() -> io::Result<bool> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let texts = io::stdin().lock().lines().collect::<io::Result<Vec<_>>>()?;
    let texts: Vec<&str> = texts
        .iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty() && *text != ".text")
        .collect();
    let words = find()?;
    if texts.len() != words.len() {
        return Err(io::Error::other(format!(
            "{} words, but llvm-mc printed {} instructions",
            words.len(),
            texts.len()
        )));
    }
    for (bytes, text) in words.iter().zip(texts) {
        for byte in bytes {
            write!(out, "{byte:02x}")?;
        }
        writeln!(out, " {text}")?;
    }
    out.flush()?;
    Ok(true)
}
