//! Source lines: where instructions come from, if the code object was built with line tables (`-g`, `-gline-tables-only`).

use std::sync::Arc;

use addr2line::Context;
use gimli::{Dwarf, EndianArcSlice, LittleEndian, SectionId};
use object::read::elf::SectionHeader as _;

use super::container;
use super::elf::GpuElf;

/// The bytes of a section, shared.
type Section = EndianArcSlice<LittleEndian>;

/// The line tables of a code object.
pub struct Lines(Context<Section>);

impl Lines {
    /// Those of what [`super::CodeObject::parse`] takes; none where there are none, or where they cannot be read.
    pub fn read(bytes: &[u8]) -> Option<Lines> {
        let elf = container::unwrap(bytes).ok()?;
        let file = GpuElf::parse(&elf).ok()?;
        let section = |id: SectionId| -> Result<Section, object::Error> {
            let found = file
                .sections
                .section_by_name(object::LittleEndian, id.name().as_bytes());
            let data = match found {
                Some((_, section)) => section.data(object::LittleEndian, file.bytes)?,
                None => &[],
            };
            Ok(EndianArcSlice::new(Arc::from(data), LittleEndian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        let mut units = dwarf.units();
        units.next().ok()??;
        Context::from_dwarf(dwarf).ok().map(Lines)
    }

    /// `FILE:LINE` of the instruction at a link address; of code that was inlined, where it was written.
    pub fn at(&self, address: u64) -> Option<String> {
        let location = self.0.find_location(address).ok()??;
        let (file, line) = (location.file?, location.line?);
        Some(format!("{file}:{line}"))
    }
}
