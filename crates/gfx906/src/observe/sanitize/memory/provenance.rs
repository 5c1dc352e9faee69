//! Provenance of pointers: the block from which an address in a register was computed.
//!
//! A load that returns the address of a declared block marks its registers. Copies, and sums with numbers, keep the mark; every other
//! operation drops it. A value computed from two blocks never belongs to either, so that the check reports nothing in case of doubt.

use std::collections::BTreeMap;

use crate::isa::uses::RegisterSet;
use crate::isa::{Access, Code, Encoding, Inst, Properties, Role};
use crate::machine::access::{Part, Space};
use crate::machine::{LANES, Wave};
use crate::observe::sanitize::CheckedInstruction;

/// Number of a block, and the lanes whose register came from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tag {
    /// One more than the block's number; [`MIXED`] if the block is in doubt; 0 for no block.
    block: u16,
    lanes: u64,
}

const MIXED: u16 = u16::MAX;

/// Rule by which an instruction treats pointers among its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PointerRule {
    /// The result is not a pointer.
    Nothing,
    /// The result is a copy.
    Copy,
    /// The result is a copy of the first enabled lane.
    FirstLane,
    /// The result is a copy of some lane.
    Lane,
    /// The result is a copy to one lane.
    ToLane,
    /// The result is one of two sources.
    Choice,
    /// The result is a sum.
    Sum,
    /// The result is the sum of the source with this number and others that are not pointers.
    SumWith(u8),
}

/// Static facts about an instruction for pointers.
#[derive(Clone, Copy, Debug)]
pub struct Traits(PointerRule);

impl Traits {
    /// Determines the facts of an instruction.
    pub fn of(inst: &Inst) -> Traits {
        let name = inst.row.mnemonic;
        let plain = matches!(inst.form, crate::isa::Form::Native | crate::isa::Form::E64);
        Traits(match name {
            _ if !plain => PointerRule::Nothing,
            "v_mov_b32" | "s_mov_b32" | "s_mov_b64" => PointerRule::Copy,
            "v_readfirstlane_b32" => PointerRule::FirstLane,
            "v_readlane_b32" => PointerRule::Lane,
            "v_writelane_b32" => PointerRule::ToLane,
            "v_cndmask_b32" | "s_cselect_b32" | "s_cselect_b64" | "s_cmov_b32" | "s_cmov_b64" => {
                PointerRule::Choice
            }
            "v_add_u32" | "v_add_co_u32" | "v_addc_co_u32" | "v_add3_u32" | "s_add_u32"
            | "s_add_i32" | "s_addc_u32" | "s_addk_i32" => PointerRule::Sum,
            "v_sub_u32" | "v_sub_co_u32" | "v_subb_co_u32" | "s_sub_u32" | "s_sub_i32"
            | "s_subb_u32" => PointerRule::SumWith(0),
            "v_subrev_u32" | "v_subrev_co_u32" | "v_subbrev_co_u32" | "s_lshl1_add_u32"
            | "s_lshl2_add_u32" | "s_lshl3_add_u32" | "s_lshl4_add_u32" => PointerRule::SumWith(1),
            "v_lshl_add_u32" | "v_mad_u64_u32" | "v_mad_i64_i32" | "v_mad_u32_u24"
            | "v_mad_i32_i24" => PointerRule::SumWith(2),
            _ => PointerRule::Nothing,
        })
    }
}

struct WavePointers {
    tags: Box<[Tag; 512]>,
    /// Registers with a mark.
    tagged: RegisterSet,
    /// Scalar registers that are kept in lanes of vector registers.
    kept: BTreeMap<(u16, usize), u16>,
    /// Vector registers that keep scalar ones.
    keepers: RegisterSet,
}

impl Default for WavePointers {
    fn default() -> WavePointers {
        WavePointers {
            tags: Box::new([Tag::default(); 512]),
            tagged: RegisterSet::default(),
            kept: BTreeMap::new(),
            keepers: RegisterSet::default(),
        }
    }
}

impl WavePointers {
    fn get(&self, register: u16) -> Tag {
        match register < 512 && self.tagged.has(register) {
            true => self.tags[usize::from(register)],
            false => Tag::default(),
        }
    }

    /// Marks a register in some lanes. Only one mark fits: a new mark of another block replaces the mark of the remaining lanes.
    fn set(&mut self, register: u16, block: u16, lanes: u64) {
        if register >= 512 {
            return;
        }
        let old = self.get(register);
        let left = old.lanes & !lanes;
        let new = if register < 256 || left == 0 || old.block == block {
            Tag {
                block,
                lanes: if old.block == block {
                    lanes | left
                } else {
                    lanes
                },
            }
        } else if block == 0 {
            Tag {
                block: old.block,
                lanes: left,
            }
        } else {
            // The mark of the inactive lanes is dropped.
            Tag { block, lanes }
        };
        let new = if new.block == 0 || new.lanes == 0 {
            Tag::default()
        } else {
            new
        };
        self.tags[usize::from(register)] = new;
        let mut one = RegisterSet::default();
        one.add(register, 1);
        self.tagged = match new.block {
            0 => self.tagged.without(&one),
            _ => self.tagged.or(&one),
        };
    }
}

