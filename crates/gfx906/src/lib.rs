//! An in-process AMD MI50 (gfx906): reads code objects, decodes their instructions and runs them. No card, no driver, no ROCm.
//!
//! Load a code object as `hipcc --genco` or `clang --offload-arch=gfx906` writes it, launch a kernel, read back what it wrote:
//!
//! ```
//! use gfx906::{CodeObject, Gpu, Launch};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // y[i] += a * pair.scale * x[i] + d + c
//! let object = CodeObject::parse(include_bytes!("../tests/data/v5.co"))?;
//! let kernel = object.kernel("axpy").ok_or("no such kernel")?;
//! let gpu = Gpu::new();
//! let module = gpu.load(&object)?;
//!
//! let (x, y) = (gpu.alloc("x", 64 * 4)?, gpu.alloc("y", 64 * 4)?);
//! let input: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
//! gpu.write(x, &input)?;
//! let pair = [2.0_f32.to_bits(), 64]; // struct { float scale; int count; }
//! let arguments = kernel.arguments().with(x).with(y).with(1.5_f32).with(pair).with(0.25_f64).with(0_i8).finish()?;
//! let counters = gpu.launch(&module, "axpy", &Launch::new([1, 1, 1], [64, 1, 1], &arguments))?;
//!
//! let mut last = [0; 4];
//! gpu.read(y + 63 * 4, &mut last)?;
//! assert_eq!(f32::from_le_bytes(last), 1.5 * 2.0 * 63.0 + 0.25);
//! assert_eq!(counters.waves, 1);
//! # Ok(())
//! # }
//! ```
//!
//! A kernel that does what a card would not forgive ends its launch with [`LaunchError::Trap`]: instruction, lane, address, and the
//! allocation that is nearest.
//!
//! The names that this module exports are the interface. The modules below it serve `deltanet-check` and the HIP runtime as well, and change with them.
#![deny(missing_docs, clippy::mod_module_files)]

#[doc(hidden)]
pub mod allocation;
pub mod code_object;
pub mod isa;
pub mod machine;
pub mod observe;
#[doc(hidden)]
pub mod semantics;

pub use code_object::{Arguments, CodeObject, CodeObjectError, KernargError, Kernel};
pub use machine::{Counters, Gpu, GpuError, Launch, LaunchError, Limits, Module, Trap};
