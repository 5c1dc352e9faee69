//! Loads of the kernel's own arguments.

use gfx906::isa::uses::{RegisterSet, Uses};
use gfx906::isa::{Code, Flags, Inst, Kind};

use super::super::sites::Function;
use super::dead::{Open, is_dead};
use super::paths::{self, Paths};

/// Whether an instruction, at this place, loads some of the kernel's arguments by the pointer that it was handed.
pub(super) fn loads(function: &Function, at: usize, inst: &Inst) -> bool {
    let Some((pointer, bytes)) = function.kernarg else {
        return false;
    };
    let flags = inst.modifiers.flags;
    let plain = inst.row.mnemonic.starts_with("s_load_dword")
        && inst.operands[1] == Code(pointer)
        && flags.has(Flags::IMM)
        && !flags.has(Flags::SOFFSET);
    if !plain {
        return false;
    }
    let end = i64::from(inst.offset) + 4 * inst.row.operands[0].ty.registers() as i64;
    let within = inst.offset >= 0 && end <= bytes as i64;
    // Up to here nothing has written the pointer, nothing behind comes back, and nobody calls anything that might.
    let before = &function.instructions[..at];
    let kept = before.iter().all(|(_, inst)| {
        let uses = Uses::of(inst);
        !uses.writes.has(pointer) && !uses.writes.has(pointer + 1)
    });
    let strays = |position: usize| {
        let inst = &function.instructions[position].1;
        let back = paths::target(function, position).is_none_or(|to| to <= at);
        Kind::of(inst) == Kind::Branch && (!paths::is_direct(inst) || position >= at && back)
    };
    within && kept && !(0..function.instructions.len()).any(strays)
}

/// Whether two loads from one place to one place differ in registers only that nobody touches until they are there, and nothing reads then.
pub(super) fn same(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    differ_in_dead(function, at, was, is, |left| left)
}

/// The same where loads are done one after the other.
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
    let (a, b) = (Uses::of(was).writes, Uses::of(is).writes);
    let left = a.without(&b).or(&b.without(&a));
    let open = Open {
        left,
        pending: pending(left),
        narrowed: false,
    };
    let paths = Paths::through(function);
    alike && is_dead(paths, paths.next(at), open)
}
