//! Devices that run kernels. A device moves bytes and launches kernels; it never compares anything.

pub mod debug;
pub mod emulator;
#[cfg(feature = "hip")]
mod hip;
mod isolated;
mod limits;
mod watch;

use std::fmt;

use gfx906::code_object::Symbol;
use gfx906::machine::Trap;
use serde::{Deserialize, Serialize};

use crate::program::Program;
use crate::report::model::{CountersReport, DeviceReport, FindingReport};
use crate::tensor::guards::Guards;
use crate::tensor::npy::Dtype;
use crate::tensor::{Axis, ElementKind, poison};

pub use crate::report::model::ErrorKind as DeviceErrorKind;
pub use emulator::origin_report;
pub use isolated::{Child, IsolatedDevice, Isolation};
pub use limits::{Budget, BudgetError, Limits};
pub use watch::{LaunchCosts, Ledger, NOTHING, Sanitize, Sink, TraceSpec, Tracing, Watch};

/// A machine that runs kernels: a card, or the emulator.
pub trait Device: Send + Sync {
    /// Describes the device for reports.
    fn describe(&self) -> DeviceReport;

    /// Opens a session for one trial. It has memory of its own, so that a faulting kernel does not affect other trials. `threads` is the
    /// number of host threads that a launch may take (0: all). `limits` is the budget after which a launch counts as a hang, if the device
    /// has a budget.
    ///
    /// `watch` selects the observers of the launches. A device that cannot observe ignores it; [`check_watch`] refuses the combination.
    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError>;

    /// Returns true if the device can observe kernels.
    fn observes(&self) -> bool {
        false
    }

    /// Returns how to start a process for each trial on the device; none if trials run in this process.
    fn isolation(&self) -> Option<&Isolation> {
        None
    }
}

/// Bytes that are poisoned by one upload, a multiple of every element's size.
const PIECE: u64 = 1 << 20;

/// Device memory and loaded code objects of one trial.
pub trait Session {
    /// Loads a code object and returns its number for [`Session::launch`].
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError>;

    /// Returns the address of a variable of a loaded code object (`__device__`, `__constant__`), which can be written and read from then on.
    /// `symbol` is a symbol of the code object.
    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError>;

    /// Allocates a buffer of `bytes` bytes, which fault reports call `name`. The buffer has guards wherever a kernel can write beyond it
    /// without a fault; the caller fills them.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError>;

    /// Copies to the device.
    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError>;

    /// Fills bytes with the poison of elements of a kind. The last element is cut short if `bytes` is no multiple of its size.
    fn poison(&mut self, address: u64, bytes: u64, kind: ElementKind) -> Result<(), DeviceError> {
        let mut piece = vec![0; bytes.min(PIECE) as usize];
        poison::fill(kind, &mut piece);
        (0..bytes).step_by(PIECE as usize).try_for_each(|at| {
            let length = (bytes - at).min(PIECE) as usize;
            self.upload(address + at, &piece[..length])
        })?;
        self.unwritten(address, bytes);
        Ok(())
    }

    /// Marks bytes as unwritten, so that a sanitizer reports a kernel that uses them.
    fn unwritten(&mut self, _address: u64, _bytes: u64) {}

    /// Tells how a tensor lies in device memory, for a session that shows elements to people.
    fn describe(&mut self, _tensor: TensorView) {}

    /// Copies from the device, after all launches so far.
    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError>;

    /// Starts a kernel of a loaded code object.
    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<LaunchResult, DeviceError>;

    /// Starts a kernel so many times in a row, and returns the seconds of all of them. A device that measures no times starts nothing.
    fn repeat(
        &mut self,
        _module: usize,
        _launch: &Launch<'_>,
        _times: u32,
        _how: Repetition,
    ) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// Waits for all launches so far.
    fn sync(&mut self) -> Result<(), DeviceError>;

    /// Returns the sanitizer's findings of all launches so far, unfinished launches included.
    fn findings(&self) -> &[FindingReport] {
        &[]
    }
}

/// A buffer in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceBuffer {
    /// Address of its first byte.
    pub address: u64,
    /// The guards around it, which can be written and read as the buffer can.
    pub guards: Guards,
    /// True if every byte is 0; otherwise the content is arbitrary.
    pub zeroed: bool,
}

/// The elements of a tensor in device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorView {
    /// The tensor's name.
    pub name: String,
    /// Address of its first element.
    pub address: u64,
    /// The type of its elements.
    pub dtype: Dtype,
    /// Names of the axes, or empty names, the outermost first.
    pub axes: Vec<Axis>,
    /// Distance in elements between neighbours along each axis.
    pub strides: Vec<usize>,
}

impl TensorView {
    /// Makes the view of a tensor whose elements lie one after another, the last axis fastest.
    pub fn plain(name: &str, address: u64, dtype: Dtype, axes: Vec<Axis>) -> TensorView {
        let mut strides = vec![1usize; axes.len()];
        for at in (1..axes.len()).rev() {
            strides[at - 1] = strides[at].saturating_mul(axes[at].length);
        }
        TensorView {
            name: name.to_owned(),
            address,
            dtype,
            axes,
            strides,
        }
    }
}

