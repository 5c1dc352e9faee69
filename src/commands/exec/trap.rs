//! A launch that did not come to its end, as JSON.

use gfx906::machine::{Trap, TrapKind};
use serde_json::{Value, json};

use crate::device::DeviceError;

/// Returns the place and the reason of the stop, as far as the device knows them.
pub(super) fn error_json(error: &DeviceError, kernel: &str) -> Value {
    if let Some(trap) = &error.trap {
        return trap_json(trap);
    }
    let mut told = json!({ "kind": error.kind, "message": error.message, "kernel": kernel });
    for unknown in [
        "pc",
        "instruction",
        "source",
        "work_group",
        "wave",
        "lane",
        "work_item",
        "address",
        "nearest",
        "argument",
    ] {
        told[unknown] = Value::Null;
    }
    told
}

fn trap_json(trap: &Trap) -> Value {
    let nearest = trap.nearest.as_ref().map(|nearest| {
        // distances beyond 64 bits do not exist: addresses have 64
        let distance = i64::try_from(nearest.distance).unwrap_or(if nearest.distance < 0 { i64::MIN } else { i64::MAX });
        json!({ "name": nearest.name, "base": nearest.base, "bytes": nearest.size, "distance": distance })
    });
    let argument = trap.argument.as_ref();
    let argument = argument.map(|found| json!({ "position": found.position, "name": found.name }));
    json!({
        "kind": kind_word(&trap.kind),
        "message": trap.title(),
        "kernel": trap.kernel,
        "pc": trap.pc,
        "instruction": trap.instruction,
        "source": trap.source,
        "work_group": trap.work_group,
        "wave": trap.wave,
        "lane": trap.lane,
        "work_item": trap.work_item,
        "address": trap.address,
        "nearest": nearest,
        "argument": argument,
    })
}

fn kind_word(kind: &TrapKind) -> &'static str {
    match kind {
        TrapKind::MemoryFault { .. } => "memory_fault",
        TrapKind::LdsOutOfRange { .. } => "lds_out_of_range",
        TrapKind::Misaligned { .. } => "misaligned",
        TrapKind::IllegalInstruction => "illegal_instruction",
        TrapKind::ReservedField(_) => "reserved_field",
        TrapKind::BadPc => "bad_pc",
        TrapKind::Unimplemented => "unimplemented",
        TrapKind::Privileged => "privileged",
        TrapKind::Halted => "halted",
        TrapKind::RegisterOutOfRange { .. } => "register_out_of_range",
        TrapKind::Trap { .. } => "trap",
        TrapKind::Hang { .. } => "hang",
        TrapKind::Deadlock => "deadlock",
        _ => "other",
    }
}
