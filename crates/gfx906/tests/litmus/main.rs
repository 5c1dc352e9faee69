//! Litmus tests of the promises of `machine::memory` about the accesses that one thread sees of another.
//!
//! Each runs thousands of rounds of 64 lanes against 64 lanes; the kernels are in `litmus.s`.

mod host;

use std::sync::{Mutex, MutexGuard, PoisonError};

use gfx906::code_object::CodeObject;
use gfx906::machine::{Gpu, Launch, Limits, Module};

const KERNELS: &[u8] = include_bytes!("litmus.co");
/// Rounds of 64 lanes.
const ROUNDS: u32 = 4000;
/// Byte at which the rows of the rounds begin, and bytes per round.
const FIRST: u64 = 4096;
const ROUND: u64 = 1024;

/// A device whose memory a kernel and the host look at.
pub struct Device {
    /// The device.
    pub gpu: Gpu,
    module: Module,
    /// Its one allocation.
    pub base: u64,
    _turn: MutexGuard<'static, ()>,
}

/// One test at a time: a test needs two threads that run.
static TURN: Mutex<()> = Mutex::new(());

impl Device {
    /// A device with room for the rounds.
    pub fn ready() -> Device {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let gpu = Gpu::new();
        let object = CodeObject::parse(KERNELS).expect("a code object");
        let module = gpu.load(&object).expect("memory for the code");
        let bytes = FIRST + ROUND * u64::from(ROUNDS);
        let base = gpu.alloc("rounds", bytes).expect("memory");
        Device {
            gpu,
            module,
            base,
            _turn: turn,
        }
    }

    /// Runs a kernel on memory at an address, with a host thread for each group.
    pub fn run_at(&self, kernel: &str, base: u64, groups: u32, rounds: u32) {
        let mut kernarg = base.to_le_bytes().to_vec();
        kernarg.extend(rounds.to_le_bytes());
        let launch = Launch {
            grid: [groups, 1, 1],
            block: [64, 1, 1],
            dynamic_lds: 0,
            kernarg: &kernarg,
            limits: Limits {
                instructions: 100_000_000,
                seconds: 120.0,
                ..Limits::default()
            },
            threads: groups as usize,
        };
        let ran = self.gpu.launch(&self.module, kernel, &launch);
        ran.unwrap_or_else(|error| panic!("{kernel}: {error}"));
    }

    /// The 64 dwords of a row: 0 and 1 are x and y, 2 and 3 what the groups have seen.
    fn row(&self, round: u32, row: u64) -> Vec<u32> {
        let mut bytes = [0; 256];
        let at = self.base + FIRST + ROUND * u64::from(round) + 256 * row;
        self.gpu.read(at, &mut bytes).expect("within the memory");
        let dwords = bytes.as_chunks::<4>().0.iter();
        dwords.map(|dword| u32::from_le_bytes(*dword)).collect()
    }

    /// Returns the 64-bit value at an offset.
    pub fn value(&self, offset: u64) -> u64 {
        let mut bytes = [0; 8];
        let read = self.gpu.read(self.base + offset, &mut bytes);
        read.expect("within the memory");
        u64::from_le_bytes(bytes)
    }
}

/// Counts how often groups 0 and 1 observed each pair of values: (0, 0), (0, 1), (1, 0), (1, 1).
fn outcomes(kernel: &str) -> [u32; 4] {
    let device = Device::ready();
    device.run_at(kernel, device.base, 2, ROUNDS);
    let mut counts = [0; 4];
    for round in 0..ROUNDS {
        let seen = device.row(round, 2).into_iter().zip(device.row(round, 3));
        for (a, b) in seen {
            assert!(a < 2 && b < 2, "{kernel}: round {round} has seen {a}, {b}");
            counts[(2 * a + b) as usize] += 1;
        }
    }
    println!(
        "{kernel}: (0, 0) {} (0, 1) {} (1, 0) {} (1, 1) {}",
        counts[0], counts[1], counts[2], counts[3]
    );
    counts
}

/// Returns the sum of the errors that group 1 counted, lane by lane.
fn wrong(kernel: &str, groups: u32, rounds: u32) -> u64 {
    let device = Device::ready();
    device.run_at(kernel, device.base, groups, rounds);
    device.row(0, 3).into_iter().map(u64::from).sum()
}

#[test]
fn store_buffering_is_not_seen_where_order_is_sequential() {
    assert_eq!(
        outcomes("store_buffering")[0],
        0,
        "both read before either wrote"
    );
    assert_eq!(
        outcomes("store_buffering_fenced")[0],
        0,
        "both read before either wrote"
    );
}

#[test]
fn who_sees_the_flag_sees_the_message() {
    // The row of group 0 has the flag, and the row of group 1 the data.
    assert_eq!(
        outcomes("message_passing")[2],
        0,
        "the flag without the data"
    );
    // The row of group 1 has the flag in bit 0 and the data of eight bytes in bit 1.
    let device = Device::ready();
    device.run_at("message_passing_rmw", device.base, 2, ROUNDS);
    let without = |round| device.row(round, 3).contains(&1);
    assert!(!(0..ROUNDS).any(without), "the flag without the data");
}

#[test]
fn loads_are_not_overtaken_by_stores_that_wait_for_them() {
    assert_eq!(
        outcomes("load_buffering")[3],
        0,
        "both read what was written later"
    );
}

#[test]
fn of_one_place_nobody_sees_the_past() {
    assert_eq!(wrong("coherence", 2, 200_000), 0);
}

/// 64-bit loads and stores once ran dword by dword.
#[test]
fn aligned_pairs_are_not_torn() {
    for kernel in ["torn_x2", "torn_x4", "torn_atomic"] {
        assert_eq!(wrong(kernel, 2, 50_000), 0, "{kernel}");
    }
}

/// Atomics of 64 bits once took a lock that atomics of 32 bits did not take.
#[test]
fn sizes_mix_without_a_loss() {
    const TIMES: u64 = 4000;
    let device = Device::ready();
    device.run_at("mixed", device.base, 4, TIMES as u32);
    assert_eq!(device.value(1024), 2 * 64 * TIMES);
    // The short and the byte above were stored last or added to. All additions below them must be there.
    assert_eq!(device.value(1032) as u32, 64 * TIMES as u32);
    assert_eq!(device.value(1032) >> 32, 0x0100_0001);
}
