//! gdr_utils: differences of tensors, and reductions to one result per block. The host reduces the results of the blocks.

use crate::operators::sub;
use crate::{Real, shape};

/// Elements of a block of the reductions.
pub const BLOCK: usize = 256;

/// `out[i] = |x[i] - y[i]|` (`gdr_abs_diff_f32`).
#[must_use]
pub fn abs_diff<R: Real>(x: &[R], y: &[R]) -> Vec<R> {
    let absolute = |d: R| if d < R::ZERO { -d } else { d + R::ZERO };
    sub(x, y).into_iter().map(absolute).collect()
}

/// `out[i] = (x[i] - y[i])^2` (`gdr_squared_diff_f32`).
#[must_use]
pub fn squared_diff<R: Real>(x: &[R], y: &[R]) -> Vec<R> {
    sub(x, y).into_iter().map(|d| d * d).collect()
}

/// Returns the largest element of each block of [`BLOCK`] elements; the last block may be shorter (`gdr_max_reduce_f32`). A maximum starts
/// from `-f32::MAX`, which is therefore the maximum of a block that has only `-inf`. NaN is skipped, as in `fmaxf`.
#[must_use]
pub fn max_partials<R: Real>(x: &[R]) -> Vec<R> {
    let least = R::from_f64(f64::from(f32::MIN));
    let larger = |most: R, &x: &R| if x > most { x } else { most };
    let of_block = |block: &[R]| block.iter().fold(least, larger);
    x.chunks(BLOCK).map(of_block).collect()
}

/// Returns the sum of each block of [`BLOCK`] elements; the last block may be shorter (`gdr_sum_reduce_f32`). Each wave of 64 lanes sums by
/// halves, in the order of a butterfly; then the sums of the waves are added in order.
#[must_use]
pub fn sum_partials<R: Real>(x: &[R]) -> Vec<R> {
    let of_block = |block: &[R]| {
        let waves = block.chunks(64).map(by_halves);
        waves.fold(R::ZERO, |sum, wave| sum + wave)
    };
    x.chunks(BLOCK).map(of_block).collect()
}

/// Reduces the partial maxima, as the host does.
///
/// Panics if there are no partial maxima.
#[must_use]
pub fn max_finish<R: Real>(partials: &[R]) -> R {
    shape::expect("max_finish", "partials", partials.len().min(1), &[1]);
    let larger = |most: R, &x: &R| if x > most { x } else { most };
    partials[1..].iter().fold(partials[0], larger)
}

/// Reduces the partial sums, as the host does.
#[must_use]
pub fn sum_finish<R: Real>(partials: &[R]) -> R {
    partials.iter().fold(R::ZERO, |sum, &x| sum + x)
}

/// Pads up to 64 elements with zeros, and adds the upper half to the lower until one is left.
fn by_halves<R: Real>(x: &[R]) -> R {
    let mut lanes = x.to_vec();
    lanes.resize(64, R::ZERO);
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len() / 2);
        for (low, high) in lanes.iter_mut().zip(upper) {
            *low = *low + high;
        }
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_by_hand() {
        let (x, y) = ([1.0f32, -2.0, 0.5], [3.0, -2.0, -1.0]);
        assert_eq!(abs_diff(&x, &y), [2.0, 0.0, 1.5]);
        assert_eq!(squared_diff(&x, &y), [4.0, 0.0, 2.25]);
        assert!(abs_diff(&[f64::NAN], &[0.0])[0].is_nan());
    }

    #[test]
    fn an_absolute_difference_has_no_sign() {
        assert!(abs_diff(&[-0.0f32], &[0.0])[0].is_sign_positive());
        assert!(abs_diff(&[0.0f32], &[0.0])[0].is_sign_positive());
    }

    #[test]
    fn a_block_has_256_elements_and_the_last_what_is_left() {
        let x: Vec<f64> = (1..=600).map(f64::from).collect();
        assert_eq!(max_partials(&x), [256.0, 512.0, 600.0]);
        // 256 * 257 / 2, and so on: 600 * 601 / 2 in all
        assert_eq!(sum_partials(&x), [32896.0, 98432.0, 48972.0]);
        assert_eq!(sum_finish(&sum_partials(&x)), 180300.0);
        assert_eq!(max_finish(&max_partials(&x)), 600.0);
        assert!(sum_partials::<f32>(&[]).is_empty());
    }

    #[test]
    fn maxima_below_zero_and_the_identity() {
        assert_eq!(max_partials(&[-3.0f32, -2.0, f32::NAN]), [-2.0]);
        assert_eq!(max_partials(&[f32::NEG_INFINITY]), [f32::MIN]);
        assert_eq!(max_finish(&[-5.0f32, -4.0]), -4.0);
    }

    #[test]
    fn a_wave_sums_by_halves() {
        // Lane 0 has 2^24, and lanes 32 and 16 have 1: in f32 each 1 is lost in 1 + 2^24.
        let mut x = vec![0.0f32; 64];
        x[0] = 16_777_216.0;
        (x[32], x[16]) = (1.0, 1.0);
        assert_eq!(sum_partials(&x), [16_777_216.0]);
        // In lanes 17 and 16 + 32 + 1 the ones meet first.
        let mut x = vec![0.0f32; 64];
        x[0] = 16_777_216.0;
        (x[17], x[49]) = (1.0, 1.0);
        assert_eq!(sum_partials(&x), [16_777_218.0]);
    }
}
