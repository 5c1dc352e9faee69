//! A decoded instruction made ready to run: its handler, and where its operands stand.

use std::ops::Deref;

use super::forms;
use super::handler::{Handler, Handlers, Level};
use super::memory::Hint;
use super::program::Kind;
use super::shapes::{Change, Control, Fill, dpp_lanes, plain};
use super::traffic::Traffic;
use super::wave::{F16_CONSTANTS, inline_constant};
use crate::isa::{self, Access, Code, Encoding, Flags, Form, Inst, Operand, Role};

/// Sources that a vector instruction may have.
pub const SOURCES: usize = 4;
/// Registers that a wave has beyond its VGPRs: two for each source that stands elsewhere, and one that takes the results of
/// instructions without a VGPR destination, as wide as two.
pub const SLOTS: usize = 2 * SOURCES + 2;
/// Where results go that have no VGPR.
const NOWHERE: u16 = 256 + 2 * SOURCES as u16;

/// What a lane function takes or gives in one place: the registers it stands in, and how modifiers act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Registers: 0 (a bit of a mask), 1 or 2.
    pub registers: u8,
    /// The sign bit that neg and abs act on, within the last register.
    pub sign: u32,
    /// A 16-bit value: op_sel picks its half.
    pub half: bool,
    /// Two 16-bit values.
    pub pair: bool,
}

impl Slot {
    /// A bit of a mask.
    pub const BIT: Slot = Slot {
        registers: 0,
        sign: 0,
        half: false,
        pair: false,
    };
}

/// The sources and the result of a lane function.
#[derive(Debug)]
pub struct Shape {
    /// Its sources, in order.
    pub sources: &'static [Slot],
    /// Its result's value (`Slot::BIT` where a mask is all it gives).
    pub result: Slot,
    /// Destinations, hence the first source's place among the operands.
    pub destinations: usize,
}

impl Shape {
    /// Of what is not a lane function.
    pub const NONE: &'static Shape = &Shape {
        sources: &[],
        result: Slot::BIT,
        destinations: 0,
    };
}

/// Where a vector instruction's operands stand, found out once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// The register that each source is read from.
    pub sources: [u16; SOURCES],
    /// The register of the result.
    pub vdst: u16,
    /// Sources that are one SGPR or one constant for all lanes, 32 bits of it, a bit each.
    pub splat: u8,
    /// The SGPR of such a source; its constant where that is no SGPR.
    pub scalars: [Code; SOURCES],
    /// The constant of such a source.
    pub constants: [u32; SOURCES],
    /// Sources that are registers negated or taken absolute, a bit each.
    pub signs: u8,
    /// Sources that are brought to their slots in yet another way, a bit each.
    pub fetch: u8,
    /// What becomes of both kinds on the way; `scalars` says where they stand.
    pub changes: [Change; SOURCES],
    /// The lanes that the first source reads, where they are others (DPP).
    pub dpp: Option<&'static Control>,
    /// The lanes that its row and bank masks leave on.
    pub dpp_lanes: u64,
    /// The part of its register that the result fills, where that is not all.
    pub fill: Option<Fill>,
    /// Results go out as computed: neither omod nor clamp.
    pub exact: bool,
    /// Results are clamped, and that is all.
    pub clamps: bool,
    /// A result fills its register in every lane that is on: no part of it, no lane left out by DPP.
    pub whole: bool,
    /// The register of the address.
    pub addr: u16,
    /// The register of the data.
    pub data: u16,
    /// The scalar base of the address.
    pub base: Code,
}

/// A decoded instruction with its handler.
#[derive(Debug)]
pub struct Op {
    /// How it runs.
    pub handler: Handler,
    /// Where its operands stand.
    pub plan: Plan,
    /// The VGPRs it needs: one more than the highest it names, and one for every vector instruction.
    pub vgprs: u16,
    /// Its kind.
    pub kind: Kind,
    /// What it moves to and from memory.
    pub traffic: Traffic,
    /// The allocation that it accessed last: most instructions have one of their own.
    pub region: Hint,
    /// The instruction.
    pub inst: Inst,
}

impl Deref for Op {
    type Target = Inst;
    fn deref(&self) -> &Inst {
        &self.inst
    }
}

impl Op {
    /// An instruction that runs by its handler at a feature level.
    pub fn new(inst: Inst, handlers: &Handlers, level: Level) -> Op {
        Op {
            handler: handlers.at(level),
            plan: Plan::new(&inst, handlers.shape),
            vgprs: vgprs_needed(&inst),
            kind: Kind::of(&inst),
            traffic: Traffic::of(&inst),
            region: Hint::default(),
            inst,
        }
    }

    /// The instruction in the assembler's syntax; where the words are none, the first of them.
    pub fn text(&self) -> String {
        if self.row.mnemonic == "invalid" {
            format!("invalid ({:#010x})", self.words[0])
        } else {
            isa::disassemble(&self.inst)
        }
    }
}

