//! Comparison of lint with LLVM. It reads programs as lines of a name and hexadecimal words, in which LLVM has inserted waits and wait
//! states. Lint must report nothing on them, and must report a mistake if one s_nop is a wait state shorter or one counter's limit in an
//! s_waitcnt is larger by one. If it reports nothing there, one of the reasons below must apply. `scripts/sanitize-oracle.sh` makes the
//! programs.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::process::ExitCode;

use gfx906::isa::{Form, Inst, decode, disassemble};
use gfx906::observe::sanitize::lint::{Function, Mistake, lint};
use gfx906::observe::sanitize::wait::{Class, Counter, Operation, Pending};
use gfx906::observe::sanitize::{Checks, Facts};

/// Reasons for which LLVM inserts more waits than the hardware demands.
const REASONS: [(&str, Reason); 11] = [
    (
        "on entry nothing is on its way: LLVM waits for what a caller left",
        |s| s.before.is_empty(),
    ),
    ("LLVM waits for everything before a barrier", |s| {
        s.next.row.mnemonic == "s_barrier"
    }),
    (
        "kinds that share LGKMCNT: LLVM waits for all of them, those in order are so all the same",
        |s| {
            let mut kinds = s.since(Counter::Lgkm).into_iter();
            let first = kinds.next();
            s.counter == Some(Counter::Lgkm) && kinds.any(|class| Some(class) != first)
        },
    ),
    (
        "a flat operation is on its way: LLVM waits for all of VMCNT, other vector memory is in order all the same",
        |s| {
            let flat = |counter| s.since(counter).contains(&Class::Flat);
            s.counter == Some(Counter::Vm) && (flat(Counter::Vm) || flat(Counter::Lgkm))
        },
    ),
    (
        "LDS or D16 overwrites what LDS or vector memory of the same order brings: it comes later",
        |s| {
            let issues = Facts::of(s.next).wait.issues;
            let writes = s.next.register_uses().writes;
            let ordered =
                |one: &Operation| issues.is_some_and(|class| class.in_order_with(one.class));
            let meets = |one: &Operation| !one.arrives.and(&writes).is_empty() && ordered(one);
            s.counter.is_some() && s.pending.iter().any(meets)
        },
    ),
    (
        "GDS that LGKMCNT says is over has read its registers: LLVM waits for EXPCNT, too",
        |s| s.counter == Some(Counter::Exp) && s.since(Counter::Exp).contains(&Class::Gds),
    ),
    (
        "a full counter takes no more: LLVM waits although the first must have arrived",
        |s| {
            s.counter
                .is_some_and(|counter| s.bound + 1 >= counter.most())
        },
    ),
    (
        "DPP keeps its old destination in lanes that are off: that is no read through DPP",
        |s| {
            let writes = s.next.register_uses().writes;
            let own = |inst: &Inst| !inst.register_uses().writes.and(&writes).is_empty();
            s.counter.is_none() && s.next.form == Form::Dpp && s.near().any(own)
        },
    ),
    (
        "DPP reads what LDS or memory brought: only vector instructions need wait states",
        |s| {
            let brings = |inst: &Inst| Facts::of(inst).wait.issues.is_some();
            s.counter.is_none() && s.next.form == Form::Dpp && s.near().any(brings)
        },
    ),
    (
        "a relative move names its registers by an index: lint does not know them",
        |s| s.next.row.mnemonic.contains("movrel"),
    ),
    (
        "EXEC written by a vector instruction is no SGPR that vector memory reads",
        |s| {
            let compares = |inst: &Inst| inst.row.mnemonic.starts_with("v_cmpx");
            Facts::of(s.next).wait.issues.is_some() && s.counter.is_none() && s.near().any(compares)
        },
    ),
];

type Reason = fn(&Spot<'_>) -> bool;

/// Place at which a program was changed.
struct Spot<'a> {
    /// Counter of an s_waitcnt; `None` for an s_nop.
    counter: Option<Counter>,
    /// Original limit.
    bound: u32,
    /// Code before the instruction.
    before: &'a [(u64, Inst)],
    /// Pending operations before the instruction.
    pending: Pending,
    /// Instruction behind the changed one.
    next: &'a Inst,
}

impl Spot<'_> {
    /// Returns the classes of operations since a counter was waited for to 0.
    fn since(&self, counter: Counter) -> Vec<Class> {
        let mut since = Vec::new();
        for (_, inst) in self.before {
            let traits = Facts::of(inst).wait;
            if traits.waits[counter as usize] == Some(0) {
                since.clear();
            }
            let counted = traits
                .issues
                .filter(|class| class.counters().contains(&counter));
            since.extend(counted);
        }
        since
    }

    /// Iterates over the instructions that are close enough for a rule.
    fn near(&self) -> impl Iterator<Item = &Inst> {
        self.before.iter().rev().take(5).map(|(_, inst)| inst)
    }
}

type Code = Vec<(u64, Inst)>;

fn read(words: &str) -> Code {
    let words = words.split_whitespace();
    let words = words.map(|word| u32::from_str_radix(word, 16).expect("hexadecimal words"));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let (mut at, mut code) = (0, Code::new());
    while at < bytes.len() {
        let inst = decode(&bytes[at..]).expect("instructions");
        code.push((at as u64, inst));
        at += inst.size();
    }
    code
}

