//! Rules that prove a mutant to be equivalent.
//!
//! A rule follows every path through the function from the changed instruction on ([`paths`]). A path with a call, a jump to a computed
//! address or a register that is named by an index proves nothing.

mod arguments;
mod dead;
mod idle;
mod paths;

use std::collections::BTreeSet;

use gfx906::isa::{Code, Flags, Inst, Kind, Properties, decode};
use gfx906::observe::sanitize::{Check, Checks, lint};

use super::operators::Operator;
use super::sample::Mutant;
use super::sites::Function;

/// No instruction reads a register that the mutant changes.
const DEAD: &str = "dead: no path reads a register in which the two instructions may differ before it is written again";
/// The branch jumps over code without an effect.
const IDLE: &str =
    "idle: with no lane on, what the branch would have skipped does nothing that is seen later";
/// The mutant loads more or fewer of the kernel's arguments.
const ARGUMENTS: &str = "arguments: a load of the kernel's own arguments, and no path reads the registers that it fills more or fewer of";

/// The wait's loads and stores have arrived on every path without it.
const NEEDLESS: &str = "needless: on every path what the wait guards has arrived all the same; where it waits for memory, no wave reaches what another of its launch stores, in any launch";

/// The barrier has one wave.
const ALONE: &str = "alone: in every launch that comes to the barrier a work-group is one wave";

/// Returns the rule that proves a mutant to be equivalent, if one does.
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
    let deleted = is.has(Properties::NO_OPERATION);
    if !is_pure(was) || !(deleted || is_pure(&is)) {
        return None;
    }
    dead::same(function, at, was, &is).then_some(DEAD)
}

/// Returns the finding of [`lint`](lint::lint) for a wider load of arguments that races with another load: it changes no register that is
/// read if loads are done in order, but it fills a register that another load also fills. On a card either load may be the last one; on
/// the emulator the second is.
pub(super) fn race(function: &Function, mutant: &Mutant) -> Option<String> {
    let at = function.at(mutant.address)?;
    let was = &function.instructions[at].1;
    let is = decode(&mutant.change.bytes).ok()?;
    let both = arguments::loads(function, at, was) && arguments::loads(function, at, &is);
    let same = both && arguments::same_in_order(function, at, was, &is);
    same.then(|| missing_wait(function, at, &is)).flatten()
}

/// Returns the rule for a barrier that only work-groups of one wave execute. `together` has for each case the addresses that waves of
/// larger work-groups executed.
pub(super) fn alone<'a>(
    mutant: &Mutant,
    mut together: impl Iterator<Item = &'a BTreeSet<u64>>,
) -> Option<&'static str> {
    let barrier = mutant.change.operator == Operator::Barrier;
    let alone = barrier && !together.any(|places| places.contains(&mutant.address));
    alone.then_some(ALONE)
}

/// Returns true if a function has all the waits that it needs with another instruction in place of one.
///
/// [`lint`](lint::lint) checks registers and LDS only. A wait for vector memory may also protect another wave, which reads the stored data
/// after a barrier or a flag, or overwrites the loaded data. So a weaker `vmcnt` is no proof if waves exchange data through memory.
fn needless(function: &Function, at: usize, was: &Inst, is: &Inst) -> bool {
    let vmcnt = |inst: &Inst| inst.literal & 0xf | inst.literal >> 10 & 0x30;
    let for_others = vmcnt(is) > vmcnt(was) && function.exchanges;
    !for_others && missing_wait(function, at, is).is_none()
}

/// Returns the first mistake that `lint` finds in the waits of a function with another instruction in place of one.
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

/// Returns true if an instruction has no effect except that it writes registers, and cannot fault.
fn is_pure(inst: &Inst) -> bool {
    let impure = [
        Properties::READS_PC,
        Properties::EXCEPTION_RETURN,
        Properties::GETS_HARDWARE_REGISTER,
        Properties::SETS_HARDWARE_REGISTER,
        Properties::SETS_VSKIP,
    ];
    let kind = match inst.kind() {
        Kind::Valu => inst.encoding.is_vector_alu(),
        Kind::Salu => true,
        _ => false,
    };
    kind && !inst.modifiers.flags.has(Flags::LDS)
        && !inst.operands.contains(&Code::LDS_DIRECT)
        && !impure.iter().any(|property| inst.has(*property))
}

#[cfg(test)]
mod tests;
