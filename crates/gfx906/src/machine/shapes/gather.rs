//! 64 dwords at 64 offsets, read or written at once.
//!
//! A wave's addresses are usually one run of neighbours, one address, or a few addresses. The code distinguishes these cases first, 16
//! lanes at a time, and handles each separately. Memory is read through atomics or assembly; LDS, which belongs to one host thread, is read
//! directly.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::super::registers::{CacheAligned, LANES, Lanes, collect, each_lane};
use super::super::single::load64;
#[cfg(not(target_arch = "x86_64"))]
use super::super::single::{store32, store64};

/// Number of lanes of a row, within which patterns are searched.
const ROW: usize = 16;

/// Dwords that lanes read.
pub trait Words {
    /// Returns the `N` dwords from an index on, with aligned pairs read in one access. Returns `None` if they do not all exist.
    fn get<const N: usize>(&self, index: usize) -> Option<[u32; N]>;
    /// Copies `N` times 64 dwords from an index on, as vectors of `WIDTH` bytes. Returns false if they do not all exist.
    fn copy<const WIDTH: usize, const N: usize>(&self, index: usize, out: &mut [Lanes; N]) -> bool;
}

impl Words for [AtomicU32] {
    #[inline(always)]
    fn get<const N: usize>(&self, index: usize) -> Option<[u32; N]> {
        if N == 1 {
            return self.get(index).map(|word| [word.load(Relaxed); N]);
        }
        let words = self.get(index..)?.first_chunk::<N>()?;
        let mut out = [0; N];
        // The first word is aligned, so pairs begin at even indices. There are two calls so that each one has constant bounds.
        if index.is_multiple_of(2) {
            pairs(words, &mut out, 0);
        } else {
            out[0] = words[0].load(Relaxed);
            pairs(words, &mut out, 1);
        }
        Some(out)
    }

    #[inline(always)]
    fn copy<const WIDTH: usize, const N: usize>(&self, index: usize, out: &mut [Lanes; N]) -> bool {
        let Some(words) = self.get(index..).and_then(|rest| rest.get(..N * LANES)) else {
            return false;
        };
        load_run::<WIDTH, N>(words, out);
        true
    }
}

/// Reads words two at a time from `first` on. The word at `first` is aligned.
#[inline(always)]
fn pairs<const N: usize>(words: &[AtomicU32; N], out: &mut [u32; N], first: usize) {
    let mut k = first;
    while k < N {
        match words[k..].first_chunk() {
            Some(pair) => {
                let both = load64(pair);
                (out[k], out[k + 1]) = (both as u32, (both >> 32) as u32);
            }
            None => out[k] = words[k].load(Relaxed),
        }
        k += 2;
    }
}

impl Words for [u32] {
    #[inline(always)]
    fn get<const N: usize>(&self, index: usize) -> Option<[u32; N]> {
        self.get(index..)?.first_chunk().copied()
    }

    #[inline(always)]
    fn copy<const WIDTH: usize, const N: usize>(&self, index: usize, out: &mut [Lanes; N]) -> bool {
        match self.get(index..).and_then(|rest| rest.get(..N * LANES)) {
            Some(words) => {
                out.as_flattened_mut().copy_from_slice(words);
                true
            }
            None => false,
        }
    }
}

/// Returns true if lane `l` is at `offsets[0] + stride l`.
#[inline(always)]
pub fn is_run(offsets: &Lanes, stride: u32) -> bool {
    let first = offsets[0];
    let mut differs = 0;
    for (l, offset) in offsets.iter().enumerate() {
        differs |= offset ^ first.wrapping_add(stride * l as u32);
    }
    differs == 0
}

/// Arrangement of 64 offsets.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// All lanes are consecutive.
    run: bool,
    /// Lanes with the same offset as the first lane of their row.
    uniform: u64,
    /// Lanes with the same offset as the lane one row before.
    repeats: u64,
    /// Lanes whose distance from their row's first offset equals their position in the row.
    neighbours: u64,
}