/// A kernel launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// The explicit arguments, laid out as the kernel's metadata says.
    pub kernarg: &'a [u8],
    /// True if all work-groups are resident and may wait for one another.
    pub cooperative: bool,
}

/// The way in which launches follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// One call each, in a stream.
    Stream,
    /// All together, as a graph that has run before.
    Graph,
}

/// A device's report of a launch that finished.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchResult {
    /// Wave instructions executed, where the device counts them.
    pub wave_instructions: Option<u64>,
    /// Further counters, if they were requested.
    pub counters: Option<CountersReport>,
    /// Time of the kernel on the device, in seconds, where the device measures it.
    pub kernel_seconds: Option<f64>,
}

/// A failure of a device operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    /// The report, possibly of several lines.
    pub message: String,
    /// The kind of the failure.
    pub kind: DeviceErrorKind,
    /// The place and the reason of the kernel's stop, if the device knows them. The message says the same for people.
    pub trap: Option<Box<Trap>>,
}

/// The result of a device operation, or of steps with such operations.
pub type DeviceResult<T = ()> = Result<T, DeviceError>;

impl DeviceError {
    /// Makes the error of an invalid request.
    pub fn invalid(message: impl ToString) -> DeviceError {
        DeviceError::of(DeviceErrorKind::Invalid, message)
    }

    /// Makes an error of a kind.
    pub fn of(kind: DeviceErrorKind, message: impl ToString) -> DeviceError {
        DeviceError {
            message: message.to_string(),
            kind,
            trap: None,
        }
    }

    /// Makes the error of a kernel that stopped before its end.
    pub fn trapped(trap: Box<Trap>) -> DeviceError {
        DeviceError {
            message: trap.to_string(),
            kind: if trap.is_hang() {
                DeviceErrorKind::Hang
            } else {
                DeviceErrorKind::Fault
            },
            trap: Some(trap),
        }
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeviceError {}

/// An error before the first launch: there is no such device, or it cannot be observed as the flags say.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub enum SetupError {
    /// A flag is wrong, or does not fit the device or the code object.
    Flag(String),
    /// A device, or a file that it writes, cannot be used.
    Unusable(String),
}

/// Refuses observers on a device that cannot observe.
///
/// # Errors
/// A usage error that names the flag.
pub fn check_watch(device: &dyn Device, watch: &Watch) -> Result<(), SetupError> {
    match watch.flag() {
        Some(flag) if !device.observes() => Err(SetupError::Flag(format!(
            "`{flag}` needs the emulator, and this is {}: add `--device emulator`",
            device.describe().description
        ))),
        _ => Ok(()),
    }
}

/// The identity of a device, by which another process finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceId {
    /// The emulator.
    Emulator,
    /// The card of this number.
    Hip(u32),
}

impl DeviceId {
    /// Opens the device in this process.
    ///
    /// # Errors
    /// There is no such device, or it cannot be used.
    pub fn find(self) -> Result<Box<dyn Device>, SetupError> {
        match self {
            DeviceId::Emulator => Ok(Box::new(emulator::Emulator::ACROSS_LINES)),
            DeviceId::Hip(index) => hip(Some(index)).map(|(device, _)| device),
        }
    }
}

/// The requested device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The emulator.
    Emulator,
    /// The card of this number, or the first suitable card.
    Hip(Option<u32>),
}

/// A request for a device, and for the process in which its trials run.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The requested device.
    pub target: Target,
    /// The process that each trial gets; none if trials run in this process.
    pub child: Option<Child>,
}

impl Spec {
    /// The emulator, in this process.
    pub const EMULATOR: Spec = Spec {
        target: Target::Emulator,
        child: None,
    };

    /// Opens the device.
    ///
    /// # Errors
    /// There is no such device.
    pub fn open(self) -> Result<Box<dyn Device>, SetupError> {
        let (device, place) = match self.target {
            Target::Emulator => (DeviceId::Emulator.find()?, DeviceId::Emulator),
            Target::Hip(index) => hip(index)?,
        };
        Ok(match self.child {
            Some(child) => Box::new(IsolatedDevice::new(device, place, child)?),
            None => device,
        })
    }
}

/// A card, and where it is.
#[cfg(feature = "hip")]
fn hip(index: Option<u32>) -> Result<(Box<dyn Device>, DeviceId), SetupError> {
    let card = hip::Hip::choose(index)?;
    let place = DeviceId::Hip(card.index());
    Ok((Box::new(card), place))
}

/// A card, and where it is.
#[cfg(not(feature = "hip"))]
fn hip(_: Option<u32>) -> Result<(Box<dyn Device>, DeviceId), SetupError> {
    let message = "this deltanet-check was built without HIP and cannot reach a card: \
         use a build with the feature `hip`, or run on the emulator with `--device emulator`";
    Err(SetupError::Unusable(message.into()))
}
