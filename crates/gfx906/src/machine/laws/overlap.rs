//! Overlap: the positions of operands make no difference. An instruction whose destination shares registers with its sources, its address,
//! its data, VCC, EXEC or M0 gives the same results as the instruction with separate registers that hold the same values.

use super::Law;
use super::dice::Dice;
use super::draw::{LawCase, Pool};
use super::encode::Draft;
use super::operand::{Slot, slot};
use super::state::{Bench, EXEC, M0, MachineState, VCC};
use super::subject::{Subject, subjects};
use super::tally::Tally;
use crate::isa::{Access, Code};

/// Registers that instructions write without naming them.
const IMPLIED: [usize; 5] = [VCC, VCC + 1, M0, EXEC, EXEC + 1];
/// First VGPR and SGPR of separate operands.
const APART: (u16, u16) = (256 + 100, 48);

#[test]
fn operands_may_overlap() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Overlap);
    for subject in subjects().filter(|s| Law::Overlap.applies(s)) {
        for round in 0.. {
            if tally.enough(&subject, round, 40) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 1);
            let near = pool.draw(&subject, &mut dice);
            check(&subject, &near, &mut bench, &mut tally);
        }
    }
    tally.verdict();
}

fn check(subject: &Subject, near: &LawCase, bench: &mut Bench, tally: &mut Tally) {
    let Some((apart, words)) = part(&near.draft) else {
        return;
    };
    let pairs = || near.draft.inst.operands.iter().zip(&apart.inst.operands);
    let moved: Vec<(Code, Code, usize, bool)> = pairs()
        .enumerate()
        .filter(|(_, (from, to))| from != to)
        .map(|(n, (&from, &to))| {
            let written = near.draft.inst.row.operands[n].access != Access::Read;
            (from, to, width(&near.draft, n), written)
        })
        .collect();
    // The order of two writes to one destination is not defined.
    if collide(&near.draft) {
        return;
    }
    let mut before = near.state.clone();
    for &(from, to, width, _) in &moved {
        for k in 0..width as u16 {
            let values = value(&near.state, &near.draft, Code(from.0 + k));
            before.set_register(Code(to.0 + k), &values);
        }
    }
    let together = bench.run(&near.state, &near.words);
    let separate = bench.run(&before, &words);
    if together.stop.is_some() && together.stop == separate.stop {
        return tally.stopped(subject);
    }
    let implied = |r: &&usize| separate.s[**r] != before.s[**r];
    let mut expected = near.state.clone();
    let stack = if subject.row.mnemonic.contains("fork") {
        32
    } else {
        0
    };
    for r in IMPLIED
        .iter()
        .copied()
        .chain(0..stack)
        .collect::<Vec<_>>()
        .iter()
        .filter(implied)
    {
        let destination = |(from, _, width, written): &(Code, Code, usize, bool)| {
            let first = usize::from(from.0);
            *written && (first..first + width).contains(r)
        };
        if moved.iter().any(destination) {
            return;
        }
        expected.s[*r] = separate.s[*r];
    }
    for &(from, to, width, written) in &moved {
        for k in (0..width as u16).filter(|_| written) {
            let values = separate.register(Code(to.0 + k));
            expected.set_register(Code(from.0 + k), &values);
        }
    }
    (expected.scc, expected.mode, expected.pc) = (separate.scc, separate.mode, separate.pc);
    (expected.memory, expected.lds) = (separate.memory.clone(), separate.lds.clone());
    expected.stop = separate.stop.clone();
    let breach = together.difference(&expected);
    tally.case(
        subject,
        breach.map(|text| format!("{}: {text}", near.draft.text())),
    );
}

/// Returns the number of an operand's registers, including those that M0 may select.
fn width(draft: &Draft, n: usize) -> usize {
    let more = if draft.inst.row.mnemonic.starts_with("s_movrel") {
        2
    } else {
        0
    };
    more + match slot(draft, n) {
        Slot::Vector(registers) | Slot::Scalar(registers) | Slot::Source { registers, .. } => {
            registers
        }
        Slot::Fixed(_) | Slot::Number(_) => 0,
    }
}

/// Returns the value of a register that a source may name, or of a condition code.
fn value(state: &MachineState, draft: &Draft, code: Code) -> super::super::registers::Lanes {
    let bit = |bit: bool| [u32::from(bit); 64];
    match code.0 {
        251 => bit(state.get64(VCC) == 0),
        252 => bit(state.exec() == 0),
        253 => bit(state.scc),
        0..=127 | 256.. => state.register(code),
        _ => panic!("{}: operand {code:?} is no register", draft.text()),
    }
}

/// Returns the instruction with every register operand in separate registers.
pub fn part(draft: &Draft) -> Option<(Draft, Vec<u32>)> {
    let mut apart = *draft;
    let (mut vector, mut scalar) = APART;
    let mut scalars = false;
    for n in 0..draft.inst.row.operands.len() {
        let code = draft.inst.operands[n];
        let registers = width(draft, n) as u16;
        // op_sel has no effect on a condition code, as on a constant; on a register it selects a half.
        let halved = code.0 >= 251 && draft.inst.modifiers.op_sel != 0;
        let fixed = halved || matches!(slot(draft, n), Slot::Fixed(_) | Slot::Number(_));
        if code.as_vgpr().is_some() {
            apart.inst.operands[n] = Code(vector);
            vector += registers + 1;
        } else if !fixed && matches!(code.0, 0..=127 | 251..=253) {
            apart.inst.operands[n] = Code(scalar);
            scalar = (scalar + registers + 4) & !3;
            scalars = true;
        }
    }
    let fits = scalar <= 102;
    let words = apart.encode();
    assert!(
        words.is_some() || !fits || !scalars,
        "{}: cannot stand apart",
        draft.text()
    );
    Some((apart, words.filter(|_| fits)?))
}

/// Returns true if two destinations share a register.
fn collide(draft: &Draft) -> bool {
    let i = &draft.inst;
    let written: Vec<(usize, usize)> = (0..i.row.operands.len())
        .filter(|&n| i.row.operands[n].access != Access::Read && i.operands[n] != Code::OFF)
        .map(|n| (usize::from(i.operands[n].0), width(draft, n).max(1)))
        .collect();
    let meet = |(a, n): (usize, usize), (b, m): (usize, usize)| a < b + m && b < a + n;
    (1..written.len()).any(|n| (0..n).any(|k| meet(written[n], written[k])))
}
