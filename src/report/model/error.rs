//! Kinds of errors that end a trial without a comparison, for programs to act on.

use serde::{Deserialize, Serialize};

/// The kind of an error. The text of an error is for people and changes from version to version; its kind does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The device refuses a launch, a code object or a size.
    Invalid,
    /// The kernel did something that it may not do: an address, an instruction, an assertion of its own.
    Fault,
    /// The kernel did not end within its budget.
    Hang,
    /// The code object has no kernel of that name.
    MissingKernel,
    /// The kernel takes other arguments than the binding gives it.
    Arguments,
    /// Memory of the device, or of the host, does not suffice.
    Memory,
    /// The test proves nothing: an output has no reference, or a tolerance accepts anything.
    Test,
    /// The process of the test ended without a report.
    Process,
    /// deltanet-check itself failed.
    Harness,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [ErrorKind; 9] = [
        ErrorKind::Invalid,
        ErrorKind::Fault,
        ErrorKind::Hang,
        ErrorKind::MissingKernel,
        ErrorKind::Arguments,
        ErrorKind::Memory,
        ErrorKind::Test,
        ErrorKind::Process,
        ErrorKind::Harness,
    ];
}
