//! Source lines: where instructions come from, if the code object was built with line tables (`-g`, `-gline-tables-only`).

use addr2line::Context;

use super::dwarf::{self, Section};

/// The line tables of a code object.
pub struct Lines(Context<Section>);

impl Lines {
    /// Those of what [`super::CodeObject::parse`] takes; none where there are none, or where they cannot be read.
    pub fn read(bytes: &[u8]) -> Option<Lines> {
        let dwarf = dwarf::read(bytes)?;
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
