//! The sources of a vector instruction: the lanes that it reads and writes, and the values as it uses them: moved between lanes, selected,
//! widened, with their signs changed.

use half::f16;

use super::dpp::source_lane;
use super::lane::{Lane, Slot};
use super::modifiers::{Change, plain};
use super::op::Op;
use super::registers::{LANES, Lanes};
use super::shapes::exchange::{lanes_named, swizzled};
use super::shapes::indexing::indexed;
use super::wave::Wave;
use crate::isa::{Code, F16_CONSTANTS, Flags, Form, Inst, Properties, Role, Type};

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
pub fn number(role: Role) -> Option<usize> {
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

/// Returns an instruction whose operands are the registers that an index in M0 selects, or `None` if the operands are direct.
pub fn resolved(wave: &Wave, inst: &Inst) -> Option<Inst> {
    if inst.has(Properties::RELATIVE_MOVE) {
        let mut made = *inst;
        let at = usize::from(inst.has(Properties::RELATIVE_SOURCE));
        let register = u32::from(made.operands[at].0).wrapping_add(wave.scalar32(Code::M0, 0));
        made.operands[at] = Code(
            u16::try_from(register)
                .ok()
                .filter(|&register| register < 102)?,
        );
        return Some(made);
    }
    if wave.indexes_vgprs() && inst.encoding.is_vector_alu() {
        return indexed(wave, inst);
    }
    Some(*inst)
}

/// Returns the lanes whose VGPRs an instruction writes that accesses no memory.
pub fn written_lanes(wave: &Wave, op: &Op) -> u64 {
    if op.has(Properties::WRITES_LANE) {
        return 1 << (wave.scalar32(op.by_role(Role::Src1), op.literal) % LANES as u32);
    }
    let lanes = wave.lanes_on();
    if op.form != Form::Dpp {
        return lanes;
    }
    let there = (0..LANES).filter(|&lane| lane_read(&op.inst, 0, lane).is_some());
    let there = there.fold(0, |lanes, lane| lanes | 1 << lane);
    let bound = op.modifiers.flags.has(Flags::BOUND_CTRL);
    lanes & op.plan.dpp_lanes & if bound { !0 } else { there }
}

/// Returns true if an instruction reads or writes memory or LDS. Exchanges of lanes through the LDS pipe do not.
pub fn accesses_memory(op: &Op) -> bool {
    op.traffic.read != 0 || op.traffic.written != 0
}

/// Returns the lane from which each lane gets its value in an exchange through the LDS pipe, before it runs; none where it gets 0.
pub fn exchanged_lanes(wave: &Wave, op: &Op) -> [Option<u8>; LANES] {
    let named = lanes_named(wave, op);
    let on = |lane: u8| wave.exec() >> lane & 1 != 0;
    let lane = |number: u32| (number % LANES as u32) as u8;
    match op.row.mnemonic {
        "ds_permute_b32" => {
            let mut from = [None; LANES];
            let writers = (0..LANES as u8).filter(|&writer| on(writer));
            writers.for_each(|writer| {
                from[usize::from(lane(named[usize::from(writer)]))] = Some(writer);
            });
            from
        }
        "ds_bpermute_b32" => named.map(|from| Some(lane(from)).filter(|&from| on(from))),
        _ => std::array::from_fn(|l| {
            let pattern = op.offset as u32 & 0xffff;
            let from = lane(l as u32 & 32 | swizzled(pattern, l as u32 & 31));
            Some(from).filter(|&from| on(from))
        }),
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
