//! Instructions around an address.

use gfx906::code_object::SymbolKind;
use gfx906::machine::Stepper;
use serde_json::{Value, json};

use super::arguments::{Arguments, Refusal};
use super::requests::address;
use super::sources::SourceFolders;
use super::values::source;
use crate::device::debug::{Code, Timeline};
use crate::text::demangled;

/// Largest number of instructions of a request.
const MAX_INSTRUCTIONS: usize = 10_000;
/// Size in bytes of the shortest instruction.
const WORD: u64 = 4;
/// Largest distance to a function's start from which its instructions are read, in bytes.
const MAX_FUNCTION: u64 = 1 << 20;

/// Answers a request for instructions. Addresses without code have no instruction.
pub(super) fn disassemble(
    timeline: &Timeline,
    arguments: Arguments<'_>,
    folders: &SourceFolders,
) -> Result<Value, Refusal> {
    let at = address(arguments, "memoryReference")?;
    let count = Arguments::needed("instructionCount", arguments.count("instructionCount")?)?;
    let count = count.min(MAX_INSTRUCTIONS);
    let offset = arguments.whole("instructionOffset")?.unwrap_or(0);
    let offset = offset.clamp(-(MAX_INSTRUCTIONS as i64), MAX_INSTRUCTIONS as i64);
    let (Some(stepper), Some(code)) = (timeline.stepper(), timeline.code()) else {
        return Err(Refusal::new("no launch runs"));
    };
    let mut addresses = Vec::new();
    if offset < 0 {
        addresses = before(stepper, code, at, offset.unsigned_abs() as usize);
    }
    let mut next = at;
    for _ in 0..offset.max(0) {
        next = next.saturating_add(size(stepper, next));
    }
    while addresses.len() < count {
        addresses.push(next);
        next = next.saturating_add(size(stepper, next));
    }
    addresses.truncate(count);
    let lines = code.source();
    let mut last = None;
    let instructions: Vec<Value> = addresses
        .into_iter()
        .map(|address| {
            let op = stepper.op(stepper.base().wrapping_add(address));
            let mut told = json!({ "address": format!("{address:#x}") });
            match op {
                Some(op) => {
                    told["instruction"] = op.text().into();
                    let words = op.inst.words.iter().take(usize::from(op.inst.size) / 4);
                    let words: Vec<String> = words.map(|word| format!("{word:08x}")).collect();
                    told["instructionBytes"] = words.join(" ").into();
                }
                None => {
                    told["instruction"] = "no code".into();
                    told["presentationHint"] = "invalid".into();
                }
            }
            if let Some((symbol, 0)) = code.object.function_at(address) {
                told["symbol"] = demangled(&symbol.name).into();
            }
            let line = lines.and_then(|lines| lines.line_at(address));
            if let Some((file, line)) = line.filter(|_| line != last) {
                told["line"] = line.into();
                let file = lines.and_then(|lines| lines.files().get(file));
                if let Some(file) = file {
                    told["location"] = source(file, folders);
                }
            }
            last = line.or(last);
            told
        })
        .collect();
    Ok(json!({ "instructions": instructions }))
}

/// Returns the addresses of a number of instructions before an address. Functions begin at instructions, so each is read from its start.
/// Without code before the address, every word counts as an instruction.
fn before(stepper: &Stepper, code: &Code, at: u64, count: usize) -> Vec<u64> {
    let symbols = code.object.symbols.iter();
    let functions = symbols.filter(|symbol| symbol.kind == SymbolKind::Function);
    let mut starts: Vec<u64> = functions.map(|symbol| symbol.address).collect();
    starts.sort_unstable();
    // The latest address first.
    let mut found = Vec::new();
    let mut end = at;
    while found.len() < count && end > 0 {
        let word = end.saturating_sub(WORD);
        let start = starts.iter().rfind(|&&start| start < end);
        let start = start.filter(|&&start| has_code(stepper, word) && end - start <= MAX_FUNCTION);
        let Some(&start) = start else {
            found.push(word);
            end = word;
            continue;
        };
        let mut stretch = Vec::new();
        let mut address = start;
        while address < end {
            stretch.push(address);
            address = address.saturating_add(size(stepper, address));
        }
        found.extend(stretch.into_iter().rev());
        end = start;
    }
    found.resize(found.len().max(count), 0);
    found.truncate(count);
    found.reverse();
    found
}

fn has_code(stepper: &Stepper, address: u64) -> bool {
    stepper.op(stepper.base().wrapping_add(address)).is_some()
}

/// Returns the size of the instruction at a link address.
fn size(stepper: &Stepper, address: u64) -> u64 {
    let op = stepper.op(stepper.base().wrapping_add(address));
    op.map_or(WORD, |op| op.inst.size.into())
}
