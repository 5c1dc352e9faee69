//! Preparation of a run: registry, code objects, bindings, the selected cases, and the binding of each.

mod bindings;
mod partition;
mod pointers;
mod provenance;
mod selection;
mod setup;
mod usage;

pub use bindings::{Bindings, SkipReason, describe_contract};
pub use partition::{NoPart, Part};
pub use provenance::environment;
pub use selection::{SelectedCase, all_cases, select};
pub use setup::{Selection, Setup, Sources, kernel_globs, parse_seed, threads};
pub use usage::BindingUsage;

use crate::files::FileError;

/// A reason why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub enum RunError {
    /// A flag is wrong, or names a phase or a test that does not exist.
    Flag(String),
    /// The flags select no case, or no selected case can run.
    Nothing(String),
    /// Something that the run needs cannot be used.
    Unusable(String),
    /// The registry, a code object or a file of bindings cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}
