//! Uses of values that nobody wrote where they matter: in an address, in a branch or EXEC, and in stores to memory that others see.
//!
//! Each bit of a register, of LDS and of scratch has a bit that is set if the value is undefined, and so has each byte of memory that was
//! declared undefined ([`Heap`](super::Heap)). Instructions propagate these bits with the values. A copy of an undefined value is not a
//! mistake: structures have padding, and compilers spill registers of which half the lanes are disabled. A store of a fully undefined value
//! to memory is a mistake, and so is a branch that depends on one.
//!
//! Most instructions use no undefined value. A set of registers shows this at once.

mod alu;
mod memory;
mod report;
mod rule;
mod shadow;
mod storage;
#[cfg(test)]
mod tests;

use self::alu::Alu;
use self::memory::AccessedMemory;
use self::report::{Origins, UndefinedUse};
use self::rule::Requirement;
use self::shadow::Shadow;
use self::storage::{Lds, Scratch};
use super::{CheckedInstruction, CheckedLaunch, Findings, Watch};
use crate::isa::uses::{RegisterSet, Uses};
use crate::isa::{Code, Encoding, Properties, Role};
use crate::machine::Group;
use crate::machine::access::{Part, Space};
use crate::machine::sources::resolved;
use crate::machine::{LANES, MemoryPath};

pub use self::rule::Traits;

#[derive(Default)]
struct WaveShadow {
    shadow: Shadow,
    scratch: Scratch,
}

/// The check.
#[derive(Default)]
pub struct Init {
    waves: Vec<WaveShadow>,
    lds: Lds,
    hint: usize,
    origins: Origins,
}

impl Watch for Init {
    fn fork(&self) -> Box<dyn Watch> {
        Box::<Init>::default()
    }

    fn dispatch(&mut self) {
        // Another code object may have a kernel of the same name.
        self.origins = Origins::default();
    }

    fn group(&mut self, group: &Group, launch: &CheckedLaunch) {
        let waves = group.waves;
        self.waves.resize_with(waves, WaveShadow::default);
        self.lds.begin(launch.lds);
        let items: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
        for (n, wave) in self.waves.iter_mut().enumerate() {
            let items = items.saturating_sub((n * LANES) as u64);
            let lanes = if items >= LANES as u64 {
                !0
            } else {
                (1 << items) - 1
            };
            wave.shadow.begin(launch.sgprs, launch.vgprs, lanes);
            wave.scratch.begin();
        }
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let Some(state) = self.waves.get_mut(here.wave.index as usize) else {
            return;
        };
        let uses = &here.facts.uses;
        let traits = &here.facts.init;
        let vector = here.op.encoding.is_vector();
        let lanes = if vector { here.lanes() } else { !0 };
        let moves = here.op.traffic.way != MemoryPath::None;
        if !here.facts.exact || vector && here.wave.indexes_vgprs() {
            return indexed(state, here, &mut self.origins, findings);
        }
        if vector && traits.writes_one_lane {
            // The lane is current again, and with it the scalars that compilers keep in lanes.
            state.shadow.renew(&uses.writes, !0);
        } else if vector {
            state.shadow.renew(&uses.writes, lanes);
        }
        let dirty = state.shadow.meets(&uses.reads);
        let names_inactive = traits.names_lanes && here.wave.exec() != !0;
        if !dirty && !moves && !names_inactive {
            return state.shadow.define(&uses.writes, lanes);
        }
        if dirty {
            let mut undefined = UndefinedUse {
                here,
                shadow: &mut state.shadow,
                origins: &mut self.origins,
                findings,
            };
            undefined.check_address(&traits.address, lanes);
            if let Some((need, registers)) = traits.needs {
                undefined.check_need(need, &registers);
            }
        }
        if moves {
            let mut reached = AccessedMemory {
                known: &here.launch.memory,
                hint: &mut self.hint,
                lds: &mut self.lds,
                scratch: &mut state.scratch,
            };
            return access(
                &mut state.shadow,
                &mut reached,
                here,
                &mut self.origins,
                findings,
            );
        }
        let read = if traits.crosses { !0 } else { lanes };
        if !names_inactive && state.shadow.first_of(&uses.reads, read).is_none() {
            return state.shadow.define(&uses.writes, lanes);
        }
        if !computes(here.op.encoding) {
            return;
        }
        let mut alu = Alu::new(
            &mut state.shadow,
            here.wave,
            here.op,
            &here.op.inst,
            uses,
            lanes,
            traits.crosses,
        );
        alu.inactive = names_inactive.then(|| self.origins.of_inactive_lane(here));
        let (exec, origin) = alu.run(traits.rule);
        if exec != 0 {
            let mut undefined = UndefinedUse {
                here,
                shadow: &mut state.shadow,
                origins: &mut self.origins,
                findings,
            };
            undefined.exec(exec, origin);
        }
    }
}

