//! Table for the reduction of huge angles: pieces of 2/pi.

use super::Mode;
use super::format::Format;

/// The first 1201 bits of 2/pi after the binary point, highest first.
#[rustfmt::skip]
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0, 0x0649_2eea_09d1_921c, 0xfe1d_eb1c_b129_a73e, 0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41, 0x3991_d639_8353_39f4, 0x9c84_5f8b_bdf9_283b, 0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f, 0x6d36_7ecf_27cb_09b7, 0x4f46_3f66_9e5f_ea2d, 0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea, 0x6bfb_5fb1_1f8d_5d08, 0x5603_3046_fc7b_0000,
];

/// Returns 53 bits of [`TWO_OVER_PI`] from bit `first` on, with zeros past its end.
#[inline(always)]
fn piece(first: u32) -> u64 {
    let word = |i: u32| TWO_OVER_PI.get(i as usize).copied().unwrap_or(0);
    let pair = u128::from(word(first / 64)) << 64 | u128::from(word(first / 64 + 1));
    (pair << (first % 64) >> 75) as u64
}

instructions! {
    /// Piece number `segment` (its low five bits) of 2/pi as 53 bits in their place. The first piece depends on the exponent of `a`.
    trig_preop_f64(_mode: Mode, a: f64, segment: u32) -> f64 {
        let exponent = a.exponent_field() as u32;
        let first = (segment & 31) * 53 + exponent.saturating_sub(1077);
        // A piece this far out would underflow, so it is scaled up.
        let up = if exponent >= 1968 { 128 } else { 0 };
        let scale = up - 53 - first as i32;
        super::exact::scale(super::Round::NearestEven, piece(first) as f64, scale)
    }
}
