//! Guards: patterns on both sides of a device buffer that no launch may change.
//!
//! A framed buffer is `[guard][payload][guard]`. The payload keeps the alignment of the allocation, and the upper guard begins at the
//! very next byte. The pattern depends on the position, so that a guard moved by some bytes is as wrong as one overwritten.
//!
//! The device decides how large the guards are. A device that does not fault at a stray access has guards on both sides of a
//! buffer. A device that faults needs none: the fault names the access, and finds stray reads, too.

use serde::{Deserialize, Serialize};

/// Size of each guard: eight rows of 128 f32.
pub const GUARD_BYTES: usize = 4096;

/// The sizes of a buffer's guards, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Bytes below the buffer's first byte.
    pub before: usize,
    /// Bytes above the buffer's last byte.
    pub after: usize,
}

impl Guards {
    /// Full guards on both sides.
    pub const FULL: Guards = Guards {
        before: GUARD_BYTES,
        after: GUARD_BYTES,
    };
}

/// The position of a guard relative to its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardSide {
    /// The guard lies below the first byte.
    Before,
    /// The guard lies above the last byte.
    After,
    /// The guard lies between the rows of a tensor whose row stride is longer than a row.
    Between,
}

/// Returns the pattern at one byte of a guard.
pub(crate) fn pattern(side: GuardSide, at: usize) -> u8 {
    let salt = match side {
        GuardSide::Before => 0x9E37_79B9u32,
        GuardSide::After | GuardSide::Between => 0x85EB_CA6B,
    };
    let mixed = (at as u32 ^ salt).wrapping_mul(0x2C1B_3C6D);
    (mixed >> 24) as u8 ^ (mixed >> 11) as u8
}

/// Frames a payload for upload: guard, payload, guard.
pub fn frame(payload: &[u8], guards: Guards) -> Vec<u8> {
    let mut image = Vec::with_capacity(payload.len() + guards.before + guards.after);
    image.extend((0..guards.before).map(|at| pattern(GuardSide::Before, at)));
    image.extend_from_slice(payload);
    image.extend((0..guards.after).map(|at| pattern(GuardSide::After, at)));
    image
}

/// Returns the payload of a framed buffer; empty if `image` is shorter than its two guards.
pub fn payload(image: &[u8], guards: Guards) -> &[u8] {
    image
        .len()
        .checked_sub(guards.after)
        .and_then(|end| image.get(guards.before..end))
        .unwrap_or(&[])
}