/// Returns true if instructions of an encoding compute.
fn computes(encoding: Encoding) -> bool {
    encoding.is_vector_alu()
        || matches!(
            encoding,
            Encoding::Ds | Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc
        )
}

/// Propagates through an instruction whose registers M0 selects, or whose operands do not name its registers.
fn indexed(
    state: &mut WaveShadow,
    here: &CheckedInstruction<'_>,
    origins: &mut Origins,
    findings: &mut Findings,
) {
    let inst = &here.op.inst;
    if let Some((need, registers)) = here.facts.init.needs {
        let mut undefined = UndefinedUse {
            here,
            shadow: &mut state.shadow,
            origins,
            findings,
        };
        undefined.check_need(need, &registers);
    }
    let mut m0 = RegisterSet::default();
    m0.add(Code::M0.0, 1);
    if inst.has(Properties::GETS_HARDWARE_REGISTER) {
        let mut to = RegisterSet::default();
        to.add(inst.operands[0].0, 1);
        return state.shadow.define(&to, !0);
    }
    if inst.has(Properties::GPR_INDEX_SETTING) {
        return state.shadow.define(&m0, !0);
    }
    let lanes = if inst.encoding.is_vector() {
        here.lanes()
    } else {
        !0
    };
    let Some(inst) = resolved(here.wave, inst) else {
        return;
    };
    if inst.has(Properties::RELATIVE_MOVE) || inst.encoding.is_vector_alu() {
        let uses: Uses = alu::named(&inst);
        let alu = Alu::new(
            &mut state.shadow,
            here.wave,
            here.op,
            &inst,
            &uses,
            lanes,
            true,
        );
        alu.run(here.facts.init.rule);
    } else if here.op.traffic.way != MemoryPath::None {
        // Memory instructions are not indexed.
        state.shadow.define(&here.facts.uses.writes, lanes);
    }
}

/// Returns the position of `count` bytes in a register that a load fills or a store takes, as a shift; true if the rest of the register
/// keeps its value; and true if the sign fills the rest.
fn part_of_register(here: &CheckedInstruction<'_>, part: &Part, count: u64) -> (u32, bool, bool) {
    let signed = here.op.has(Properties::SIGNED_LOAD);
    let keeps = here.op.has(Properties::D16) && count < 4;
    (if part.high { 16 } else { 0 }, keeps, signed && count < 4)
}

/// Propagates through an instruction that accesses memory.
fn access(
    shadow: &mut Shadow,
    reached: &mut AccessedMemory<'_>,
    here: &CheckedInstruction<'_>,
    origins: &mut Origins,
    findings: &mut Findings,
) {
    let vector = here.op.encoding.is_vector();
    let lanes = if vector { here.lanes() } else { !0 };
    let uses = &here.facts.uses;
    if here.access.atomic {
        return atomic(shadow, reached, here, lanes, origins, findings);
    }
    let stores = here.op.traffic.written != 0;
    if stores {
        let parts = &here.access.parts;
        if let [from, to] = &parts[..]
            && here.op.traffic.with_lds
        {
            return through_lds(reached, from, to);
        }
        if here.op.encoding == Encoding::Smem || vector && here.op.row.has_role(Role::Data) {
            let registers = here.op.inst.stored_registers();
            let data = shadow.meets(&uses.reads) && shadow.first_of(&registers, lanes).is_some();
            if data {
                let lanes_in = |space: Space| {
                    let parts = parts.iter().filter(|part| part.space == space);
                    parts.fold(0, |all, part| all | part.lanes)
                };
                let mut undefined = UndefinedUse {
                    here,
                    shadow,
                    origins,
                    findings,
                };
                undefined.check_store(&registers, lanes_in(Space::Global));
                undefined.check_inactive(&registers, lanes_in(Space::Lds));
            }
            for part in parts {
                match part.register.filter(|_| data) {
                    Some(first) => store(shadow, reached, here, part, first, origins),
                    None => reached.define(part),
                }
            }
        } else {
            parts.iter().for_each(|part| reached.define(part));
        }
        return;
    }
    if let [from, to] = &here.access.parts[..]
        && here.op.traffic.with_lds
    {
        return through_lds(reached, from, to);
    }
    load(shadow, reached, here, lanes, origins);
}

