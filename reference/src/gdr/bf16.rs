//! Conversions between f32 and bf16, by the `half` crate: round to nearest, ties to even; a NaN stays a NaN.

use half::bf16;

use crate::Real;

/// Returns the bits of the bf16 nearest to each number (`gdr_float_to_bf16`). A tie goes to the even bf16. A number of a magnitude of
/// 3.3961775e38 or more, half a step beyond the largest bf16, becomes infinite. A NaN becomes quiet, and keeps its sign and the upper part of
/// its payload.
#[must_use]
pub fn from_float(x: &[f32]) -> Vec<u16> {
    x.iter().map(|&x| bf16::from_f32(x).to_bits()).collect()
}

/// Returns the number that each bf16's bits stand for, exactly (`gdr_bf16_to_float`). A NaN keeps its bits.
#[must_use]
pub fn to_float(bits: &[u16]) -> Vec<f32> {
    bits.iter()
        .map(|&bits| f32::from_bits(u32::from(bits) << 16))
        .collect()
}

/// Rounds `x` to a bf16. In `f64` the value is rounded once, without the nearest `f32` in between.
#[must_use]
pub fn round<R: Real>(x: R) -> R {
    R::from_f64(bf16::from_f32(to_odd(x.to_f64())).to_f64())
}

/// Truncates `x` to an f32 whose last bit is set if bits were lost ("round to odd"). Rounding the f32 to fewer bits then gives the same
/// result as rounding `x`. (`half` rounds an f64 by its upper 32 bits alone, and takes a number just above a tie for a tie.)
pub(crate) fn to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    if nearest.is_nan() || f64::from(nearest) == x {
        return nearest;
    }
    let truncated = nearest.to_bits() - u32::from(f64::from(nearest).abs() > x.abs());
    f32::from_bits(truncated | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // 1, the next bf16 above it (1 + 2^-7), the tie between them, and the tie above
        let ulp = 2f32.powi(-7);
        let x = [1.0, 1.0 + ulp, 1.0 + 0.5 * ulp, 1.0 + 1.5 * ulp];
        assert_eq!(from_float(&x), [0x3f80, 0x3f81, 0x3f80, 0x3f82]);
        // a tie and a little more goes up
        assert_eq!(from_float(&[f32::from_bits(0x3f80_8001)]), [0x3f81]);
        assert_eq!(from_float(&[-0.0, 0.0]), [0x8000, 0]);
        assert_eq!(to_float(&[0x3f80, 0xc000, 1]), [1.0, -2.0, 2f32.powi(-133)]);
    }

    #[test]
    fn the_ends_of_the_range() {
        // the largest bf16, the largest f32 that rounds to it, the tie above: even is inf
        let largest = f32::from_bits(0x7f7f_0000);
        let below = f32::from_bits(0x7f7f_7fff);
        let tie = f32::from_bits(0x7f7f_8000);
        assert_eq!(from_float(&[largest, below, tie]), [0x7f7f, 0x7f7f, 0x7f80]);
        assert_eq!(from_float(&[f32::MAX, -f32::MAX]), [0x7f80, 0xff80]);
        // subnormals: half of the smallest bf16 is a tie with 0
        let half = f32::from_bits(0x0000_8000);
        let above_half = f32::from_bits(0x0000_8001);
        assert_eq!(from_float(&[half, above_half]), [0, 1]);
    }

    #[test]
    fn a_nan_stays_a_nan() {
        // A payload in the lower bits only would round to inf.
        let low = f32::from_bits(0x7f80_0001);
        assert_eq!(from_float(&[low, -low]), [0x7fc0, 0xffc0]);
        assert_eq!(from_float(&[f32::from_bits(0x7fff_ffff)]), [0x7fff]);
        assert!(round(f64::NAN).is_nan());
    }

    #[test]
    fn every_bf16_comes_back() {
        for bits in 0..=u16::MAX {
            let back = from_float(&to_float(&[bits]))[0];
            let number = to_float(&[bits])[0];
            assert_eq!(back, if number.is_nan() { bits | 0x40 } else { bits });
        }
    }

    #[test]
    fn the_oracle_is_rounded_once() {
        // This is above a tie by less than an f32 resolves. A rounding through f32 would go down to the even neighbour.
        let x = 1.0 + 2f64.powi(-8) + 2f64.powi(-40);
        assert_eq!(round(x), 1.0 + 2f64.powi(-7));
        assert_eq!(round(x as f32), 1.0);
        let below = 1.0 + 3.0 * 2f64.powi(-8) - 2f64.powi(-40);
        assert_eq!(
            [round(-below), round(below)],
            [-1.0 - 2f64.powi(-7), 1.0 + 2f64.powi(-7)]
        );
        let far = [1e-60, -1e-60, 1e60].map(round);
        assert_eq!(far, [0.0, -0.0, f64::INFINITY]);
        assert!(far[1].is_sign_negative());
    }
}
