//! Test rig that runs a group of waves on a few assembled words and shows them to observers.

use std::sync::Arc;

use super::env::Env;
use super::group::{self, Budget, Meter, Progress};
use super::hang;
use super::launch::{Launch, Limits};
use super::level::Level;
use super::memory::{AddressSpace, Region};
use super::observer::{DispatchStart, Group, Nobody, Observer};
use super::poison::Poison;
use super::program::SegmentCode;
use super::registers::LANES;
use super::spin::Spin;
use super::trap::TrapKind;
use super::wave::Wave;
use crate::isa::Code;

/// Guest address of link address 0.
const BASE: u64 = 0x1_0000;
/// Link address of the code.
const CODE: u64 = 0x100;
/// Guest address of 4096 bytes of memory, which s[0:1] holds.
pub const MEMORY: u64 = 0x7_0000_1000;
/// Guest address of the first wave's scratch; s[102:103] holds each wave's.
const SCRATCH: u64 = 0x7_0001_0000;
const SCRATCH_STRIDE: u64 = 0x1_0000;
/// Bytes of scratch of a work-item.
pub const STACK: u32 = 64;
const S_ENDPGM: u32 = 0xbf81_0000;

/// Makes group (1, 2, 3) of some waves: all lanes enabled, v0 = the lane's number, 1024 bytes of LDS, 24 VGPRs, [`STACK`] bytes of scratch
/// per work-item. Gives `run` the waves, their environment and their programs.
fn with_group<T>(
    words: &str,
    waves: usize,
    set_up: impl Fn(&mut Wave),
    run: impl FnOnce(&mut [Wave], &mut Env<'_>, &[SegmentCode]) -> T,
) -> T {
    let words = words.split_whitespace();
    let words = words.map(|w| u32::from_str_radix(w, 16).expect("hex"));
    let code = words.chain([S_ENDPGM]).flat_map(u32::to_le_bytes).collect();
    let programs = [SegmentCode::new(BASE + CODE, code, Level::host())];
    let mut waves: Vec<Wave> = (0..waves)
        .map(|n| {
            let mut wave = Wave::new();
            wave.index = n as u32;
            wave.set_vgprs(24);
            wave.pc = BASE + CODE;
            wave.v[0] = std::array::from_fn(|lane| lane as u32);
            wave.set_scalar64(Code(0), MEMORY);
            wave.set_scalar64(Code(102), SCRATCH + n as u64 * SCRATCH_STRIDE);
            wave.set_scalar64(Code::EXEC, !0);
            set_up(&mut wave);
            wave
        })
        .collect();
    let mut space = AddressSpace::default();
    space.insert(Arc::new(Region::new("memory", MEMORY, 4096, true)));
    for n in 0..waves.len() as u64 {
        let (at, bytes) = (
            SCRATCH + n * SCRATCH_STRIDE,
            u64::from(STACK) * LANES as u64,
        );
        let region = Region::poisoned("scratch", at, bytes, Poison::Scratch.word());
        space.insert(Arc::new(region.expect("memory for a test")));
    }
    let mut env = Env::new(&space);
    env.lds.reset(1024);
    run(&mut waves, &mut env, &programs)
}

fn group(waves: usize) -> Group {
    Group {
        id: [1, 2, 3],
        waves,
        scratch: SCRATCH,
        scratch_stride: SCRATCH_STRIDE,
    }
}

/// Runs a group that uses up a budget of 10,000 instructions, and returns what it waits for.
pub fn hang(words: &str, waves: usize, set_up: impl Fn(&mut Wave)) -> Spin {
    with_group(words, waves, set_up, |waves, env, programs| {
        let budget = Budget::steps(10_000);
        let (mut meter, mut progress) = (Meter::new(&budget), Progress::new());
        let (meter, progress) = (&mut meter, &mut progress);
        let nobody = &mut Nobody;
        let done = group::advance(waves, env, programs, 0, meter, nobody, progress, u64::MAX);
        let Err(failure) = done else {
            panic!("it ends");
        };
        assert!(matches!(failure.fault.kind, TrapKind::Hang { .. }));
        let items = 64 * waves.len() as u64;
        let group = group(waves.len());
        hang::watch(
            waves,
            env,
            programs,
            0,
            progress,
            Limits::default(),
            (group, items, BASE),
        )
    })
}

/// Runs a group, whose s0 to s15 and v0 count as set, and shows it to an observer. Returns the trap's text if a trap ends the run.
pub fn run<O: Observer>(
    words: &str,
    waves: usize,
    set_up: impl Fn(&mut Wave),
    observer: &mut O,
) -> Option<String> {
    with_group(words, waves, set_up, |waves, env, programs| {
        let launch = Launch {
            grid: [4, 4, 4],
            block: [64 * waves.len() as u32, 1, 1],
            dynamic_lds: 0,
            kernarg: &[],
            limits: Limits::default(),
            threads: 1,
        };
        observer.dispatch(&DispatchStart {
            kernel: "k",
            base: BASE,
            launch: &launch,
            lds: env.lds.size(),
            scratch: STACK,
            kernarg: 0..0,
            sgprs: 16,
            vgprs: 1,
        });
        observer.group(&group(waves.len()));
        let budget = Budget::steps(10_000);
        let mut meter = Meter::new(&budget);
        let failure = group::run(waves, env, programs, 0, &mut meter, observer).err()?;
        let op = programs[0].fetch(failure.pc);
        observer.fault(&waves[failure.wave], op, failure.pc, &failure.fault);
        Some(failure.fault.kind.to_string())
    })
}
