//! A launch against what the code object says of its kernel.

use anyhow::{anyhow, bail};
use gfx906::code_object::{
    Arg, ArgKind, Kernarg, KernargError, Kernel, LaunchShape, MAX_WORK_GROUP,
};

use crate::profile::constants::CUS;
use crate::profile::{Needs, occupancy};

use super::argument::{ArgSpec, Part};
use super::buffer::Buffer;
use super::buffers::PlacedBuffer;
use super::launch::{LaunchFile, LaunchSpec};
use super::value::ADDRESS;

/// Sizes and arguments fit the kernel.
pub(super) fn check(spec: &LaunchSpec, kernel: &Kernel, buffers: &[Buffer]) -> anyhow::Result<()> {
    let shape = LaunchShape {
        grid: spec.grid,
        block: spec.block,
        dynamic_lds: spec.dynamic_lds.into(),
    };
    shape.check(kernel)?;
    if spec.cooperative {
        resident(spec)?;
    }
    let wanted: Vec<&Arg> = kernel.explicit_args().collect();
    if let Err(error) = Kernarg::new(kernel, spec.args.len()) {
        match error {
            KernargError::Count { .. } => bail!("{error}: {}", listed(&wanted)),
            _ => bail!("{error}"),
        }
    }
    for (index, (given, wanted)) in spec.args.iter().zip(wanted).enumerate() {
        argument(given, wanted, buffers).map_err(|problem| anyhow!("args[{index}]: {problem}"))?;
    }
    Ok(())
}

/// Lanes of a wave.
const LANES: u32 = 64;

/// A cooperative launch has all its groups on the card at once: no more of them than there are places for their waves.
fn resident(spec: &LaunchSpec) -> anyhow::Result<()> {
    let items: u32 = spec.block.iter().product();
    let groups: u64 = spec.grid.into_iter().map(u64::from).product();
    let needs = Needs {
        waves: items.div_ceil(LANES),
        vgprs: 0,
        lds: 0,
    };
    let most = u64::from(occupancy(needs).by_waves) * CUS as u64;
    if groups > most {
        bail!(
            "a cooperative launch of {groups} work-groups of {items} work-items, of which the card holds {most} at a time"
        );
    }
    Ok(())
}

/// The explicit arguments, laid out as the kernel reads them.
pub(super) fn kernarg(
    spec: &LaunchSpec,
    kernel: &Kernel,
    addresses: &[u64],
) -> Result<Vec<u8>, KernargError> {
    let mut kernarg = Kernarg::new(kernel, spec.args.len())?;
    for (index, given) in spec.args.iter().enumerate() {
        kernarg.put(index, &given.bytes(addresses))?;
    }
    Ok(kernarg.into_bytes())
}

/// Every pointer lies in its buffer; right behind the end is where an empty part of it is.
pub(super) fn pointers(file: &LaunchFile, placed: &[PlacedBuffer]) -> anyhow::Result<()> {
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

fn inside(arg: &ArgSpec, buffers: &[Buffer], placed: &[PlacedBuffer]) -> anyhow::Result<()> {
    for pointer in arg.pointers() {
        let (offset, bytes) = (pointer.offset, placed[pointer.buffer].bytes);
        if u64::try_from(offset).is_ok_and(|offset| offset <= bytes) {
            continue;
        }
        let sign = if offset < 0 { '-' } else { '+' };
        return Err(anyhow!(
            "${name} {sign} {} is outside buffer `{name}` of {bytes} bytes",
            offset.unsigned_abs(),
            name = buffers[pointer.buffer].name
        ));
    }
    Ok(())
}

/// Returns a warning about a block that is smaller than the kernel's bounds. Without bounds compilers note the largest block there is,
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

fn argument(given: &ArgSpec, wanted: &Arg, buffers: &[Buffer]) -> anyhow::Result<()> {
    let what = described(wanted);
    match given {
        ArgSpec::One(Part::Pointer(_))
            if wanted.kind == ArgKind::GlobalBuffer && wanted.size == 8 =>
        {
            Ok(())
        }
        ArgSpec::One(Part::Pointer(pointer)) => Err(anyhow!(
            "buffer `${}` given, but the kernel takes {what}",
            buffers[pointer.buffer].name
        )),
        ArgSpec::Parts(_) if wanted.kind == ArgKind::GlobalBuffer => Err(anyhow!(
            "an array of parts given, but the kernel takes {what}: give \"$buffer\""
        )),
        ArgSpec::Parts(_) if given.size() as u64 != u64::from(wanted.size) => Err(anyhow!(
            "parts of {} bytes given, but the kernel takes {what}",
            given.size()
        )),
        ArgSpec::Parts(_) => Ok(()),
        // a null or wild pointer on purpose
        ArgSpec::One(Part::Value(value))
            if wanted.kind == ArgKind::GlobalBuffer
                && !["u64", "raw", ADDRESS].contains(&value.kind) =>
        {
            Err(anyhow!(
                "a value of type {} given, but the kernel takes {what}: give \"$buffer\"",
                value.kind
            ))
        }
        ArgSpec::One(Part::Value(value))
            if wanted.kind != ArgKind::GlobalBuffer && value.kind == ADDRESS =>
        {
            Err(anyhow!(
                "null or a number without a type is an address, but the kernel takes {what}: give {{\"i32\": 5}}, with the right type"
            ))
        }
        ArgSpec::One(Part::Value(value)) if value.bytes.len() as u64 != u64::from(wanted.size) => {
            Err(anyhow!(
                "{} bytes given as {}, but the kernel takes {what}",
                value.bytes.len(),
                value.kind
            ))
        }
        ArgSpec::One(Part::Value(_)) => Ok(()),
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
