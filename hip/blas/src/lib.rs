//! A small hipBLAS: what programs link for when they multiply matrices, by kernels of our own that any HIP runtime launches.
//!
//! `scripts/build-hip.sh` makes `libhipblas.so` of this crate. [`api`] has all that it exports; what it does not do returns
//! `HIPBLAS_STATUS_NOT_SUPPORTED` and says so once.
#![deny(missing_docs)]

pub mod api;
mod factor;
mod handle;
mod hip;
mod kernels;
mod kinds;
mod level1;
mod matrix;
mod product;
mod solve;
mod status;
mod transfer;
pub mod unsupported;

#[cfg(test)]
use gfx906_hip as _;
