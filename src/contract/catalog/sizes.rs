//! Sizes that domains of several contracts try, as factors of designs.

use crate::contract::Factor;

/// Batch sizes: one sequence, and several.
pub const SEQUENCES: Factor = Factor::One("B", &[1, 3]);
/// Batch sizes for long sequences.
pub const TWO_SEQUENCES: Factor = Factor::One("B", &[1, 2]);
/// Numbers of heads, each with a key and a value of its own.
pub const HEADS: Factor = Factor::One("H", &[1, 3, 5]);
/// Numbers of key heads and of value heads: equal, two value heads for each of several key heads, or three for one.
pub const GROUPS: &[&[i64]] = &[&[3, 3], &[2, 4], &[1, 3]];
/// Channels of a key: one, no power of two, the usual numbers of models and kernels, and more than two waves have lanes.
pub const KEY_CHANNELS: Factor = Factor::One("K", &[1, 18, 64, 128, 136]);
/// Channels of a value: one, a tile, the lanes of a wave, and one more than two waves have, so that a loop over waves has three passes.
pub const VALUE_CHANNELS: Factor = Factor::One("V", &[1, 16, 64, 129]);
