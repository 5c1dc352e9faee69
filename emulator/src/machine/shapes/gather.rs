//! 64 dwords at 64 places, read or written at once.
//!
//! A wave's addresses are usually one run of neighbours, one address, or a few: these are told apart first, 16 lanes at a time, and each
//! has its own way. Memory is read through atomics or through assembly, LDS (which belongs to one host thread) as it is.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::super::wave::{LANES, Lanes, collect};

/// Lanes of a row, within which patterns are looked for.
const ROW: usize = 16;

/// Dwords that lanes read.
pub trait Words {
    /// The dword at an index; 0 beyond the end.
    fn get(&self, index: usize) -> u32;
    /// Copies the 64 dwords from an index on, as vectors of `WIDTH` bytes; false where they are not all there.
    fn copy<const WIDTH: usize>(&self, index: usize, out: &mut Lanes) -> bool;
}

impl Words for [AtomicU32] {
    #[inline(always)]
    fn get(&self, index: usize) -> u32 {
        self.get(index).map_or(0, |word| word.load(Relaxed))
    }
    #[inline(always)]
    fn copy<const WIDTH: usize>(&self, index: usize, out: &mut Lanes) -> bool {
        let Some(words) = self
            .get(index..)
            .and_then(|rest| rest.first_chunk::<LANES>())
        else {
            return false;
        };
        load_run::<WIDTH>(words, out);
        true
    }
}

impl Words for [u32] {
    #[inline(always)]
    fn get(&self, index: usize) -> u32 {
        self.get(index).copied().unwrap_or(0)
    }
    #[inline(always)]
    fn copy<const WIDTH: usize>(&self, index: usize, out: &mut Lanes) -> bool {
        match self.get(index..).and_then(|rest| rest.first_chunk()) {
            Some(words) => {
                *out = *words;
                true
            }
            None => false,
        }
    }
}

/// Whether lane `l` is at `offsets[0] + 4 l`.
#[inline(always)]
pub fn is_run(offsets: &Lanes) -> bool {
    let first = offsets[0];
    let mut differs = 0;
    for (l, offset) in offsets.iter().enumerate() {
        differs |= offset ^ first.wrapping_add(4 * l as u32);
    }
    differs == 0
}

/// The dwords at byte offsets, all of which are multiples of 4.
#[inline(always)]
pub fn gather<const WIDTH: usize, W: Words + ?Sized>(words: &W, offsets: &Lanes, out: &mut Lanes) {
    let index = |l: usize| (offsets[l] / 4) as usize;
    if is_run(offsets) && words.copy::<WIDTH>(index(0), out) {
        return;
    }
    let mut firsts = [0; LANES];
    for row in (0..LANES).step_by(ROW) {
        firsts[row..row + ROW].fill(offsets[row]);
    }
    let (mut uniform, mut repeats) = ([0u8; LANES], [0u8; LANES]);
    for l in 0..LANES {
        uniform[l] = (offsets[l] == firsts[l]).into();
    }
    for l in ROW..LANES {
        repeats[l] = (offsets[l] == offsets[l - ROW]).into();
    }
    let (uniform, repeats) = (collect(&uniform), collect(&repeats));
    for row in (0..LANES).step_by(ROW) {
        if uniform >> row & 0xffff == 0xffff {
            let value = words.get(index(row));
            out[row..row + ROW].fill(value);
        } else if repeats >> row & 0xffff == 0xffff {
            out.copy_within(row - ROW..row, row);
        } else {
            for (l, out) in out[row..row + ROW].iter_mut().enumerate() {
                *out = words.get(index(row + l));
            }
        }
    }
}

/// Writes 64 dwords next to each other, as vectors of `WIDTH` bytes.
#[inline(always)]
pub fn store_run<const WIDTH: usize>(words: &[AtomicU32; LANES], values: &Lanes) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: both arrays are 256 bytes, and the instructions are of a feature level that the caller runs at.
    unsafe {
        copy_run::<WIDTH>(values.as_ptr(), words.as_ptr().cast_mut().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    for (word, value) in words.iter().zip(values) {
        word.store(*value, Relaxed);
    }
}

/// Reads 64 dwords next to each other, as vectors of `WIDTH` bytes.
#[inline(always)]
pub fn load_run<const WIDTH: usize>(words: &[AtomicU32; LANES], out: &mut Lanes) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: both arrays are 256 bytes, and the instructions are of a feature level that the caller runs at.
    unsafe {
        copy_run::<WIDTH>(words.as_ptr().cast(), out.as_mut_ptr());
    }
    #[cfg(not(target_arch = "x86_64"))]
    for (value, word) in out.iter_mut().zip(words) {
        *value = word.load(Relaxed);
    }
}

