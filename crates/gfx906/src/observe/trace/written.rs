//! Registers that an instruction wrote: the destinations of its row, and all other registers that have changed.

use super::values;
use crate::isa::{Access, Code, Flags, Operand, Properties, Role, Type, register_name};
use crate::machine::{Kind, LANES, Op, Wave};

/// Registers before an instruction.
#[derive(Default)]
pub struct Before {
    s: Vec<u32>,
    v: Vec<[u32; LANES]>,
    scc: bool,
    mode: u32,
    exec: u64,
}

/// VGPRs that hold one value or several, and the lanes that were written.
struct Vector {
    first: usize,
    count: usize,
    ty: Type,
    lanes: u64,
}

impl Before {
    /// Copies the registers of a wave.
    pub fn take(&mut self, wave: &Wave) {
        self.s.clear();
        self.s.extend(wave.s);
        self.v.clear();
        self.v.extend(&wave.v[..usize::from(wave.vgprs()).min(256)]);
        self.scc = wave.scc;
        self.mode = wave.mode_bits();
        self.exec = wave.exec();
    }

    /// Returns the registers that an instruction has written, each with its value: `s[2:3] = 0x...`.
    pub fn changes(&self, wave: &Wave, op: &Op) -> Vec<String> {
        let mut changes = Vec::new();
        self.scalars(wave, op, &mut changes);
        self.vectors(wave, op, &mut changes);
        changes
    }

    fn scalars(&self, wave: &Wave, op: &Op, changes: &mut Vec<String>) {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for (operand, code) in written(op).filter(|(_, code)| code.0 < 128) {
            groups.push((code.0.into(), operand.ty.registers()));
        }
        for n in (0..128).filter(|&n| wave.s[n] != self.s[n]) {
            let shown = |&(first, count): &(usize, usize)| (first..first + count).contains(&n);
            if !groups.iter().any(shown) {
                // Masks and addresses are pairs.
                let pair = matches!(n, 102..=107 | 126..=127);
                groups.push(if pair { (n & !1, 2) } else { (n, 1) });
            }
        }
        for (first, count) in groups {
            let dwords = &wave.s[first..(first + count).min(128)];
            let value = match *dwords {
                [low, high] => {
                    values::value(u64::from(low) | u64::from(high) << 32, Type::B64, true)
                }
                _ => {
                    let each = dwords.iter();
                    let each = each.map(|&x| values::value(x.into(), Type::B32, false));
                    each.collect::<Vec<_>>().join(" ")
                }
            };
            let name = register_name(Code(first as u16), dwords.len());
            changes.push(format!("{name} = {value}"));
        }
        let compares = op.has(Properties::SCALAR_COMPARISON);
        if compares || wave.scc != self.scc {
            changes.push(format!("scc = {}", u32::from(wave.scc)));
        }
        if wave.mode_bits() != self.mode {
            changes.push(format!("mode = {:#010x}", wave.mode_bits()));
        }
    }

    fn vectors(&self, wave: &Wave, op: &Op, changes: &mut Vec<String>) {
        let mut vectors: Vec<Vector> = Vec::new();
        // In these modes the instruction writes another register than the named one, or none.
        if !wave.skips_vector() && !wave.indexes_vgprs() {
            vectors.extend(
                written(op).filter_map(|(operand, code)| self.named(wave, op, operand, code)),
            );
        }
        for (n, old) in self.v.iter().enumerate() {
            let new = &wave.v[n];
            if new == old {
                continue;
            }
            let lanes = (0..LANES)
                .filter(|&l| new[l] != old[l])
                .fold(0, |mask, l| mask | 1 << l);
            let named = |v: &&mut Vector| (v.first..v.first + v.count).contains(&n);
            match vectors.iter_mut().find(named) {
                Some(vector) => vector.lanes |= lanes,
                None => vectors.push(Vector {
                    first: n,
                    count: 1,
                    ty: Type::B32,
                    lanes,
                }),
            }
        }
        for vector in vectors.iter().filter(|vector| vector.lanes != 0) {
            show(wave, op, vector, changes);
        }
    }

    /// Returns the VGPRs of a written operand.
    fn named(&self, wave: &Wave, op: &Op, operand: &Operand, code: Code) -> Option<Vector> {
        let first = usize::from(code.as_vgpr()?);
        let mut count = operand.ty.registers();
        // The compare value stands behind the data, and keeps its value.
        if operand.role == Role::Data && op.has(Properties::COMPARE_AND_SWAP) {
            count /= 2;
        }
        let lanes = match op.row.mnemonic {
            "v_writelane_b32" => 1 << (wave.scalar32(op.operands[2], op.literal) % LANES as u32),
            _ => self.exec,
        };
        (first + count <= self.v.len()).then_some(Vector {
            first,
            count,
            ty: operand.ty,
            lanes,
        })
    }
}

/// Iterates over the operands that an instruction writes. An atomic returns the old value only with GLC, and a load to LDS writes no
/// register.
fn written(op: &Op) -> impl Iterator<Item = (&'static Operand, Code)> {
    let flags = op.modifiers.flags;
    let silent = op.has(Properties::ATOMIC) && !flags.has(Flags::GLC);
    let to_lds = op.kind == Kind::Vmem && flags.has(Flags::LDS);
    let operands = op.row.operands.iter().zip(op.operands);
    operands.filter(move |(operand, _)| operand.access != Access::Read && !silent && !to_lds)
}

/// Formats a value of two registers as one number, and every other register by itself, because loaded data may have any type.
fn show(wave: &Wave, op: &Op, vector: &Vector, changes: &mut Vec<String>) {
    let one = vector.count == 2 && (vector.ty != Type::B64 || op.kind == Kind::Valu);
    let width = if one { 2 } else { 1 };
    for first in (vector.first..vector.first + vector.count).step_by(width) {
        let values = std::array::from_fn(|l| {
            let part = |k: usize| u64::from(wave.v[first + k][l]);
            if one {
                part(0) | part(1) << 32
            } else {
                part(0)
            }
        });
        let ty = if width == vector.ty.registers() {
            vector.ty
        } else {
            Type::B32
        };
        let name = register_name(Code::vgpr(first as u8), width);
        let text = values::lanes(&values, vector.lanes, ty, one);
        changes.push(format!("{name} = {text}"));
    }
}
