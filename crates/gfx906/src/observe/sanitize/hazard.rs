//! Missing wait states: instructions that follow each other more closely than the hardware permits, where it does not wait by itself.
//!
//! The rules are those that the manual of this chip demands of software ("Vega" 7nm Instruction Set Architecture, 26 November 2019, the
//! table of manually inserted wait states). An instruction is one wait state, and `s_nop N` is N + 1. Compilers obey the rules, except
//! within inline assembly. One line of the table is missing here: VCC by its name after the same SGPRs by their number. The number depends
//! on how many SGPRs the wave has.

mod rules;

use super::finding::{Detail, Other};
use super::{Check, CheckedInstruction, CheckedLaunch, Findings, Site, Watch};
use crate::isa::uses::{RegisterSet, Uses};
use crate::isa::{Code, Encoding, Inst, Properties, disassemble, register_name};
use crate::machine::Group;

pub use rules::{RULES, Rule};

/// Largest number of wait states that a rule requires.
pub const FARTHEST: u32 = 5;

/// Rules that an instruction takes part in: bit n stands for rule n.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Rules in which the instruction can be the first.
    pub first: u16,
    /// Rules in which the instruction can be the second.
    pub second: u16,
    /// Number of wait states that the instruction provides.
    pub states: u32,
}

impl Traits {
    /// Determines the rules of an instruction.
    pub fn of(inst: &Inst, uses: &Uses) -> Traits {
        let bits = |of: fn(&Rule) -> rules::Registers| {
            let hits = RULES.iter().enumerate();
            hits.filter(|(_, rule)| !of(rule)(inst, uses).is_empty())
                .fold(0, |bits, (n, _)| bits | 1 << n)
        };
        Traits {
            first: bits(|rule| rule.first),
            second: bits(|rule| rule.second),
            states: match inst.encoding {
                Encoding::Sopp if inst.has(Properties::NO_OPERATION) => (inst.literal & 15) + 1,
                _ => 1,
            },
        }
    }
}

/// Iterates over the `common` rules that two instructions break at a distance of `apart` wait states, each with a register of the rule.
pub fn broken(
    first: (&Inst, &Uses),
    second: (&Inst, &Uses),
    common: u16,
    apart: u32,
) -> impl Iterator<Item = (&'static Rule, u16)> {
    let hits = RULES.iter().enumerate();
    hits.filter(move |(n, rule)| common >> n & 1 != 0 && apart < rule.states)
        .filter_map(move |(_, rule)| {
            let wrote = (rule.first)(first.0, first.1);
            let reads = (rule.second)(second.0, second.1);
            let register: RegisterSet = wrote.and(&reads);
            Some((rule, register.first()?))
        })
}

/// Returns the name of a rule's register.
fn named(register: u16) -> String {
    match register {
        rules::HWREG..256 => "the hardware register".to_owned(),
        crate::isa::uses::SCC => "scc".to_owned(),
        crate::isa::uses::MODE => "MODE".to_owned(),
        106 => "vcc".to_owned(),
        126 => "exec".to_owned(),
        register => register_name(Code(register), 1),
    }
}

/// An instruction a few wait states ago.
#[derive(Clone, Copy)]
struct RecentInstruction {
    /// Clock after the instruction.
    clock: u64,
    first: u16,
    pc: u64,
}

#[derive(Clone, Default)]
struct WaveHazards {
    clock: u64,
    recent: Vec<RecentInstruction>,
}

/// The check.
#[derive(Default)]
pub struct Hazard {
    waves: Vec<WaveHazards>,
}

impl Watch for Hazard {
    fn fork(&self) -> Box<dyn Watch> {
        Box::<Hazard>::default()
    }

    fn group(&mut self, group: &Group, _: &CheckedLaunch) {
        let waves = group.waves;
        self.waves.clear();
        self.waves.resize_with(waves, WaveHazards::default);
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let Some(state) = self.waves.get_mut(here.wave.index as usize) else {
            return;
        };
        let traits = &here.facts.hazard;
        let now = state.clock;
        state.clock += u64::from(traits.states);
        if !state.recent.is_empty() {
            state
                .recent
                .retain(|recent| now - recent.clock < u64::from(FARTHEST));
            for recent in &state.recent {
                let common = recent.first & traits.second;
                if common != 0 {
                    check(recent, here, common, (now - recent.clock) as u32, findings);
                }
            }
        }
        if traits.first != 0 {
            state.recent.push(RecentInstruction {
                clock: state.clock,
                first: traits.first,
                pc: here.pc,
            });
        }
    }
}

#[cold]
fn check(
    recent: &RecentInstruction,
    here: &CheckedInstruction<'_>,
    common: u16,
    apart: u32,
    findings: &mut Findings,
) {
    let Some(known) = here.code.facts(recent.pc) else {
        return;
    };
    let first = (&known.inst, &known.uses);
    let second = (&here.facts.inst, &here.facts.uses);
    for (rule, register) in broken(first, second, common, apart) {
        findings.note(here, Check::Hazard, rule.name, recent.pc, || {
            detail(rule, register, apart, recent.pc, &known.inst)
        });
    }
}

/// Describes a rule that two instructions break at a distance of `apart` wait states.
pub fn detail(rule: &Rule, register: u16, apart: u32, pc: u64, first: &Inst) -> Detail {
    let register = named(register);
    let plural = if apart == 1 { "" } else { "s" };
    Detail {
        lanes: 0,
        what: format!(
            "{register} {} {apart} wait state{plural} after {}: it takes {}",
            rule.use_of, rule.change_of, rule.states
        ),
        other: Some(Other {
            did: rule.change_of.to_owned(),
            site: Some(Site::new(pc, disassemble(first))),
            group: None,
            wave: None,
        }),
        cure: format!(
            "`s_nop {}` before this instruction",
            rule.states - apart - 1
        ),
    }
}
