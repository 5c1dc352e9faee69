//! Saturation: every integer instruction that permits clamp limits its result to the range of its type.

use std::collections::BTreeSet;

use super::dice::Dice;
use super::draw::Pool;
use super::encode::Draft;
use super::modifier;
use super::state::{Bench, MachineState};
use super::subject::{Subject, subjects};
use crate::isa::{Access, Encoding, Flags, Form, Operand, Role, Type};

/// Draws per row and form. Sums of a few bytes rarely overflow, so rows need many draws.
const ROUNDS: u64 = 400;

/// Rows whose result never leaves the range of its type, so that clamp has nothing to limit.
const IN_RANGE: &[&str] = &[
    "v_max3_i16",
    "v_max3_u16",
    "v_med3_i16",
    "v_med3_u16",
    "v_min3_i16",
    "v_min3_u16",
    "v_pk_ashrrev_i16",
    "v_pk_lshlrev_b16",
    "v_pk_lshrrev_b16",
    "v_pk_max_i16",
    "v_pk_max_u16",
    "v_pk_min_i16",
    "v_pk_min_u16",
];

/// Returns true if a row permits clamp and computes with integers alone. A conversion from a float always saturates, with and without clamp.
fn saturates(subject: &Subject) -> bool {
    let row = subject.row;
    let float = |ty| {
        use Type::*;
        matches!(ty, F16 | F16x2 | F32 | F64 | Mix | Param)
    };
    let form = match subject.form {
        Form::Native => matches!(subject.encoding, Encoding::Vop3 | Encoding::Vop3p),
        Form::E64 | Form::Sdwa => true,
        Form::Dpp => false,
    };
    form && row.modifiers.has(Flags::CLAMP) && !row.operands.iter().any(|o| float(o.ty))
}

/// Splits a result into its elements: the size of an element in bits, and the largest and the smallest element.
fn element(operand: &Operand) -> (u32, [u64; 2]) {
    let (bits, signed) = match operand.ty {
        Type::U16 | Type::U16x2 | Type::B16x2 => (16, false),
        Type::I16 | Type::I16x2 => (16, true),
        // Sums of absolute differences, packed as u16 and as u32.
        Type::B64 => (16, false),
        Type::U32 | Type::B128 => (32, false),
        Type::I32 => (32, true),
        Type::U64 => (64, false),
        Type::I64 => (64, true),
        ty => panic!("{ty:?}: say here which elements the result has"),
    };
    let ones = u64::MAX >> (64 - bits);
    (
        bits,
        if signed {
            [ones >> 1, ones / 2 + 1]
        } else {
            [ones, 0]
        },
    )
}

/// Returns the elements of the destination in all lanes.
fn elements(state: &MachineState, draft: &Draft, operand: &Operand, bits: u32) -> Vec<u64> {
    let first = usize::from(draft.inst.by_role(Role::Vdst).as_vgpr().expect("a VGPR"));
    let registers = operand.ty.registers();
    let mut elements = Vec::new();
    for lane in 0..64 {
        let word = |n: usize| u64::from(state.v[first + n][lane]);
        for n in 0..registers {
            match bits {
                16 => elements.extend([word(n) & 0xffff, word(n) >> 16]),
                32 => elements.push(word(n)),
                _ if n == 0 => elements.push(word(0) | word(1) << 32),
                _ => {}
            }
        }
    }
    elements
}

#[test]
fn integers_saturate_under_clamp() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut wrapping = BTreeSet::new();
    for subject in subjects().filter(saturates) {
        let result = &subject.row.operands[0];
        let (bits, limits) = element(result);
        let mut changes = 0;
        for round in 0..ROUNDS {
            let mut dice = Dice::new(&subject.name(), round, 11);
            let case = pool.draw_with(&subject, &mut dice, |draft, dice| {
                modifier::draw(draft, dice);
                let m = &mut draft.inst.modifiers;
                m.flags = m.flags.with(Flags::CLAMP);
                if draft.inst.form == Form::Sdwa {
                    // The whole result is compared, not a part of it.
                    (m.dst_sel, m.dst_unused) = (6, 0);
                }
            });
            let mut plain = case.draft;
            plain.inst.modifiers.flags.0 &= !Flags::CLAMP.0;
            let words = plain.encode().expect("the instruction without clamp");
            let with = bench.run(&case.state, &case.words);
            let without = bench.run(&case.state, &words);
            let text = case.draft.text();
            let masks = subject.row.operands.iter().zip(&case.draft.inst.operands);
            for (operand, code) in masks {
                if operand.ty == Type::Mask && operand.access == Access::Write {
                    let mask = |state: &MachineState| state.get64(code.0.into());
                    assert_eq!(mask(&with), mask(&without), "{text}: the carry");
                }
            }
            let lanes = |state| elements(state, &case.draft, result, bits);
            for (with, without) in lanes(&with).into_iter().zip(lanes(&without)) {
                changes += usize::from(with != without);
                let limited = with == without || limits.contains(&with);
                assert!(limited, "{text}: {with:#x}, without clamp {without:#x}");
            }
        }
        if changes == 0 {
            wrapping.insert(subject.name());
        }
    }
    let in_range: BTreeSet<String> = IN_RANGE.iter().map(|&name| name.to_owned()).collect();
    let unlisted: Vec<_> = wrapping.difference(&in_range).collect();
    assert!(
        unlisted.is_empty(),
        "clamp never changed the result of {unlisted:?}: name its function under clamp in the row, as in `valu!(mad_u16, mad_u16_sat)`; \
         if the result never leaves its type's range, add the row to IN_RANGE in {}",
        file!()
    );
    let limited: Vec<_> = in_range.difference(&wrapping).collect();
    assert!(
        limited.is_empty(),
        "clamp changes the result of {limited:?}, or no such row runs: take it out of IN_RANGE in {}",
        file!()
    );
}
