//! Values that one instruction reads and writes, each time it runs. Two runs whose code differs only in that instruction differ first in
//! these values.

use super::Observer;
use crate::isa::{Access, Code, Kind, register_name};
use crate::machine::{DispatchStart, Op, Wave};

/// Number of executions whose operands are recorded.
const REMEMBERED: usize = 2;

/// Digest of a sequence of words. Two different sequences have the same digest with a probability of 2^-64.
#[derive(Clone, Copy, Debug)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, words: &[u32]) {
        for pair in words.chunks(2) {
            let pair = pair
                .iter()
                .fold(0, |all, &word| all << 32 | u64::from(word));
            self.0 = (self.0 ^ pair)
                .wrapping_add(1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
    }
}

/// Observer of the instruction at one link address.
#[derive(Clone, Debug)]
pub struct Witness {
    target: u64,
    base: u64,
    left: Digest,
    executions: u64,
    saw: Vec<String>,
}

impl Witness {
    /// Creates an observer of the instruction at a link address.
    pub fn new(target: u64) -> Witness {
        Witness {
            target,
            base: 0,
            left: Digest(0),
            executions: 0,
            saw: Vec::new(),
        }
    }

    /// Returns the number of executions, and a digest of the state after each: every register and, after a store, the instruction itself.
    pub fn left(&self) -> (u64, u64) {
        (self.executions, self.left.0)
    }

    /// Returns the operand values of the first executions, one line each.
    pub fn saw(&self) -> &[String] {
        &self.saw
    }
}

impl Observer for Witness {
    fn fork(&self) -> Option<Witness> {
        None
    }

    fn join(&mut self, _: Witness) {}

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.base = started.base;
    }

    #[inline]
    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if pc.wrapping_sub(self.base) == self.target && self.saw.len() < REMEMBERED {
            self.saw.push(seen(wave, op));
        }
    }

    #[inline]
    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if pc.wrapping_sub(self.base) != self.target {
            return;
        }
        self.executions += 1;
        let vgprs = usize::from(wave.vgprs());
        let left = &mut self.left;
        for register in 0..vgprs {
            left.add(&wave.v[register]);
        }
        left.add(&wave.s);
        let pc = wave.pc.wrapping_sub(self.base) as u32;
        left.add(&[u32::from(wave.scc), wave.mode_bits(), pc]);
        // The stored value is in no written register, so every change of a store makes another digest, unless no lane is active.
        let stores = matches!(op.kind, Kind::Vmem | Kind::Lds);
        if stores && wave.lanes_on() != 0 {
            let loads = op.inst.row.operands.first();
            let loads = loads.is_some_and(|operand| operand.access == Access::Write);
            if !loads {
                left.add(&op.inst.words);
            }
        }
    }
}

/// Formats the sources of an instruction: for vectors, the values of the first and the last enabled lane.
fn seen(wave: &Wave, op: &Op) -> String {
    let lanes = wave.lanes_on();
    let sources = op.inst.row.operands.iter().zip(&op.inst.operands);
    let sources = sources.filter(|(operand, code)| {
        operand.access != Access::Write && **code != Code::OFF && !code.is_number()
    });
    let told: Vec<String> = sources
        .filter_map(|(operand, &code)| {
            let registers = operand.ty.registers();
            let name = register_name(code, registers);
            let value = match code.as_vgpr() {
                Some(_) if lanes == 0 => "no lane on".into(),
                Some(register) => {
                    let row = &wave.v[usize::from(register)];
                    let (first, last) = (lanes.trailing_zeros(), 63 - lanes.leading_zeros());
                    let (a, b) = (row[first as usize], row[last as usize]);
                    format!("{a:#010x} in lane {first}, {b:#010x} in lane {last}")
                }
                None => {
                    let low = wave.s.get(usize::from(code.0)).copied()?;
                    let high = wave.s.get(usize::from(code.0) + 1);
                    match high.filter(|_| registers == 2) {
                        Some(high) => format!("{high:#010x}{low:08x}"),
                        None => format!("{low:#010x}"),
                    }
                }
            };
            Some(format!("{name} = {value}"))
        })
        .collect();
    let scc = format!("scc = {}", u8::from(wave.scc));
    let exec = format!("exec = {lanes:#018x}");
    told.into_iter()
        .chain([exec, scc])
        .collect::<Vec<_>>()
        .join("; ")
}
