//! Recording: writes each launch as a file for `deltanet-check exec`, with the memory that it read and wrote, before and after.
//!
//! A record never breaks the program: a failed write is logged once, and the program goes on.

mod arguments;

use std::io;
use std::ops::Range;
use std::sync::Arc;

use gfx906::machine::{Gpu, Limits};
use gfx906::observe::Footprint;
use serde_json::{Map, Value, json};

use crate::boundary::Address;
use crate::diagnostics::log;
use crate::objects::module::Function;
use crate::objects::work::Kernel;
use crate::recording::settings::RecordingSettings;
use crate::recording::{SETTINGS, files, is_on, progress};
use crate::runtime::state;
use arguments::{Arguments, PointedAllocation};

/// Most bytes of a launch file besides its arguments and pieces.
const LAUNCH_FILE: u64 = 16 << 10;
/// Most bytes of the text of a piece.
const PIECE: u64 = 64;

/// Record of a launch whose kernel has not run yet.
pub struct Record<'w> {
    settings: &'static RecordingSettings,
    work: &'w Kernel,
    gpu: Arc<Gpu>,
    allocations: Vec<PointedAllocation>,
    /// Variables that the program has changed: pointers as JSON, or else bytes.
    variables: Vec<(String, Result<Value, Vec<u8>>)>,
    launch: Map<String, Value>,
}

/// Reason for a missing record.
enum RecordFailure {
    Limit,
    Io(io::Error),
}

impl From<io::Error> for RecordFailure {
    fn from(error: io::Error) -> RecordFailure {
        RecordFailure::Io(error)
    }
}

/// Notes the arguments and variables of a launch, if it is to be recorded. The caller holds the device.
pub fn begin<'w>(work: &'w Kernel, limits: &Limits) -> Option<Record<'w>> {
    let settings = SETTINGS.as_ref()?;
    let function = &work.function;
    if !is_on() || !settings.wants(&function.name) {
        return None;
    }
    let record = Record::new(settings, work, limits);
    record
        .map_err(|trouble| give_up(settings, &trouble, function))
        .ok()
}

/// Logs once why launches are not recorded.
fn give_up(settings: &RecordingSettings, trouble: &RecordFailure, function: &Function) {
    let mut progress = progress();
    match trouble {
        RecordFailure::Limit if progress.told.insert("limit") => log(format!(
            "recording: a launch of `{}` would exceed {} bytes in {}: it and others like it are not recorded; GFX906_RECORD_BYTES=N allows N",
            function.name,
            settings.limit,
            settings.directory.display()
        )),
        RecordFailure::Io(error) if progress.told.insert("io") => {
            progress.ended = true;
            log(format!(
                "recording: {}: {error}: nothing more is recorded",
                settings.directory.display()
            ));
        }
        _ => {}
    }
}

