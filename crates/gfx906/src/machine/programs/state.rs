//! State of a wave and its memories before a program, and the check of the state after it.

use std::sync::Arc;

use toml::Value;

use super::super::lds::Lds;
use super::super::memory::Region;
use super::super::registers::LANES;
use super::super::wave::Wave;
use super::{CODE, Case};
use crate::isa::Code;

const MEMORY: u64 = 0x7_0000_1000;
const MEMORY_BYTES: u64 = 4096;
/// Last word of a resource of f32 elements in order.
const RESOURCE: u32 = 0x27fac;

/// Parses a register name to kind, first number and count. The condition code and memories have no count.
fn registers(name: &str) -> (char, u16, usize) {
    match name {
        "vcc" => return ('s', 106, 2),
        "m0" => return ('s', 124, 1),
        "exec" => return ('s', 126, 2),
        "flat_scratch" => return ('s', 102, 2),
        _ => {}
    }
    let (kind, rest) = name.split_at(1);
    let numbers = rest.trim_matches(['[', ']']);
    let (first, last) = numbers.split_once(':').unwrap_or((numbers, numbers));
    let [first, last]: [u16; 2] = [first, last].map(|n| n.parse().expect("a register"));
    (
        kind.chars().next().expect("s or v"),
        first,
        usize::from(last - first) + 1,
    )
}

/// Returns a value for a lane, as 32 or 64 bits.
fn bits(value: &Value, lane: usize, wide: bool) -> u64 {
    match value {
        Value::Integer(n) => *n as u64,
        Value::Float(x) if wide => x.to_bits(),
        Value::Float(x) => u64::from((*x as f32).to_bits()),
        Value::Array(list) => bits(&list[lane % list.len()], lane, wide),
        Value::String(text) => {
            let (product, addend) = text.split_once('+').unwrap_or((text, "0"));
            let factor = product.trim().strip_prefix("lane").expect("lane*n+m");
            let factor = factor.strip_prefix('*').unwrap_or("1");
            let [n, m] = [factor, addend].map(|n| n.trim().parse::<u64>().expect("a number"));
            n * lane as u64 + m
        }
        other => panic!("no value: {other}"),
    }
}

fn dwords(value: &Value) -> Vec<u32> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| bits(x, 0, false) as u32).collect()
}

pub struct Machine {
    pub wave: Wave,
    pub memory: Arc<Region>,
    pub lds: Lds,
}

impl Machine {
    pub fn new(case: &Case) -> Machine {
        let mut wave = Wave::new();
        wave.set_vgprs(case.vgprs.unwrap_or(256));
        wave.pc = CODE;
        wave.v[0] = std::array::from_fn(|lane| lane as u32);
        wave.set_scalar64(Code(0), MEMORY);
        wave.set_scalar64(Code(4), MEMORY);
        wave.set_scalar64(Code(6), MEMORY_BYTES | u64::from(RESOURCE) << 32);
        wave.set_scalar64(Code::EXEC, !0);
        let mut lds = Lds::default();
        lds.reset(1024);
        let memory = Arc::new(Region::new("memory", MEMORY, MEMORY_BYTES, true));
        let mut machine = Machine { wave, memory, lds };
        for (name, value) in &case.before {
            machine.set(name, value);
        }
        machine
    }

    fn set(&mut self, name: &str, value: &Value) {
        match name {
            "scc" => self.wave.scc = value.as_integer() == Some(1),
            "mode" => self.wave.set_mode_bits(bits(value, 0, false) as u32),
            "memory" => {
                for (n, x) in dwords(value).into_iter().enumerate() {
                    self.memory.write(4 * n as u64, 4, x);
                }
            }
            "lds" => {
                for (n, x) in dwords(value).into_iter().enumerate() {
                    self.lds
                        .write(0, 4 * n as u32, x.to_le_bytes())
                        .expect("within LDS");
                }
            }
            _ => {
                let (kind, first, count) = registers(name);
                for k in 0..count {
                    let part = |lane| (bits(value, lane, count == 2) >> (32 * k)) as u32;
                    if kind == 'v' {
                        self.wave.v[usize::from(first) + k] = std::array::from_fn(part);
                    } else {
                        self.wave.s[usize::from(first) + k] = part(0);
                    }
                }
            }
        }
    }

    pub fn check(&self, title: &str, name: &str, value: &Value) {
        let listed = value.as_array().map(Vec::len);
        match name {
            "scc" => assert_eq!(
                Some(i64::from(self.wave.scc)),
                value.as_integer(),
                "{title}: scc"
            ),
            "mode" => assert_eq!(
                self.wave.mode_bits(),
                bits(value, 0, false) as u32,
                "{title}: mode"
            ),
            "memory" => {
                let want = dwords(value);
                let have: Vec<u32> = (0..want.len())
                    .map(|n| self.memory.read32(4 * n as u64))
                    .collect();
                assert!(
                    have == want,
                    "{title}: memory is {have:#x?}, not {want:#x?}"
                );
            }
            "lds" => {
                let want = dwords(value);
                let read =
                    |n| u32::from_le_bytes(self.lds.read(0, 4 * n as u32).expect("within LDS"));
                let have: Vec<u32> = (0..want.len()).map(read).collect();
                assert!(have == want, "{title}: LDS is {have:#x?}, not {want:#x?}");
            }
            _ => {
                let (kind, first, count) = registers(name);
                let lanes = if kind == 'v' {
                    listed.unwrap_or(LANES)
                } else {
                    1
                };
                for lane in 0..lanes {
                    let have = (0..count).fold(0, |sum, k| {
                        let n = usize::from(first) + k;
                        let part = if kind == 'v' {
                            self.wave.v[n][lane]
                        } else {
                            self.wave.s[n]
                        };
                        sum | u64::from(part) << (32 * k)
                    });
                    let mask = if count == 2 { !0 } else { 0xffff_ffff };
                    let want = bits(value, lane, count == 2) & mask;
                    assert_eq!(
                        have, want,
                        "{title}: {name} of lane {lane} is {have:#x}, not {want:#x}"
                    );
                }
            }
        }
    }
}