fn through_lds(reached: &mut AccessedMemory<'_>, from: &Part, to: &Part) {
    let (from, to) = if from.reads { (from, to) } else { (to, from) };
    if !reached.any(from) {
        return reached.define(to);
    }
    for (lane, at) in from.places() {
        let bits = reached.get(from.space, lane, at, from.bytes.min(4));
        if to.lanes >> lane & 1 != 0 {
            reached.put(to.space, lane, to.at[lane], to.bytes.min(4), bits);
        }
    }
}

fn load(
    shadow: &mut Shadow,
    reached: &mut AccessedMemory<'_>,
    here: &CheckedInstruction<'_>,
    lanes: u64,
    origins: &mut Origins,
) {
    let uses = &here.facts.uses;
    let partly = here.op.has(Properties::D16);
    if !partly {
        // Elements beyond a resource read as 0.
        shadow.define(&uses.writes, lanes);
    }
    for part in &here.access.parts {
        let Some(first) = part.register else {
            continue;
        };
        let written = shadow.meets(&uses.writes);
        let undefined = reached.any(part);
        if !(undefined || partly && written) {
            continue;
        }
        let mut origin = None;
        for (lane, at) in part.places() {
            for (k, offset) in (0..part.bytes).step_by(4).enumerate() {
                let count = (part.bytes - offset).min(4);
                let (shift, keeps, signed) = part_of_register(here, part, count);
                let mut bits = if undefined {
                    reached.get(part.space, lane, at + offset, count)
                } else {
                    0
                };
                let first_byte = at + offset + u64::from(bits.trailing_zeros() / 8);
                if signed && bits >> (8 * count - 1) & 1 != 0 {
                    bits |= u32::MAX << (8 * count);
                }
                let register = first + k as u16;
                if register >= 512 {
                    continue;
                }
                let here_from = match bits {
                    0 => shadow.origin(register),
                    _ => {
                        *origin.get_or_insert_with(|| origins.of_load(here, part.space, first_byte))
                    }
                };
                if keeps {
                    let field = 0xffff << shift;
                    bits = (bits & 0xffff) << shift | shadow.get(register, lane) & !field;
                }
                if bits != 0 || keeps {
                    shadow.put(register, lane, bits, here_from);
                }
            }
        }
    }
}

fn store(
    shadow: &Shadow,
    reached: &mut AccessedMemory<'_>,
    here: &CheckedInstruction<'_>,
    part: &Part,
    first: u16,
    origins: &Origins,
) {
    for (lane, at) in part.places() {
        for (k, offset) in (0..part.bytes).step_by(4).enumerate() {
            let count = (part.bytes - offset).min(4);
            let (shift, ..) = part_of_register(here, part, count);
            let register = first + k as u16;
            // Memory tells undefined values by their bytes, not by their origin, and the store itself was a use of such a value.
            let bits = match origins.is_inactive_lane(shadow.origin(register)) {
                true => 0,
                false => shadow.get(register, lane) >> if count < 4 { shift } else { 0 },
            };
            reached.put(part.space, lane, at + offset, count, bits);
        }
    }
}

