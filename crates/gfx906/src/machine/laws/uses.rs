//! Uses: an instruction changes only the registers that `uses` says it writes, its effects depend only on the registers that it is said to
//! read, and the old value of a register that it is said to kill is lost.

use super::Law;
use super::dice::Dice;
use super::draw::{LawCase, Pool};
use super::state::{Bench, MachineState};
use super::subject::{Subject, subjects};
use super::tally::Tally;
use crate::isa::uses::{MODE, RegisterNumber, RegisterSet, SCC, Uses};

#[test]
fn instructions_use_the_registers_that_they_are_said_to_use() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Uses);
    for subject in subjects().filter(|s| Law::Uses.applies(s)) {
        for round in 0.. {
            if tally.enough(&subject, round, 12) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 11);
            let drawn = pool.draw(&subject, &mut dice);
            check(&subject, &drawn, &mut dice, &mut bench, &mut tally);
        }
    }
    tally.verdict();
}

fn check(
    subject: &Subject,
    drawn: &LawCase,
    dice: &mut Dice,
    bench: &mut Bench,
    tally: &mut Tally,
) {
    let LawCase {
        draft,
        words,
        state,
    } = drawn;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let inst = crate::isa::decode(&bytes).expect("it decodes");
    let uses = inst.register_uses();
    let first = bench.run(state, words);
    if first.stop.is_some() {
        return tally.stopped(subject);
    }
    let breach = changed(state, &first)
        .without(&uses.writes)
        .first()
        .map(|number| format!("writes {number} unsaid"))
        .or_else(|| {
            let mut other = state.clone();
            let spared = uses.reads;
            disturb(&mut other, &spared, dice);
            let second = bench.run(&other, words);
            differs(state, &uses, &first, &other, &second)
        });
    tally.case(
        subject,
        breach.map(|text| format!("{}: {text}", draft.text())),
    );
}

/// Returns the registers that differ between two states.
fn changed(a: &MachineState, b: &MachineState) -> RegisterSet {
    let mut set = RegisterSet::default();
    for at in 0..128 {
        if a.s[at] != b.s[at] {
            set.add(at as RegisterNumber, 1);
        }
    }
    for at in 0..256 {
        if a.v[at] != b.v[at] {
            set.add(256 + at as RegisterNumber, 1);
        }
    }
    set.add(SCC, u16::from(a.scc != b.scc));
    set.add(MODE, u16::from(a.mode != b.mode));
    set
}

/// Changes every register that is not spared. MODE keeps its value, because most values stop instructions.
fn disturb(state: &mut MachineState, spared: &RegisterSet, dice: &mut Dice) {
    for at in 0..128 {
        if !spared.has(at as RegisterNumber) {
            state.s[at] = dice.next() as u32;
        }
    }
    for at in 0..256 {
        if !spared.has(256 + at as RegisterNumber) {
            state.v[at] = std::array::from_fn(|_| dice.next() as u32);
        }
    }
    if !spared.has(SCC) {
        state.scc = !state.scc;
    }
}

/// Describes how a second run from disturbed registers breaks the law.
fn differs(
    before: &MachineState,
    uses: &Uses,
    first: &MachineState,
    other: &MachineState,
    second: &MachineState,
) -> Option<String> {
    let rest = |s: &MachineState| (s.pc, s.stop.clone(), s.memory.clone(), s.lds.clone());
    if rest(first) != rest(second) {
        return Some(
            "memory, LDS or the next pc depends on a register that it is said not to read".into(),
        );
    }
    let exec = before.exec();
    for at in 0..128_u16 {
        let (is, was) = (second.s[usize::from(at)], other.s[usize::from(at)]);
        let right = if uses.writes.has(at) {
            first.s[usize::from(at)]
        } else {
            was
        };
        let kept = uses.writes.has(at) && !uses.kills.has(at);
        if is != right && !(kept && is == was) {
            return Some(format!(
                "s{at} depends on a register that it is said not to read"
            ));
        }
    }
    for at in 0..256_usize {
        let number = 256 + at as RegisterNumber;
        for lane in 0..64 {
            let on = exec >> lane & 1 != 0;
            let (is, was) = (second.v[at][lane], other.v[at][lane]);
            let written = uses.writes.has(number) && on;
            let right = if written { first.v[at][lane] } else { was };
            let kept = written && !uses.kills.has(number);
            if is != right && !(kept && is == was) {
                return Some(format!(
                    "v{at} lane {lane} depends on a register that it is said not to read"
                ));
            }
        }
    }
    let scc = if uses.writes.has(SCC) {
        first.scc
    } else {
        other.scc
    };
    (second.scc != scc).then(|| "scc depends on a register that it is said not to read".into())
}
