//! What a run of tests needs before the first trial: registry, code objects, bindings, the cases that run and how each does.

mod interrupt;
mod provenance;
mod setup;
mod usage;
mod ways;

pub use interrupt::{Armed, Ends};
pub use provenance::environment;
pub use setup::{Selection, Setup, Sources, kernel_globs, seed, threads};
pub use usage::BindingUsage;
pub use ways::{Bindings, contract};