/// Checks an atomic, which reads and writes at once: both operands matter, but the one in memory does not if it is only replaced.
fn atomic(
    shadow: &mut Shadow,
    reached: &mut AccessedMemory<'_>,
    here: &CheckedInstruction<'_>,
    lanes: u64,
    origins: &mut Origins,
    findings: &mut Findings,
) {
    let replaces = here.op.has(Properties::EXCHANGES_VALUE);
    let operands = here.op.inst.stored_registers();
    for part in &here.access.parts {
        if !replaces && reached.any(part) {
            let dwords = part.places().flat_map(|(lane, at)| {
                let dwords = (0..part.bytes).step_by(4);
                dwords.map(move |k| (lane, at + k, (part.bytes - k).min(4)))
            });
            let undefined = |&(lane, at, bytes): &(usize, u64, u64)| {
                reached.get(part.space, lane, at, bytes) != 0
            };
            if let Some((lane, at, _)) = { dwords }.find(undefined) {
                let origin = origins.of_load(here, part.space, at);
                UndefinedUse {
                    here,
                    shadow: &mut *shadow,
                    origins: &mut *origins,
                    findings: &mut *findings,
                }
                .memory_operand(lane, origin);
            }
        }
        reached.define(part);
    }
    if shadow.meets(&operands) {
        UndefinedUse {
            here,
            shadow: &mut *shadow,
            origins,
            findings,
        }
        .check_atomic(&operands, lanes);
    }
    shadow.define(&here.facts.uses.writes, lanes);
}

impl UndefinedUse<'_, '_> {
    /// Checks the registers of an address.
    fn check_address(&mut self, registers: &RegisterSet, lanes: u64) {
        if let Some(register) = self.shadow.first_of(registers, lanes) {
            let from = self.lanes_of(register, lanes);
            self.found("undefined address", register, from, "is part of an address");
            self.shadow.define(registers, lanes);
        }
    }

    fn check_need(&mut self, need: Requirement, registers: &RegisterSet) {
        let Some(register) = self.shadow.first_of(registers, !0) else {
            return;
        };
        match need {
            Requirement::Vcc => {
                let vcc = self.here.wave.vcc();
                let high = u64::from(self.shadow.get(Code::VCC.0 + 1, 0));
                let undefined = u64::from(self.shadow.get(Code::VCC.0, 0)) | high << 32;
                // A single defined set bit decides the branch.
                if vcc & !undefined == 0 {
                    self.found(
                        "undefined branch",
                        register,
                        undefined,
                        "decides where the wave goes on",
                    );
                }
            }
            Requirement::Branch => self.found(
                "undefined branch",
                register,
                0,
                "decides where the wave goes on",
            ),
            Requirement::Setting => {
                self.found("undefined setting", register, 0, "is a setting of the wave")
            }
        }
        self.shadow.define(registers, !0);
    }

    /// Checks a store. A fully undefined element is a mistake; a partly undefined one is padding, and is propagated.
    fn check_store(&mut self, registers: &RegisterSet, lanes: u64) {
        let bits = match self.here.op.traffic.written {
            1 => 0xff,
            2 => 0xffff,
            _ => u32::MAX,
        };
        let shift = match self.here.op.has(Properties::D16_HIGH) {
            true => 16,
            false => 0,
        };
        let whole = |lane: usize| {
            registers
                .iter()
                .all(|register| self.shadow.get(register, lane) >> shift & bits == bits)
        };
        let each = crate::machine::shapes::addresses::each(lanes).filter(|&lane| whole(lane));
        let undefined = each.fold(0, |lanes, lane| lanes | 1 << lane);
        if let Some(register) = registers.first().filter(|_| undefined != 0) {
            self.found(
                "undefined store",
                register,
                undefined,
                "is stored to memory",
            );
            self.shadow.define(registers, undefined);
        }
    }

    /// Checks a store to LDS for values from inactive lanes.
    fn check_inactive(&mut self, registers: &RegisterSet, lanes: u64) {
        let mut registers = registers.iter();
        let found = registers.find(|&register| {
            self.origins.is_inactive_lane(self.shadow.origin(register))
                && self.lanes_of(register, lanes) != 0
        });
        if let Some(register) = found {
            let from = self.lanes_of(register, lanes);
            self.found("undefined store", register, from, "is stored to LDS");
        }
    }

    fn check_atomic(&mut self, registers: &RegisterSet, lanes: u64) {
        if let Some(register) = self.shadow.first_of(registers, lanes) {
            let from = self.lanes_of(register, lanes);
            self.found(
                "undefined atomic",
                register,
                from,
                "is an operand of an atomic",
            );
            self.shadow.define(registers, lanes);
        }
    }
}
