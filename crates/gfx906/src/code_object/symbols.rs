//! The symbol tables.

use object::LittleEndian as LE;
use object::elf::{self, FileHeader64};
use object::read::elf::{Sym as _, SymbolTable};

use super::elf::{GpuElf, bad};
use super::error::CodeObjectError;

/// Kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// Code.
    Function,
    /// Data: variables and kernel descriptors.
    Object,
    /// Anything else.
    Other,
}

/// A defined symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// Link address.
    pub address: u64,
    /// Size in bytes; 0 if it is not known.
    pub size: u64,
    /// Kind of the symbol.
    pub kind: SymbolKind,
}

/// Reads every defined symbol of the full table, or of the dynamic table if the full one was stripped, sorted by address.
pub(super) fn read(file: &GpuElf<'_>) -> Result<Vec<Symbol>, CodeObjectError> {
    let mut symbols = Vec::new();
    for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
        let table = file
            .sections
            .symbols(LE, file.bytes, kind)
            .map_err(|error| bad("ELF symbol table", error))?;
        collect(&table, &mut symbols)?;
        if !symbols.is_empty() {
            break;
        }
    }
    symbols.sort_by(|a, b| a.address.cmp(&b.address).then_with(|| a.name.cmp(&b.name)));
    Ok(symbols)
}

fn collect(
    table: &SymbolTable<'_, FileHeader64<LE>>,
    symbols: &mut Vec<Symbol>,
) -> Result<(), CodeObjectError> {
    for symbol in table.iter() {
        let kind = match symbol.st_type() {
            elf::STT_FUNC => SymbolKind::Function,
            elf::STT_OBJECT => SymbolKind::Object,
            elf::STT_FILE | elf::STT_SECTION => continue,
            _ => SymbolKind::Other,
        };
        if symbol.is_undefined(LE) {
            continue;
        }
        let name = table
            .symbol_name(LE, symbol)
            .map_err(|error| bad("ELF symbol name", error))?;
        if !name.is_empty() {
            let name = String::from_utf8_lossy(name).into_owned();
            symbols.push(Symbol {
                name,
                address: symbol.st_value(LE),
                size: symbol.st_size(LE),
                kind,
            });
        }
    }
    Ok(())
}
