//! Test that runs every instruction of the golden disassembly.

use std::sync::Arc;

use super::super::env::Env;
use super::super::group::{self, Budget, Meter};
use super::super::lds::Lds;
use super::super::level::Level;
use super::super::memory::{AddressSpace, Region};
use super::super::program::SegmentCode;
use super::super::wave::Wave;
use super::{CODE, S_ENDPGM};
use crate::isa::Code;
use crate::machine::Nobody;

/// Every instruction that llvm-mc knows, in every form, on registers with all kinds of values, runs or traps.
#[test]
fn no_instruction_panics_whatever_the_registers_hold() {
    const GOLDEN: &str = include_str!("../../../tests/data/isa-golden.txt");
    let numbers = [
        0,
        1,
        4,
        64,
        0xffff,
        0x1000,
        0x7_0000,
        !0,
        0x8000_0000,
        0x7fc0_0000,
        0x27fac,
    ];
    let mut waves = [Wave::new()];
    for (n, line) in GOLDEN.lines().enumerate() {
        let hex = line.split_once(' ').expect("bytes and text").0;
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        let mut code: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
        code.extend(S_ENDPGM.to_le_bytes());
        let programs = [SegmentCode::new(CODE, code, Level::host())];
        for round in 0..4 {
            let pick = |at: usize| numbers[(n * 7 + at * 3 + round * 5 + at * at) % numbers.len()];
            let [wave] = &mut waves;
            wave.set_mode_bits(if round == 3 {
                pick(n) | 0x0800_0000
            } else {
                0x3f0
            });
            wave.set_vgprs(if round == 2 { 24 } else { 256 });
            wave.s = std::array::from_fn(pick);
            wave.set_scalar64(Code::EXEC, if round == 1 { 0x8001 } else { !0 });
            (wave.pc, wave.scc) = (CODE, round % 2 == 0);
            for register in 0..256 {
                wave.v[register] = std::array::from_fn(|lane| pick(register + lane));
            }
            let mut space = AddressSpace::default();
            space.insert(Arc::new(Region::new("memory", 0, 4096, true)));
            let mut lds = Lds::default();
            lds.reset(1024);
            let mut env = Env {
                lds,
                ..Env::new(&space)
            };
            let budget = Budget::steps(100);
            // The instruction may trap.
            let _ = group::run(
                &mut waves,
                &mut env,
                &programs,
                0,
                &mut Meter::new(&budget),
                &mut Nobody,
            );
        }
    }
}
