//! The result of an instruction as text.

use crate::isa::{Access, Inst, Type};
use crate::machine::Wave;
use crate::observe::value::Value;

/// Registers of a result that are told.
const TOLD: u16 = 4;

/// Returns the first result of an instruction that has run, in one lane. `stay` has the bits of its register that it kept.
pub(super) fn text(wave: &Wave, inst: &Inst, stay: u32, lane: usize) -> Option<String> {
    let mut operands = inst.row.operands.iter().zip(&inst.operands);
    let (operand, code) = operands.find(|(operand, code)| {
        operand.access != Access::Read && (code.0 < 128 || code.as_vgpr().is_some())
    })?;
    let registers = code.0..code.0 + inst.registers(operand).min(TOLD);
    let word = |register: u16| match register.checked_sub(256) {
        Some(vgpr) => wave.v[usize::from(vgpr) % 256][lane],
        None => wave.s.get(usize::from(register)).copied().unwrap_or(0),
    };
    let low = word(registers.start);
    let high = registers.clone().nth(1).map_or(0, word);
    Some(match operand.ty {
        Type::F16 if stay & 0xffff == 0xffff => Value {
            low: low >> 16,
            high: 0,
            ty: Type::F16,
        }
        .text(),
        ty @ (Type::F16 | Type::F32 | Type::F64 | Type::F16x2) => Value { low, high, ty }.text(),
        _ => {
            let words = registers.map(|register| plain(word(register)));
            words.collect::<Vec<_>>().join(", ")
        }
    })
}

/// Returns bits whose type is not known as text: as a number of floating point where they look like one.
fn plain(bits: u32) -> String {
    let value = f32::from_bits(bits);
    match value.abs() {
        size if (1e-9..1e9).contains(&size) => format!("{value:?}"),
        _ if bits < 0x1_0000 => bits.to_string(),
        _ => format!("{bits:#x}"),
    }
}
