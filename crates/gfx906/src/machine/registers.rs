//! Vector registers: 64 lanes of one dword each, the register file of a wave, and masks of lanes.

use std::ops::{Deref, DerefMut};

use super::poison::Poison;

/// Lanes of a wave.
pub const LANES: usize = 64;

/// Largest number of sources of a vector instruction.
pub const SOURCES: usize = 4;
/// Registers of a wave beyond its VGPRs: two for each source that is not a VGPR, and two for the results of instructions without a VGPR
/// destination.
pub const SLOTS: usize = 2 * SOURCES + 2;

/// Vector registers of a wave, including the slots.
pub const REGISTERS: usize = 256 + SLOTS;

/// A vector register: one dword per lane.
pub type Lanes = [u32; LANES];

/// Returns the values of a function for the lanes' numbers. It is a loop in its caller at every level of the optimiser, which
/// `std::array::from_fn` and `map` are only where the inliner sees all of the crate at once.
#[inline(always)]
pub fn each_lane<T: Copy + Default>(value: impl Fn(usize) -> T) -> [T; LANES] {
    let mut values = [T::default(); LANES];
    for (lane, slot) in values.iter_mut().enumerate() {
        *slot = value(lane);
    }
    values
}

/// A value that begins at a cache line. Without the alignment, every other vector move of 64 bytes to a row of lanes on the stack would
/// touch two cache lines.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub struct CacheAligned<T>(pub T);

impl<T> Deref for CacheAligned<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for CacheAligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// The vector registers of a wave, each at the start of a cache line.
#[repr(align(64))]
#[derive(Clone, PartialEq)]
pub struct Registers([Lanes; REGISTERS]);

impl Registers {
    /// Returns registers that nobody has written.
    pub fn poisoned() -> Registers {
        Registers([[Poison::Register.word(); LANES]; REGISTERS])
    }
}

impl Deref for Registers {
    type Target = [Lanes; REGISTERS];
    #[inline(always)]
    fn deref(&self) -> &[Lanes; REGISTERS] {
        &self.0
    }
}

impl DerefMut for Registers {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Lanes; REGISTERS] {
        &mut self.0
    }
}

/// Results of a vector instruction, lane by lane, before they are written back.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub struct Results {
    /// Low register of the value.
    pub lo: Lanes,
    /// High register of the value, if it takes two.
    pub hi: Lanes,
    /// Bit of a mask per lane: 0 or 1.
    pub bits: [u8; LANES],
}

/// Expands one bit per lane to one dword per lane, all ones where the bit is set.
#[inline(always)]
pub fn expand(mask: u64) -> Lanes {
    let mut out = [0; LANES];
    let (lo, hi) = out.split_at_mut(LANES / 2);
    for (half, bits) in [(lo, mask as u32), (hi, (mask >> 32) as u32)] {
        for (l, lane) in half.iter_mut().enumerate() {
            *lane = 0u32.wrapping_sub(bits >> l & 1);
        }
    }
    out
}

/// Collects one byte per lane (0 or 1) to one bit per lane.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn collect(lanes: &[u8; LANES]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_movemask_epi8, _mm_slli_epi16};
    let chunks: &[__m128i; 4] = &bytemuck::cast(*lanes);
    let mut mask = 0;
    for (n, &bytes) in chunks.iter().enumerate() {
        // SAFETY: every x86-64 has SSE2.
        let bits = unsafe { _mm_movemask_epi8(_mm_slli_epi16::<7>(bytes)) };
        mask |= u64::from(bits as u16) << (16 * n);
    }
    mask
}

/// Collects one byte per lane (0 or 1) to one bit per lane.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn collect(lanes: &[u8; LANES]) -> u64 {
    let mut mask = 0;
    for (n, chunk) in lanes.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*chunk);
        mask |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * n);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expand_and_collect_are_inverse() {
        for mask in [0, 1, !0, 1 << 63, 0xdead_beef_0123_4567] {
            let lanes = expand(mask).map(|x| (x & 1) as u8);
            assert_eq!(collect(&lanes), mask);
        }
    }
}