fn check(code: &[(u64, Inst)]) -> Vec<Mistake> {
    let function = Function {
        name: "f",
        code,
        entry: 0,
        alone: false,
    };
    lint(&function, Checks::ALL)
}

/// Computes the pending operations before an instruction of straight-line code.
fn pending(code: &[(u64, Inst)]) -> Pending {
    let mut pending = Pending::default();
    for (pc, inst) in code {
        let facts = Facts::of(inst);
        pending.wait(facts.wait.waits);
        if let Some(class) = facts.wait.issues {
            pending.issue(Operation::of(class, *pc, inst, &facts));
        }
    }
    pending
}

/// Returns an instruction with another immediate.
fn with(inst: &Inst, immediate: u32) -> Inst {
    let word = inst.words[0] & 0xffff_0000 | immediate;
    decode(&word.to_le_bytes()).expect("the same instruction")
}

/// Returns the code without the instruction at a position. Later addresses move up.
fn without(code: &[(u64, Inst)], at: usize) -> Code {
    let mut pc = 0;
    let left = code.iter().enumerate().filter(|(n, _)| *n != at);
    left.map(|(_, (_, inst))| {
        pc += inst.size() as u64;
        (pc - inst.size() as u64, *inst)
    })
    .collect()
}

/// Returns the variants of an instruction that are weaker by one.
fn weaker(code: &[(u64, Inst)], at: usize) -> Vec<(Option<Counter>, u32, Code)> {
    let inst = &code[at].1;
    let replaced = |inst: Inst| {
        let mut code = code.to_vec();
        code[at].1 = inst;
        code
    };
    let field = inst.words[0] & 0xffff;
    if inst.row.mnemonic == "s_nop" {
        return match field {
            0 => vec![(None, 0, without(code, at))],
            states => vec![(None, states, replaced(with(inst, states - 1)))],
        };
    }
    let bounds = Facts::of(inst).wait.waits;
    let each = Counter::ALL.into_iter().filter_map(|counter| {
        let bound = bounds[counter as usize]?;
        let more = bound + 1;
        let field = match counter {
            Counter::Vm => field & !0xc00f | more & 15 | (more >> 4) << 14,
            Counter::Lgkm => field & !0xf00 | more << 8,
            Counter::Exp => field & !0x70 | more << 4,
        };
        Some((Some(counter), bound, replaced(with(inst, field))))
    });
    each.collect()
}

#[derive(Default)]
struct Tally {
    programs: usize,
    false_alarms: usize,
    noticed: [usize; 4],
    excused: BTreeMap<&'static str, usize>,
    unexplained: usize,
    /// Unreported changes in programs with branches, where the text does not show the pending operations.
    behind: usize,
}

fn judge(name: &str, code: &[(u64, Inst)], tally: &mut Tally) {
    tally.programs += 1;
    for mistake in check(code) {
        tally.false_alarms += 1;
        println!("{name}: a false alarm: {mistake}");
    }
    let straight = !code
        .iter()
        .any(|(_, inst)| inst.row.mnemonic.contains("branch"));
    for (at, (pc, inst)) in code.iter().enumerate() {
        let nop = inst.row.mnemonic == "s_nop";
        if !(nop && straight || inst.row.mnemonic == "s_waitcnt") {
            continue;
        }
        for (counter, bound, changed) in weaker(code, at) {
            if !check(&changed).is_empty() {
                tally.noticed[counter.map_or(3, |counter| counter as usize)] += 1;
                continue;
            }
            let Some((_, next)) = code.get(at + 1) else {
                continue;
            };
            let spot = Spot {
                counter,
                bound,
                before: &code[..at],
                pending: pending(&code[..at]),
                next,
            };
            if !straight {
                tally.behind += 1;
                continue;
            }
            match REASONS.iter().find(|(_, holds)| holds(&spot)) {
                Some((reason, _)) => *tally.excused.entry(reason).or_default() += 1,
                None => {
                    tally.unexplained += 1;
                    println!(
                        "{name}: silent where `{}` at {pc:#x} is weaker by one ({counter:?})",
                        disassemble(inst)
                    );
                    for (pc, inst) in &code[at.saturating_sub(8)..(at + 3).min(code.len())] {
                        println!("    {pc:#6x}: {}", disassemble(inst));
                    }
                }
            }
        }
    }
}

fn main() -> ExitCode {
    let mut tally = Tally::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        let (name, words) = line.split_once(' ').expect("a name and words");
        judge(name, &read(words), &mut tally);
    }
    let [vm, lgkm, exp, nop] = tally.noticed;
    println!(
        "{} programs, {} false alarms",
        tally.programs, tally.false_alarms
    );
    println!(
        "weaker by one and noticed: vmcnt {vm}, lgkmcnt {lgkm}, expcnt {exp}, s_nop {nop}; silent without a reason: {}",
        tally.unexplained
    );
    println!(
        "{:7} times silent in loops, where reasons are not looked for",
        tally.behind
    );
    for (reason, count) in &tally.excused {
        println!("{count:7} times silent: {reason}");
    }
    if tally.false_alarms + tally.unexplained > 0 || tally.programs == 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
