//! The machine: any code, on any registers, comes to an end or to a trap with a report.

use gfx906::code_object::CodeObject;
use gfx906::machine::{Gpu, Launch, LaunchError, Limits};

/// A kernel `anything` with room for code behind a prologue of 6 dwords.
const TEMPLATE: &[u8] = include_bytes!("../../emulator/tests/hostile/hostile.co");
const PROLOGUE: usize = 24;
const ROOM: usize = 4096;

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A value that instructions treat in a way of its own, or any.
fn value(state: &mut u64) -> u32 {
    let special = [
        0,
        1,
        4,
        63,
        64,
        0x3f,
        0xff,
        0x100,
        0x7fff_ffff,
        0x8000_0000,
        !0,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        1 << 23,
        0x0040_0000,
        0x3c00_3c00,
        0x7c00_fc00,
        0x4f00_0000,
    ];
    let any = random(state);
    if any & 3 == 0 {
        (any >> 32) as u32
    } else {
        special[(any >> 8) as usize % special.len()]
    }
}

/// Instructions that set registers: SGPRs 4 to 27, VCC, M0 and VGPRs 1 to 31, some of them lane by lane.
fn registers(state: &mut u64) -> Vec<u32> {
    let mut code = Vec::new();
    for sgpr in (4..28).chain([106, 107, 124]) {
        code.extend([0xbe80_00ff | sgpr << 16, value(state)]);
    }
    for vgpr in 1..32 {
        let value = value(state);
        // v_mov_b32 vgpr, value; or v_add_u32 vgpr, value, v0
        code.push(if value & 16 == 0 {
            0x7e00_02ff | vgpr << 17
        } else {
            0x6800_00ff | vgpr << 17
        });
        code.push(value);
    }
    // A pointer into the buffer, for those who take v[2:3]: v_mov_b32 v2, s2; v_mov_b32 v3, s3.
    code.extend([0x7e04_0202, 0x7e06_0203]);
    code
}

/// Runs `bytes` as code. Returns whether it came to its end.
pub fn run(bytes: &[u8]) -> bool {
    let Some((seed, code)) = bytes.split_first_chunk() else {
        return false;
    };
    let mut state = u64::from_le_bytes(*seed);
    let mut object = CodeObject::parse(TEMPLATE).expect("the template");
    let entry = object.kernel("anything").expect("its kernel").entry_address;
    let set_up = registers(&mut state);
    let set_up = set_up.iter().flat_map(|word| word.to_le_bytes());
    let words: Vec<u8> = set_up.chain(code.iter().copied()).take(ROOM).collect();
    for segment in &mut object.image.segments {
        if segment.address <= entry && entry < segment.end() {
            let at = (entry - segment.address) as usize + PROLOGUE;
            segment.data[at..at + words.len()].copy_from_slice(&words);
        }
    }
    let gpu = Gpu::new();
    let module = gpu.load(&object).expect("memory for the code");
    let data = gpu.alloc("data", 4096).expect("memory");
    let launch = Launch {
        grid: [2, 1, 1],
        block: [100, 1, 1],
        dynamic_lds: 0,
        kernarg: &data.to_le_bytes(),
        limits: Limits {
            instructions: 100_000,
            seconds: 20.0,
            ..Limits::default()
        },
        threads: 1,
    };
    match gpu.launch(&module, "anything", &launch) {
        Ok(_) => true,
        Err(LaunchError::Trap(trap)) => {
            let report = trap.to_string();
            assert!(report.contains("anything"), "{report}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}
