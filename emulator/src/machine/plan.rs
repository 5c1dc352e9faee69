//! Positions of a vector instruction's operands, and the effects of its modifiers on them, determined once.

use super::dpp::Control;
use super::lane::{Shape, Slot};
use super::modifiers::{Change, Fill, dpp_lanes, plain};
use super::registers::SOURCES;
use crate::isa::{Code, F16_CONSTANTS, Flags, Form, Inst, Role, inline_constant};

/// Destination of results that have no VGPR.
const NOWHERE: u16 = 256 + 2 * SOURCES as u16;

/// Positions of a vector instruction's operands, determined once.
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
    /// Changes of vector and scalar sources by modifiers; `scalars` has the positions of the scalar ones.
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

impl Plan {
    /// Finds out where the operands of a function of a shape stand.
    pub fn new(inst: &Inst, shape: &Shape) -> Plan {
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