/// Copies 256 bytes by vector moves of `WIDTH` bytes (16: SSE2, 32: AVX, 64: AVX-512). In assembly, for one side is memory that other
/// threads may write: each aligned dword moves as a whole, as by a relaxed atomic.
///
/// # Safety
/// Both pointers are good for 256 bytes, and the host has the instructions of the width.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn copy_run<const WIDTH: usize>(from: *const u32, to: *mut u32) {
    macro_rules! move_four {
        ($move:literal, $register:literal, $width:literal, $at:expr) => {
            std::arch::asm!(
                concat!($move, " ", $register, "0, [{from} + {at}]"),
                concat!($move, " ", $register, "1, [{from} + {at} + ", $width, "]"),
                concat!($move, " ", $register, "2, [{from} + {at} + 2 * ", $width, "]"),
                concat!($move, " ", $register, "3, [{from} + {at} + 3 * ", $width, "]"),
                concat!($move, " [{to} + {at}], ", $register, "0"),
                concat!($move, " [{to} + {at} + ", $width, "], ", $register, "1"),
                concat!($move, " [{to} + {at} + 2 * ", $width, "], ", $register, "2"),
                concat!($move, " [{to} + {at} + 3 * ", $width, "], ", $register, "3"),
                from = in(reg) from,
                to = in(reg) to,
                at = in(reg) $at,
                out("xmm0") _,
                out("xmm1") _,
                out("xmm2") _,
                out("xmm3") _,
                options(nostack, preserves_flags),
            )
        };
    }
    // SAFETY: four moves of the width from each offset stay within 256 bytes, which the caller says both pointers are good for.
    unsafe {
        match WIDTH {
            64 => move_four!("vmovdqu64", "zmm", "64", 0usize),
            32 => {
                move_four!("vmovdqu", "ymm", "32", 0usize);
                move_four!("vmovdqu", "ymm", "32", 128usize);
            }
            _ => {
                move_four!("movdqu", "xmm", "16", 0usize);
                move_four!("movdqu", "xmm", "16", 64usize);
                move_four!("movdqu", "xmm", "16", 128usize);
                move_four!("movdqu", "xmm", "16", 192usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pattern, whole and broken in one lane, against one load a lane.
    #[test]
    fn patterns_load_what_single_lanes_load() {
        let words: Vec<AtomicU32> = (0..5000).map(|n| AtomicU32::new(n * 7919)).collect();
        let plain: Vec<u32> = words.iter().map(|w| w.load(Relaxed)).collect();
        let patterns: [fn(u32) -> u32; 7] = [
            |l| l,
            |_| 17,
            |l| l / 16 * 1000,
            |l| l % 16 * 3,
            |l| 63 - l,
            |l| l * 77,
            |l| l ^ 1,
        ];
        for pattern in patterns {
            for broken in 0..=LANES {
                let offsets: Lanes =
                    std::array::from_fn(|l| 4 * if l == broken { 4999 } else { pattern(l as u32) });
                let expected = offsets.map(|at| plain[at as usize / 4]);
                let mut out = [0; LANES];
                gather::<16, _>(&words[..], &offsets, &mut out);
                assert_eq!(out, expected);
                gather::<16, _>(&plain[..], &offsets, &mut out);
                assert_eq!(out, expected);
            }
        }
    }

    #[test]
    fn a_run_that_ends_with_the_words_is_loaded_and_stored() {
        let words: Vec<AtomicU32> = (0..80).map(AtomicU32::new).collect();
        let mut out = [0; LANES];
        assert!(words[..].copy::<16>(16, &mut out));
        assert_eq!(out, std::array::from_fn(|l| 16 + l as u32));
        assert!(!words[..].copy::<16>(17, &mut out));
        store_run::<16>(words[16..].first_chunk().expect("64"), &[5; LANES]);
        assert!(
            words[..16]
                .iter()
                .zip(0..)
                .all(|(w, n)| w.load(Relaxed) == n)
        );
        assert!(words[16..].iter().all(|w| w.load(Relaxed) == 5));
    }
}