/// Returns the mark of the sum of two values. The sum of two marked values belongs to no block.
fn sum(a: Tag, b: Tag) -> Tag {
    match (a.block, b.block) {
        (_, 0) => a,
        (0, _) => b,
        _ => Tag {
            block: MIXED,
            lanes: a.lanes | b.lanes,
        },
    }
}

/// Provenance of the pointers of a group's waves.
#[derive(Default)]
pub struct Provenance {
    waves: Vec<WavePointers>,
    hint: usize,
}

impl Provenance {
    /// Begins a work-group.
    pub fn group(&mut self, waves: usize) {
        self.waves.resize_with(waves, WavePointers::default);
        for wave in &mut self.waves {
            wave.tagged = RegisterSet::default();
            wave.kept.clear();
            wave.keepers = RegisterSet::default();
        }
    }

    /// Returns the block that the address of an access came from, and the lanes for which this is certain.
    pub fn of_address(&self, here: &CheckedInstruction<'_>, part: &Part) -> Option<(usize, u64)> {
        let state = self.waves.get(here.wave.index as usize)?;
        if state.tagged.and(&here.facts.uses.reads).is_empty() {
            return None;
        }
        let op = here.op;
        let base = op.inst.by_role(Role::Sbase);
        let first = match op.encoding {
            Encoding::Smem if !op.has(Properties::SCALAR_BUFFER) => base.0,
            Encoding::Global if base != Code::OFF => {
                // A pointer in the offset's place would be a second one.
                if state.get(op.inst.by_role(Role::Addr).0).block != 0 {
                    return None;
                }
                base.0
            }
            Encoding::Global | Encoding::Flat => op.inst.by_role(Role::Addr).0,
            _ => return None,
        };
        let (low, high) = (state.get(first), state.get(first + 1));
        let lanes = low.lanes & high.lanes & part.lanes;
        let sure = low.block == high.block && low.block != MIXED && lanes != 0;
        let block = usize::from(low.block).checked_sub(1)?;
        sure.then_some((block, lanes))
    }

    /// Updates the marks after an instruction has run.
    pub fn after(&mut self, here: &CheckedInstruction<'_>, wave: &Wave) {
        let Some(state) = self.waves.get_mut(here.wave.index as usize) else {
            return;
        };
        if here.launch.memory.is_empty() {
            return;
        }
        let uses = &here.facts.uses;
        let makes = here.facts.memory.pointers.0;
        if makes != PointerRule::ToLane && !state.keepers.and(&uses.writes).is_empty() {
            state
                .kept
                .retain(|(keeper, _), _| !uses.writes.has(*keeper));
            state.keepers = state.keepers.without(&uses.writes);
        }
        let touched = !state.tagged.and(&uses.reads.or(&uses.writes)).is_empty();
        if touched {
            if !here.facts.exact || wave.indexes_vgprs() {
                // Any register may have been written, so all marks are dropped.
                state.tagged = RegisterSet::default();
                return;
            }
            propagate(state, makes, here, wave);
        } else if matches!(makes, PointerRule::Lane | PointerRule::ToLane) && !state.kept.is_empty()
        {
            propagate(state, makes, here, wave);
        }
        loaded(state, here, wave, &mut self.hint);
    }
}