impl Pattern {
    /// Determines the pattern of byte offsets of elements of `N` dwords.
    #[inline(always)]
    pub fn of<const N: usize>(offsets: &Lanes) -> Pattern {
        if is_run(offsets, 4 * N as u32) {
            return Pattern {
                run: true,
                uniform: 0,
                repeats: 0,
                neighbours: 0,
            };
        }
        let mut firsts = CacheAligned([0; LANES]);
        for row in (0..LANES).step_by(ROW) {
            firsts[row..row + ROW].fill(offsets[row]);
        }
        let (mut uniform, mut repeats, mut neighbours) = ([0u8; LANES], [0u8; LANES], [0u8; LANES]);
        for l in 0..LANES {
            uniform[l] = (offsets[l] == firsts[l]).into();
        }
        for l in 0..LANES {
            let distance = 4 * (N * (l % ROW)) as u32;
            neighbours[l] = (offsets[l] == firsts[l].wrapping_add(distance)).into();
        }
        for l in ROW..LANES {
            repeats[l] = (offsets[l] == offsets[l - ROW]).into();
        }
        Pattern {
            run: false,
            uniform: collect(&uniform),
            repeats: collect(&repeats),
            neighbours: collect(&neighbours),
        }
    }

    /// Loads `N` dwords from each byte offset on. All offsets are multiples of 4 and have this pattern.
    #[inline(always)]
    pub fn gather<const WIDTH: usize, const N: usize, W: Words + ?Sized>(
        self,
        words: &W,
        offsets: &Lanes,
        out: &mut [Lanes; N],
    ) {
        let index = |l: usize| (offsets[l] / 4) as usize;
        if N == 1 && self.run && words.copy::<WIDTH, N>(index(0), out) {
            return;
        }
        if N > 1 && self.run {
            let mut lines = [[0; LANES]; N];
            if words.copy::<WIDTH, N>(index(0), &mut lines) {
                return part::<N>(&lines, out);
            }
        }
        for row in (0..LANES).step_by(ROW) {
            if self.uniform >> row & 0xffff == 0xffff {
                let values = words.get::<N>(index(row)).unwrap_or([0; N]);
                for (out, value) in out.iter_mut().zip(values) {
                    out[row..row + ROW].fill(value);
                }
            } else if self.repeats >> row & 0xffff == 0xffff {
                out.iter_mut()
                    .for_each(|out| out.copy_within(row - ROW..row, row));
            } else if N == 1
                && self.neighbours >> row & 0xffff == 0xffff
                && let Some(near) = words.get::<ROW>(index(row))
            {
                out[0][row..row + ROW].copy_from_slice(&near);
            } else {
                for l in row..row + ROW {
                    let values = words.get::<N>(index(l)).unwrap_or([0; N]);
                    for (out, value) in out.iter_mut().zip(values) {
                        out[l] = value;
                    }
                }
            }
        }
    }
}

/// Loads `N` dwords from each byte offset on. All offsets are multiples of 4.
#[inline(always)]
pub fn gather_wide<const WIDTH: usize, const N: usize, W: Words + ?Sized>(
    words: &W,
    offsets: &Lanes,
    out: &mut [Lanes; N],
) {
    Pattern::of::<N>(offsets).gather::<WIDTH, N, W>(words, offsets, out);
}

/// Loads 1 or 2 bytes at each byte offset; none may cross a dword. The bytes stand in the low bits, and the bits above them are arbitrary.
#[inline(always)]
pub fn gather_narrow<W: Words + ?Sized>(words: &W, offsets: &Lanes, bytes: u64, out: &mut Lanes) {
    let (first, shift) = ((offsets[0] / 4) as usize, (offsets[0] & 3) as usize);
    if cfg!(target_endian = "little") && is_run(offsets, bytes as u32) {
        if bytes == 1
            && let Some(near) = words.get::<17>(first)
        {
            let near: &[u8] = bytemuck::cast_slice(&near);
            let near = near[shift..].iter();
            return out
                .iter_mut()
                .zip(near)
                .for_each(|(out, &x)| *out = x.into());
        }
        if bytes == 2
            && let Some(near) = words.get::<33>(first)
        {
            let near: &[u16] = bytemuck::cast_slice(&near);
            let near = near[shift / 2..].iter();
            return out
                .iter_mut()
                .zip(near)
                .for_each(|(out, &x)| *out = x.into());
        }
    }
    let dwords = each_lane(|l| offsets[l] & !3);
    gather_wide::<16, 1, W>(words, &dwords, std::array::from_mut(out));
    for (value, offset) in out.iter_mut().zip(offsets) {
        *value >>= (offset & 3) * 8;
    }
}

