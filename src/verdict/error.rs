//! Why there is no comparison, in a word that a program can act on.

use serde::{Deserialize, Serialize};

/// The kind of an error. Its text is for people and changes from version to version, its kind does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The device refuses what it is asked: a launch, a code object, a size.
    Invalid,
    /// The kernel did something it may not do: an address, an instruction, an assertion of its own.
    Fault,
    /// The kernel did not end within its budget.
    Hang,
    /// The code object has no kernel of the name.
    MissingKernel,
    /// The kernel takes other arguments than it is given.
    Arguments,
    /// Memory of the device, or of the host, does not suffice.
    Memory,
    /// The test can say nothing: an output without a reference, a tolerance that lets anything through.
    Test,
    /// The process of the test ended without its report.
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
