//! Short assembled programs as data: `tests/programs/*.toml` says what a wave holds before and after each.
//!
//! A wave starts with all lanes on, v0 = the lane's number, s[0:1] = the address of 4096 bytes of memory, s[4:7] = a buffer
//! resource over them (f32 elements), 1024 bytes of LDS, and the mode that kernels are compiled for. What `in` names is set,
//! what `out` names is compared. An integer or an f32 stands for all lanes, a list for the first ones (in `in` it repeats), and
//! `"lane*4+1"` for what it says; a pair of registers, as in `v[2:3]`, holds 64 bits.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use toml::Value;

use super::group::{self, Budget, Meter};
use super::handler::Level;
use super::lds::Lds;
use super::memory::{AddressSpace, Region};
use super::program::Program;
use super::wave::{Env, LANES, Wave};
use crate::isa::Code;
use crate::observe::Nobody;

const CODE: u64 = 0x1_0000;
const MEMORY: u64 = 0x7_0000_1000;
const MEMORY_BYTES: u64 = 4096;
/// f32 elements, every component as it is.
const RESOURCE: u32 = 0x27fac;
const S_ENDPGM: u32 = 0xbf81_0000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    program: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The rule, in the ISA's sense.
    #[expect(dead_code, reason = "for who reads the file")]
    why: Option<String>,
    /// What `scripts/assemble-tests.sh` makes the words of.
    #[expect(dead_code, reason = "the words are what runs")]
    code: String,
    words: String,
    /// VGPRs of the kernel (256).
    vgprs: Option<u16>,
    #[serde(rename = "in", default)]
    before: BTreeMap<String, Value>,
    #[serde(rename = "out", default)]
    after: BTreeMap<String, Value>,
    /// Part of the trap's text, where the program traps.
    trap: Option<String>,
}

/// Registers by name: kind, first number, count; `None`: the condition code or a memory.
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

/// A value for a lane, as 32 or 64 bits.
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

struct Machine {
    wave: Wave,
    memory: Arc<Region>,
    lds: Lds,
}

impl Machine {
    fn new(case: &Case) -> Machine {
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

    fn check(&self, title: &str, name: &str, value: &Value) {
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

fn run(file: &str, case: &Case, level: Level) {
    let title = format!("{file}: {} ({level:?})", case.name);
    let words = case
        .words
        .split_whitespace()
        .map(|w| u32::from_str_radix(w, 16).expect("hex"));
    let code = words.chain([S_ENDPGM]).flat_map(u32::to_le_bytes).collect();
    let programs = [Program::new(CODE, code, level)];
    let Machine { wave, memory, lds } = Machine::new(case);
    let mut space = AddressSpace::default();
    space.insert(memory.clone());
    let mut env = Env {
        memory: &space,
        last: 0,
        lds,
        clock: 0,
    };
    let budget = Budget::new(10_000, 10.0);
    let mut waves = [wave];
    let result = group::run(
        &mut waves,
        &mut env,
        &programs,
        &mut Meter::new(&budget),
        &mut Nobody,
    );
    let trap = result.err().map(|failure| failure.fault.kind.to_string());
    match (&trap, &case.trap) {
        (Some(text), Some(part)) => assert!(text.contains(part), "{title}: {text}"),
        (None, None) => {}
        _ => panic!("{title}: ends with {trap:?}, not {:?}", case.trap),
    }
    let [wave] = waves;
    let machine = Machine {
        wave,
        memory,
        lds: env.lds,
    };
    for (name, value) in &case.after {
        machine.check(&title, name, value);
    }
}

#[test]
fn programs_do_what_their_files_say() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let (mut count, mut failed) = (0, Vec::new());
    for entry in std::fs::read_dir(directory).expect("the programs' directory") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a file of programs");
        let name = path.file_name().expect("a name").to_string_lossy();
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for case in &file.program {
            for level in [Level::Baseline, Level::V3, Level::V4] {
                let run = || run(&name, case, level);
                // Each failure prints its own message; one does not hide the others.
                if level <= Level::host() && std::panic::catch_unwind(run).is_err() {
                    failed.push(format!("{name}: {}", case.name));
                }
            }
            count += 1;
        }
    }
    assert!(count > 0, "no program in {directory}");
    assert!(
        failed.is_empty(),
        "{} of {count} programs fail: {failed:#?}",
        failed.len()
    );
}
