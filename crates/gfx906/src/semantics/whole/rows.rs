//! Registers as rows of f16 and f32: functions that gather, convert and store them.

use half::f16;

use super::vector::Vector;
use crate::semantics::format::Format;
use crate::semantics::{Mode, Round};

/// Lanes of a wave.
pub(super) const LANES: usize = 64;

/// A register of a wave.
pub(super) type Register = [u32; LANES];

/// A row of lanes. It begins at a cache line, because otherwise each vector move of 64 bytes would touch two cache lines.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub(super) struct Row<T>(pub(super) [T; LANES]);

/// Returns true if the host converts f16 at the level of vectors of `WIDTH` bytes.
#[inline(always)]
pub(super) const fn converts(width: usize) -> bool {
    cfg!(target_arch = "x86_64") && width >= 32
}

/// Widens f16 to f32 and quiets NaNs. Has no effect if the host does not convert.
#[inline(always)]
pub(super) fn widened<const WIDTH: usize>(from: &[u16; LANES]) -> Row<f32> {
    #[inline(always)]
    fn with<V: Vector>(from: &[u16; LANES], to: &mut [f32; LANES]) {
        let mut at = 0;
        while at < LANES {
            // SAFETY: handlers of this width run only on hosts of its level.
            unsafe { V::load(&from[at..]) }.store_f32(&mut to[at..]);
            at += V::ELEMENTS;
        }
    }
    let mut row = Row([0.0; LANES]);
    let to = &mut row.0;
    match WIDTH {
        #[cfg(target_arch = "x86_64")]
        64 => with::<super::host::Vector16>(from, to),
        #[cfg(target_arch = "x86_64")]
        32 => with::<super::host::Vector8>(from, to),
        _ => (),
    }
    row
}

/// Narrows f32 to f16, with denormals flushed unless the mode keeps them. Has no effect if the host does not convert.
#[inline(always)]
pub(super) fn narrowed<const WIDTH: usize>(
    mode: Mode,
    round: Round,
    from: &[f32; LANES],
) -> Row<u16> {
    #[inline(always)]
    fn with<V: Vector>(round: Round, from: &[f32; LANES], to: &mut [u16; LANES]) {
        macro_rules! all {
            ($round:expr) => {
                let mut at = 0;
                while at < LANES {
                    // SAFETY: handlers of this width run only on hosts of its level.
                    unsafe { V::load_f32(&from[at..]) }.store_rounded($round, &mut to[at..]);
                    at += V::ELEMENTS;
                }
            };
        }
        if round == Round::NearestEven {
            all!(Round::NearestEven);
        } else {
            all!(round);
        }
    }
    let mut row = Row([0; LANES]);
    let to = &mut row.0;
    match WIDTH {
        #[cfg(target_arch = "x86_64")]
        64 => with::<super::host::Vector16>(round, from, to),
        #[cfg(target_arch = "x86_64")]
        32 => with::<super::host::Vector8>(round, from, to),
        _ => (),
    }
    if !mode.denorm_out64 {
        flush(to);
    }
    row
}

/// Replaces denormals by zeros of their sign.
#[inline(always)]
pub(super) fn flush(halves: &mut [u16; LANES]) {
    for half in halves {
        *half = f16::from_bits(*half).flushed().to_bits();
    }
}

/// Returns the halves of a register in sequence.
#[inline(always)]
pub(super) fn halves(register: &Register) -> &[u16; 2 * LANES] {
    bytemuck::cast_ref(register)
}

/// Returns the low halves of a register.
#[inline(always)]
pub(super) fn low_halves(register: &Register) -> Row<u16> {
    halves_at(register, 0)
}

/// Returns the halves of a register that begin at bit `shift`.
#[inline(always)]
pub(super) fn halves_at(register: &Register, shift: u32) -> Row<u16> {
    let mut halves = Row([0; LANES]);
    for (half, lane) in halves.0.iter_mut().zip(register) {
        *half = (*lane >> (shift & 31)) as u16;
    }
    halves
}

/// Returns the low halves of registers.
#[inline(always)]
pub(super) fn all_low_halves<const N: usize>(registers: [&Register; N]) -> [Row<u16>; N] {
    let mut rows = [Row([0; LANES]); N];
    for (row, register) in rows.iter_mut().zip(registers) {
        *row = low_halves(register);
    }
    rows
}

/// Writes halves as the lanes of a register.
#[inline(always)]
pub(super) fn store_halves(halves: &[u16; LANES], to: &mut Register) {
    for (lane, half) in to.iter_mut().zip(halves) {
        *lane = u32::from(*half);
    }
}

/// Returns references to the elements of rows.
#[inline(always)]
pub(super) fn row_refs<const N: usize>(rows: &[Row<u16>; N]) -> [&[u16; LANES]; N] {
    let mut refs = [&rows[0].0; N];
    for (reference, row) in refs.iter_mut().zip(rows) {
        *reference = &row.0;
    }
    refs
}

/// Returns the halves of registers in sequence.
#[inline(always)]
pub(super) fn all_halves<const N: usize>(registers: [&Register; N]) -> [&[u16; 2 * LANES]; N] {
    let mut sequences = [halves(registers[0]); N];
    for (sequence, register) in sequences.iter_mut().zip(registers) {
        *sequence = halves(register);
    }
    sequences
}

/// Returns the halves of a register that begin at bit `shift` as f32, with denormals flushed unless the mode keeps them.
#[inline(always)]
pub(super) fn sources_at<const WIDTH: usize>(
    mode: Mode,
    register: &Register,
    shift: u32,
) -> Row<f32> {
    widened::<WIDTH>(&source_halves(mode, register, shift).0)
}

/// Returns the halves of a register that begin at bit `shift`, with denormals flushed unless the mode keeps them.
#[inline(always)]
pub(super) fn source_halves(mode: Mode, register: &Register, shift: u32) -> Row<u16> {
    let mut halves = halves_at(register, shift);
    if !mode.denorm_in64 {
        flush(&mut halves.0);
    }
    halves
}
