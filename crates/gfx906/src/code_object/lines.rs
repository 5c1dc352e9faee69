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
    /// functions of system headers it is the line of the call. Instructions that compilers add have no line of their own: theirs is that of the
    /// nearest instruction before them.
    pub fn line_at(&self, address: u64) -> Option<String> {
        if let Some(own) = self.own_line(address) {
            return Some(own);
        }
        // Beyond all functions there is nothing to look for.
        let mut frames = self.0.find_frames(address).skip_all_loads().ok()?;
        frames.next().ok()??.function?;
        let before = (1..BEFORE).map_while(|words| address.checked_sub(4 * words));
        before
            .into_iter()
            .find_map(|address| self.own_line(address))
    }

    fn own_line(&self, address: u64) -> Option<String> {
        let mut frames = self.0.find_frames(address).skip_all_loads().ok()?;
        let mut innermost = None;
        while let Some(frame) = frames.next().ok()? {
            let Some(location) = frame.location else {
                continue;
            };
            let (Some(file), Some(line)) = (location.file, location.line.filter(|&line| line > 0))
            else {
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

/// Words of code before an instruction without a line in which one is looked for.
const BEFORE: u64 = 256;

/// Parts of the paths of headers that come with the compiler and the runtime.
const SYSTEM_PATHS: [&str; 4] = ["/include/hip/", "/lib/clang/", "/lib/llvm", "/opt/rocm"];
