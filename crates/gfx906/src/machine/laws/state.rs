//! State that an instruction can read or change, and the execution of words on it.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::super::env::Env;
use super::super::forms;
use super::super::lds::Lds;
use super::super::level::Level;
use super::super::memory::{AddressSpace, Region};
use super::super::program::SegmentCode;
use super::super::registers::{LANES, Lanes};
use super::super::trap::Stop;
use super::super::wave::Wave;
use super::dice::Dice;
use crate::isa::Code;

/// Guest address of the instruction.
const CODE: u64 = 0x1_0000;
/// Guest address of the memory.
pub const MEMORY: u64 = 0x7_0000_1000;
/// Size of the memory in bytes. Scratch is the upper half.
pub const BYTES: u64 = 16 << 10;
/// Address of scratch memory: FLAT_SCRATCH.
pub const SCRATCH: u64 = MEMORY + BYTES / 2;
/// Size of LDS in bytes.
pub const LDS: u32 = 4096;
/// Number of VGPRs of the wave.
const VGPRS: usize = 256;

/// State of a wave and its memories.
#[derive(Clone, PartialEq)]
pub struct MachineState {
    /// Vector registers.
    pub v: Vec<Lanes>,
    /// Scalar registers.
    pub s: [u32; 128],
    /// The scalar condition code.
    pub scc: bool,
    /// The MODE register.
    pub mode: u32,
    /// Address of the wave's next instruction.
    pub pc: u64,
    /// Memory, in dwords.
    pub memory: Vec<u32>,
    /// LDS, in dwords.
    pub lds: Vec<u32>,
    /// Reason why the wave stopped, if it did.
    pub stop: Option<String>,
}

impl MachineState {
    /// Draws registers and memories with all kinds of values.
    pub fn seeded(dice: &mut Dice) -> MachineState {
        let mut dwords = |count: usize| (0..count).map(|_| dice.dword()).collect::<Vec<_>>();
        let (s, memory, lds) = (
            dwords(128),
            dwords(BYTES as usize / 4),
            dwords(LDS as usize / 4),
        );
        let mut state = MachineState {
            v: (0..VGPRS)
                .map(|_| std::array::from_fn(|_| dice.dword()))
                .collect(),
            s: s.try_into().expect("128 registers"),
            scc: dice.percent(50),
            mode: HIP_MODE,
            pc: CODE,
            memory,
            lds,
            stop: None,
        };
        state.set64(102, SCRATCH);
        state
    }

    /// Returns a register pair.
    pub fn get64(&self, first: usize) -> u64 {
        u64::from(self.s[first]) | u64::from(self.s[first + 1]) << 32
    }

    /// Sets a register pair.
    pub fn set64(&mut self, first: usize, value: u64) {
        self.s[first] = value as u32;
        self.s[first + 1] = (value >> 32) as u32;
    }

    /// Returns EXEC.
    pub fn exec(&self) -> u64 {
        self.get64(EXEC)
    }

    /// Returns the values of a register. A scalar register has the same value in all lanes.
    pub fn register(&self, code: Code) -> Lanes {
        match code.as_vgpr() {
            Some(v) => self.v[usize::from(v)],
            None => [self.s[usize::from(code.0)]; LANES],
        }
    }

    /// Sets a register. A scalar register gets lane 0's value.
    pub fn set_register(&mut self, code: Code, values: &Lanes) {
        match code.as_vgpr() {
            Some(v) => self.v[usize::from(v)] = *values,
            None => self.s[usize::from(code.0)] = values[0],
        }
    }

    /// Describes the first difference from another state in a few words.
    pub fn difference(&self, other: &MachineState) -> Option<String> {
        if self == other {
            return None;
        }
        let mut said = Vec::new();
        if self.stop != other.stop {
            said.push(format!("ends with {:?}, not {:?}", self.stop, other.stop));
        }
        for (n, (a, b)) in self.v.iter().zip(&other.v).enumerate() {
            if let Some(l) = (0..LANES).find(|&l| a[l] != b[l]) {
                let lanes = (0..LANES).filter(|&l| a[l] != b[l]).count();
                said.push(format!(
                    "v{n} lane {l} is {:#x}, not {:#x} ({lanes} lanes)",
                    a[l], b[l]
                ));
            }
        }
        let scalars = (&self.s[..], &other.s[..], "s");
        let memory = (&self.memory[..], &other.memory[..], "memory dword ");
        let lds = (&self.lds[..], &other.lds[..], "LDS dword ");
        for (a, b, name) in [scalars, memory, lds] {
            for n in (0..a.len()).filter(|&n| a[n] != b[n]).take(3) {
                said.push(format!("{name}{n} is {:#x}, not {:#x}", a[n], b[n]));
            }
        }
        let rest = |s: &MachineState| (s.scc, s.mode, s.pc);
        if rest(self) != rest(other) {
            said.push(format!(
                "scc, mode, pc {:x?}, not {:x?}",
                rest(self),
                rest(other)
            ));
        }
        said.truncate(6);
        Some(said.join("; "))
    }
}

