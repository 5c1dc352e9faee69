//! The inverse of a chunk's unit lower triangular matrix (`gdr_solve_tril_f32`, `gdr_chunk_solve_tril_f32`).

use crate::Real;
use crate::rule::Sizes;
use crate::rule::chunk::{Inverse, inverse};

/// `(I + A)^-1` of every chunk of `bt` tokens: 16, 32 or 64, though any number works here.
///
/// `a` and the result are `[B, T, HV, BT]`. Of `a` only the part strictly below the diagonal is read. The result is whole: ones on the
/// diagonal, zeros above it and past the end of a short chunk.
///
/// With `N = -A`, zeros on its diagonal throughout: `N[i,:i] += N[i,:i] N[:i,:i]` for i = 1, 2, ..; the identity is added once, at the end.
#[must_use]
pub fn solve_tril<R: Real>(sizes: Sizes, bt: usize, a: &[R]) -> Vec<R> {
    inverse(sizes, bt, a, Inverse::ForwardSubstitution)
}

#[cfg(test)]
mod tests;
