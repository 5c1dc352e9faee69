//! A trace with one line per instruction and the registers that it wrote.
//!
//! `(0,0,0) w0 0x8b24: v_cmp_gt_i32_e32 vcc, s0, v0                 ; vcc = 0x0000000fffffffff`
//!
//! A line has the work-group, the wave within it, the link address of the instruction as in trap reports, the instruction, and behind `;`
//! the registers that it wrote, each with its new value. A VGPR shows the enabled lanes, with lanes of equal values together: `v5 =
//! 0-15:0x3f800000(1.0) 16-63:0x00000004`. Four or more lanes whose values rise by the same step are written as `0-63:0x00000010+4`.

mod filter;
mod values;
mod written;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

pub use filter::Filter;

use self::written::Before;
use super::Observer;
use crate::code_object::Lines;
use crate::machine::{DispatchStart, Fault, Group, Op, Wave};

/// Width to which the instruction's text is padded.
const TEXT: usize = 44;

/// Observer that writes the actions of waves as lines of text. Its dispatches run on one thread.
pub struct Trace<W> {
    out: W,
    filter: Filter,
    limit: u64,
    lines: u64,
    /// True if no more lines are written: the limit is reached, or the writer failed.
    over: bool,
    error: Option<io::Error>,
    title: String,
    /// Text before the first line of a dispatch.
    heading: Option<String>,
    base: u64,
    group: [u32; 3],
    before: Before,
    /// True if the running instruction has passed the filter.
    seen: bool,
    /// The line tables of the code object, if it has some.
    sources: Option<Arc<Mutex<Lines>>>,
    /// The source line that was written last.
    source: Option<String>,
}

impl<W: Write> Trace<W> {
    /// Creates a trace of at most `limit` instructions that pass the filter.
    pub fn new(out: W, filter: Filter, limit: u64) -> Trace<W> {
        Trace {
            out,
            filter,
            limit,
            lines: 0,
            over: false,
            error: None,
            title: String::new(),
            heading: None,
            base: 0,
            group: [0; 3],
            before: Before::default(),
            seen: false,
            sources: None,
            source: None,
        }
    }

    /// Sets the line tables of the code object that the following dispatches run. A source line stands before its instructions.
    pub fn look_up(&mut self, lines: Option<Arc<Mutex<Lines>>>) {
        self.sources = lines;
        self.source = None;
    }

    /// Sets the title that stands in the headings of the following dispatches.
    pub fn title(&mut self, title: &str) {
        title.clone_into(&mut self.title);
    }

    /// Returns the number of instructions written so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Writes buffered text.
    ///
    /// # Errors
    ///
    /// The first error of the writer, which ended the trace.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn put(&mut self, line: &str) {
        if self.error.is_some() {
            return;
        }
        let heading = self.heading.take().unwrap_or_default();
        let written = self
            .out
            .write_all(heading.as_bytes())
            .and_then(|()| self.out.write_all(line.as_bytes()));
        if let Err(error) = written {
            self.error = Some(error);
            self.over = true;
        }
    }

    /// Returns the first part of an instruction's line, before its effects. If the source line is another than before, it stands above.
    fn start(&mut self, wave: &Wave, text: &str, pc: u64) -> String {
        let [x, y, z] = self.group;
        let (n, pc) = (wave.index, pc.wrapping_sub(self.base));
        let mut above = String::new();
        if let Some(lines) = &self.sources {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let source = lines.line_at(pc);
            if source.is_some() && source != self.source {
                let shown = source.as_deref().unwrap_or_default().escape_debug();
                above = format!("# {shown}\n");
                self.source = source;
            }
        }
        format!("{above}({x},{y},{z}) w{n} {pc:#x}: {text:TEXT$}")
    }
}

impl<W: Write + Send> Observer for Trace<W> {
    fn fork(&self) -> Option<Trace<W>> {
        None
    }

    fn join(&mut self, _: Trace<W>) {}

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        let (kernel, launch) = (started.kernel, started.launch);
        let [grid, block] = [launch.grid, launch.block].map(|[x, y, z]| format!("{x}x{y}x{z}"));
        let separator = if self.title.is_empty() { "" } else { ": " };
        let title = &self.title;
        self.heading = Some(format!(
            "# {title}{separator}kernel {kernel}, grid {grid}, block {block}\n"
        ));
        self.base = started.base;
    }

    fn group(&mut self, group: &Group) {
        self.group = group.id;
    }

    fn before(&mut self, wave: &Wave, _: &Op, pc: u64) {
        let address = pc.wrapping_sub(self.base);
        self.seen = !self.over && self.filter.passes(self.group, wave.index, address);
        if self.seen {
            self.before.take(wave);
        }
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if !self.seen {
            return;
        }
        if self.lines == self.limit {
            self.over = true;
            let line = format!(
                "# cut: the limit of {} instructions is reached\n",
                self.limit
            );
            return self.put(&line);
        }
        let mut line = self.start(wave, &op.text(), pc);
        for (n, change) in self.before.changes(wave, op).into_iter().enumerate() {
            line.push_str(if n == 0 { " ; " } else { "; " });
            line.push_str(&change);
        }
        let behind = pc.wrapping_add(op.size.into());
        if wave.pc != behind {
            let _ = write!(line, " ; pc = {:#x}", wave.pc.wrapping_sub(self.base));
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        self.lines += 1;
        self.put(&line);
    }

    /// Writes a fault, independent of the filter and the limit.
    fn fault(&mut self, wave: &Wave, op: Option<&Op>, pc: u64, fault: &Fault) {
        let text = op.map_or_else(|| "no instruction".to_owned(), Op::text);
        let mut line = self.start(wave, &text, pc);
        // Writing to a string cannot fail.
        let _ = write!(line, " ; trap: {}", fault.kind);
        if let Some(lane) = fault.lane {
            let _ = write!(line, ", lane {lane}");
        }
        if let Some(address) = fault.address {
            let _ = write!(line, ", address {address:#x}");
        }
        line.push('\n');
        self.lines += 1;
        self.put(&line);
    }
}
