//! Small hipBLAS: the functions that programs link for when they multiply matrices. Any HIP runtime launches its kernels.
//!
//! `scripts/build-hip.sh` makes `libhipblas.so` of this crate. [`api`] is the table of all exported functions. An unsupported function
//! returns `HIPBLAS_STATUS_NOT_SUPPORTED` and logs that once.
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
