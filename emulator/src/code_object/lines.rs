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

    /// `FILE:LINE` of the instruction at a link address; of code that was inlined, where it was written, but for what headers of the
    /// system have: that is told where it is used.
    pub fn at(&self, address: u64) -> Option<String> {
        let mut frames = self.0.find_frames(address).skip_all_loads().ok()?;
        let mut innermost = None;
        while let Some(frame) = frames.next().ok()? {
            let Some(location) = frame.location else {
                continue;
            };
            let (Some(file), Some(line)) = (location.file, location.line) else {
                continue;
            };
            let told = format!("{file}:{line}");
            if !SYSTEM.iter().any(|part| file.contains(part)) {
                return Some(told);
            }
            innermost = innermost.or(Some(told));
        }
        innermost
    }
}

/// What paths of headers have that come with compiler and runtime.
const SYSTEM: [&str; 4] = ["/include/hip/", "/lib/clang/", "/lib/llvm", "/opt/rocm"];
