//! Preparation of a run: registry, code objects, bindings, the selected cases and the launches of each.

mod partition;
mod provenance;
mod selection;
mod setup;
mod usage;
mod ways;

pub use partition::{NoPart, Part};
pub use provenance::environment;
pub use selection::{SelectedCase, everything, select};
pub use setup::{Selection, Setup, Sources, kernel_globs, seed, threads};
pub use usage::BindingUsage;
pub use ways::{Bindings, SkipReason, contract};

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
