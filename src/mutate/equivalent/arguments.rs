//! Loads of the kernel's own arguments.

use gfx906::isa::uses::RegisterSet;
use gfx906::isa::{Code, Flags, Inst, Kind, Properties};

use super::super::sites::Function;
use super::dead::{DifferingRegisters, is_dead};
use super::paths::{self, Paths};

/// Returns true if an instruction at this position loads some of the kernel's arguments through the pointer to the kernarg segment.
pub(super) fn loads(function: &Function, at: usize, inst: &Inst) -> bool {
    let Some((pointer, bytes)) = function.kernarg else {
        return false;
    };
    let flags = inst.modifiers.flags;
    let plain = inst.kind() == Kind::Smem
        && inst.has(Properties::LOAD)
        && !inst.has(Properties::SCALAR_BUFFER)
        && !inst.has(Properties::SCALAR_SCRATCH)
        && inst.operands[1] == Code(pointer)
        && flags.has(Flags::IMM)
        && !flags.has(Flags::SOFFSET);
    if !plain {
        return false;
    }
    let end = i64::from(inst.offset) + 4 * inst.row.operands[0].ty.registers() as i64;
    let within = inst.offset >= 0 && end <= bytes as i64;
    // No earlier instruction writes the pointer, no later branch comes back, and no call might write the pointer.
    let before = &function.instructions[..at];
    let kept = before.iter().all(|(_, inst)| {
        let uses = inst.register_uses();
        !uses.writes.has(pointer) && !uses.writes.has(pointer + 1)
    });
    let strays = |position: usize| {
        let inst = &function.instructions[position].1;
        let back = paths::target(function, position).is_none_or(|to| to <= at);
        inst.kind() == Kind::Branch && (!paths::is_direct(inst) || position >= at && back)
    };
    within && kept && !(0..function.instructions.len()).any(strays)
}

/// Returns true if two loads with the same address and the same first register differ only in dead registers: no instruction touches one
/// of them before the load has arrived, and none reads it afterwards.
pub(super) fn same(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    differ_in_dead(function, at, was, is, |left| left)
}

/// Returns true if two loads with the same address and the same first register differ only in dead registers, provided that loads arrive
/// in order.
pub(super) fn same_in_order(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    differ_in_dead(function, at, was, is, |_| RegisterSet::default())
}

fn differ_in_dead(
    function: &Function,
    at: usize,
    was: &Inst,
    is: &Inst,
    pending: impl Fn(RegisterSet) -> RegisterSet,
) -> bool {
    let alike = was.operands[..2] == is.operands[..2] && was.offset == is.offset;
    let (a, b) = (was.register_uses().writes, is.register_uses().writes);
    let left = a.without(&b).or(&b.without(&a));
    let open = DifferingRegisters {
        left,
        pending: pending(left),
        narrowed: false,
    };
    let paths = Paths::through(function);
    alike && is_dead(paths, paths.next(at), open)
}