/// Marks the registers that an instruction writes.
fn propagate(
    state: &mut WavePointers,
    makes: PointerRule,
    here: &CheckedInstruction<'_>,
    wave: &Wave,
) {
    let inst = &here.op.inst;
    let vector = inst.encoding.is_vector();
    let lanes = if vector { here_lanes(wave) } else { !0 };
    let operands = || inst.row.operands.iter().zip(&inst.operands);
    let destination = operands().find(|(o, _)| o.access != Access::Read);
    let registers = destination.map_or(0, |(o, _)| o.ty.registers() as u16);
    let source = |state: &WavePointers, n: usize, k: u16| -> Tag {
        let mut sources =
            operands().filter(|(o, _)| o.access != Access::Write && o.role != Role::Vcc);
        match sources.nth(n) {
            Some((o, code)) if k < o.ty.registers() as u16 => state.get(code.0.saturating_add(k)),
            _ => Tag::default(),
        }
    };
    let sources = |state: &WavePointers, k: u16| [0, 1, 2].map(|n| source(state, n, k));
    let mut made = [Tag::default(); 2];
    for k in 0..registers.min(2) {
        let all = sources(state, k);
        made[usize::from(k)] = match makes {
            PointerRule::Nothing | PointerRule::ToLane => Tag::default(),
            PointerRule::Copy => all[0],
            PointerRule::FirstLane => {
                let lane = wave.exec().trailing_zeros() % 64;
                let sure = all[0].lanes >> lane & 1 != 0;
                if sure { all[0] } else { Tag::default() }
            }
            PointerRule::Lane => kept(state, here, wave).unwrap_or_default(),
            PointerRule::Choice => choice(
                operands()
                    .filter(|(o, _)| o.access != Access::Write && o.role != Role::Vcc)
                    .map(|(_, code)| *code),
                all,
            ),
            PointerRule::Sum => sum(sum(all[0], all[1]), all[2]),
            PointerRule::SumWith(n) => {
                let others = (0..3)
                    .filter(|&m| m != usize::from(n))
                    .any(|m| all[m].block != 0);
                match others {
                    true => Tag {
                        block: MIXED,
                        lanes: !0,
                    },
                    false => all[usize::from(n)],
                }
            }
        };
    }
    if makes == PointerRule::ToLane {
        let from = operands()
            .nth(1)
            .map_or(Tag::default(), |(_, code)| state.get(code.0));
        let lane = operands().nth(2).map_or(0, |(_, code)| {
            wave.scalar32(*code, inst.literal) as usize % LANES
        });
        let to = inst.operands[0].0;
        state.kept.insert((to, lane), from.block);
        state.keepers.add(to, 1);
        state.set(to, 0, 1 << lane);
        return;
    }
    let first = destination.map(|(_, code)| code.0);
    let mut rest = here.facts.uses.writes;
    if let Some(first) = first {
        for k in 0..registers.min(2) {
            let Tag { block, lanes: from } = made[usize::from(k)];
            let register = first + k;
            let mut one = RegisterSet::default();
            one.add(register, 1);
            rest = rest.without(&one);
            let to_vector = register >= 256;
            if to_vector && block != 0 && block != MIXED && from & lanes != lanes {
                state.set(register, 0, lanes & !from);
                state.set(register, block, lanes & from);
            } else {
                state.set(register, block, if to_vector { lanes } else { !0 });
            }
        }
    }
    // The rest are masks, and further registers of a load.
    let mut rest = rest.and(&state.tagged);
    while let Some(register) = rest.first() {
        state.set(register, 0, if register >= 256 { lanes } else { !0 });
        let mut one = RegisterSet::default();
        one.add(register, 1);
        rest = rest.without(&one);
    }
}

/// Returns the mark of a choice between two sources. It is certain only if both marks are equal, or if the other source is a constant.
fn choice(codes: impl Iterator<Item = Code>, all: [Tag; 3]) -> Tag {
    let mut made = Tag::default();
    let mut doubt = false;
    for (_, tag) in codes.zip(all).filter(|(code, _)| !code.is_number()) {
        if made == Tag::default() && !doubt {
            made = tag;
            doubt = tag.block == 0;
        } else if made != tag {
            doubt = true;
        }
    }
    match doubt {
        true => Tag {
            block: if all.iter().any(|t| t.block != 0) {
                MIXED
            } else {
                0
            },
            lanes: !0,
        },
        false => made,
    }
}

fn kept(state: &WavePointers, here: &CheckedInstruction<'_>, wave: &Wave) -> Option<Tag> {
    let inst = &here.op.inst;
    let lane = wave.scalar32(inst.operands[2], inst.literal) as usize % LANES;
    let from = inst.operands[1].0;
    let tag = state.get(from);
    if tag.lanes >> lane & 1 != 0 {
        return Some(Tag {
            block: tag.block,
            lanes: !0,
        });
    }
    let block = *state.kept.get(&(from, lane))?;
    (block != 0).then_some(Tag { block, lanes: !0 })
}

fn here_lanes(wave: &Wave) -> u64 {
    wave.lanes_on()
}

/// Marks the addresses that a load has returned.
fn loaded(state: &mut WavePointers, here: &CheckedInstruction<'_>, wave: &Wave, hint: &mut usize) {
    let known = &*here.launch.memory;
    let span = known.span();
    let highs = (span.start >> 32) as u32..=(span.end >> 32) as u32;
    for part in &here.access.parts {
        let Some(first) = part
            .register
            .filter(|_| part.reads && !part.writes && part.bytes >= 8)
        else {
            continue;
        };
        if part.space == Space::Lds {
            continue;
        }
        for k in (0..part.bytes as u16 / 4 - 1).step_by(2) {
            let register = first + k;
            let mark = |address: u64, hint: &mut usize| {
                known
                    .surely(hint, address)
                    .and_then(|n| u16::try_from(n + 1).ok())
                    .filter(|&n| n != MIXED)
            };
            if register < 128 {
                let value = wave.scalar64(Code(register), 0);
                if let Some(block) = mark(value, hint) {
                    state.set(register, block, !0);
                    state.set(register + 1, block, !0);
                }
                continue;
            }
            let (low, high) = (
                &wave.v[usize::from(register) - 256],
                &wave.v[(usize::from(register) - 255) & 255],
            );
            let some = part.places().any(|(lane, _)| highs.contains(&high[lane]));
            if !some {
                continue;
            }
            let mut found = Tag::default();
            for (lane, _) in part.places() {
                let value = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                let Some(block) = mark(value, hint) else {
                    continue;
                };
                if found.block == 0 || found.block == block {
                    found = Tag {
                        block,
                        lanes: found.lanes | 1 << lane,
                    };
                }
            }
            if found.block != 0 {
                state.set(register, found.block, found.lanes);
                state.set(register + 1, found.block, found.lanes);
            }
        }
    }
}
