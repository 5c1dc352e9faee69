//! Positions of a vector instruction's operands, and the effects of its modifiers on them, determined once.

use super::dpp::Control;
use super::lane::{LaneSignature, Slot};
use super::modifiers::{Change, Fill, dpp_lanes, plain};
use super::registers::SOURCES;
use crate::isa::{Code, F16_CONSTANTS, Flags, Form, Inst, Role, inline_constant};

/// Destination of results that have no VGPR.
const NOWHERE: u16 = 256 + 2 * SOURCES as u16;

/// Positions of a vector instruction's operands, determined once. The fields that most instructions read stand at the beginning.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Plan {
    /// Register of each source.
    pub sources: [u16; SOURCES],
    /// Register of the result.
    pub vdst: u16,
    /// Sources that are one SGPR or constant of 32 bits for all lanes, one bit per source.
    pub splat: u8,
    /// SGPR of each such source, or the code of its constant.
    pub scalars: [Code; SOURCES],
    /// Constant of each such source.
    pub constants: [u32; SOURCES],
    /// Sources that are negated or absolute registers, one bit per source.
    pub signs: u8,
    /// Sources that need any other conversion, one bit per source.
    pub fetch: u8,
    /// True if results are written as computed, without omod and clamp.
    pub exact: bool,
    /// True if results are clamped and otherwise unchanged.
    pub clamps: bool,
    /// True if a result fills its register in every enabled lane, with neither a part nor a DPP mask.
    pub whole: bool,
    /// Register of the address.
    pub addr: u16,
    /// Register of the data.
    pub data: u16,
    /// Scalar base of the address.
    pub base: Code,
    /// Lane mapping of the first source, for DPP.
    pub dpp: Option<&'static Control>,
    /// Lanes that the row and bank masks of DPP enable.
    pub dpp_lanes: u64,
    /// Changes of vector and scalar sources by modifiers; `scalars` has the positions of the scalar ones.
    pub changes: [Change; SOURCES],
    /// Part of its register that the result fills, if it fills only a part.
    pub fill: Option<Fill>,
}

impl Plan {
    /// Determines the positions of the operands for a function of a shape.
    pub fn new(inst: &Inst, shape: &LaneSignature) -> Plan {
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

/// Returns the operand of a lane function's source. A source that the row does not list is VCC's bit or the destination's old value.
pub fn source(inst: &Inst, shape: &LaneSignature, n: usize) -> Code {
    let place = shape.destinations + n;
    if place < inst.row.operands.len() {
        inst.operands[place]
    } else if shape.sources[n].registers == 0 {
        Code::VCC
    } else {
        inst.operands[0]
    }
}

/// Returns the constant that a 32-bit source is for all lanes; 0 for an SGPR, whose value is not known yet.
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
