//! Test bench with one wave that runs a few words.

use std::sync::Arc;

use super::super::env::Env;
use super::super::group::{self, Budget, Meter};
use super::super::lds::Lds;
use super::super::level::Level;
use super::super::memory::{AddressSpace, Region};
use super::super::program::SegmentCode;
use super::super::registers::LANES;
use super::super::trap::TrapKind;
use super::super::wave::Wave;
use crate::isa::Code;
use crate::machine::Nobody;

const CODE: u64 = 0x1_0000;
const S_ENDPGM: u32 = 0xbf81_0000;
/// Guest address of the memory, which s[0:1] holds.
pub const MEMORY: u64 = 0x7_0000_1000;
/// Size of the memory.
pub const BYTES: u64 = 8192;

/// A wave with its memory, before or after a program.
pub struct Bench {
    /// The wave.
    pub wave: Wave,
    /// The memory.
    pub memory: Arc<Region>,
    /// LDS of 1024 bytes.
    pub lds: Lds,
}

impl Bench {
    /// Creates a wave with all lanes enabled, v0 = the lane's number, and a v1 that differs in all lanes and bytes.
    pub fn new() -> Bench {
        let mut wave = Wave::new();
        wave.v[0] = std::array::from_fn(|l| l as u32);
        wave.v[1] = std::array::from_fn(|l| value(l as u32));
        wave.set_scalar64(Code(0), MEMORY);
        wave.set_scalar64(Code::EXEC, !0);
        wave.pc = CODE;
        let mut lds = Lds::default();
        lds.reset(1024);
        let memory = Arc::new(Region::new("memory", MEMORY, BYTES, true));
        Bench { wave, memory, lds }
    }

    /// Runs words to their end.
    ///
    /// # Errors
    /// The trap.
    pub fn run(&mut self, words: &[u32], level: Level) -> Result<(), TrapKind> {
        let code = words.iter().chain([&S_ENDPGM]);
        let code = code.flat_map(|w| w.to_le_bytes()).collect();
        let programs = [SegmentCode::new(CODE, code, level)];
        let mut space = AddressSpace::default();
        space.insert(self.memory.clone());
        let mut env = Env {
            lds: std::mem::take(&mut self.lds),
            ..Env::new(&space)
        };
        let budget = Budget::steps(10_000);
        let waves = std::slice::from_mut(&mut self.wave);
        let result = group::run(
            waves,
            &mut env,
            &programs,
            0,
            &mut Meter::new(&budget),
            &mut Nobody,
        );
        self.lds = env.lds;
        result.map_err(|failure| failure.fault.kind)
    }

    /// Returns a register's lanes.
    pub fn lanes(&self, register: usize) -> [u32; LANES] {
        self.wave.v[register]
    }
}

/// Returns a value for a number, with four distinctive bytes.
pub fn value(n: u32) -> u32 {
    (n + 1).wrapping_mul(0x9e37_79b1).rotate_left(n)
}
