//! A small hipBLAS and rocBLAS: matrix products, and the vector operations and triangular systems that programs use with them. Any HIP
//! runtime launches its kernels.
//!
//! `scripts/build-hip.sh` builds `libhipblas.so` and `librocblas.so` from this crate. [`api`] is the table of the functions that work. The
//! script adds all other functions of both libraries, which return the library's status for unsupported functions and log that once each.
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

#[cfg(test)]
use gfx906_hip as _;
