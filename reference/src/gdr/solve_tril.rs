//! The inverse of a chunk's unit lower triangular matrix (`gdr_solve_tril_f32`, `gdr_chunk_solve_tril_f32`).

use crate::Real;
use crate::rule::Sizes;
use crate::rule::chunk::{Inverse, inverse};

/// Returns `(I + A)^-1` of every chunk of `bt` tokens. `a` and the result are `[B, T, HV, BT]`. Kernels use 16, 32 or 64 tokens; this
/// function takes any number.
///
/// The steps are `N[i,:i] += N[i,:i] N[:i,:i]` with `N = -A` and zeros on its diagonal throughout, for i = 1, 2, ..; the identity is added
/// once, at the end.
#[must_use]
pub fn solve_tril<R: Real>(sizes: Sizes, bt: usize, a: &[R]) -> Vec<R> {
    inverse(sizes, bt, a, Inverse::ForwardSubstitution)
}

#[cfg(test)]
mod tests;
