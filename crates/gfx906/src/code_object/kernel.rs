//! Kernels: metadata, descriptor and code are combined and checked against each other.

use std::collections::{HashMap, HashSet};

use super::args::{Arg, ArgKind};
use super::descriptor::KernelDescriptor;
use super::error::{CodeObjectError, printable};
use super::image::Image;
use super::metadata::KernelMetadata;
use super::symbols::{Symbol, SymbolKind};

/// Largest LDS of a work-group in bytes.
pub const MAX_LDS: u32 = 64 << 10;
/// Largest number of work-items of a work-group.
pub const MAX_WORK_GROUP: u32 = 1024;
/// Largest scratch of a work-item in bytes: a wave's share is counted in 13 bits of KiB.
pub const MAX_SCRATCH: u32 = 128 << 10;
/// Largest kernarg segment in bytes: the range of a scalar load's offset, a signed number of 21 bits.
pub const MAX_KERNARG: u32 = 1 << 20;

/// Alignment of a kernel's first instruction: the hardware takes a start address in units of 256 bytes.
const ENTRY_ALIGN: u64 = 256;

/// A kernel that can be launched.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// Name as in the source (mangled in C++).
    pub name: String,
    /// Symbol of the descriptor: `NAME.kd`.
    pub symbol: String,
    /// Link address of the descriptor.
    pub descriptor_address: u64,
    /// Link address of the first instruction.
    pub entry_address: u64,
    /// Size of the code in bytes: of the function symbol, or up to the next symbol or the end of the segment.
    pub code_size: u64,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Explicit arguments, then hidden ones.
    pub args: Vec<Arg>,
    /// Bytes of the kernarg segment, hidden arguments included.
    pub kernarg_size: u32,
    /// Alignment of the kernarg segment.
    pub kernarg_align: u32,
    /// Bytes of static LDS of a work-group.
    pub lds_size: u32,
    /// Bytes of scratch of a work-item.
    pub private_segment_size: u32,
    /// True if `private_segment_size` does not include the scratch of callees.
    pub uses_dynamic_stack: bool,
    /// SGPRs in the compiler's count.
    pub sgpr_count: u32,
    /// VGPRs in the compiler's count.
    pub vgpr_count: u32,
    /// SGPRs spilled to memory or to VGPRs.
    pub sgpr_spill_count: u32,
    /// VGPRs spilled to memory.
    pub vgpr_spill_count: u32,
    /// Largest work-group, in work-items, that the kernel was compiled for.
    pub max_flat_work_group_size: u32,
    /// True if the kernel was compiled for grids of whole work-groups only, as HIP's compilers do.
    pub uniform_work_groups: bool,
    /// The only work-group size that the kernel was compiled for, if the source requires one.
    pub required_work_group_size: Option<[u32; 3]>,
    /// Lanes of a wave: 64.
    pub wavefront_size: u32,
}

impl Kernel {
    /// Iterates over the arguments that a launch has to supply.
    pub fn explicit_args(&self) -> impl Iterator<Item = &Arg> {
        self.args
            .iter()
            .filter(|arg| !matches!(arg.kind, ArgKind::Hidden(_)))
    }

    /// Returns the size in bytes of the explicit arguments in kernarg memory.
    #[must_use]
    pub fn explicit_kernarg_size(&self) -> u32 {
        self.explicit_args()
            .map(|arg| arg.offset + arg.size)
            .max()
            .unwrap_or(0)
    }
}

/// Builds every kernel of the metadata, with its descriptor and its code from the image.
pub(super) fn resolve(
    metadata: Vec<KernelMetadata>,
    image: &Image,
    symbols: &[Symbol],
) -> Result<Vec<Kernel>, CodeObjectError> {
    let mut seen = HashSet::new();
    for kernel in &metadata {
        if !seen.insert(&kernel.name) {
            return Err(CodeObjectError::kernel(
                &kernel.name,
                "listed twice in the metadata; the code object is damaged",
            ));
        }
    }
    let by_name: HashMap<&str, &Symbol> = symbols
        .iter()
        .map(|symbol| (symbol.name.as_str(), symbol))
        .collect();
    metadata
        .into_iter()
        .map(|kernel| resolve_one(kernel, image, symbols, &by_name))
        .collect()
}

