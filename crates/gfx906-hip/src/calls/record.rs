//! Recording: writes each launch as a file for `deltanet-check exec`, with the buffers behind its arguments before and after.
//!
//! A record never breaks the program: a failed write is logged once, and the program goes on.

mod arguments;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use gfx906::machine::{Gpu, Limits};
use serde_json::{Map, Value, json};

use crate::diagnostics::log;
use crate::objects::memory::Allocation;
use crate::objects::module::Function;
use crate::objects::work::Kernel;
use crate::recording::settings::RecordingSettings;
use crate::recording::{SETTINGS, files, is_on, progress};
use crate::runtime::state;
use arguments::Arguments;

/// Most bytes of a launch file besides its arguments.
const LAUNCH_FILE: u64 = 16 << 10;

/// Record of a launch whose kernel has not run yet.
pub struct Record {
    gpu: Arc<Gpu>,
    directory: PathBuf,
    buffers: Vec<Allocation>,
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

/// Writes the state before a launch, if the launch is to be recorded. The caller holds the device.
pub fn begin(work: &Kernel, limits: &Limits) -> Option<Record> {
    let settings = SETTINGS.as_ref()?;
    let function = &work.function;
    if !is_on() || !settings.wants(&function.name) {
        return None;
    }
    let before = before(settings, work, limits);
    before
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

fn before(
    settings: &RecordingSettings,
    work: &Kernel,
    limits: &Limits,
) -> Result<Record, RecordFailure> {
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
    let allocations = arguments.buffers();
    // A buffer that the kernel changes is written twice.
    let buffers: u64 = allocations.iter().map(|buffer| 2 * buffer.size).sum();
    let in_files = variables
        .iter()
        .filter_map(|(_, value)| value.as_ref().err());
    let of_variables: u64 = in_files.map(|bytes| bytes.len() as u64).sum();
    let text = LAUNCH_FILE + 16 * kernarg.len() as u64;
    let needed = buffers + of_variables + text + code.unwritten(&settings.directory);
    if progress().written.saturating_add(needed) > settings.limit {
        return Err(RecordFailure::Limit);
    }
    let code_object = code.write(&settings.directory)?;
    let directory = files::directory(&settings.directory, &mut progress().number, &function.name)?;
    let mut launch = Map::new();
    launch.insert("code_object".into(), json!(format!("../{code_object}")));
    let mut buffers = Map::new();
    for buffer in &allocations {
        let name = arguments::name(buffer);
        let file = format!("{name}.before.bin");
        files::write_memory(&gpu, buffer.base, buffer.size, &directory.join(&file))?;
        buffers.insert(name, json!({ "file": file, "dtype": dtype(buffer.size) }));
    }
    launch.insert("buffers".into(), Value::Object(buffers));
    let mut held = Map::new();
    for (name, value) in variables {
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
    launch.insert("launches".into(), json!([this]));
    launch.insert("limits".into(), self::limits(limits));
    let record = Record {
        gpu,
        directory,
        buffers: allocations,
        launch,
    };
    // The files so far survive if the program is killed while its kernel runs.
    record.write()?;
    Ok(record)
}

impl Record {
    /// Writes the buffers after the kernel, if it completed. The launch file of a failed kernel exists already.
    pub fn end(mut self, ran: bool) {
        let written = if ran { self.after() } else { Ok(()) };
        if let (Err(error), Some(settings)) = (written, SETTINGS.as_ref()) {
            let mut progress = progress();
            progress.ended = true;
            if progress.told.insert("io") {
                log(format!(
                    "recording: {}: {error}: nothing more is recorded",
                    settings.directory.display()
                ));
            }
        }
    }

    fn after(&mut self) -> io::Result<()> {
        let mut expect = Map::new();
        for buffer in &self.buffers {
            let name = arguments::name(buffer);
            let before = format!("{name}.before.bin");
            let after = format!("{name}.after.bin");
            let same = files::holds(
                &self.gpu,
                buffer.base,
                buffer.size,
                &self.directory.join(&before),
            )?;
            if !same {
                files::write_memory(
                    &self.gpu,
                    buffer.base,
                    buffer.size,
                    &self.directory.join(&after),
                )?;
            }
            let file = if same { before } else { after };
            expect.insert(name, json!({ "file": file, "tolerance": 0 }));
        }
        if !expect.is_empty() {
            self.launch.insert("expect".into(), Value::Object(expect));
        }
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let text = format!("{:#}\n", Value::Object(self.launch.clone()));
        files::write(&self.directory.join("launch.json"), text.as_bytes())
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
