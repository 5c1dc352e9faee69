//! A model of kernels' costs on an MI50, from the instructions that ran on the emulator (docs/profile.md).

mod calibration;
mod card;
pub mod constants;
mod dealing;
mod hints;
mod launch;
mod measured;
mod model;
mod occupancy;
mod page;
mod pattern;
mod report;
#[cfg(test)]
mod tests;
mod trial;

pub use calibration::{Calibration, Figure, calibrate};
pub use card::{Card, ConstantName};
pub use dealing::{Dealing, Pipes};
pub use launch::{LaunchProfile, Resources, SiteProfile, profile};
pub use measured::{Measurement, measured_text, rows_text};
pub use model::{Assumptions, Estimate, Terms, Timing};
pub use occupancy::{Needs, Occupancy, occupancy};
pub use page::page;
pub use report::{ProfileReport, UnprofiledCase, constants_text, text};
pub use trial::{CaseProfile, ProfileError, join, ledger, profile_case, profile_launches};
