//! The ELF file: header, segments, sections and notes.

use object::LittleEndian as LE;
use object::elf::{self, FileHeader64, ProgramHeader64, SectionHeader64};
use object::read::elf::{
    FileHeader as _, NoteIterator, ProgramHeader as _, SectionHeader as _, SectionTable,
};

use super::error::CodeObjectError;
use super::names;
use super::target::{AbiVersion, Target};

pub(super) const MAGIC: &[u8] = b"\x7fELF";

const OS_ABI_HSA: u8 = 64;
const HEADER_SIZE: usize = 64;
const MACHINE_AMDGPU: u16 = 224;

/// The ELF image of a gfx906 code object whose version the emulator supports.
pub(super) struct GpuElf<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) target: Target,
    pub(super) version: AbiVersion,
    pub(super) segments: &'a [ProgramHeader64<LE>],
    pub(super) sections: SectionTable<'a, FileHeader64<LE>>,
}

impl<'a> GpuElf<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<GpuElf<'a>, CodeObjectError> {
        if !bytes.starts_with(MAGIC) {
            return Err(CodeObjectError::malformed(
                "offload bundle entry for gfx906",
                "not an ELF file",
            ));
        }
        check_machine(bytes)?;
        let header = FileHeader64::<LE>::parse(bytes).map_err(|error| bad("ELF header", error))?;
        let os_abi = header.e_ident().os_abi.0;
        if os_abi != OS_ABI_HSA {
            return Err(CodeObjectError::Unsupported {
                what: format!("an AMD GPU program for OS ABI {os_abi}"),
                advice: "build for the HSA runtime with `hipcc --genco --offload-arch=gfx906`"
                    .into(),
            });
        }
        let version = AbiVersion::from_ident(header.e_ident().abi_version)?;
        let target = Target::from_flags(header.e_flags(LE).0)?;
        if header.e_type(LE) != elf::ET_DYN {
            return Err(CodeObjectError::Unsupported {
                what: format!("an ELF file of type {}", header.e_type(LE).0),
                advice: "give the linked code object (a shared object), not the linker's input"
                    .into(),
            });
        }
        let segments = header
            .program_headers(LE, bytes)
            .map_err(|error| bad("ELF program headers", error))?;
        let sections = header
            .sections(LE, bytes)
            .map_err(|error| bad("ELF section headers", error))?;
        Ok(GpuElf {
            bytes,
            target,
            version,
            segments,
            sections,
        })
    }

    /// Returns the description of the note with this owner and type, from the segments or, if no segment has it, from the sections.
    pub(super) fn note(
        &self,
        owner: &[u8],
        kind: u32,
    ) -> Result<Option<&'a [u8]>, CodeObjectError> {
        for segment in self.segments {
            if let Some(notes) = segment
                .notes(LE, self.bytes)
                .map_err(|error| bad("ELF note segment", error))?
                && let Some(found) = find_note(notes, owner, kind)?
            {
                return Ok(Some(found));
            }
        }
        for section in self.sections.iter() {
            if let Some(notes) = section
                .notes(LE, self.bytes)
                .map_err(|error| bad("ELF note section", error))?
                && let Some(found) = find_note(notes, owner, kind)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Converts an error of the ELF reader, whose text names the field.
pub(super) fn bad(what: &str, error: object::read::Error) -> CodeObjectError {
    CodeObjectError::malformed(
        what,
        format!(
            "{} (or the file is truncated)",
            error.to_string().to_lowercase()
        ),
    )
}

fn find_note<'a>(
    mut notes: NoteIterator<'a, FileHeader64<LE>>,
    owner: &[u8],
    kind: u32,
) -> Result<Option<&'a [u8]>, CodeObjectError> {
    while let Some(note) = notes.next().map_err(|error| bad("ELF note", error))? {
        if note.name() == owner && note.n_type(LE).0 == kind {
            return Ok(Some(note.desc()));
        }
    }
    Ok(None)
}

/// Checks the first fields of an ELF header before anything else, so that the error names the kind of a foreign file.
fn check_machine(bytes: &[u8]) -> Result<(), CodeObjectError> {
    if bytes.len() < 20 {
        return Err(CodeObjectError::truncated(
            "the ELF header",
            format!("only {} bytes", bytes.len()),
        ));
    }
    let (class, data) = (bytes[4], bytes[5]);
    let machine = if data == 2 {
        u16::from_be_bytes([bytes[18], bytes[19]])
    } else {
        u16::from_le_bytes([bytes[18], bytes[19]])
    };
    if machine != MACHINE_AMDGPU {
        return Err(CodeObjectError::WrongMachine {
            what: names::machine(machine),
        });
    }
    if class != 2 || data != 1 {
        return Err(CodeObjectError::malformed(
            "ELF header",
            format!("class {class}, data encoding {data} where a GPU has 2 and 1"),
        ));
    }
    if bytes.len() < HEADER_SIZE {
        return Err(CodeObjectError::truncated(
            "the ELF header",
            format!("64 bytes, of {}", bytes.len()),
        ));
    }
    Ok(())
}

/// Returns the `.hip_fatbin` section, if `bytes` is a host program that has one.
pub(super) fn hip_fatbin(bytes: &[u8]) -> Option<&[u8]> {
    let header = FileHeader64::<LE>::parse(bytes).ok()?;
    if header.e_machine(LE).0 == MACHINE_AMDGPU {
        return None;
    }
    let sections = header.sections(LE, bytes).ok()?;
    let (_, section): (_, &SectionHeader64<LE>) = sections.section_by_name(LE, b".hip_fatbin")?;
    section.data(LE, bytes).ok()
}
