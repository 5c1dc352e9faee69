//! Missing wait states: instructions that follow each other more closely than the hardware can take, where it does not wait by itself.
//!
//! The rules are those that the manual of this chip demands of software ("Vega" 7nm Instruction Set Architecture, 26 November 2019, the
//! table of manually inserted wait states). An instruction is one wait state, `s_nop N` is N + 1. Compilers keep them, but not within
//! inline assembly. One line of the table is not here: VCC by its name after the same SGPRs by their number, for which numbers these are
//! depends on how many the wave was given.

mod rules;

use super::finding::{Detail, Other};
use super::{Check, Findings, Here, Launched, Site, Watch};
use crate::isa::uses::{RegisterSet, Uses};
use crate::isa::{Code, Inst, disassemble, register_name};
use crate::machine::Group;

pub use rules::{RULES, Rule};

/// No rule asks for more wait states.
pub const FARTHEST: u32 = 5;

/// Rules that an instruction takes part in: bit n stands for rule n.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Rules of which it is the first instruction.
    pub first: u16,
    /// Rules of which it is the second instruction.
    pub second: u16,
    /// The wait states that it is.
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
            states: match inst.row.mnemonic {
                "s_nop" => (inst.literal & 15) + 1,
                _ => 1,
            },
        }
    }
}

/// A rule that two instructions break, so many wait states apart: the rule, and a register that it is about.
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

/// An instruction that lies a few wait states back.
#[derive(Clone, Copy)]
struct Recent {
    /// The clock behind it.
    clock: u64,
    first: u16,
    pc: u64,
}

#[derive(Clone, Default)]
struct OneWave {
    clock: u64,
    recent: Vec<Recent>,
}

/// The check.
#[derive(Default)]
pub struct Hazard {
    waves: Vec<OneWave>,
}

impl Watch for Hazard {
    fn fork(&self) -> Box<dyn Watch> {
        Box::<Hazard>::default()
    }

    fn group(&mut self, group: &Group, _: &Launched) {
        let waves = group.waves;
        self.waves.clear();
        self.waves.resize_with(waves, OneWave::default);
    }

    fn before(&mut self, here: &Here<'_>, findings: &mut Findings) {
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
            state.recent.push(Recent {
                clock: state.clock,
                first: traits.first,
                pc: here.pc,
            });
        }
    }
}

#[cold]
fn check(recent: &Recent, here: &Here<'_>, common: u16, apart: u32, findings: &mut Findings) {
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
