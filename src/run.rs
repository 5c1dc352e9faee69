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
