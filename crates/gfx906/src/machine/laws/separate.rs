//! Separate: modifiers compute the same as instructions before and after. Selected parts of sources are v_bfe, signs are v_and and v_xor,
//! the multiplier is a v_mul in modes that flush results, the clamp is the clamp of v_max, and parts of the destination are v_bfi.

use super::Law;
use super::asm;
use super::dice::Dice;
use super::draw::{LawCase, Pool};
use super::encode::Draft;
use super::modifier;
use super::parts::{
    RESULT, SOURCES, before, behind, float, keeps_subnormals, positive_zeros, strip,
};
use super::state::{Bench, EXEC, MachineState};
use super::subject::{Subject, subjects};
use super::tally::Tally;
use crate::isa::{Access, Code, Encoding, Flags, Form, Operand, Role, Type};

#[test]
fn modifiers_are_separate_instructions() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Separate);
    for subject in subjects().filter(|s| Law::Separate.applies(s)) {
        for round in 0.. {
            if tally.enough(&subject, round, 48) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 7);
            let drawn = pool.draw(&subject, &mut dice);
            let (draft, state) = prepared(&subject, drawn, &pool, &mut dice);
            check(&subject, &draft, &state, &mut bench, &mut tally);
        }
    }
    tally.verdict();
}

/// Returns true if a subject has modifiers that other instructions compute separately.
pub fn has_modifiers(subject: &Subject) -> bool {
    let row = subject.row;
    match (subject.encoding, subject.form) {
        _ if row.operands.is_empty() => false,
        (Encoding::Vop3p, _) | (_, Form::Sdwa) => true,
        (_, Form::Dpp) => modifier::signed_sources(row) & 3 != 0,
        (Encoding::Vop3, _) | (_, Form::E64) => {
            let signs = modifier::signed_sources(row) != 0;
            signs || row.modifiers.has(Flags::OP_SEL) || float(row.operands[0].ty).is_some()
        }
        _ => false,
    }
}

/// Moves every source to separate VGPRs, away from the destination.
fn prepared(
    subject: &Subject,
    mut drawn: LawCase,
    pool: &Pool,
    dice: &mut Dice,
) -> (Draft, MachineState) {
    let i = &mut drawn.draft.inst;
    for (n, operand) in i.row.operands.iter().enumerate() {
        let place = match operand.role {
            Role::Src0 => 20,
            Role::Src1 => 24,
            Role::Src2 => 28,
            Role::Vdst => 12,
            _ => continue,
        };
        i.operands[n] = Code::vgpr(place);
    }
    let m = &mut i.modifiers;
    if i.encoding == Encoding::Vop3p {
        // No separate instruction has the effect of signs on integers.
        let floats = signed_packed(i.row.operands);
        (m.neg, m.neg_hi) = (m.neg & floats, m.neg_hi & floats);
    }
    if m.omod != 0 && i.form == Form::Sdwa {
        // Zeros become positive before a part of them is taken.
        (m.dst_sel, m.dst_unused) = (6, 0);
    }
    if i.form == Form::Dpp && (m.neg | m.abs) & 1 != 0 {
        // Signs apply to the moved values, including zeros from missing lanes; the law of crossing rows covers them.
        m.flags = Flags(m.flags.0 & !Flags::BOUND_CTRL.0);
    }
    let clamp = m.flags.has(Flags::CLAMP);
    let mut state = pool.state(&drawn.draft, dice);
    if clamp {
        // v_max flushes its sources by the mode, so a mode that keeps results must keep sources too.
        state.mode |= (state.mode & 0xa0) >> 1;
    }
    if drawn.draft.inst.row.modifiers.has(Flags::MIX) {
        // v_cvt_f32_f16 flushes subnormal halves by the mode.
        state.mode |= 0x40;
    }
    assert!(drawn.draft.encode().is_some(), "{}", subject.name());
    (drawn.draft, state)
}

/// Returns the sources of a packed instruction that are floats, as a mask.
fn signed_packed(operands: &[Operand]) -> u8 {
    operands.iter().fold(0, |mask, o| {
        let float = matches!(o.ty, Type::F16x2 | Type::F32 | Type::Mix);
        mask | match o.role {
            Role::Src0 => u8::from(float),
            Role::Src1 => u8::from(float) << 1,
            Role::Src2 => u8::from(float) << 2,
            _ => 0,
        }
    })
}

fn check(
    subject: &Subject,
    draft: &Draft,
    state: &MachineState,
    bench: &mut Bench,
    tally: &mut Tally,
) {
    let i = &draft.inst;
    let mut bare = *draft;
    let mut words = Vec::new();
    for (n, operand) in i.row.operands.iter().enumerate() {
        let source = match operand.role {
            Role::Src0 => 0,
            Role::Src1 => 1,
            Role::Src2 => 2,
            _ => continue,
        };
        let to = Code(SOURCES[source]);
        words.extend(before(
            i.operands[n],
            to,
            &i.modifiers,
            draft,
            operand,
            source,
        ));
        bare.inst.operands[n] = to;
    }
    let mut ready = state.clone();
    let mut after = Vec::new();
    let result = i.row.operands[0];
    if result.role == Role::Vdst {
        for k in 0..result.ty.registers() as u16 {
            let old = state.register(Code(i.operands[0].0 + k));
            ready.set_register(Code(RESULT.0 + k), &old);
        }
        bare.inst.operands[0] = RESULT;
        after = behind(draft, &mut bare, &mut ready);
    }
    // Instructions after a write of EXEC would run under another mask.
    let exec = |(o, code): (&Operand, &Code)| o.access == Access::Write && code.0 == EXEC as u16;
    if !after.is_empty() && i.row.operands.iter().zip(&i.operands).any(exec) {
        return;
    }
    strip(&mut bare);
    if bare.inst.modifiers == i.modifiers {
        return;
    }
    words.extend(asm::words(&bare));
    words.extend(after);
    let whole = bench.run(state, &asm::words(draft));
    let mut expected = bench.run(&ready, &words);
    for helper in 200..216 {
        expected.v[helper] = state.v[helper];
    }
    expected.s[60] = state.s[60];
    expected.pc = whole.pc;
    let multiplied = bare.inst.modifiers.omod != i.modifiers.omod;
    if multiplied && !keeps_subnormals(result.ty, state.mode) {
        positive_zeros(&mut expected, draft, state.exec());
    }
    let breach = whole.difference(&expected);
    let told = |text| format!("{} in mode {:#x}: {text}", draft.text(), state.mode);
    tally.case(subject, breach.map(told));
}
