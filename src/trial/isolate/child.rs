//! The process of a trial: it reads a request, runs the trial, and reports the result.

use std::io::{self, Read};
use std::thread;

use gfx906::code_object::Symbol;

use super::{reply, work};
use crate::device::{
    Device, DeviceBuffer, DeviceError, Launch, LaunchResult, Limits, Session, SetupError, Watch,
};
use crate::files::FileError;
use crate::program::Program;
use crate::report::model::DeviceReport;
use crate::text::StdoutError;

/// The name of the hidden command of such a process.
pub const CHILD: &str = "run-one-trial";

/// An error of the process of a trial.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// Standard input has no request that this program understands.
    #[error(
        "{0}: this command is how `deltanet-check` runs one test in a process of its own; \
         use `deltanet-check --test ID`"
    )]
    Alien(String),
    /// Standard input cannot be read.
    #[error("cannot read standard input: {0}")]
    Stdin(io::Error),
    /// Standard output cannot be written.
    #[error(transparent)]
    Stdout(#[from] StdoutError),
    /// A code object or the binding of the request cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The device of the request cannot be used.
    #[error(transparent)]
    Device(#[from] SetupError),
}

/// Runs the trial that standard input describes, and reports the result on standard output.
///
/// # Errors
/// Standard input has no trial, its device does not exist, or standard output cannot be written.
pub fn serve() -> Result<(), ChildError> {
    let work = work::read(io::stdin().lock())?;
    // If no thread can be started, the trial still ends by itself.
    let _ = thread::Builder::new().spawn(end_with_parent);
    let device = ReportingDevice(work.place().find()?);
    let finished = work.plan(&device).run();
    Ok(reply::tell_finished(finished).map_err(StdoutError)?)
}

/// Ends this process with the one that started it, which holds standard input open as long as it waits.
fn end_with_parent() {
    let mut more = [0];
    loop {
        match io::stdin().read(&mut more) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(1..) => {}
            // `abort` instead of `exit`, because exit handlers of a driver's library may wait for a kernel that hangs.
            Ok(0) | Err(_) => std::process::abort(),
        }
    }
}

/// A device that reports each launch before it makes the launch, so that the parent knows which launch was the last.
struct ReportingDevice(Box<dyn Device>);

impl Device for ReportingDevice {
    fn describe(&self) -> DeviceReport {
        self.0.describe()
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        let session = self.0.open(threads, limits, watch)?;
        Ok(Box::new(ReportingSession(session)))
    }
}

struct ReportingSession(Box<dyn Session>);

impl Session for ReportingSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        self.0.load(program)
    }

    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError> {
        self.0.variable(module, symbol)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        self.0.alloc(name, bytes)
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.0.upload(address, data)
    }

    fn unwritten(&mut self, address: u64, bytes: u64) {
        self.0.unwritten(address, bytes);
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.0.download(address, data)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<LaunchResult, DeviceError> {
        reply::tell_launch(launch).map_err(|error| {
            DeviceError::invalid(format!("cannot write to standard output: {error}"))
        })?;
        self.0.launch(module, launch)
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        self.0.sync()
    }
}
