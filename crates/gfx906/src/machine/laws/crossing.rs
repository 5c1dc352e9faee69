//! Crossing: rows that cross lanes agree with other instructions. DPP equals v_mov_b32 with the same control, followed by the VOP3 form in
//! the lanes that the control enables. Writes of one lane undo reads of it, and permutations undo each other.

use super::Law;
use super::asm;
use super::dice::Dice;
use super::draw::{LawCase, Pool};
use super::state::{Bench, EXEC, M0, MachineState};
use super::subject::{Subject, subjects};
use super::tally::Tally;
use crate::isa::{Code, Flags, Form, Modifiers, Role};

/// VGPRs that no draw uses.
const MARK: Code = Code(256 + 200);
const ZERO: Code = Code(256 + 201);
const MOVED: Code = Code(256 + 202);

#[test]
fn rows_that_cross_lanes_agree_with_others() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Crossing);
    for subject in subjects().filter(|s| Law::Crossing.applies(s)) {
        for round in 0.. {
            if tally.enough(&subject, round, 24) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 6);
            let drawn = pool.draw(&subject, &mut dice);
            let breach = match subject.row.mnemonic {
                _ if subject.form == Form::Dpp => dpp(&drawn, &mut bench),
                "v_readfirstlane_b32" => first_lane(&drawn, &mut bench),
                "v_readlane_b32" | "v_writelane_b32" => one_lane(&drawn, &mut dice, &mut bench),
                "ds_permute_b32" | "ds_bpermute_b32" => permute(&drawn, &mut dice, &mut bench),
                "ds_swizzle_b32" => swizzle(&drawn, &mut dice, &mut bench),
                _ => count(&drawn, &mut bench),
            };
            let told = |text| format!("{}: {text}", drawn.draft.text());
            tally.case(&subject, breach.map(told));
        }
    }
    tally.verdict();
}

/// Returns true if the row crosses lanes in every form.
pub fn crosses(subject: &Subject) -> bool {
    let rows = [
        "v_readfirstlane_b32",
        "v_readlane_b32",
        "v_writelane_b32",
        "ds_permute_b32",
        "ds_bpermute_b32",
        "ds_swizzle_b32",
        "ds_append",
        "ds_consume",
    ];
    rows.contains(&subject.row.mnemonic)
}

fn dpp(drawn: &LawCase, bench: &mut Bench) -> Option<String> {
    let m = &drawn.draft.inst.modifiers;
    let mut mark = asm::draft("v_mov_b32", Form::Dpp, &[MARK, ZERO]);
    mark.inst.modifiers = Modifiers {
        neg: 0,
        abs: 0,
        ..*m
    };
    let source = drawn.draft.inst.by_role(Role::Src0);
    let mut moved = asm::draft("v_mov_b32", Form::Dpp, &[MOVED, source]);
    asm::set_control(&mut moved.inst, m.dpp_ctrl);
    moved.inst.modifiers.flags = Flags::BOUND_CTRL;
    let mut state = drawn.state.clone();
    state.set_register(MARK, &[1; 64]);
    state.set_register(ZERO, &[0; 64]);
    state.set_register(MOVED, &[0; 64]);
    let words = [asm::words(&mark), asm::words(&moved)].concat();
    let mut ready = bench.run(&state, &words);
    let marks = ready.register(MARK);
    let lanes = (0..64)
        .filter(|&l| marks[l] == 0)
        .fold(0u64, |mask, l| mask | 1 << l);
    ready.set64(EXEC, lanes);
    ready.pc = state.pc;
    // The signs apply to the moved values, including zeros from missing lanes.
    let mut short = drawn.draft;
    short.inst.form = Form::E64;
    short.inst.modifiers = Modifiers {
        neg: m.neg,
        abs: m.abs,
        ..Modifiers::default()
    };
    let place = short
        .inst
        .row
        .operands
        .iter()
        .position(|o| o.role == Role::Src0)?;
    short.inst.operands[place] = MOVED;
    let mut expected = bench.run(&ready, &asm::words(&short));
    let whole = bench.run(&drawn.state, &drawn.words);
    for helper in [MARK, ZERO, MOVED] {
        expected.set_register(helper, &drawn.state.register(helper));
    }
    expected.set64(EXEC, drawn.state.exec());
    expected.pc = whole.pc;
    whole.difference(&expected)
}

