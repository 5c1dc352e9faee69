//! A device whose trials each get a process of their own, so that the damage that a kernel does to the card, or to the driver's
//! library in the process, ends one trial and not the run.

use std::ffi::OsString;
use std::time::Duration;

use super::{Device, DeviceError, DeviceId, Limits, Session, SetupError, Watch};
use crate::report::model::DeviceReport;

/// The command that runs one trial in a process of its own.
#[derive(Clone, Debug)]
pub struct Child {
    /// The arguments of this program that select the command.
    pub args: Vec<OsString>,
    /// The time limit of one run of the trial, in seconds.
    pub seconds: u32,
}

/// The process of each trial on a device.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// The program.
    pub program: OsString,
    /// The program's arguments.
    pub args: Vec<OsString>,
    /// The identity of the trial's device.
    pub place: DeviceId,
    /// The time limit of one run of the trial.
    pub limit: Duration,
}

/// A device that is used through other processes.
pub struct IsolatedDevice {
    inner: Box<dyn Device>,
    isolation: Isolation,
}

impl IsolatedDevice {
    /// Gives each trial a process of this program, which finds the device by `place`.
    ///
    /// # Errors
    /// The file of this program cannot be found.
    pub fn new(
        inner: Box<dyn Device>,
        place: DeviceId,
        child: Child,
    ) -> Result<IsolatedDevice, SetupError> {
        let isolation = Isolation {
            program: this_program()?,
            args: child.args,
            place,
            limit: Duration::from_secs(child.seconds.into()),
        };
        Ok(IsolatedDevice { inner, isolation })
    }
}

/// Returns the path of the running program. On Linux it works even if the program's file has been replaced since.
fn this_program() -> Result<OsString, SetupError> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    let found = std::env::current_exe().map_err(|error| {
        SetupError::Unusable(format!(
            "cannot find the file of this program to start tests with: {error}; add `--no-isolate`"
        ))
    })?;
    Ok(found.into())
}

impl Device for IsolatedDevice {
    fn describe(&self) -> DeviceReport {
        self.inner.describe()
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        self.inner.open(threads, limits, watch)
    }

    fn isolation(&self) -> Option<&Isolation> {
        Some(&self.isolation)
    }
}
