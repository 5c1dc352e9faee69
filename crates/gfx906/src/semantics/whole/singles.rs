//! Functions of f32 in all lanes, and functions of f16 that equal the f32 function of the same value.

use super::rows::*;
use crate::semantics::{Mode, Round};

/// A function of f32 as a type, so that generic code inlines it.
pub(in crate::semantics) trait Single<const N: usize> {
    /// Computes the function.
    fn compute(mode: Mode, sources: [f32; N]) -> f32;
}

/// Computes a function of f32 in all lanes.
#[inline(always)]
fn all_lanes<const N: usize, F: Single<N>>(mode: Mode, sources: [&[f32; LANES]; N]) -> Row<f32> {
    let mut row = Row([0.0; LANES]);
    let results = &mut row.0;
    macro_rules! all {
        ($mode:expr) => {
            for l in 0..LANES {
                let mut lane = [0.0; N];
                for (value, source) in lane.iter_mut().zip(sources) {
                    *value = source[l];
                }
                results[l] = F::compute($mode, lane);
            }
        };
    }
    if mode == Mode::HIP {
        all!(Mode::HIP);
    } else {
        all!(mode);
    }
    row
}

/// Computes a function of f32 whose result is rounded to an f16. Returns false if the host does not convert.
#[inline(always)]
pub(in crate::semantics) fn from_f32<const WIDTH: usize, const N: usize, F: Single<N>>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
) -> bool {
    if !converts(WIDTH) {
        return false;
    }
    let mut numbers = [bytemuck::cast_ref(sources[0]); N];
    for (number, source) in numbers.iter_mut().zip(sources) {
        *number = bytemuck::cast_ref(source);
    }
    let results = all_lanes::<N, F>(mode, numbers);
    store_halves(&narrowed::<WIDTH>(mode, mode.round64, &results.0).0, to);
    true
}

/// Computes a function of an f32 for two sources, and rounds the results toward zero to a pair of f16. Returns false if the host does not
/// convert. All declarations give `N`, which is the number of the function's arguments.
#[inline(always)]
pub(in crate::semantics) fn pair_toward_zero<const WIDTH: usize, const N: usize, F: Single<1>>(
    mode: Mode,
    [a, b]: [&Register; 2],
    to: &mut Register,
) -> bool {
    if !converts(WIDTH) {
        return false;
    }
    let a = all_lanes::<1, F>(mode, [bytemuck::cast_ref(a)]);
    let b = all_lanes::<1, F>(mode, [bytemuck::cast_ref(b)]);
    let a = narrowed::<WIDTH>(mode, Round::TowardZero, &a.0).0;
    let b = narrowed::<WIDTH>(mode, Round::TowardZero, &b.0).0;
    for l in 0..LANES {
        to[l] = u32::from(a[l]) | u32::from(b[l]) << 16;
    }
    true
}

/// Computes a function of an f16 that equals the f32 function of the same value, rounded to nearest. Returns false if the host does not
/// convert.
#[inline(always)]
pub(in crate::semantics) fn through_f32<const WIDTH: usize, const N: usize, F: Single<1>>(
    mode: Mode,
    [a]: [&Register; 1],
    to: &mut Register,
) -> bool {
    if !converts(WIDTH) || mode.round64 != Round::NearestEven {
        return false;
    }
    let a = sources_at::<WIDTH>(mode, a, 0);
    let results = all_lanes::<1, F>(Mode::HIP, [&a.0]);
    store_halves(
        &narrowed::<WIDTH>(mode, Round::NearestEven, &results.0).0,
        to,
    );
    true
}

/// Widens the f16 that begin at bit `shift`. Returns false if the host does not convert.
#[inline(always)]
pub fn widen_halves<const WIDTH: usize>(from: &Register, shift: u32, to: &mut Register) -> bool {
    if converts(WIDTH) {
        *to = bytemuck::cast(sources_at::<WIDTH>(Mode::HIP, from, shift).0);
    }
    converts(WIDTH)
}

/// Computes a function of f32 in all lanes, by a formula for numbers that are not NaN and have no NaN result. Returns false if a NaN
/// occurs, or if the mode flushes f32 denormals or does not round to nearest.
#[inline(always)]
pub(in crate::semantics) fn numbers<const WIDTH: usize, const N: usize, F: Single<N>>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
) -> bool {
    without_nan::<N, F, true>(mode, sources, to)
}

/// Computes a function of f32 in all lanes that gives a NaN wherever a source is one, by a formula for results that are not NaN. Returns
/// false if a result is a NaN, or if the mode flushes f32 denormals or does not round to nearest.
#[inline(always)]
pub(in crate::semantics) fn results<const WIDTH: usize, const N: usize, F: Single<N>>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
) -> bool {
    without_nan::<N, F, false>(mode, sources, to)
}

/// Computes a function, and returns true if no result is a NaN, and no source where `SOURCES` is true.
#[inline(always)]
fn without_nan<const N: usize, F: Single<N>, const SOURCES: bool>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
) -> bool {
    if !mode.denorm_in32 || !mode.denorm_out32 || mode.round32 != Round::NearestEven {
        return false;
    }
    let mut any_nan = false;
    for l in 0..LANES {
        let mut lane = [0.0; N];
        for (value, source) in lane.iter_mut().zip(sources) {
            *value = f32::from_bits(source[l]);
            any_nan |= SOURCES && value.is_nan();
        }
        let result = F::compute(Mode::HIP, lane);
        any_nan |= result.is_nan();
        to[l] = result.to_bits();
    }
    !any_nan
}
