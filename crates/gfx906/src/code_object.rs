//! Code objects: reads bytes and returns kernels.
//!
//! A code object is an ELF shared object for the GPU, as `clang --offload-device-only` and `hipcc --genco` write it: bare, or inside a
//! clang offload bundle, compressed or not. [`CodeObject::parse`] takes any of these and never trusts a byte: it checks every offset and
//! size against the bytes that exist, and no allocation has a size that a header requests, except `.bss`, which [`MAX_IMAGE`] limits.
//!
//! Sources: the AMDGPU backend's user guide of LLVM (ELF header, notes, kernel descriptor, metadata of code objects v4 to v6).

mod args;
mod bundle;
mod compressed;
mod container;
mod descriptor;
mod dwarf;
mod elf;
mod error;
mod image;
mod kernarg;
mod kernel;
mod launch;
mod lines;
mod metadata;
mod names;
mod parameters;
mod source;
mod symbols;
mod target;

use std::borrow::Cow;
use std::sync::Arc;

pub use args::{Arg, ArgKind, HiddenArg};
pub use descriptor::KernelDescriptor;
pub use error::CodeObjectError;
pub use image::{Image, MAX_IMAGE, Relocation, Segment};
pub use kernarg::{Arguments, Kernarg, KernargError};
pub use kernel::{Kernel, MAX_KERNARG, MAX_LDS, MAX_SCRATCH, MAX_WORK_GROUP};
pub use launch::{COMPUTE_UNITS, Extent, LaunchShape, ShapeError, ShapeProblem, groups_at_a_time};
pub use lines::Lines;
pub use parameters::{NumberKind, SourceMember, SourceParameter, SourceParameters, SourceType};
pub use source::{
    Source, SourceFrame, SourcePosition, SourceVariable, VariablePart, VariablePlace,
};
pub use symbols::{Symbol, SymbolKind};
pub use target::{AbiVersion, Target};

/// A gfx906 code object, ready to be loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeObject {
    /// Processor and features that the code was built for.
    pub target: Target,
    /// The version of the code object ABI.
    pub version: AbiVersion,
    /// The kernels, in the order of the metadata.
    pub kernels: Arc<[Kernel]>,
    /// Segments and relocations for device memory.
    pub image: Image,
    /// Functions and variables, sorted by address.
    pub symbols: Vec<Symbol>,
}

impl CodeObject {
    /// Returns the bare ELF file within any input of [`CodeObject::parse`], for a driver that only takes ELF.
    ///
    /// # Errors
    ///
    /// The bytes contain no code object for gfx906. The message is one line.
    pub fn elf(bytes: &[u8]) -> Result<Cow<'_, [u8]>, CodeObjectError> {
        container::extract_elf(bytes)
    }

    /// Reads a code object: plain ELF, `__CLANG_OFFLOAD_BUNDLE__`, compressed bundle (`CCOB`), or a host program that carries one bundle in
    /// its `.hip_fatbin` section.
    ///
    /// # Errors
    ///
    /// The reason why the bytes cannot be run as a gfx906 code object, in one line.
    pub fn parse(bytes: &[u8]) -> Result<CodeObject, CodeObjectError> {
        let elf = container::extract_elf(bytes)?;
        let file = elf::GpuElf::parse(&elf)?;
        let symbols = symbols::read(&file)?;
        let image = image::read(&file)?;
        let metadata = metadata::read(&file)?;
        let kernels = kernel::resolve(metadata, &image, &symbols)?;
        Ok(CodeObject {
            target: file.target.clone(),
            version: file.version,
            kernels: kernels.into(),
            image,
            symbols,
        })
    }

    /// Finds a kernel by its name, or by the symbol of its descriptor, `NAME.kd`.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        let by_name = |name: &str| self.kernels.iter().find(|kernel| kernel.name == name);
        by_name(name).or_else(|| self.kernels.iter().find(|kernel| kernel.symbol == name))
    }

    /// Returns the function whose code contains a link address, and the distance from its start.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<(&Symbol, u64)> {
        let before = self
            .symbols
            .partition_point(|symbol| symbol.address <= address);
        let functions = self.symbols[..before]
            .iter()
            .rev()
            .filter(|symbol| symbol.kind == SymbolKind::Function);
        functions
            .map(|symbol| (symbol, address - symbol.address))
            .find(|(symbol, distance)| *distance < symbol.size.max(1))
    }
}
