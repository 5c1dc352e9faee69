//! `inspect`: the kernels of a code object.

use std::fmt::Write as _;

use gfx906::code_object::{Arg, ArgKind, CodeObject, HiddenArg, Kernel};
use gfx906::isa::{self, Encoding, Flags, Inst, Properties};
use serde_json::{Value, json};

use super::{load_code_object, table};
use crate::args::{Format, InspectArgs};
use crate::exit::{Exit, Stop};
use crate::text::{print, shortened, shown};

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or is not a gfx906 code object.
pub fn run(args: &InspectArgs) -> Result<Exit, Stop> {
    let object = load_code_object(&args.file)?;
    let name = shown(&args.file);
    match args.format {
        Format::Table => print(&as_table(&name, &object))?,
        Format::Json => print(&format!("{:#}\n", as_json(&name, &object)))?,
    }
    Ok(Exit::Passed)
}

fn as_table(name: &str, object: &CodeObject) -> String {
    let count = object.kernels.len();
    let plural = if count == 1 { "" } else { "s" };
    let CodeObject {
        target,
        version,
        image,
        ..
    } = object;
    let mut out = format!(
        "{name}: {target}, code object {version}, {count} kernel{plural}, image of {} bytes\n",
        image.size
    );
    if count == 0 {
        return out;
    }
    let header = [
        "kernel",
        "code",
        "VGPRs",
        "SGPRs",
        "spilled",
        "LDS",
        "scratch",
        "work-group",
        "kernarg",
    ];
    let rows = object.kernels.iter().map(|kernel| {
        let spilled = kernel.vgpr_spill_count + kernel.sgpr_spill_count;
        let dynamic = if kernel.uses_dynamic_stack { "+" } else { "" };
        vec![
            shortened(&kernel.name),
            kernel.code_size.to_string(),
            kernel.vgpr_count.to_string(),
            kernel.sgpr_count.to_string(),
            spilled.to_string(),
            format!(
                "{}{}",
                kernel.lds_size,
                if dynamic_lds(object, kernel) { "+" } else { "" }
            ),
            format!("{}{dynamic}", kernel.private_segment_size),
            work_group(kernel),
            kernel.kernarg_size.to_string(),
        ]
    });
    let _ = write!(out, "\n{}", table(&header, &[1, 2, 3, 4, 5, 6, 8], rows));

    let header = ["argument of", "#", "offset", "size", "kind", "type", "name"];
    let rows = object.kernels.iter().flat_map(argument_rows);
    let _ = write!(out, "\n{}", table(&header, &[1, 2, 3], rows));
    out.push_str("\nsizes in bytes; LDS of a work-group (`+`: and what the launch gives it), scratch of a work-item (`+`: and what its callees take)\n");
    out
}

/// Returns true if a kernel uses dynamic LDS. A compiler may say so in the metadata (hidden_dynamic_lds_size). Otherwise a kernel without
/// static LDS whose code accesses LDS uses dynamic LDS; functions that it calls are not examined.
pub(super) fn dynamic_lds(object: &CodeObject, kernel: &Kernel) -> bool {
    let is_dynamic_lds = |arg: &Arg| arg.kind == ArgKind::Hidden(HiddenArg::DynamicLdsSize);
    if kernel.args.iter().any(is_dynamic_lds) {
        return true;
    }
    let code = object.image.bytes(kernel.entry_address, kernel.code_size);
    let mut rest = code.unwrap_or_default();
    while kernel.lds_size == 0
        && let Ok(inst) = isa::decode(rest)
    {
        if accesses_lds(&inst) {
            return true;
        }
        rest = &rest[inst.size()..];
    }
    false
}

/// Returns true if an instruction accesses LDS. DS instructions that exchange lanes or access GDS do not.
fn accesses_lds(inst: &Inst) -> bool {
    let without_lds = [
        Properties::LDS_LANE_EXCHANGE,
        Properties::NO_OPERATION,
        Properties::GWS,
    ];
    let without_lds = without_lds.iter().any(|property| inst.has(*property));
    inst.encoding == Encoding::Ds && !without_lds && !inst.modifiers.flags.has(Flags::GDS)
}

