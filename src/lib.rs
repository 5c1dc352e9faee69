//! `deltanet-check` validates Delta-Net GPU kernels built for the AMD MI50 (gfx906).
#![deny(missing_docs)]

pub mod compare;
pub mod report;
pub mod verdict;
