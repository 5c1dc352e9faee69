//! Segments and relocations that a load places into device memory.

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{ProgramHeader as _, Rela as _, SectionHeader as _, Sym as _, SymbolTable};

use super::elf::{GpuElf, bad};
use super::error::{CodeObjectError, printable};

/// Largest image in bytes, including `.bss` and the gaps between segments.
pub const MAX_IMAGE: u64 = 256 << 20;

const R_AMDGPU_NONE: u32 = 0;
const R_AMDGPU_ABS64: u32 = 3;
const R_AMDGPU_RELATIVE64: u32 = 13;

/// A code object's memory, at link addresses: the first byte of the loaded image is address 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Segments, sorted by address, without overlap.
    pub segments: Vec<Segment>,
    /// Values that depend on the load address.
    pub relocations: Vec<Relocation>,
    /// End of the last segment; at most [`MAX_IMAGE`].
    pub size: u64,
}

/// A range of bytes with one protection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Link address.
    pub address: u64,
    /// Contents, with zeros for `.bss`.
    pub data: Vec<u8>,
    /// True if the segment holds code.
    pub executable: bool,
    /// True if the segment may be written.
    pub writable: bool,
}

/// A relocation: a load stores load base + `value`, 8 bytes little-endian, at load base + `offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relocation {
    /// Link address of the 8 bytes, which lie inside one segment.
    pub offset: u64,
    /// Link address to store.
    pub value: u64,
}

impl Segment {
    /// Returns the link address after the last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.address + self.data.len() as u64
    }
}

impl Image {
    /// Returns the segment that holds all of `size` bytes at a link address.
    #[must_use]
    pub fn segment_at(&self, address: u64, size: u64) -> Option<&Segment> {
        let index = self
            .segments
            .partition_point(|segment| segment.address <= address)
            .checked_sub(1)?;
        let segment = &self.segments[index];
        (address.checked_add(size)? <= segment.end()).then_some(segment)
    }

    /// Returns `size` bytes at a link address, if one segment holds them all.
    #[must_use]
    pub fn bytes(&self, address: u64, size: u64) -> Option<&[u8]> {
        let segment = self.segment_at(address, size)?;
        let start = usize::try_from(address - segment.address).ok()?;
        segment
            .data
            .get(start..start.checked_add(usize::try_from(size).ok()?)?)
    }
}

/// Reads the load segments and relocations of a file.
pub(super) fn read(file: &GpuElf<'_>) -> Result<Image, CodeObjectError> {
    let mut segments = segments(file)?;
    let size = segments.last().map_or(0, Segment::end);
    if segments.is_empty() {
        return Err(CodeObjectError::malformed(
            "ELF program headers",
            "nothing to load",
        ));
    }
    let relocations = relocations(file, &mut segments)?;
    Ok(Image {
        segments,
        relocations,
        size,
    })
}

/// Reads the load segments. It checks addresses before it copies any byte, so that the copies together stay under [`MAX_IMAGE`].
fn segments(file: &GpuElf<'_>) -> Result<Vec<Segment>, CodeObjectError> {
    let mut loads: Vec<_> = file
        .segments
        .iter()
        .filter(|header| header.p_type(LE) == elf::PT_LOAD && header.p_memsz(LE) != 0)
        .collect();
    loads.sort_by_key(|header| header.p_vaddr(LE));
    let mut previous_end = 0;
    for header in &loads {
        let (address, size, in_file) =
            (header.p_vaddr(LE), header.p_memsz(LE), header.p_filesz(LE));
        let what = format!("load segment at {address:#x}");
        let end = address.saturating_add(size);
        if end > MAX_IMAGE {
            return Err(CodeObjectError::TooBig {
                what: format!("an image with a {what}, up to its end"),
                size: end,
                limit: MAX_IMAGE,
            });
        }
        if address < previous_end {
            return Err(CodeObjectError::malformed(
                what,
                "overlaps the segment before it",
            ));
        }
        if in_file > size {
            return Err(CodeObjectError::malformed(
                what,
                format!("{in_file} bytes in the file, but only {size} in memory"),
            ));
        }
        if header.data(LE, file.bytes).is_err() {
            let detail = format!(
                "offset {}, size {in_file}, of {} bytes",
                header.p_offset(LE),
                file.bytes.len()
            );
            return Err(CodeObjectError::truncated(format!("the {what}"), detail));
        }
        previous_end = end;
    }
    loads
        .into_iter()
        .map(|header| read_segment(file, header))
        .collect()
}