/// Returns a row for each explicit argument, and one row for all hidden arguments.
fn argument_rows(kernel: &Kernel) -> Vec<Vec<String>> {
    let row = |index: String, offset: u32, size: u32, kind: String, arg: Option<&Arg>| {
        let text = |text: Option<&String>| text.map_or("-".to_owned(), Clone::clone);
        let (type_name, name) = (
            arg.and_then(|arg| arg.type_name.as_ref()),
            arg.and_then(|arg| arg.name.as_ref()),
        );
        vec![
            shortened(&kernel.name),
            index,
            offset.to_string(),
            size.to_string(),
            kind,
            text(type_name),
            text(name),
        ]
    };
    let explicit = kernel.explicit_args().enumerate();
    let mut rows: Vec<_> = explicit
        .map(|(index, arg)| {
            row(
                index.to_string(),
                arg.offset,
                arg.size,
                arg.kind.name(),
                Some(arg),
            )
        })
        .collect();
    let hidden: Vec<&Arg> = kernel
        .args
        .iter()
        .filter(|arg| matches!(arg.kind, ArgKind::Hidden(_)))
        .collect();
    if let Some(start) = hidden.iter().map(|arg| arg.offset).min() {
        let end = hidden
            .iter()
            .map(|arg| arg.offset + arg.size)
            .max()
            .unwrap_or(start);
        rows.push(row(
            "-".into(),
            start,
            end - start,
            format!("{} hidden", hidden.len()),
            None,
        ));
    }
    rows
}

fn work_group(kernel: &Kernel) -> String {
    match kernel.required_work_group_size {
        Some([x, y, z]) => format!("= {x}x{y}x{z}"),
        None => format!("<= {}", kernel.max_flat_work_group_size),
    }
}

fn as_json(name: &str, object: &CodeObject) -> Value {
    json!({
        "schema": "deltanet-check/inspect/1",
        "file": name,
        "target": {
            "processor": object.target.processor,
            "xnack": object.target.xnack,
            "sramecc": object.target.sramecc,
        },
        "code_object_version": object.version.number(),
        "image_bytes": object.image.size,
        "kernels": object.kernels.iter().map(|kernel| kernel_json(object, kernel)).collect::<Vec<_>>(),
    })
}

fn kernel_json(object: &CodeObject, kernel: &Kernel) -> Value {
    let args = kernel.args.iter().map(|arg| {
        json!({
            "name": arg.name,
            "type": arg.type_name,
            "offset": arg.offset,
            "size": arg.size,
            "kind": arg.kind.name(),
        })
    });
    json!({
        "name": kernel.name,
        "symbol": kernel.symbol,
        "descriptor_address": kernel.descriptor_address,
        "entry_address": kernel.entry_address,
        "code_bytes": kernel.code_size,
        "args": args.collect::<Vec<_>>(),
        "kernarg_bytes": kernel.kernarg_size,
        "kernarg_align": kernel.kernarg_align,
        "lds_bytes": kernel.lds_size,
        "dynamic_lds": dynamic_lds(object, kernel),
        "scratch_bytes": kernel.private_segment_size,
        "dynamic_stack": kernel.uses_dynamic_stack,
        "vgprs": kernel.vgpr_count,
        "sgprs": kernel.sgpr_count,
        "vgprs_allocated": kernel.descriptor.vgprs(),
        "sgprs_allocated": kernel.descriptor.sgprs(),
        "vgprs_spilled": kernel.vgpr_spill_count,
        "sgprs_spilled": kernel.sgpr_spill_count,
        "max_work_group": kernel.max_flat_work_group_size,
        "required_work_group": kernel.required_work_group_size,
        "wave_lanes": kernel.wavefront_size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel with dynamic LDS looked as if it needed no LDS. Dynamic LDS beside static LDS is not recognized without metadata.
    #[test]
    fn dynamic_lds_is_recognized() {
        let parse = |bytes: &[u8]| CodeObject::parse(bytes).expect("a code object");
        let hostile = parse(include_bytes!(
            "../../crates/gfx906/tests/hostile/hostile.co"
        ));
        let mut kernel = hostile.kernel("lds_out_of_range").expect("there").clone();
        assert_eq!(
            (kernel.lds_size, dynamic_lds(&hostile, &kernel)),
            (256, false)
        );
        kernel.lds_size = 0;
        assert!(dynamic_lds(&hostile, &kernel));
        let document = parse(include_bytes!("../../kernels/built/deltanet.co"));
        let dynamic = document
            .kernels
            .iter()
            .filter(|kernel| dynamic_lds(&document, kernel));
        assert_eq!(
            dynamic.count(),
            0,
            "the document's kernels have LDS of their own"
        );
    }
}
