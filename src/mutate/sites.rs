//! The functions of a code object and their instructions, which mutants change.

use std::fmt::Write;

use gfx906::code_object::{CodeObject, Kernel, Lines, SymbolKind};
use gfx906::isa::{Inst, decode, disassemble};
use sha2::{Digest, Sha256};

use super::operators::Registers;
use super::report::Line;

/// A kernel, or a function that kernels call.
pub(super) struct Function {
    /// Its name, as in the code object.
    pub name: String,
    /// Link address of its first instruction.
    pub start: u64,
    /// The first 16 digits of the SHA-256 of its code.
    pub sha256: String,
    /// True if it can be launched.
    pub is_kernel: bool,
    /// Number of its registers.
    pub registers: Registers,
    /// The first of the two SGPRs that hold the address of the arguments at the start, and the arguments' size in bytes.
    pub kernarg: Option<(u16, u64)>,
    /// Link addresses and instructions, in order. Words that are no instruction are left out.
    pub instructions: Vec<(u64, Inst)>,
    /// True if a wave reached memory that another wave of its launch stored to, or if that is not known.
    pub exchanges: bool,
}

impl Function {
    /// Returns the position of the instruction at a link address.
    pub fn at(&self, address: u64) -> Option<usize> {
        self.instructions
            .binary_search_by_key(&address, |(at, _)| *at)
            .ok()
    }
}

/// Returns the functions of a code object, sorted by address.
pub(super) fn functions(object: &CodeObject) -> Vec<Function> {
    let mut ranges: Vec<(u64, u64, String)> = object
        .kernels
        .iter()
        .map(|kernel| (kernel.entry_address, kernel.code_size, kernel.name.clone()))
        .collect();
    let symbols = object.symbols.iter();
    for symbol in symbols.filter(|symbol| symbol.kind == SymbolKind::Function && symbol.size > 0) {
        if !ranges.iter().any(|(start, ..)| *start == symbol.address) {
            ranges.push((symbol.address, symbol.size, symbol.name.clone()));
        }
    }
    ranges.sort();
    let function = |(start, size, name): (u64, u64, String)| {
        let code = code(object, start, size)?;
        let kernel = object.kernels.iter().find(|kernel| kernel.name == name);
        let mut sha256 = String::new();
        for byte in Sha256::digest(code).iter().take(8) {
            let _ = write!(sha256, "{byte:02x}");
        }
        Some(Function {
            kernarg: kernel.and_then(kernarg),
            instructions: instructions(code, start),
            exchanges: true,
            name,
            start,
            sha256,
            is_kernel: kernel.is_some(),
            registers: Registers {
                vector: kernel.map_or(256, |kernel| kernel.vgpr_count.clamp(1, 256) as u16),
                scalar: kernel.map_or(102, |kernel| kernel.sgpr_count.clamp(1, 102) as u16),
            },
        })
    };
    ranges.into_iter().filter_map(function).collect()
}

/// Disassembles a function, with the source line of each instruction.
pub(super) fn listing(function: &Function, lines: Option<&Lines>) -> Vec<Line> {
    let instructions = function.instructions.iter();
    let line = |(address, inst): &(u64, Inst)| Line {
        offset: address - function.start,
        text: disassemble(inst),
        source: lines.and_then(|lines| lines.line_at(*address)),
    };
    instructions.map(line).collect()
}

/// Returns the first of the SGPRs that hold the address of the kernarg segment, and the segment's size. The ABI puts other values before it.
fn kernarg(kernel: &Kernel) -> Option<(u16, u64)> {
    let d = &kernel.descriptor;
    let before = [
        (d.enable_private_segment_buffer(), 4),
        (d.enable_dispatch_ptr(), 2),
        (d.enable_queue_ptr(), 2),
    ];
    let first = before
        .into_iter()
        .filter(|(there, _)| *there)
        .map(|(_, count)| count)
        .sum();
    let bytes = u64::from(kernel.kernarg_size);
    d.enable_kernarg_segment_ptr().then_some((first, bytes))
}

/// Returns the bytes of a function.
fn code(object: &CodeObject, start: u64, size: u64) -> Option<&[u8]> {
    let mut segments = object.image.segments.iter();
    segments.find_map(|segment| {
        let at = usize::try_from(start.checked_sub(segment.address)?).ok()?;
        let end = at.checked_add(usize::try_from(size).ok()?)?;
        segment.data.get(at..end).filter(|_| segment.executable)
    })
}

fn instructions(code: &[u8], start: u64) -> Vec<(u64, Inst)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 4 <= code.len() {
        match decode(&code[at..]) {
            Ok(inst) => {
                found.push((start + at as u64, inst));
                at += inst.size();
            }
            Err(_) => at += 4,
        }
    }
    found
}