/// Splits consecutive lanes into one row for each of their dwords.
#[inline(always)]
fn part<const N: usize>(lines: &[Lanes; N], out: &mut [Lanes; N]) {
    let line = lines.as_flattened();
    for (k, out) in out.iter_mut().enumerate() {
        for l in 0..LANES {
            out[l] = line[N * l + k];
        }
    }
}

/// Stores `N` dwords of each lane, with consecutive lanes, as vectors of `WIDTH` bytes.
#[inline(always)]
pub fn store_run<const WIDTH: usize, const N: usize>(words: &[AtomicU32], rows: [&Lanes; N]) {
    let mut lines = [[0; LANES]; N];
    let line = lines.as_flattened_mut();
    for (k, row) in rows.iter().enumerate() {
        for l in 0..LANES {
            line[N * l + k] = row[l];
        }
    }
    put_run::<WIDTH>(words, line);
}

/// Stores consecutive dwords, a multiple of 64.
#[inline(always)]
fn put_run<const WIDTH: usize>(words: &[AtomicU32], values: &[u32]) {
    #[cfg(target_arch = "x86_64")]
    for (words, values) in words.chunks_exact(LANES).zip(values.chunks_exact(LANES)) {
        // SAFETY: both sides have 256 bytes, and the instructions belong to a feature level at which the caller runs.
        unsafe {
            copy_run::<WIDTH>(values.as_ptr(), words.as_ptr().cast_mut().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    for (words, values) in words.chunks_exact(2).zip(values.chunks_exact(2)) {
        match words.first_chunk() {
            Some(pair) if words.as_ptr().addr().is_multiple_of(8) => {
                store64(pair, u64::from(values[0]) | u64::from(values[1]) << 32);
            }
            _ => words
                .iter()
                .zip(values)
                .for_each(|(word, value)| store32(word, *value)),
        }
    }
}

/// Loads `N` times 64 consecutive dwords as vectors of `WIDTH` bytes.
#[inline(always)]
pub fn load_run<const WIDTH: usize, const N: usize>(words: &[AtomicU32], out: &mut [Lanes; N]) {
    #[cfg(target_arch = "x86_64")]
    for (words, out) in words.chunks_exact(LANES).zip(out) {
        // SAFETY: both sides have 256 bytes, and the instructions belong to a feature level at which the caller runs.
        unsafe {
            copy_run::<WIDTH>(words.as_ptr().cast(), out.as_mut_ptr());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    for (words, out) in words
        .chunks_exact(2)
        .zip(out.as_flattened_mut().chunks_exact_mut(2))
    {
        match words.first_chunk() {
            Some(pair) if words.as_ptr().addr().is_multiple_of(8) => {
                let both = load64(pair);
                (out[0], out[1]) = (both as u32, (both >> 32) as u32);
            }
            _ => out
                .iter_mut()
                .zip(words)
                .for_each(|(out, word)| *out = word.load(Relaxed)),
        }
    }
}

/// Copies 256 bytes by vector moves of `WIDTH` bytes (16: SSE2, 32: AVX, 64: AVX-512). It is written in assembly because one side is memory
/// that other threads may write: the host moves each aligned unit of 8 bytes of a vector in one access, as a relaxed atomic would.
///
/// # Safety
///
/// Both pointers are valid for 256 bytes, and the host has the instructions of the width.
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
    // SAFETY: four moves of the width from each offset stay within 256 bytes, for which both pointers are valid by the caller's contract.
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
mod tests;
