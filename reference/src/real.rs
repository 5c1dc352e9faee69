//! The two number types of the references.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::lanes;

/// A floating-point type that the references compute in: `f32` (the golden) or `f64` (the oracle).
pub trait Real:
    Copy
    + Debug
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// 0, positive.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// Returns `self * a + b`. `f32` rounds once, because hipcc contracts the kernels' multiply-adds to `v_fmac_f32`. `f64` rounds twice: its
    /// error is far below what the oracle resolves, and two operations are faster on a host without fused instructions.
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// Returns e^self. In `f32` the result is computed in `f64` and rounded. The device's own `expf` is within 1 ULP of the true value, and
    /// libraries err to different sides, so the true value is the only neutral reference.
    fn exp(self) -> Self;

    /// Returns ln(self). In `f32` the result is computed in `f64` and rounded, as for [`Real::exp`].
    fn ln(self) -> Self;

    /// Returns ln(1 + self), without losing a small `self` in the sum. In `f32` the result is computed in `f64` and rounded, as for
    /// [`Real::exp`].
    fn ln_1p(self) -> Self;

    /// Returns the square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// Converts to `f64`, which is exact.
    fn to_f64(self) -> f64;

    /// Returns the number nearest to `x`.
    fn from_f64(x: f64) -> Self;

    /// Computes `sums[i] = a x[i] + sums[i]`, each by [`Real::mul_add`], up to the shorter slice.
    fn add_scaled(sums: &mut [Self], a: Self, x: &[Self]);

    /// Returns `a[0] b[0] + a[1] b[1] + ...` from the left, each by [`Real::mul_add`], up to the shorter slice.
    fn dot(a: &[Self], b: &[Self]) -> Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;

    #[inline(always)]
    fn mul_add(self, a: f32, b: f32) -> f32 {
        f32::mul_add(self, a, b)
    }

    fn exp(self) -> f32 {
        f64::from(self).exp() as f32
    }

    fn ln(self) -> f32 {
        f64::from(self).ln() as f32
    }

    fn ln_1p(self) -> f32 {
        f64::from(self).ln_1p() as f32
    }

    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn from_f64(x: f64) -> f32 {
        x as f32
    }

    fn add_scaled(sums: &mut [f32], a: f32, x: &[f32]) {
        lanes::add_scaled(sums, a, x);
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        lanes::dot(a, b)
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    #[inline(always)]
    fn mul_add(self, a: f64, b: f64) -> f64 {
        self * a + b
    }

    fn exp(self) -> f64 {
        f64::exp(self)
    }

    fn ln(self) -> f64 {
        f64::ln(self)
    }

    fn ln_1p(self) -> f64 {
        f64::ln_1p(self)
    }

    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn from_f64(x: f64) -> f64 {
        x
    }

    fn add_scaled(sums: &mut [f64], a: f64, x: &[f64]) {
        lanes::add_scaled(sums, a, x);
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        lanes::dot(a, b)
    }
}

/// Converts the kernel's `f32` inputs to `f64`, for the oracle.
#[must_use]
pub fn widen(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f32_fuses_the_multiply_add() {
        // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last term survives only without a rounding in between
        let x = 1.0f32 + 2.0f32.powi(-12);
        let separate = x * x - (1.0 + 2.0f32.powi(-11));
        assert_eq!(separate, 0.0);
        assert_eq!(
            Real::mul_add(x, x, -(1.0 + 2.0f32.powi(-11))),
            2.0f32.powi(-24)
        );
    }

    #[test]
    fn f32_exp_is_the_rounded_true_value() {
        assert_eq!(Real::exp(0.0f32), 1.0);
        assert_eq!(Real::exp(1.0f32), std::f32::consts::E);
        assert_eq!(Real::exp(89.0f32), f32::INFINITY);
        assert_eq!(Real::exp(-104.0f32), 0.0);
        assert!(Real::exp(f32::NAN).is_nan());
    }

    #[test]
    fn widening_is_exact() {
        assert_eq!(widen(&[0.1, -2.5]), [f64::from(0.1f32), -2.5]);
    }
}
