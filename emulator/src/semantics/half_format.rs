//! f16, which no host computes in: widened, computed wider, narrowed, with one rounding in effect.

use super::format::{Format, power_of_two};
use super::{Mode, Round};
use half::f16;

impl Format for f16 {
    const PRECISION: u32 = 11;
    const LOWEST: i32 = -24;
    const SIGN: u64 = 0x8000;
    const INFINITY: u64 = 0x7c00;
    const ZERO: f16 = f16::from_bits(0);
    const ONE: f16 = f16::from_bits(0x3c00);
    const BELOW_ONE: f16 = f16::from_bits(0x3bff);
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> f16 {
        f16::from_bits(bits as u16)
    }
    // An f32 has more than twice the bits of an f16 plus two, so rounding sums and products twice is rounding them once.
    #[inline(always)]
    fn host_add(self, b: f16) -> f16 {
        narrow(widen(self) + widen(b))
    }
    #[inline(always)]
    fn host_mul(self, b: f16) -> f16 {
        narrow(widen(self) * widen(b))
    }
    // The product is exact in f64. The sum is not only where the addend is more than 2^30 times the product, so that the result is the
    // addend whatever the sum's last places are, or where the product is above 2^28 and the result infinite.
    #[inline(always)]
    fn host_fma(self, b: f16, c: f16) -> f16 {
        let (a, b, c) = (
            f64::from(widen(self)),
            f64::from(widen(b)),
            f64::from(widen(c)),
        );
        narrow(odd_f32(a * b + c))
    }
    #[inline(always)]
    fn host_scale(self, by: i32) -> f16 {
        narrow(odd_f32(f64::from(widen(self)) * power_of_two(by)))
    }
    #[inline(always)]
    fn less(self, b: f16) -> bool {
        widen(self) < widen(b)
    }
    #[inline(always)]
    fn integral(self, round: Round) -> f16 {
        narrow(widen(self).integral(round))
    }
    #[inline(always)]
    fn rounding(mode: Mode) -> Round {
        mode.round64
    }
    #[inline(always)]
    fn keeps_sources(mode: Mode) -> bool {
        mode.denorm_in64
    }
    #[inline(always)]
    fn keeps_results(mode: Mode) -> bool {
        mode.denorm_out64
    }
}

/// An f16's value as an f32, NaN payloads kept (a signalling one may stay so).
#[inline(always)]
pub(crate) fn widen(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    // Moves the exponent from bias 15 to 127, and makes denormals normal.
    let scaled = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
    let finite = if magnitude >= 0x7c00 << 13 {
        magnitude | 0x7f80_0000
    } else {
        scaled.to_bits()
    };
    f32::from_bits(finite | (bits & 0x8000) << 16)
}

/// An f32 rounded to nearest even as an f16; a NaN keeps sign and the high bits of its payload, and is quieted.
#[inline(always)]
pub(crate) fn narrow(x: f32) -> f16 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let normal = magnitude
        .wrapping_sub(112 << 23)
        .wrapping_add(0xfff + (magnitude >> 13 & 1))
        >> 13;
    // The sum's last place is an f16 denormal's.
    let denormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let nan = 0x7e00 | magnitude >> 13 & 0x1ff;
    let finite = if magnitude < 113 << 23 {
        denormal
    } else {
        normal
    };
    let number = if magnitude >= 143 << 23 {
        0x7c00
    } else {
        finite
    };
    let result = if magnitude > 0x7f80_0000 { nan } else { number };
    f16::from_bits((result | bits >> 16 & 0x8000) as u16)
}

/// An f64 as an f32 rounded to odd: rounding that again to nothing wider than 22 bits is rounding once.
#[inline(always)]
pub(crate) fn odd_f32(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    let step = if back.abs() < x.abs() { 1 } else { u32::MAX };
    let inexact = back != x && !x.is_nan() && bits & 1 == 0;
    f32::from_bits(if inexact {
        bits.wrapping_add(step)
    } else {
        bits
    })
}
