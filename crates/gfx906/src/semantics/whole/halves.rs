//! f16 arithmetic of a whole wave at once, on hosts that convert f16. It computes the same as the scalar functions if no infinity and no
//! NaN occurs and the rounding is to nearest. In all other cases these functions return false, and the caller uses the scalar functions.
//!
//! The f16 of packed instructions are consecutive; those of single instructions are gathered first.

use super::rows::*;
use super::vector::Vector;
use crate::semantics::{Mode, Round};

/// The least normal f16.
const LEAST: f32 = 1.0 / 16384.0;
/// A smaller magnitude does not become normal when it is rounded to an f16.
const BELOW_LEAST: f32 = LEAST - LEAST / 2048.0;

/// An operation on vectors.
pub(in crate::semantics) trait Operation<const N: usize>: Copy {
    /// Computes the operation.
    fn compute<V: Vector>(self, sources: [V; N]) -> V;
}

/// Declares operations.
macro_rules! operations {
    ($( $(#[$doc:meta])* $name:ident[$($arg:ident),*; $n:literal] = $result:expr; )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(in crate::semantics) struct $name;
        impl Operation<$n> for $name {
            #[inline(always)]
            fn compute<V: Vector>(self, [$($arg),*]: [V; $n]) -> V { $result }
        }
    )* };
}

operations! {
    /// `a + b`.
    Add[a, b; 2] = a.plus(b);
    /// `a - b`.
    Sub[a, b; 2] = a.minus(b);
    /// `b - a`.
    Subrev[a, b; 2] = b.minus(a);
    /// `a * b`.
    Mul[a, b; 2] = a.times(b);
    /// `a * b + c`, rounded once.
    Fma[a, b, c; 3] = a.times_plus_odd(b, c);
    /// `a * b + c`. The product is rounded too, and all denormals are flushed.
    Mad[a, b, c; 3] = {
        let (least, below) = (a.splat(LEAST), a.splat(BELOW_LEAST));
        let product = a.flushed(least).times(b.flushed(least));
        product.rounded().flushed(least).plus(c.flushed(least)).flushed(below)
    };
}

/// An operation whose sources and results are flushed unless the mode keeps them.
#[derive(Clone, Copy)]
struct Flushing<O>(O, Mode);

impl<const N: usize, O: Operation<N>> Operation<N> for Flushing<O> {
    #[inline(always)]
    fn compute<V: Vector>(self, mut sources: [V; N]) -> V {
        let Flushing(operation, mode) = self;
        let least = sources[0].splat(if mode.denorm_in64 { 0.0 } else { LEAST });
        let below = sources[0].splat(if mode.denorm_out64 { 0.0 } else { BELOW_LEAST });
        for source in &mut sources {
            *source = source.flushed(least);
        }
        operation.compute(sources).flushed(below)
    }
}

/// Computes vector by vector. Returns true if no result is infinite or a NaN.
///
/// # Safety
///
/// The host has the instructions of `V`.
#[inline(always)]
unsafe fn compute_vectors<V: Vector, const N: usize, const M: usize>(
    sources: [&[u16; M]; N],
    to: &mut [u16; M],
    operation: impl Operation<N>,
) -> bool {
    // SAFETY: the caller guarantees that the host has the instructions.
    let zeros = unsafe { V::zeros() };
    let mut remains = zeros;
    let mut at = 0;
    while at < M {
        // `map` would be compiled for any host, without the vector instructions.
        let mut vectors = [zeros; N];
        for (vector, source) in vectors.iter_mut().zip(sources) {
            // SAFETY: the caller guarantees that the host has the instructions.
            *vector = unsafe { V::load(&source[at..]) };
        }
        let result = operation.compute(vectors);
        remains = result.times_plus(zeros, remains);
        result.store(&mut to[at..]);
        at += V::ELEMENTS;
    }
    !remains.any_nan()
}

/// Computes an operation at the level of vectors of `WIDTH` bytes, in a mode.
#[inline(always)]
fn compute_at_width<const WIDTH: usize, const N: usize, const M: usize>(
    mode: Mode,
    sources: [&[u16; M]; N],
    to: &mut [u16; M],
    operation: impl Operation<N>,
) -> bool {
    if mode.round64 != Round::NearestEven {
        return false;
    }
    macro_rules! with {
        ($vector:ty) => {
            if mode.denorm_in64 && mode.denorm_out64 {
                // SAFETY: handlers of this width run only on hosts of its level.
                unsafe { compute_vectors::<$vector, N, M>(sources, to, operation) }
            } else {
                // SAFETY: as above.
                unsafe { compute_vectors::<$vector, N, M>(sources, to, Flushing(operation, mode)) }
            }
        };
    }
    match WIDTH {
        #[cfg(target_arch = "x86_64")]
        64 => with!(super::host::Vector16),
        #[cfg(target_arch = "x86_64")]
        32 => with!(super::host::Vector8),
        _ => false,
    }
}

/// Computes an operation on packed f16. Returns false if the scalar functions must decide.
#[inline(always)]
pub(in crate::semantics) fn packed<const WIDTH: usize, const N: usize>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
    operation: impl Operation<N>,
) -> bool {
    let to = bytemuck::cast_mut::<Register, [u16; 2 * LANES]>(to);
    compute_at_width::<WIDTH, N, _>(mode, all_halves(sources), to, operation)
}