fn first_lane(drawn: &LawCase, bench: &mut Bench) -> Option<String> {
    let lane = drawn.state.exec().trailing_zeros() % 64;
    let [sdst, source, ..] = drawn.draft.inst.operands;
    let words = asm::op("v_readlane_b32", &[sdst, source, asm::number(lane)]);
    let mut expected = bench.run(&drawn.state, &words);
    let whole = bench.run(&drawn.state, &drawn.words);
    expected.pc = whole.pc;
    whole.difference(&expected)
}

/// Checks that v_readlane reads and v_writelane writes the register of the selected lane, and that no other lane changes.
fn one_lane(drawn: &LawCase, dice: &mut Dice, bench: &mut Bench) -> Option<String> {
    let lane = dice.below(64);
    let (scalar, from, to) = (Code(30), Code::vgpr(9), Code::vgpr(10));
    let number = asm::number(lane as u32);
    let read = asm::op("v_readlane_b32", &[scalar, from, number]);
    let write = asm::op("v_writelane_b32", &[to, scalar, number]);
    let whole = bench.run(&drawn.state, &[read, write].concat());
    let mut expected = drawn.state.clone();
    let value = expected.v[9][lane];
    expected.v[10][lane] = value;
    expected.s[30] = value;
    expected.pc = whole.pc;
    whole.difference(&expected)
}

/// Checks that pulling a pushed permutation restores the data when all lanes are enabled.
fn permute(drawn: &LawCase, dice: &mut Dice, bench: &mut Bench) -> Option<String> {
    let [address, data, pushed, pulled] = [9, 10, 11, 12].map(Code::vgpr);
    let (factor, first) = (2 * dice.below(32) + 1, dice.below(64));
    let mut state = drawn.state.clone();
    state.set64(EXEC, !0);
    let places = std::array::from_fn(|l| 4 * ((l * factor + first) % 64) as u32);
    state.set_register(address, &places);
    let push = asm::op("ds_permute_b32", &[pushed, address, data]);
    let pull = asm::op("ds_bpermute_b32", &[pulled, address, pushed]);
    let after = bench.run(&state, &[push, pull].concat());
    // Pulling reads lane p(l) of the value pushed from lane l.
    let wrong = (0..64).find(|&l| after.register(pulled)[l] != state.register(data)[l]);
    wrong.map(|l| format!("lane {l} does not come back by x -> {factor} x + {first}"))
}

/// Checks that quads by swizzle equal quads by DPP, and that an exclusive or undoes itself.
fn swizzle(drawn: &LawCase, dice: &mut Dice, bench: &mut Bench) -> Option<String> {
    let [data, once, twice] = [9, 10, 11].map(Code::vgpr);
    let quad = dice.below(256) as u16;
    let mut by_pattern = asm::draft("ds_swizzle_b32", Form::Native, &[once, data]);
    by_pattern.inst.offset = 0x8000 | i32::from(quad);
    let mut by_dpp = asm::draft("v_mov_b32", Form::Dpp, &[once, data]);
    asm::set_control(&mut by_dpp.inst, quad);
    by_dpp.inst.modifiers.flags = Flags::BOUND_CTRL;
    let one = bench.run(&drawn.state, &asm::words(&by_pattern));
    let other = bench.run(&drawn.state, &asm::words(&by_dpp));
    if let Some(text) = one.difference(&other) {
        return Some(format!("quads {quad:#x}: {text}"));
    }
    let mut state = drawn.state.clone();
    state.set64(EXEC, !0);
    let pattern = 0x1f | dice.below(32) << 10;
    let again = |to, from| {
        let mut draft = asm::draft("ds_swizzle_b32", Form::Native, &[to, from]);
        draft.inst.offset = pattern as i32;
        asm::words(&draft)
    };
    let after = bench.run(&state, &[again(once, data), again(twice, once)].concat());
    let same = after.register(twice) == state.register(data);
    (!same).then(|| format!("pattern {pattern:#x} twice is not where it began"))
}

/// Checks that appending and consuming restore the counter, and that each instruction returns the value that the other left.
fn count(drawn: &LawCase, bench: &mut Bench) -> Option<String> {
    let state = &drawn.state;
    let [first, second] = [9, 10].map(Code::vgpr);
    let at = (state.s[M0] & 0xffff) as usize / 4;
    let append = asm::op("ds_append", &[first]);
    let consume = asm::op("ds_consume", &[second]);
    let after = bench.run(state, &[append, consume].concat());
    let on = state.exec().count_ones();
    let mut expected: MachineState = state.clone();
    let counter = state.lds[at];
    for l in (0..64).filter(|l| state.exec() >> l & 1 != 0) {
        expected.v[9][l] = counter;
        expected.v[10][l] = counter.wrapping_add(on);
    }
    expected.pc = after.pc;
    after.difference(&expected)
}
