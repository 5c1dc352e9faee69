//! Relocations of the kinds that compilers seldom write: the one of `data/v5.co`, at `pointer_to_first`, made into others.

use gfx906::code_object::{CodeObject, Relocation};
use object::LittleEndian as LE;
use object::elf::{FileHeader64, SHT_DYNSYM, SHT_RELA};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};

const V5: &[u8] = include_bytes!("../data/v5.co");
const ENTRY_SIZE: usize = 24;

/// File offset of the relocation, and index and file offset of a dynamic symbol.
fn places(symbol: &str) -> (usize, u32, usize) {
    let header = FileHeader64::<LE>::parse(V5).expect("ELF");
    let sections = header.sections(LE, V5).expect("sections");
    let rela = sections
        .iter()
        .find(|section| section.sh_type(LE) == SHT_RELA)
        .expect(".rela.dyn");
    let dynsym = sections
        .iter()
        .find(|section| section.sh_type(LE) == SHT_DYNSYM)
        .expect(".dynsym");
    let symbols = sections.symbols(LE, V5, SHT_DYNSYM).expect("symbols");
    let index = symbols
        .iter()
        .position(|entry| symbols.symbol_name(LE, entry) == Ok(symbol.as_bytes()))
        .expect("symbol");
    assert_eq!(symbols.symbols()[index].st_name(LE) as usize, {
        let at = dynsym.sh_offset(LE) as usize + index * ENTRY_SIZE;
        u32::from_le_bytes([V5[at], V5[at + 1], V5[at + 2], V5[at + 3]]) as usize
    });
    (
        rela.sh_offset(LE) as usize,
        index as u32,
        dynsym.sh_offset(LE) as usize + index * ENTRY_SIZE,
    )
}

/// The relocation with another type, symbol and addend.
fn with(kind: u32, symbol: u32, addend: i64) -> Vec<u8> {
    let at = places("first").0;
    let mut bytes = V5.to_vec();
    bytes[at + 8..at + 12].copy_from_slice(&kind.to_le_bytes());
    bytes[at + 12..at + 16].copy_from_slice(&symbol.to_le_bytes());
    bytes[at + 16..at + 24].copy_from_slice(&addend.to_le_bytes());
    bytes
}

fn address(object: &CodeObject, name: &str) -> u64 {
    object
        .symbols
        .iter()
        .find(|symbol| symbol.name == name)
        .expect("symbol")
        .address
}

fn error(bytes: &[u8]) -> String {
    CodeObject::parse(bytes).expect_err("unusable").to_string()
}

#[test]
fn absolute_against_a_symbol() {
    let object = CodeObject::parse(&with(3, places("first").1, 4)).expect("usable");
    let (pointer, first) = (
        address(&object, "pointer_to_first"),
        address(&object, "first"),
    );
    assert_eq!(
        object.image.relocations,
        [Relocation {
            offset: pointer,
            value: first + 4
        }]
    );
}

#[test]
fn an_undefined_symbol_is_named_and_a_weak_one_is_null() {
    let (_, index, at) = places("first");
    let mut bytes = with(3, index, 0x77);
    bytes[at + 6..at + 8].copy_from_slice(&[0, 0]);
    assert_eq!(
        error(&bytes),
        "the undefined symbol `first` is not supported: link the code object with the file that defines it"
    );
    bytes[at + 4] = bytes[at + 4] & 0xf | 2 << 4;
    let object = CodeObject::parse(&bytes).expect("weak");
    assert_eq!(object.image.relocations, []);
    assert_eq!(
        object.image.bytes(address(&object, "pointer_to_first"), 8),
        Some(&0x77_u64.to_le_bytes()[..])
    );
}

#[test]
fn what_cannot_be_applied() {
    assert!(
        error(&with(3, 0xffff, 0)).starts_with("relocation at 0x4208: "),
        "{}",
        error(&with(3, 0xffff, 0))
    );
    assert!(error(&with(7, 0, 0)).starts_with("relocation type 7 at 0x4208 is not supported"));
    assert_eq!(
        CodeObject::parse(&with(0, 0, 0))
            .expect("nothing to do")
            .image
            .relocations,
        []
    );
    let mut outside = V5.to_vec();
    let at = places("first").0;
    outside[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(error(&outside).starts_with("relocation at 0xffffffffffffffff: outside every segment"));
}