impl<'w> Record<'w> {
    fn new(
        settings: &'static RecordingSettings,
        work: &'w Kernel,
        limits: &Limits,
    ) -> Result<Record<'w>, RecordFailure> {
        let Kernel {
            function,
            shape,
            kernarg,
            ..
        } = work;
        let lost = || io::Error::other("the kernel's code object is not there");
        let code = function.loaded.code.as_ref().ok_or_else(lost)?;
        let kernel = function.kernel().map_err(|_| lost())?;
        let gpu = state().gpu.clone();
        let changed = code.changed(&gpu)?;
        let (arguments, variables) = {
            let state = state();
            let mut arguments = Arguments::new(kernel, kernarg, &state.memory);
            let value = |(name, bytes): (String, Vec<u8>)| {
                let pointers = arguments.variable(&bytes, &state.memory);
                (name, pointers.ok_or(bytes))
            };
            let variables: Vec<_> = changed.into_iter().map(value).collect();
            (arguments, variables)
        };
        let mut this = json!({
            "kernel": function.name,
            "grid": shape.grid,
            "block": shape.block,
            "dynamic_lds": shape.dynamic_lds,
            "args": arguments.json,
        });
        if work.cooperative {
            this["cooperative"] = json!(true);
        }
        let mut launch = Map::new();
        launch.insert("launches".into(), json!([this]));
        launch.insert("limits".into(), self::limits(limits));
        Ok(Record {
            settings,
            work,
            gpu,
            allocations: arguments.buffers(),
            variables,
            launch,
        })
    }

    /// Returns the observer of the memory that the launch reads and writes.
    pub fn footprint(&self) -> Footprint {
        let chosen = self.allocations.iter().map(range).collect();
        let left = self.settings.limit.saturating_sub(progress().written);
        Footprint::new(Arc::clone(&self.gpu), chosen, left)
    }

    /// Writes the record of a launch that has ended. A failed launch has no memory after it.
    pub fn end(self, footprint: &Footprint, ran: bool) {
        let (settings, work) = (self.settings, self.work);
        if let Err(trouble) = self.write(footprint, ran) {
            give_up(settings, &trouble, &work.function);
        }
    }

    fn write(mut self, footprint: &Footprint, ran: bool) -> Result<(), RecordFailure> {
        footprint.check().map_err(|_| RecordFailure::Limit)?;
        let lost = || io::Error::other("the kernel's code object is not there");
        let code = self.work.function.loaded.code.as_ref();
        let code = code.ok_or_else(lost)?;
        let mut buffers = Vec::new();
        for pointed in &self.allocations {
            buffers.push(Buffer::new(&self.gpu, pointed, footprint, ran)?);
        }
        let held: u64 = buffers.iter().map(Buffer::bytes).sum();
        let in_files = self.variables.iter();
        let in_files = in_files.filter_map(|(_, value)| value.as_ref().err());
        let of_variables: u64 = in_files.map(|bytes| bytes.len() as u64).sum();
        let text = LAUNCH_FILE + 16 * self.work.kernarg.len() as u64;
        let needed = held + of_variables + text + code.unwritten(&self.settings.directory);
        if progress().written.saturating_add(needed) > self.settings.limit {
            return Err(RecordFailure::Limit);
        }
        let name = &self.work.function.name;
        let directory = files::directory(&self.settings.directory, &mut progress().number, name)?;
        let code_object = code.write(&self.settings.directory, &directory)?;
        let launch = &mut self.launch;
        launch.insert("code_object".into(), json!(code_object));
        let (mut before, mut after) = (Map::new(), Map::new());
        for buffer in buffers {
            let name = buffer.name.clone();
            let (source, expected) = buffer.write(&directory)?;
            before.insert(name.clone(), source);
            after.extend(expected.map(|expected| (name, expected)));
        }
        launch.insert("buffers".into(), Value::Object(before));
        if !after.is_empty() {
            launch.insert("expect".into(), Value::Object(after));
        }
        let mut held = Map::new();
        for (name, value) in self.variables {
            let value = match value {
                Ok(pointers) => pointers,
                Err(bytes) => {
                    let file = format!("variable{}.bin", held.len() + 1);
                    files::write(&directory.join(&file), &bytes)?;
                    json!({ "file": file })
                }
            };
            held.insert(name, value);
        }
        if !held.is_empty() {
            launch.insert("variables".into(), Value::Object(held));
        }
        let text = format!("{:#}\n", Value::Object(self.launch));
        files::write(&directory.join("launch.json"), text.as_bytes())?;
        Ok(())
    }
}

fn range(pointed: &PointedAllocation) -> Range<Address> {
    let base = pointed.allocation.base;
    base..base + pointed.allocation.size
}

/// The part of an allocation that a launch has touched.
struct Buffer {
    name: String,
    size: u64,
    /// Offsets and sizes of the pieces.
    pieces: Vec<(u64, u64)>,
    /// Contents of the pieces, one after the other.
    before: Vec<u8>,
    /// Contents after the launch, if they are known.
    after: Option<Vec<u8>>,
    /// Offsets and sizes of the parts that were read, and of those that were written: at most one of each behind a pointer.
    touched: [Vec<(u64, u64)>; 2],
}

