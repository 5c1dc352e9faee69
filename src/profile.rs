//! A model of kernels' costs on an MI50, from the instructions that ran on the emulator (docs/profile.md).

pub mod constants;
mod counts;
mod dealing;
mod hints;
mod launch;
mod model;
mod occupancy;
mod page;
mod pattern;
mod report;
#[cfg(test)]
mod tests;
mod trial;

pub use constants::CLOCK;
pub use counts::{Counts, ModelComparison};
pub use dealing::{Dealing, Pipes};
pub use launch::{LaunchProfile, Resources, SiteProfile, profile};
pub use model::{Card, Estimate, with_launches};
pub use occupancy::{Needs, Occupancy, occupancy};
pub use page::page;
pub use report::{HELD, ProfileReport, UnprofiledCase, constants_text, held_text, text};
pub use trial::{CaseProfile, ProfileError, join, ledger, profile_case, profile_launches};