fn read_segment(
    file: &GpuElf<'_>,
    header: &elf::ProgramHeader64<LE>,
) -> Result<Segment, CodeObjectError> {
    let address = header.p_vaddr(LE);
    let outside =
        || CodeObjectError::truncated(format!("the load segment at {address:#x}"), "its data");
    let in_file = header.data(LE, file.bytes).map_err(|()| outside())?;
    let mut data = vec![0; usize::try_from(header.p_memsz(LE)).map_err(|_| outside())?];
    data.get_mut(..in_file.len())
        .ok_or_else(outside)?
        .copy_from_slice(in_file);
    let flags = header.p_flags(LE).0;
    Ok(Segment {
        address,
        data,
        executable: flags & elf::PF_X.0 != 0,
        writable: flags & elf::PF_W.0 != 0,
    })
}

/// Reads the dynamic relocations. An undefined weak symbol has the value 0, which is stored into the segment here.
fn relocations(
    file: &GpuElf<'_>,
    segments: &mut [Segment],
) -> Result<Vec<Relocation>, CodeObjectError> {
    let symbols = file
        .sections
        .symbols(LE, file.bytes, elf::SHT_DYNSYM)
        .map_err(|error| bad("ELF dynamic symbol table", error))?;
    let mut relocations = Vec::new();
    for section in file.sections.iter() {
        let loaded = section.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0;
        if loaded && [elf::SHT_REL, elf::SHT_RELR].contains(&section.sh_type(LE)) {
            return Err(CodeObjectError::Unsupported {
                what: "a relocation section of type REL or RELR".into(),
                advice: "link with --pack-dyn-relocs=none".into(),
            });
        }
        let Some((entries, _)) = section
            .rela(LE, file.bytes)
            .map_err(|error| bad("ELF relocations", error))?
        else {
            continue;
        };
        for entry in entries.iter().filter(|_| loaded) {
            let (offset, kind, addend) = (
                entry.r_offset(LE),
                entry.r_type(LE, false).0,
                entry.r_addend(LE).cast_unsigned(),
            );
            let what = format!("relocation at {offset:#x}");
            if kind == R_AMDGPU_NONE {
                continue;
            }
            let target = bytes_at(segments, offset)
                .ok_or_else(|| CodeObjectError::malformed(&what, "outside every segment"))?;
            match kind {
                R_AMDGPU_RELATIVE64 => relocations.push(Relocation {
                    offset,
                    value: addend,
                }),
                R_AMDGPU_ABS64 => {
                    let index = object::SymbolIndex(entry.r_sym(LE, false) as usize);
                    match symbol_address(&symbols, index, &what)? {
                        Some(address) => relocations.push(Relocation {
                            offset,
                            value: address.wrapping_add(addend),
                        }),
                        None => target.copy_from_slice(&addend.to_le_bytes()),
                    }
                }
                other => {
                    let advice = "link the code object with ld.lld -shared".into();
                    return Err(CodeObjectError::Unsupported {
                        what: format!("relocation type {other} at {offset:#x}"),
                        advice,
                    });
                }
            }
        }
    }
    Ok(relocations)
}

/// Returns the link address of a symbol, or `None` for an undefined weak symbol, whose value is 0 wherever the image is loaded.
fn symbol_address(
    symbols: &SymbolTable<'_, elf::FileHeader64<LE>>,
    index: object::SymbolIndex,
    what: &str,
) -> Result<Option<u64>, CodeObjectError> {
    let symbol = symbols.symbol(index).map_err(|error| bad(what, error))?;
    if !symbol.is_undefined(LE) {
        return Ok(Some(symbol.st_value(LE)));
    }
    if symbol.is_weak() {
        return Ok(None);
    }
    let name = symbols
        .symbol_name(LE, symbol)
        .map(String::from_utf8_lossy)
        .unwrap_or_default();
    Err(CodeObjectError::Unsupported {
        what: format!("the undefined symbol `{}`", printable(&name)),
        advice: "link the code object with the file that defines it".into(),
    })
}

/// Returns the 8 bytes at a link address.
fn bytes_at(segments: &mut [Segment], offset: u64) -> Option<&mut [u8]> {
    let index = segments
        .partition_point(|segment| segment.address <= offset)
        .checked_sub(1)?;
    let segment = &mut segments[index];
    let start = usize::try_from(offset - segment.address).ok()?;
    segment.data.get_mut(start..start.checked_add(8)?)
}