impl Buffer {
    fn new(
        gpu: &Gpu,
        pointed: &PointedAllocation,
        footprint: &Footprint,
        ran: bool,
    ) -> io::Result<Buffer> {
        let Range { start, end } = range(pointed);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let pieces = footprint.pieces(&(start..end));
        for piece in &pieces {
            let bytes = usize::try_from(piece.end - piece.start).map_err(io::Error::other)?;
            let at = before.len();
            before.resize(at + bytes, 0);
            let address = start + piece.start;
            footprint
                .read_before(address, &mut before[at..])
                .map_err(io::Error::other)?;
            if ran {
                after.resize(at + bytes, 0);
                gpu.read(address, &mut after[at..])
                    .map_err(io::Error::other)?;
            }
        }
        let mut touched = [Vec::new(), Vec::new()];
        let mut bounds = vec![start];
        bounds.extend(&pointed.pointers);
        bounds.push(end);
        bounds.dedup();
        for bounds in bounds.windows(2) {
            let extents = footprint.extents(&(bounds[0]..bounds[1]));
            for (touched, extent) in touched.iter_mut().zip(extents) {
                touched.extend(extent.map(|part| (part.start - start, part.end - part.start)));
            }
        }
        Ok(Buffer {
            name: arguments::name(&pointed.allocation),
            size: end - start,
            pieces: pieces
                .iter()
                .map(|piece| (piece.start, piece.end - piece.start))
                .collect(),
            before,
            after: ran.then_some(after),
            touched,
        })
    }

    /// Returns the most bytes that the files take.
    fn bytes(&self) -> u64 {
        // A buffer that the kernel changes is written twice.
        let changed = self
            .after
            .as_ref()
            .is_some_and(|after| *after != self.before);
        let copies = if changed { 2 } else { 1 };
        copies * self.before.len() as u64 + PIECE * self.pieces.len() as u64
    }

    /// Writes the files. Returns the buffer's entries in `buffers` and `expect`.
    fn write(self, directory: &std::path::Path) -> io::Result<(Value, Option<Value>)> {
        let mut source = json!({ "dtype": dtype(self.size) });
        let [read, written] = self.touched;
        for (key, parts) in [("read", read), ("written", written)] {
            source[key] = json!(parts);
        }
        if self.pieces != [(0, self.size)] {
            source["bytes"] = json!(self.size);
        }
        if self.pieces.is_empty() {
            source["fill"] = json!("zero");
            return Ok((source, None));
        }
        if self.pieces != [(0, self.size)] {
            source["pieces"] = json!(self.pieces);
        }
        let before = format!("{}.before.bin", self.name);
        files::write(&directory.join(&before), &self.before)?;
        source["file"] = json!(before);
        let Some(after) = self.after else {
            return Ok((source, None));
        };
        let file = if after == self.before {
            before
        } else {
            let file = format!("{}.after.bin", self.name);
            files::write(&directory.join(&file), &after)?;
            file
        };
        Ok((source, Some(json!({ "file": file, "tolerance": 0 }))))
    }
}

/// Returns the element type that a buffer is compared as. Its true type is unknown, and words give shorter reports than bytes.
fn dtype(bytes: u64) -> &'static str {
    if bytes.is_multiple_of(4) { "i32" } else { "u8" }
}

/// Returns the limits of the launch. JSON has no infinity, so an infinite number of seconds becomes the largest finite one.
fn limits(limits: &Limits) -> Value {
    let mut fields = Map::new();
    fields.insert("instructions".into(), json!(limits.instructions));
    if limits.seconds.is_finite() {
        fields.insert("seconds".into(), json!(limits.seconds));
    } else {
        fields.insert("seconds".into(), json!(f64::MAX));
    }
    fields.insert("turn".into(), json!(limits.turn));
    Value::Object(fields)
}