fn resolve_one(
    metadata: KernelMetadata,
    image: &Image,
    symbols: &[Symbol],
    by_name: &HashMap<&str, &Symbol>,
) -> Result<Kernel, CodeObjectError> {
    let error = |problem: String| CodeObjectError::kernel(&metadata.name, problem);
    check_limits(&metadata)?;
    let symbol = by_name.get(metadata.symbol.as_str()).ok_or_else(|| {
        let name = printable(&metadata.symbol);
        error(format!("no symbol `{name}` for its descriptor; keep the symbol table when stripping the code object"))
    })?;
    let descriptor_address = symbol.address;
    let descriptor = image
        .bytes(descriptor_address, KernelDescriptor::SIZE as u64)
        .and_then(|bytes| bytes.first_chunk())
        .map(KernelDescriptor::from_bytes)
        .ok_or_else(|| error(format!("its descriptor at {descriptor_address:#x} lies outside the image; the code object is damaged")))?;
    check_descriptor(&metadata, &descriptor)?;
    let entry_address = descriptor_address.wrapping_add_signed(descriptor.entry_offset);
    let text = image.segment_at(entry_address, 4).filter(|segment| segment.executable).ok_or_else(|| {
        error(format!("its entry point {entry_address:#x} lies outside every executable segment; the code object is damaged"))
    })?;
    if entry_address % ENTRY_ALIGN != 0 {
        return Err(error(format!(
            "its entry point {entry_address:#x} is not 256-byte aligned; the code object is damaged"
        )));
    }
    let code_size = code_size(entry_address, text.end(), symbols);
    let args: Vec<Arg> = metadata.args.into_iter().map(Arg::from).collect();
    Ok(Kernel {
        name: metadata.name,
        symbol: metadata.symbol,
        descriptor_address,
        entry_address,
        code_size,
        descriptor,
        args,
        kernarg_size: metadata.kernarg_size,
        kernarg_align: metadata.kernarg_align,
        lds_size: metadata.lds_size,
        private_segment_size: metadata.private_segment_size,
        uses_dynamic_stack: metadata.uses_dynamic_stack,
        sgpr_count: metadata.sgpr_count,
        vgpr_count: metadata.vgpr_count,
        sgpr_spill_count: metadata.sgpr_spill_count,
        vgpr_spill_count: metadata.vgpr_spill_count,
        max_flat_work_group_size: metadata.max_flat_work_group_size,
        uniform_work_groups: metadata.uniform_work_groups,
        required_work_group_size: metadata.required_work_group_size,
        wavefront_size: metadata.wavefront_size,
    })
}

/// Rejects kernels that gfx906 cannot run, and contradictory metadata.
fn check_limits(kernel: &KernelMetadata) -> Result<(), CodeObjectError> {
    let refused = |problem: String| Err(CodeObjectError::kernel(&kernel.name, problem));
    let lds = kernel.lds_size;
    if lds > MAX_LDS {
        return refused(format!(
            "asks for {lds} bytes of LDS, a work-group has at most {MAX_LDS}: use less __shared__ memory"
        ));
    }
    if kernel.wavefront_size != 64 {
        return refused(format!(
            "made for waves of {} lanes, gfx906 has 64: rebuild with --offload-arch=gfx906",
            kernel.wavefront_size
        ));
    }
    let work_items = kernel.max_flat_work_group_size;
    if !(1..=MAX_WORK_GROUP).contains(&work_items) {
        return refused(format!(
            "made for work-groups of {work_items} work-items, there can be 1 to {MAX_WORK_GROUP}"
        ));
    }
    if let Some(size) = kernel.required_work_group_size {
        let product = size.iter().fold(1u64, |product, &side| {
            product.saturating_mul(u64::from(side))
        });
        if product == 0 || product > u64::from(MAX_WORK_GROUP) {
            return refused(format!(
                "requires work-groups of {size:?}, there can be 1 to {MAX_WORK_GROUP} work-items"
            ));
        }
    }
    if kernel.kernarg_size > MAX_KERNARG {
        return refused(format!(
            "takes {} bytes of arguments, scalar loads reach {MAX_KERNARG}: pass large ones in memory",
            kernel.kernarg_size
        ));
    }
    if !kernel.kernarg_align.is_power_of_two() || kernel.kernarg_align > 4096 {
        return refused(format!(
            "kernarg alignment {} in the metadata; the code object is damaged",
            kernel.kernarg_align
        ));
    }
    for (index, arg) in kernel.args.iter().enumerate() {
        if arg
            .offset
            .checked_add(arg.size)
            .is_none_or(|end| end > kernel.kernarg_size)
        {
            let (offset, size, total) = (arg.offset, arg.size, kernel.kernarg_size);
            return refused(format!(
                "argument {index} (offset {offset}, size {size}) lies outside its {total} bytes of kernarg; the code object is damaged"
            ));
        }
    }
    Ok(())
}

/// Checks that the descriptor agrees with the metadata.
fn check_descriptor(
    kernel: &KernelMetadata,
    descriptor: &KernelDescriptor,
) -> Result<(), CodeObjectError> {
    let refused = |problem: String| Err(CodeObjectError::kernel(&kernel.name, problem));
    if descriptor.wavefront_size32() {
        return refused("its descriptor asks for waves of 32 lanes, gfx906 has 64: rebuild with --offload-arch=gfx906".into());
    }
    let pairs = [
        (
            "LDS bytes",
            kernel.lds_size,
            descriptor.group_segment_fixed_size,
        ),
        (
            "scratch bytes",
            kernel.private_segment_size,
            descriptor.private_segment_fixed_size,
        ),
    ];
    for (what, in_metadata, in_descriptor) in pairs {
        if in_metadata != in_descriptor {
            return refused(format!(
                "{in_metadata} {what} in the metadata, {in_descriptor} in its descriptor; the code object is damaged"
            ));
        }
    }
    Ok(())
}

/// Returns the size of the function at `entry`, at most up to the end of its segment. Symbols are sorted by address.
fn code_size(entry: u64, segment_end: u64, symbols: &[Symbol]) -> u64 {
    let rest = segment_end - entry;
    let first = symbols.partition_point(|symbol| symbol.address < entry);
    let after = first + symbols[first..].partition_point(|symbol| symbol.address == entry);
    let at_entry = symbols[first..after]
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Function);
    match at_entry.map(|symbol| symbol.size).max() {
        Some(size) if size != 0 => size.min(rest),
        _ => symbols
            .get(after)
            .map_or(rest, |next| rest.min(next.address - entry)),
    }
}
