//! Mutants that cannot differ, by rules that are proofs.
//!
//! The rules follow every path through the function from the changed instruction on ([`paths`]). What they cannot follow (calls, jumps to
//! computed addresses, registers that are named by an index) proves nothing.

mod arguments;
mod dead;
mod idle;
mod paths;

use std::collections::BTreeSet;

use gfx906::isa::{Code, Flags, Inst, Kind, decode};
use gfx906::observe::sanitize::{Check, Checks, lint};

use super::operators::Operator;
use super::sample::Mutant;
use super::sites::Function;

/// What the mutant changes in registers, nothing reads.
const DEAD: &str = "dead: no path reads a register in which the two instructions may differ before it is written again";
/// A jump over what does nothing.
const IDLE: &str =
    "idle: with no lane on, what the branch would have skipped does nothing that is seen later";
/// A wider load of arguments.
const ARGUMENTS: &str = "arguments: a load of the kernel's own arguments, and no path reads the registers that it fills more or fewer of";

/// A wait for what has arrived on every path.
const NEEDLESS: &str = "needless: on every path what the wait guards has arrived all the same; where it waits for memory, no wave reaches what another of its launch stores, in any launch";

/// A barrier of one.
const ALONE: &str = "alone: in every launch that comes to the barrier a work-group is one wave";

/// The rule by which a mutant does what the function does; none where no rule proves it.
pub(super) fn rule(function: &Function, mutant: &Mutant) -> Option<&'static str> {
    let at = function.at(mutant.address)?;
    let was = &function.instructions[at].1;
    let skips = mutant.change.operator == Operator::Delete && was.row.mnemonic == "s_cbranch_execz";
    if skips && idle::skips_nothing(function, at) {
        return Some(IDLE);
    }
    let is = decode(&mutant.change.bytes).ok()?;
    if mutant.change.operator == Operator::Waitcnt {
        return needless(function, at, was, &is).then_some(NEEDLESS);
    }
    if arguments::loads(function, at, was) && arguments::loads(function, at, &is) {
        return arguments::same(function, at, was, &is).then_some(ARGUMENTS);
    }
    let deleted = is.row.mnemonic == "s_nop";
    if !is_pure(was) || !(deleted || is_pure(&is)) {
        return None;
    }
    dead::same(function, at, was, &is).then_some(DEAD)
}

/// What [`lint`](lint::lint) says of a wider load of arguments that leaves what the honest one does in every register that is read, and writes
/// another that a load beside it is about to write: on a card either may come last, and here the second does.
pub(super) fn race(function: &Function, mutant: &Mutant) -> Option<String> {
    let at = function.at(mutant.address)?;
    let was = &function.instructions[at].1;
    let is = decode(&mutant.change.bytes).ok()?;
    let both = arguments::loads(function, at, was) && arguments::loads(function, at, &is);
    let same = both && arguments::same_in_order(function, at, was, &is);
    same.then(|| missing_wait(function, at, &is)).flatten()
}

/// The rule by which a barrier is not missed in launches; `together` says of each where waves came by that had others in their work-group.
pub(super) fn alone<'a>(
    mutant: &Mutant,
    mut together: impl Iterator<Item = &'a BTreeSet<u64>>,
) -> Option<&'static str> {
    let barrier = mutant.change.operator == Operator::Barrier;
    let alone = barrier && !together.any(|places| places.contains(&mutant.address));
    alone.then_some(ALONE)
}

/// Whether a function has all its waits with another instruction in the place of one.
///
/// What [`lint`](lint::lint) sees are registers and LDS. A wait for vector memory may be there for another wave, too, which reads behind a
/// barrier or a flag what is stored, or overwrites what is loaded: a weaker `vmcnt` is no proof where waves meet in memory.
fn needless(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    let vmcnt = |inst: &Inst| inst.literal & 0xf | inst.literal >> 10 & 0x30;
    let for_others = vmcnt(is) > vmcnt(was) && function.exchanges;
    !for_others && missing_wait(function, at, is).is_none()
}

/// What `lint` says of the waits of a function that has another instruction in the place of one: its first mistake.
pub(super) fn missing_wait(function: &Function, at: usize, is: &Inst) -> Option<String> {
    let waits: Checks = [Check::Wait].into_iter().collect();
    let mut code = function.instructions.clone();
    code[at].1 = *is;
    let function = lint::Function {
        name: &function.name,
        code: &code,
        entry: function.start,
        alone: false,
    };
    let mistakes = lint::lint(&function, waits);
    let first = mistakes.first()?;
    Some(format!("{}: {}", first.kind, first.what))
}

/// Whether an instruction does nothing but to write registers, and cannot fault.
fn is_pure(inst: &Inst) -> bool {
    let name = inst.row.mnemonic;
    let jumps = [
        "s_getpc",
        "s_setpc",
        "s_swappc",
        "s_call",
        "s_rfe",
        "s_setreg",
        "s_getreg",
        "s_setvskip",
        "s_memtime",
    ];
    let kind = match Kind::of(inst) {
        Kind::Valu => inst.encoding.is_vector_alu(),
        Kind::Salu => true,
        _ => false,
    };
    kind && !inst.modifiers.flags.has(Flags::LDS)
        && !inst.operands.contains(&Code::LDS_DIRECT)
        && !jumps.iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests;
