//! The values of a vector instruction's sources as it uses them: moved between lanes, selected, widened, with their signs changed.

use half::f16;

use super::dpp::source_lane;
use super::lane::{Lane, Slot};
use super::modifiers::{Change, plain};
use super::registers::{LANES, Lanes};
use super::wave::Wave;
use crate::isa::{Code, F16_CONSTANTS, Form, Inst, Properties, Role, Type};

/// A source that is a floating-point number.
#[derive(Clone, Copy, Debug)]
pub struct FloatSource {
    /// Its position among the sources: 0, 1 or 2.
    pub number: usize,
    /// Its code.
    pub code: Code,
    /// Its type. A mixed source counts as the f32 that it is widened to.
    pub ty: Type,
    /// Low registers of the lanes' values.
    pub low: Lanes,
    /// High registers; zero for a value of one register.
    pub high: Lanes,
}

/// Returns the position among the sources that a role stands for.
fn number(role: Role) -> Option<usize> {
    match role {
        Role::Src0 => Some(0),
        Role::Src1 => Some(1),
        Role::Src2 => Some(2),
        _ => None,
    }
}

/// Returns how a lane function takes a type; none for a type that is no floating-point number.
fn slot(ty: Type) -> Option<Slot> {
    match ty {
        Type::F16 => Some(f16::SLOT),
        Type::F16x2 => Some(<[f16; 2]>::SLOT),
        Type::F32 | Type::Mix => Some(f32::SLOT),
        Type::F64 => Some(f64::SLOT),
        _ => None,
    }
}

/// Returns the lane whose value of a source a lane reads; none where DPP has no lane to read.
pub fn lane_read(inst: &Inst, source: usize, lane: usize) -> Option<usize> {
    match inst.form {
        Form::Dpp if source == 0 => source_lane(inst.modifiers.dpp_ctrl, lane),
        _ => Some(lane),
    }
}

/// Returns the sources of a vector instruction that are floating-point numbers, before it runs.
pub fn float_sources(wave: &Wave, inst: &Inst) -> Vec<FloatSource> {
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let sources = operands.filter_map(|(operand, &code)| {
        let number = match operand.role {
            Role::Vdst if inst.has(Properties::ACCUMULATES) => 2,
            role => number(role)?,
        };
        let slot = slot(operand.ty)?;
        let ty = if operand.ty == Type::Mix {
            Type::F32
        } else {
            operand.ty
        };
        let (low, high) = values(wave, inst, number, &slot, code);
        Some(FloatSource {
            number,
            code,
            ty,
            low,
            high,
        })
    });
    sources.collect()
}

fn values(wave: &Wave, inst: &Inst, source: usize, slot: &Slot, code: Code) -> (Lanes, Lanes) {
    let wide = slot.registers == 2;
    let (mut low, mut high) = match code.as_vgpr() {
        Some(register) => {
            let moved = |register: usize| -> Lanes {
                let values = &wave.v[register];
                std::array::from_fn(|lane| {
                    lane_read(inst, source, lane).map_or(0, |from| values[from])
                })
            };
            let first = usize::from(register);
            let high = if wide { moved(first + 1) } else { [0; LANES] };
            (moved(first), high)
        }
        None if wide => {
            let value = wave.scalar64(code, inst.literal);
            ([value as u32; LANES], [(value >> 32) as u32; LANES])
        }
        None => {
            let value = match code.0 {
                c @ 240..=248 if slot.half || slot.pair => {
                    F16_CONSTANTS[usize::from(c - 240)].into()
                }
                _ => wave.scalar32(code, inst.literal),
            };
            ([value; LANES], [0; LANES])
        }
    };
    if !plain(inst, source) {
        let change = Change::new(inst, source, slot, code);
        let last = if wide { &mut high } else { &mut low };
        let from = *last;
        change.apply::<16>(&from, last);
    }
    (low, high)
}
