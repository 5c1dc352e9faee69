//! Source lines of instructions, if the code object was built with line tables (`-g`, `-gline-tables-only`).

use addr2line::Context;

use super::dwarf::{self, Section};

/// The line tables of a code object.
pub struct Lines(Context<Section>);

impl Lines {
    /// Reads the line tables of any input of [`super::CodeObject::parse`]. Returns `None` if the file has none or they cannot be read.
    pub fn read(bytes: &[u8]) -> Option<Lines> {
        let dwarf = dwarf::read(bytes)?;
        Context::from_dwarf(dwarf).ok().map(Lines)
    }

    /// Returns `FILE:LINE` of the instruction at a link address. For inlined code this is the line in the inlined function; for inlined
    /// functions of system headers it is the line of the call.
    pub fn line_at(&self, address: u64) -> Option<String> {
        let mut frames = self.0.find_frames(address).skip_all_loads().ok()?;
        let mut innermost = None;
        while let Some(frame) = frames.next().ok()? {
            let Some(location) = frame.location else {
                continue;
            };
            let (Some(file), Some(line)) = (location.file, location.line) else {
                continue;
            };
            let source = format!("{file}:{line}");
            if !SYSTEM_PATHS.iter().any(|part| file.contains(part)) {
                return Some(source);
            }
            innermost = innermost.or(Some(source));
        }
        innermost
    }
}

/// Parts of the paths of headers that come with the compiler and the runtime.
const SYSTEM_PATHS: [&str; 4] = ["/include/hip/", "/lib/clang/", "/lib/llvm", "/opt/rocm"];