impl Plan {
    fn new(inst: &Inst, shape: &Shape) -> Plan {
        let register = |code: Code| code.as_vgpr().map_or(0, u16::from);
        let m = &inst.modifiers;
        let mut plan = Plan {
            vdst: inst.operands[0].as_vgpr().map_or(NOWHERE, u16::from),
            exact: m.omod == 0 && !m.flags.has(Flags::CLAMP),
            clamps: m.omod == 0 && m.flags.has(Flags::CLAMP),
            addr: register(inst.by_role(Role::Addr)),
            data: register(inst.by_role(Role::Data)),
            base: inst.by_role(Role::Sbase),
            ..Plan::default()
        };
        plan.fill = Fill::new(inst, &shape.result);
        plan.dpp = (inst.form == Form::Dpp).then(|| Control::of(m.dpp_ctrl));
        plan.dpp_lanes = dpp_lanes(inst);
        plan.whole = plan.fill.is_none() && plan.dpp.is_none();
        for (n, slot) in shape.sources.iter().enumerate() {
            let code = source(inst, shape, n);
            plan.sources[n] = match code.as_vgpr() {
                Some(v) if slot.registers != 0 && plain(inst, n) => u16::from(v),
                _ => {
                    plan.scalars[n] = code;
                    match splat(inst, slot, code).filter(|_| plain(inst, n)) {
                        Some(constant) => {
                            plan.splat |= 1 << n;
                            plan.constants[n] = constant;
                        }
                        None if slot.registers == 0 => (),
                        None => {
                            let change = Change::new(inst, n, slot, code);
                            let here = n != 0 || plan.dpp.is_none();
                            if change.is_sign() && here && code.as_vgpr().is_some() {
                                plan.signs |= 1 << n;
                            } else {
                                plan.fetch |= 1 << n;
                            }
                            plan.changes[n] = change;
                        }
                    }
                    256 + 2 * n as u16
                }
            };
        }
        plan
    }
}

/// Whether a 16-bit result leaves the other half of its register, as its row says by reading it: the instructions that have op_sel
/// and the multiply-adds of VOP2 do, the others clear it.
pub fn keeps_half(inst: &Inst, result: &Slot) -> bool {
    result.half && inst.row.operands[0].access == Access::ReadWrite
}

/// The operand that a lane function's source reads. Where the row lists none it is VCC's bit, or the destination's old value.
pub fn source(inst: &Inst, shape: &Shape, n: usize) -> Code {
    let place = shape.destinations + n;
    if place < inst.row.operands.len() {
        inst.operands[place]
    } else if shape.sources[n].registers == 0 {
        Code::VCC
    } else {
        inst.operands[0]
    }
}

/// The constant that a 32-bit source is for all lanes; 0 where it is an SGPR, whose value is not known yet.
fn splat(inst: &Inst, slot: &Slot, code: Code) -> Option<u32> {
    if slot.registers != 1 {
        return None;
    }
    match code.0 {
        0..=127 => Some(0),
        c @ 240..=248 if slot.half || slot.pair => Some(F16_CONSTANTS[usize::from(c - 240)].into()),
        c => inline_constant(c, inst.literal),
    }
}

fn vgprs_needed(inst: &Inst) -> u16 {
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let ends = operands
        .filter_map(|(o, code)| Some(code.as_vgpr()? as u16 + vector_registers(inst, o) as u16));
    let least = u16::from(forms::is_vector(inst.encoding));
    ends.max().unwrap_or(0).max(least)
}

/// The registers of a vector operand: the row's number, but for addresses whose width the instruction's other fields say.
fn vector_registers(inst: &Inst, operand: &Operand) -> usize {
    let flags = inst.modifiers.flags;
    match (inst.encoding, operand.role) {
        (Encoding::Global, Role::Addr) if inst.by_role(Role::Sbase) != Code::OFF => 1,
        (Encoding::Mubuf | Encoding::Mtbuf, Role::Addr)
            if flags.has(Flags::OFFEN) && flags.has(Flags::IDXEN) =>
        {
            2
        }
        _ => operand.ty.registers(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa;

    fn vgprs(words: [u32; 2]) -> u16 {
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        vgprs_needed(&isa::decode(&code).expect("an instruction"))
    }

    /// A kernel that has v3 and no more was stopped at a store whose offset is in v3: taken for the pair v[3:4].
    #[test]
    fn an_offset_from_a_scalar_base_is_one_register() {
        // global_store_dwordx2 v3, v[0:1], s[6:7]; the same with an address in v[3:4]
        assert_eq!(vgprs([0xdc74_8000, 0x0006_0003]), 4);
        assert_eq!(vgprs([0xdc74_8000, 0x007f_0003]), 5);
    }

    #[test]
    fn a_buffer_address_of_index_and_offset_is_two_registers() {
        // buffer_load_dword v0, v3, s[4:7], 0 offen; v0, v[3:4], s[4:7], 0 idxen offen
        assert_eq!(vgprs([0xe050_1000, 0x8001_0003]), 4);
        assert_eq!(vgprs([0xe050_3000, 0x8001_0003]), 5);
    }
}