/// EXEC_LO.
pub const EXEC: usize = 126;
/// VCC_LO.
pub const VCC: usize = 106;
/// M0.
pub const M0: usize = 124;
/// MODE for which kernels are compiled.
pub const HIP_MODE: u32 = 0x3f0;

/// Bench that runs instructions on states.
pub struct Bench {
    wave: Wave,
    lds: Lds,
    region: Arc<Region>,
    space: AddressSpace,
}

impl Bench {
    /// Creates a bench.
    pub fn new() -> Bench {
        let region = Arc::new(Region::new("memory", MEMORY, BYTES, true));
        let mut space = AddressSpace::default();
        space.insert(region.clone());
        let mut lds = Lds::default();
        lds.reset(LDS);
        let mut wave = Wave::new();
        wave.set_vgprs(VGPRS as u16);
        Bench {
            wave,
            lds,
            region,
            space,
        }
    }

    /// Runs instructions one after another on a state, at the host's feature level.
    pub fn run(&mut self, state: &MachineState, words: &[u32]) -> MachineState {
        self.run_at(state, words, Level::host())
    }

    /// Runs instructions on a state at a feature level, until one of them stops the wave or they end.
    pub fn run_at(&mut self, state: &MachineState, words: &[u32], level: Level) -> MachineState {
        self.load(state);
        let program = assemble(words, level);
        let stop = self.step(&program, words.len());
        self.store(stop)
    }

    /// Runs one instruction once per mask. Each run begins with the scalar registers of the state, and with the vector registers and
    /// memories of the run before. `f` is called with the scalar registers after each run.
    pub fn run_each(
        &mut self,
        state: &MachineState,
        words: &[u32],
        masks: impl Iterator<Item = u64>,
        mut after: impl FnMut(&[u32; 128]),
    ) -> MachineState {
        self.load(state);
        let program = assemble(words, Level::host());
        let mut stop = None;
        for mask in masks {
            self.wave.s = state.s;
            self.wave.set_scalar64(Code::EXEC, mask);
            (self.wave.scc, self.wave.pc) = (state.scc, CODE);
            stop = self.step(&program, words.len());
            if stop.is_some() {
                break;
            }
            after(&self.wave.s);
        }
        self.store(stop)
    }

    fn load(&mut self, state: &MachineState) {
        let w = &mut self.wave;
        w.v[..VGPRS].copy_from_slice(&state.v);
        w.s = state.s;
        (w.scc, w.pc) = (state.scc, state.pc);
        w.set_mode_bits(state.mode);
        for (word, &value) in self.region.words_at(0).iter().zip(&state.memory) {
            word.store(value, Relaxed);
        }
        self.lds.words_mut().copy_from_slice(&state.lds);
    }

    /// Runs until the pc leaves the words. Returns the reason if the wave stops earlier.
    fn step(&mut self, program: &SegmentCode, count: usize) -> Option<String> {
        let mut env = Env {
            lds: std::mem::take(&mut self.lds),
            clock: 1000,
            ..Env::new(&self.space)
        };
        let w = &mut self.wave;
        let mut stop = None;
        for _ in 0..count {
            let Some(op) = program.fetch(w.pc) else { break };
            w.pc = w.pc.wrapping_add(op.inst.size.into());
            let outcome = if op.vgprs > w.limit() {
                forms::run(w, &mut env, op)
            } else {
                // SAFETY: callers use only levels that the host has.
                unsafe { (op.handler)(w, &mut env, op) }
            };
            if let Err(reason) = outcome {
                stop = Some(match reason {
                    Stop::Fault(fault) => fault.kind.to_string(),
                    other => format!("{other:?}"),
                });
                break;
            }
        }
        self.lds = env.lds;
        stop
    }

    fn store(&self, stop: Option<String>) -> MachineState {
        let w = &self.wave;
        let words = self.region.words_at(0).iter();
        MachineState {
            v: w.v[..VGPRS].to_vec(),
            s: w.s,
            scc: w.scc,
            mode: w.mode_bits(),
            pc: w.pc,
            memory: words.map(|word| word.load(Relaxed)).collect(),
            lds: self.lds.words().to_vec(),
            stop,
        }
    }
}

fn assemble(words: &[u32], level: Level) -> SegmentCode {
    let code = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    SegmentCode::new(CODE, code, level)
}
