//! A launch against what the code object says of its kernel.

use anyhow::{anyhow, bail};
use gfx906::code_object::{Arg, ArgKind, Kernel, MAX_LDS, MAX_WORK_GROUP};

use super::argument::ArgSpec;
use super::buffer::Buffer;
use super::buffers::Placed;
use super::launch::{LaunchFile, LaunchSpec};

/// Sizes and arguments fit the kernel.
pub(super) fn check(spec: &LaunchSpec, kernel: &Kernel, buffers: &[Buffer]) -> anyhow::Result<()> {
    sizes(spec, kernel)?;
    let wanted: Vec<&Arg> = kernel.explicit_args().collect();
    if spec.args.len() != wanted.len() {
        bail!(
            "{} arguments given, kernel `{}` takes {}: {}",
            spec.args.len(),
            kernel.name,
            wanted.len(),
            listed(&wanted)
        );
    }
    for (index, (given, wanted)) in spec.args.iter().zip(wanted).enumerate() {
        argument(given, wanted, buffers).map_err(|problem| anyhow!("args[{index}]: {problem}"))?;
    }
    Ok(())
}

/// The explicit arguments, laid out as the kernel reads them.
pub(super) fn kernarg(spec: &LaunchSpec, kernel: &Kernel, addresses: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; kernel.explicit_kernarg_size() as usize];
    for (given, wanted) in spec.args.iter().zip(kernel.explicit_args()) {
        let start = wanted.offset as usize;
        let place = &mut bytes[start..start + wanted.size as usize];
        place.copy_from_slice(&given.bytes(addresses));
    }
    bytes
}

/// Every pointer lies in its buffer; right behind the end is where an empty part of it is.
pub(super) fn pointers(file: &LaunchFile, placed: &[Placed]) -> anyhow::Result<()> {
    for (index, spec) in file.launches.iter().enumerate() {
        for (at, arg) in spec.args.iter().enumerate() {
            inside(arg, &file.buffers, placed)
                .map_err(|problem| anyhow!("launches[{index}]: args[{at}]: {problem}"))?;
        }
    }
    for variable in &file.variables {
        if let Some(value) = variable.said() {
            inside(value, &file.buffers, placed)
                .map_err(|problem| anyhow!("variables.{}: {problem}", variable.name()))?;
        }
    }
    Ok(())
}

fn inside(arg: &ArgSpec, buffers: &[Buffer], placed: &[Placed]) -> Result<(), String> {
    for pointer in arg.pointers() {
        let (offset, bytes) = (pointer.offset, placed[pointer.buffer].bytes);
        if u64::try_from(offset).is_ok_and(|offset| offset <= bytes) {
            continue;
        }
        let sign = if offset < 0 { '-' } else { '+' };
        return Err(format!(
            "${name} {sign} {} is outside buffer `{name}` of {bytes} bytes",
            offset.unsigned_abs(),
            name = buffers[pointer.buffer].name
        ));
    }
    Ok(())
}

fn sizes(spec: &LaunchSpec, kernel: &Kernel) -> anyhow::Result<()> {
    let name = &kernel.name;
    let work_items = spec.block.iter().fold(1u64, |product, &side| {
        product.saturating_mul(u64::from(side))
    });
    if work_items > u64::from(MAX_WORK_GROUP) {
        bail!(
            "block {:?} is {work_items} work-items, a work-group has at most {MAX_WORK_GROUP}",
            spec.block
        );
    }
    if let Some(size) = kernel
        .required_work_group_size
        .filter(|size| *size != spec.block)
    {
        bail!(
            "block {:?}, but kernel `{name}` was compiled for {size:?} only",
            spec.block
        );
    }
    let most = kernel.max_flat_work_group_size;
    if work_items > u64::from(most) {
        bail!(
            "block {:?} is {work_items} work-items, kernel `{name}` was compiled for at most {most}",
            spec.block
        );
    }
    for (axis, (grid, block)) in spec.grid.iter().zip(spec.block).enumerate() {
        if u64::from(*grid) * u64::from(block) > u64::from(u32::MAX) {
            let axis = ["x", "y", "z"][axis];
            bail!(
                "{grid} work-groups of {block} along {axis} are more than the {} work-items that a dispatch counts",
                u32::MAX
            );
        }
    }
    let lds = u64::from(kernel.lds_size) + u64::from(spec.dynamic_lds);
    if lds > u64::from(MAX_LDS) {
        bail!(
            "{lds} bytes of LDS ({} of kernel `{name}`, {} dynamic), a work-group has at most {MAX_LDS}",
            kernel.lds_size,
            spec.dynamic_lds
        );
    }
    Ok(())
}

/// What is to be said of a block that is smaller than the kernel's bounds. Without bounds compilers note the largest block there is,
/// which says nothing.
pub(super) fn small_block(spec: &LaunchSpec, kernel: &Kernel) -> Option<String> {
    let most = kernel.max_flat_work_group_size;
    let items = spec.block.iter().product::<u32>();
    (most < MAX_WORK_GROUP && items < most).then(|| {
        format!(
            "block {:?} is {items} work-items, kernel `{}` was compiled for {most} (its launch bounds): fewer may not be what it expects",
            spec.block, kernel.name
        )
    })
}

fn argument(given: &ArgSpec, wanted: &Arg, buffers: &[Buffer]) -> Result<(), String> {
    let what = described(wanted);
    match given {
        ArgSpec::Pointer(_) if wanted.kind == ArgKind::GlobalBuffer && wanted.size == 8 => Ok(()),
        ArgSpec::Pointer(pointer) => Err(format!(
            "buffer `${}` given, but the kernel takes {what}",
            buffers[pointer.buffer].name
        )),
        ArgSpec::Parts(_) if wanted.kind == ArgKind::GlobalBuffer => Err(format!(
            "an array of parts given, but the kernel takes {what}: give \"$buffer\""
        )),
        ArgSpec::Parts(_) if given.size() as u64 != u64::from(wanted.size) => Err(format!(
            "parts of {} bytes given, but the kernel takes {what}",
            given.size()
        )),
        ArgSpec::Parts(_) => Ok(()),
        // a null or wild pointer on purpose
        ArgSpec::Value(value)
            if wanted.kind == ArgKind::GlobalBuffer && !["u64", "raw"].contains(&value.kind) =>
        {
            Err(format!(
                "a value of type {} given, but the kernel takes {what}: give \"$buffer\"",
                value.kind
            ))
        }
        ArgSpec::Value(value) if value.bytes.len() as u64 != u64::from(wanted.size) => {
            Err(format!(
                "{} bytes given as {}, but the kernel takes {what}",
                value.bytes.len(),
                value.kind
            ))
        }
        ArgSpec::Value(_) => Ok(()),
    }
}

/// `a value of 4 bytes (float)`, `a pointer`, with the name where there is one.
fn described(arg: &Arg) -> String {
    let kind = match arg.kind {
        ArgKind::GlobalBuffer => "a pointer".to_owned(),
        ArgKind::ByValue => format!("a value of {} bytes", arg.size),
        _ => format!("{} ({} bytes)", arg.kind.name(), arg.size),
    };
    let type_name = arg
        .type_name
        .as_ref()
        .map_or_else(String::new, |name| format!(" of type {name}"));
    let name = arg
        .name
        .as_ref()
        .map_or_else(String::new, |name| format!(" for `{name}`"));
    kind + &type_name + &name
}

fn listed(args: &[&Arg]) -> String {
    if args.is_empty() {
        return "none".into();
    }
    args.iter()
        .map(|arg| described(arg))
        .collect::<Vec<_>>()
        .join(", ")
}
