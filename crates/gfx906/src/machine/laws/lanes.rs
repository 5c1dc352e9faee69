//! Lanes: a wave under a mask computes the same as its lanes one by one, lowest first. A mask that an instruction writes is the union of
//! the lanes' bits.

use super::Law;
use super::dice::Dice;
use super::draw::{LawCase, Pool};
use super::modifier;
use super::state::{Bench, EXEC, MachineState};
use super::subject::{Subject, subjects};
use super::tally::Tally;
use crate::isa::{Access, Form, Type};
use crate::semantics::Mode;

#[test]
fn a_wave_does_what_its_lanes_do() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Lanes);
    for subject in subjects().filter(|s| Law::Lanes.applies(s)) {
        for round in 0.. {
            if tally.enough(&subject, round, 16) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 2);
            let drawn = pool.draw_with(&subject, &mut dice, |draft, dice| {
                modifier::draw(draft, dice);
                // Controls that cross lanes have a law of their own.
                if draft.inst.form == Form::Dpp {
                    draft.inst.modifiers.dpp_ctrl = modifier::IDENTITY;
                }
            });
            check(&subject, drawn, &mut dice, &mut bench, &mut tally);
        }
    }
    tally.verdict();
}

fn check(
    subject: &Subject,
    mut drawn: LawCase,
    dice: &mut Dice,
    bench: &mut Bench,
    tally: &mut Tally,
) {
    if dice.percent(10) {
        index(&mut drawn.state, dice);
    }
    let LawCase {
        draft,
        words,
        state,
    } = &drawn;
    let exec = state.exec();
    // EXEC as a source has another value for a single lane.
    let sources = draft.inst.row.operands.iter().zip(&draft.inst.operands);
    if sources
        .clone()
        .any(|(o, code)| o.access == Access::Read && is_exec(code.0, o.ty))
    {
        return;
    }
    let lanes = || (0..64).map(|l| 1 << l).filter(|bit| exec & bit != 0);
    let whole = bench.run(state, words);
    let masks = masks(&drawn);
    let mut together = [0; 128];
    let after = |s: &[u32; 128]| masks.iter().for_each(|&r| together[r] |= s[r]);
    let mut expected = bench.run_each(state, words, lanes(), after);
    // The first trapping lane and its number of bytes are not defined; a reserved field traps without a lane.
    if whole.stop.is_some() && (expected.stop.is_some() || exec == 0) {
        return tally.stopped(subject);
    }
    expected.s = state.s;
    masks.iter().for_each(|&r| expected.s[r] = together[r]);
    expected.pc = whole.pc;
    let breach = whole.difference(&expected);
    tally.case(
        subject,
        breach.map(|text| format!("{} under {exec:#x}: {text}", draft.text())),
    );
}

/// Returns true if a scalar source of a type depends on EXEC.
fn is_exec(code: u16, ty: Type) -> bool {
    code == 252 || code <= 127 && usize::from(code) + ty.registers() > EXEC
}

/// Returns the scalar registers of the masks that an instruction writes.
fn masks(drawn: &LawCase) -> Vec<usize> {
    let i = &drawn.draft.inst;
    let operands = i.row.operands.iter().zip(&i.operands);
    let written = operands.filter(|(o, code)| o.access == Access::Write && code.0 < 128);
    let mut masks: Vec<usize> = written
        .flat_map(|(o, code)| (0..o.ty.registers()).map(|k| usize::from(code.0) + k))
        .collect();
    if i.row.mnemonic.starts_with("v_cmpx") {
        masks.extend([EXEC, EXEC + 1]);
    }
    masks
}

/// Turns VGPR indexing on, with a small index in M0 for some operands.
pub fn index(state: &mut MachineState, dice: &mut Dice) {
    state.mode |= Mode::INDEXED;
    state.s[super::state::M0] = dice.below(8) as u32 | (dice.below(16) as u32) << 12;
}
