//! Reasons why outputs cannot be judged, and why tensors cannot be written.

use std::io;

use safetensors::SafeTensorError;

use crate::compare::Unusable;
use crate::device::DeviceError;

/// A failure of the harness around a trial. No kernel is to blame.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrialError {
    /// The comparison is not possible.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The instance of the case cannot be made.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The registry has no tolerance for an output.
    #[error("output `{0}` has no tolerance in the registry")]
    NoTolerance(String),
    /// The contract does not check an output that the registry judges.
    #[error("output `{output}` was never compared: function `{function}` does not check it")]
    Unchecked {
        output: String,
        function: &'static str,
    },
    /// A kernel that computes nothing would pass.
    #[error(
        "the tolerance of output `{output}` says nothing: {trivial} would pass; tighten it or choose a shape that tells; a contract may list the case under `uncomputed`, or leave it out (a custom contract by `excludes`, a built-in one by `without`)"
    )]
    TrivialPasses { output: String, trivial: String },
    /// The output has so few elements that a kernel that computes nothing passes by chance.
    #[error(
        "proves nothing: output `{output}` has {count} elements, and {trivial} would pass with these values"
    )]
    TooFew {
        output: String,
        count: usize,
        trivial: String,
    },
    /// The case has no tensor of the name.
    #[error("tensor `{name}` is not of this test; it has {known}")]
    UnknownTensor { name: String, known: String },
    /// No output is given.
    #[error("there is no output to judge: it needs {0}")]
    NoOutput(String),
    /// An input is not the one that the references are computed from.
    #[error(
        "`{name}` is not what {drawn} draws, and the references are made of that: export the test again"
    )]
    OtherInput { name: String, drawn: String },
    /// An output has another shape than the case gives it.
    #[error("`{name}` has shape {found:?}; it is [{axes}], {shape:?} here")]
    OtherShape {
        name: String,
        found: Vec<usize>,
        axes: String,
        shape: Vec<usize>,
    },
    /// A directory for tensors cannot be created.
    #[error("cannot create {path}: {error}; name a directory you can write to")]
    Create { path: String, error: io::Error },
    /// A file of tensors cannot be made.
    #[error("cannot write {path}: {error}")]
    Encode {
        path: String,
        error: SafeTensorError,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}
