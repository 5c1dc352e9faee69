//! Order: two independent instructions give the same state in either order.

use super::Law;
use super::address;
use super::dice::Dice;
use super::draw::{self, Pool};
use super::encode::Draft;
use super::modifier;
use super::overlap::part;
use super::state::Bench;
use super::subject::{Subject, subjects};
use super::tally::Tally;
use crate::isa::{Access, Code, Encoding, Flags};

#[test]
fn independent_instructions_may_be_exchanged() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Order);
    let all: Vec<Subject> = subjects().filter(|s| Law::Order.applies(s)).collect();
    for subject in &all {
        for round in 0.. {
            if tally.enough(subject, round, 24) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 8);
            let one = pool.draw(subject, &mut dice);
            let a = effects(&one.draft);
            // The partner uses separate registers.
            let other = (0..100).find_map(|_| {
                let partner = all[dice.below(all.len())];
                let (draft, _) = draw::instruction(&partner, &mut dice, modifier::draw);
                let (apart, words) = part(&draft)?;
                let b = effects(&apart);
                let free = a.writes & (b.reads | b.writes) | b.writes & a.reads;
                (free == 0).then_some((apart, words))
            });
            let Some((apart, words)) = other else {
                continue;
            };
            let mut state = one.state.clone();
            let m0 = state.s[super::state::M0];
            address::prepare(&mut state, &apart, &mut dice);
            if a.reads & M0 != 0 {
                state.s[super::state::M0] = m0;
            }
            let first = bench.run(&state, &[&one.words[..], &words].concat());
            let second = bench.run(&state, &[&words[..], &one.words].concat());
            if first.stop.is_some() || second.stop.is_some() {
                tally.stopped(subject);
                continue;
            }
            let breach = first.difference(&second);
            let told = |text| format!("{} and {}: {text}", one.draft.text(), apart.text());
            tally.case(subject, breach.map(told));
        }
    }
    tally.verdict();
}

const SCC: u32 = 1;
const VCC: u32 = 2;
const EXEC: u32 = 4;
const M0: u32 = 8;
const MODE: u32 = 16;
const MEMORY: u32 = 32;
/// First SGPR of the stack on which forks keep waiting lanes.
const STACK: u32 = 64;

/// Effects that an instruction shares with others beyond the registers that its operands name.
struct Effects {
    reads: u32,
    writes: u32,
}

fn effects(draft: &Draft) -> Effects {
    let i = &draft.inst;
    let name = i.row.mnemonic;
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let (mut reads, mut writes) = (0, 0);
    match i.encoding {
        // Some of these keep SCC. Assuming that all touch it only loses pairs.
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk => {
            (reads, writes) = (SCC, SCC);
        }
        Encoding::Sopp => {}
        Encoding::Smem => reads |= MEMORY,
        Encoding::Ds
        | Encoding::Flat
        | Encoding::Global
        | Encoding::Scratch
        | Encoding::Mubuf
        | Encoding::Mtbuf
        | Encoding::Mimg => reads |= EXEC | MODE | MEMORY,
        _ => reads |= EXEC | MODE,
    }
    if reads & MEMORY != 0 && draft.writes_memory() || i.modifiers.flags.has(Flags::LDS) {
        writes |= MEMORY;
    }
    if has(&["saveexec", "wrexec", "fork", "join"]) {
        (reads, writes) = (reads | EXEC, writes | EXEC);
    }
    if has(&["fork", "join"]) {
        (reads, writes) = (reads | STACK | MODE, writes | STACK | MODE);
    }
    if has(&["v_cmpx"]) {
        writes |= EXEC;
    }
    if has(&["div_fmas"]) {
        reads |= VCC;
    }
    if has(&["addtid", "append", "consume", "movrel", "lds_dword"])
        || i.modifiers.flags.has(Flags::LDS)
    {
        reads |= M0;
    }
    if has(&["gpr_idx", "setvskip", "setreg"]) {
        (reads, writes) = (reads | MODE, writes | MODE);
    }
    if has(&["gpr_idx"]) {
        (reads, writes) = (reads | M0, writes | M0);
    }
    if has(&["getreg"]) {
        reads |= SCC | VCC | EXEC | MODE;
    }
    for (operand, code) in i.row.operands.iter().zip(&i.operands) {
        let wide = operand.ty.registers() as u16;
        let touched = match code.0 {
            106 | 107 => VCC,
            124 => M0,
            126 | 127 => EXEC,
            251 => VCC,
            252 => EXEC,
            253 => SCC,
            // The separate operands are beyond the stack.
            first if first < 32 && wide > 0 => STACK,
            _ => 0,
        };
        reads |= touched;
        if operand.access != Access::Read {
            writes |= touched & !STACK;
        }
        if touched == STACK && operand.access != Access::Read {
            writes |= STACK;
        }
    }
    debug_assert!(i.operands.iter().all(|code| *code != Code::LDS_DIRECT));
    Effects { reads, writes }
}

/// Returns true if the instruction's position in the program is part of its effect.
pub fn is_bound(subject: &Subject) -> bool {
    let name = subject.row.mnemonic;
    let jumps = ["branch", "setpc", "swappc", "getpc", "s_call"];
    jumps.iter().any(|part| name.contains(part))
}