/// Computes an operation on f16 in the low halves of registers. Returns false if the scalar functions must decide.
#[inline(always)]
pub(in crate::semantics) fn single<const WIDTH: usize, const N: usize>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
    operation: impl Operation<N>,
) -> bool {
    if WIDTH < 32 {
        return false;
    }
    let sources = all_low_halves(sources);
    let mut results = Row([0; LANES]);
    let done = compute_at_width::<WIDTH, N, _>(mode, row_refs(&sources), &mut results.0, operation);
    store_halves(&results.0, to);
    done
}

/// Adds the two products of pairs of f16 to a sum, rounded to nearest, with f32 denormals flushed at each step. Returns false if the scalar
/// function must decide.
#[inline(always)]
pub(in crate::semantics) fn dot<const WIDTH: usize, const N: usize>(
    mode: Mode,
    sources: [&Register; 3],
    to: &mut Register,
    _: [(); N],
) -> bool {
    #[inline(always)]
    fn with<V: Vector>(halves: [&Row<u16>; 4], c: &[f32; LANES], to: &mut [f32; LANES]) -> bool {
        // SAFETY: handlers of this width run only on hosts of its level.
        let zeros = unsafe { V::zeros() };
        let least = zeros.splat(f32::MIN_POSITIVE);
        let mut remains = zeros;
        let mut at = 0;
        while at < LANES {
            let mut vectors = [zeros; 4];
            for (vector, row) in vectors.iter_mut().zip(halves) {
                // SAFETY: as above.
                *vector = unsafe { V::load(&row.0[at..]) };
            }
            let [a0, a1, b0, b1] = vectors;
            // SAFETY: as above.
            let c = unsafe { V::load_f32(&c[at..]) };
            let sum = a0.times_plus(b0, c.flushed(least)).flushed(least);
            let sum = a1.times_plus(b1, sum).flushed(least);
            remains = sum.times_plus(zeros, remains);
            sum.store_f32(&mut to[at..]);
            at += V::ELEMENTS;
        }
        !remains.any_nan()
    }
    if !converts(WIDTH) || mode.round32 != Round::NearestEven {
        return false;
    }
    let [a, b, c] = sources;
    let (a0, a1) = (source_halves(mode, a, 0), source_halves(mode, a, 16));
    let (b0, b1) = (source_halves(mode, b, 0), source_halves(mode, b, 16));
    let (halves, c) = (
        [&a0, &a1, &b0, &b1],
        bytemuck::cast_ref::<_, [f32; LANES]>(c),
    );
    let to = bytemuck::cast_mut::<_, [f32; LANES]>(to);
    match WIDTH {
        #[cfg(target_arch = "x86_64")]
        64 => with::<super::host::Vector16>(halves, c, to),
        #[cfg(target_arch = "x86_64")]
        32 => with::<super::host::Vector8>(halves, c, to),
        _ => false,
    }
}
