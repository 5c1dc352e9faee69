//! Debug information: its sections in a code object.

use std::sync::Arc;

use gimli::{Dwarf, EndianArcSlice, LittleEndian, SectionId};
use object::read::elf::SectionHeader as _;

use super::container;
use super::elf::GpuElf;

/// The bytes of a section, which all copies share.
pub(super) type Section = EndianArcSlice<LittleEndian>;

/// Reads the debug information of any file that [`super::CodeObject::parse`] takes. Returns none if the file has none, or if it is damaged.
pub(super) fn read(bytes: &[u8]) -> Option<Dwarf<Section>> {
    let elf = container::extract_elf(bytes).ok()?;
    let file = GpuElf::parse(&elf).ok()?;
    let section = |id: SectionId| -> Result<Section, object::Error> {
        let header = file
            .sections
            .section_by_name(object::LittleEndian, id.name().as_bytes());
        let data = match header {
            Some((_, section)) => section.data(object::LittleEndian, file.bytes)?,
            None => &[],
        };
        Ok(EndianArcSlice::new(Arc::from(data), LittleEndian))
    };
    let dwarf = Dwarf::load(section).ok()?;
    let mut units = dwarf.units();
    units.next().ok()??;
    Some(dwarf)
}
