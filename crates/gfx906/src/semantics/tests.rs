//! Tests of the semantics, by concern.

use super::{Mode, Round};
use half::f16;
use proptest::prelude::*;

mod compare;
mod conversions;
mod directed;
mod division;
mod floats;
mod integers;
mod many;
mod outputs;
mod rounding;
mod scalars;
mod transcendental;

/// Draws of each law that the gate tests. `.ci/nightly every-value` sets PROPTEST_CASES to more.
const DRAWS: u32 = 10_000;

fn cases() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        cases: config.cases.max(DRAWS),
        ..config
    }
}

/// All rounding modes.
const ROUNDS: [Round; 4] = [
    Round::NearestEven,
    Round::TowardPositive,
    Round::TowardNegative,
    Round::TowardZero,
];

/// Returns HIP's mode with another rounding.
fn rounding(round: Round) -> Mode {
    Mode {
        round32: round,
        round64: round,
        ..Mode::HIP
    }
}

/// HIP's mode with all denormals flushed.
const FLUSH: Mode = Mode {
    denorm_in32: false,
    denorm_out32: false,
    denorm_in64: false,
    denorm_out64: false,
    ..Mode::HIP
};

/// Generates f32 values of every magnitude, with many special ones.
fn any_f32() -> impl Strategy<Value = f32> {
    let special = vec![
        0u32,
        1,
        2,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x0100_0000,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x4000_0000,
        0x4b00_0001,
        0x7e80_0000,
        0x7f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0x7fa1_2345,
        0x7fc5_4321,
    ];
    prop_oneof![
        3 => any::<u32>(),
        1 => (prop::sample::select(special), any::<bool>()).prop_map(|(bits, sign)| bits | u32::from(sign) << 31),
        1 => (0u32..256, 0u32..8, any::<bool>()).prop_map(|(e, f, sign)| e << 23 | f << 20 | u32::from(sign) << 31),
    ]
    .prop_map(f32::from_bits)
}

/// Generates f64 values of every magnitude, with many special ones.
fn any_f64() -> impl Strategy<Value = f64> {
    let special = vec![
        0u64,
        1,
        2,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x0010_0000_0000_0001,
        0x3fe0_0000_0000_0000,
        0x3fef_ffff_ffff_ffff,
        0x3ff0_0000_0000_0000,
        0x3ff0_0000_0000_0001,
        0x7fd0_0000_0000_0000,
        0x7fe0_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x7ff8_1234_5678_9abc,
    ];
    prop_oneof![
        3 => any::<u64>(),
        1 => (prop::sample::select(special), any::<bool>()).prop_map(|(bits, sign)| bits | u64::from(sign) << 63),
        1 => (0u64..2048, 0u64..8, any::<bool>()).prop_map(|(e, f, sign)| e << 52 | f << 49 | u64::from(sign) << 63),
    ]
    .prop_map(f64::from_bits)
}

/// Generates all f16 values.
fn any_f16() -> impl Strategy<Value = f16> {
    any::<u16>().prop_map(f16::from_bits)
}
