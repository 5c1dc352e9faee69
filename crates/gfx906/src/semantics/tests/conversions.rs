//! Conversions, over all f16 values and the edges of the others.

use super::super::exact;
use super::super::format::Format;
use super::super::half_format::{narrow, odd_f32, widen};
use super::super::*;
use super::*;

#[test]
fn all_halves_widen_and_come_back() {
    for bits in 0..=u16::MAX {
        let x = f16::from_bits(bits);
        let wide = cvt_f32_f16(Mode::HIP, x);
        assert_eq!(wide.is_nan(), x.is_nan());
        if x.is_nan() {
            assert_eq!(
                cvt_f16_f32(Mode::HIP, wide).to_bits(),
                bits | 0x200,
                "{bits:04x}"
            );
            continue;
        }
        assert_eq!(wide.to_bits(), x.to_f32().to_bits(), "{bits:04x}");
        for round in ROUNDS {
            assert_eq!(
                cvt_f16_f32(rounding(round), wide).to_bits(),
                bits,
                "{bits:04x}"
            );
        }
        assert_eq!(
            cvt_pkrtz_f16_f32(Mode::HIP, wide, -wide).map(f16::to_bits),
            [bits, bits ^ 0x8000]
        );
        assert_eq!(f64::from(wide), x.to_f64());
        let flushed = cvt_f32_f16(FLUSH, x);
        assert_eq!(
            flushed,
            if wide.abs() < 2.0f32.powi(-14) {
                0.0
            } else {
                wide
            }
        );
    }
}

#[test]
fn halves_to_integers() {
    for bits in 0..=u16::MAX {
        let x = f16::from_bits(bits);
        assert_eq!(cvt_i16_f16(Mode::HIP, x), x.to_f64() as i16);
        assert_eq!(cvt_u16_f16(Mode::HIP, x), x.to_f64() as u16);
    }
    for n in 0..=u16::MAX {
        assert_eq!(
            cvt_f16_u16(Mode::HIP, n),
            f16::from_f64(f64::from(n)),
            "{n}"
        );
        assert_eq!(
            cvt_f16_i16(Mode::HIP, n as i16),
            f16::from_f64(f64::from(n as i16)),
            "{n}"
        );
    }
    let up = rounding(Round::TowardPositive);
    assert_eq!(cvt_f16_u16(up, 2049), f16::from_f32(2050.0));
    assert_eq!(cvt_f16_u16(up, 65535), f16::INFINITY);
    assert_eq!(cvt_f16_u16(rounding(Round::TowardZero), 65535), f16::MAX);
    assert_eq!(cvt_f16_i16(up, -2049), f16::from_f32(-2048.0));
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn narrowing_rounds_once(a in any_f32(), exponent in 100u32..145, fraction in any::<u32>()) {
        let near_half = f32::from_bits(exponent << 23 | fraction & 0x807f_ffff);
        for a in [a, near_half, near_half * 0.999_999_94] {
            if a.is_finite() {
                prop_assert_eq!(narrow(a).to_bits(), exact::convert::<f32, f16>(Round::NearestEven, a).to_bits());
                prop_assert_eq!(narrow(a), f16::from_f32(a));
                let zero: f16 = exact::convert(Round::TowardZero, a);
                prop_assert_eq!(cvt_pkrtz_f16_f32(Mode::HIP, a, a), [zero, zero]);
            }
        }
    }

    #[test]
    fn narrowing_f64_through_odd_rounds_once(a in any_f64(), exponent in 990u64..1045, fraction in any::<u64>()) {
        let near_half = f64::from_bits(exponent << 52 | fraction & 0x800f_ffff_ffff_ffff);
        // Half-way cases and their neighbours.
        let tie = f64::from_bits(near_half.to_bits() & !0x1ff_ffff_ffff | 0x200_0000_0000);
        for a in [a, near_half, tie, f64::from_bits(tie.to_bits() + 1), f64::from_bits(tie.to_bits() - 1)] {
            if a.is_finite() {
                prop_assert_eq!(narrow(odd_f32(a)).to_bits(), exact::convert::<f64, f16>(Round::NearestEven, a).to_bits());
            }
        }
    }

    #[test]
    fn f32_to_integers_like_the_host(a in any_f32(), near in -4.3e9f32..4.3e9) {
        for a in [a, near, near / 65536.0] {
            prop_assert_eq!(cvt_i32_f32(Mode::HIP, a), a as i32);
            prop_assert_eq!(cvt_u32_f32(Mode::HIP, a), a as u32);
        }
    }

    #[test]
    fn f64_to_f32_rounds_once(a in any_f64(), b in any_f32()) {
        if a.is_finite() {
            prop_assert_eq!(cvt_f32_f64(Mode::HIP, a).to_bits(), (a as f32).to_bits());
            prop_assert_eq!(exact::convert::<f64, f32>(Round::NearestEven, a).to_bits(), (a as f32).to_bits());
            let up = cvt_f32_f64(rounding(Round::TowardPositive), a);
            let down = cvt_f32_f64(rounding(Round::TowardNegative), a);
            prop_assert!(f64::from(down) <= a && a <= f64::from(up));
            prop_assert!(up == down || down.next_up() == up);
        }
        if !b.is_nan() {
            prop_assert_eq!(cvt_f64_f32(Mode::HIP, b), f64::from(b));
        }
    }

    #[test]
    fn integers_to_f32_round_once(a in any::<u32>()) {
        prop_assert_eq!(cvt_f32_u32(Mode::HIP, a), a as f32);
        prop_assert_eq!(cvt_f32_i32(Mode::HIP, a as i32), a as i32 as f32);
        let up = cvt_f32_u32(rounding(Round::TowardPositive), a);
        let zero = cvt_f32_u32(rounding(Round::TowardZero), a);
        prop_assert!(f64::from(zero) <= f64::from(a) && f64::from(a) <= f64::from(up));
        prop_assert!(up == zero || zero.next_up() == up);
    }
}

#[test]
fn nan_payloads_cross_formats() {
    let m = Mode::HIP;
    assert_eq!(
        cvt_f64_f32(m, f32::from_bits(0xff80_0001)).to_bits(),
        0xfff8_0000_2000_0000
    );
    assert_eq!(
        cvt_f32_f64(m, f64::from_bits(0x7ff4_0000_2000_0000)).to_bits(),
        0x7fe0_0001
    );
    assert_eq!(
        cvt_f32_f64(m, f64::from_bits(0x7ff0_0000_0000_0001)).to_bits(),
        0x7fc0_0000
    );
    assert_eq!(
        cvt_f32_f16(m, f16::from_bits(0x7c01)).to_bits(),
        0x7fc0_2000
    );
    assert_eq!(
        cvt_f16_f32(m, f32::from_bits(0x7f80_0001)).to_bits(),
        0x7e00
    );
}

#[test]
fn flooring_conversions() {
    let m = Mode::HIP;
    let rpi = |x| cvt_rpi_i32_f32(m, x);
    assert_eq!(
        [
            rpi(0.5),
            rpi(-0.5),
            rpi(1.5),
            rpi(-1.5),
            rpi(2.4999998),
            rpi(0.49999997)
        ],
        [1, 0, 2, -1, 2, 0]
    );
    assert_eq!(
        [rpi(8_388_609.0), rpi(1e20), rpi(-1e20)],
        [8_388_609, i32::MAX, i32::MIN]
    );
    let flr = |x| cvt_flr_i32_f32(m, x);
    assert_eq!(
        [
            flr(-0.1),
            flr(-1.0),
            flr(1.9),
            flr(f32::INFINITY),
            flr(f32::NEG_INFINITY)
        ],
        [-1, -1, 1, i32::MAX, i32::MIN]
    );
    assert_eq!(
        [flr(f32::NAN), flr(-f32::NAN), rpi(f32::NAN)],
        [i32::MAX, i32::MIN, i32::MAX]
    );
}

#[test]
fn small_fields() {
    let m = Mode::HIP;
    let off: Vec<f32> = (0..16).map(|i| cvt_off_f32_i4(m, i | 0xabc0)).collect();
    assert_eq!(
        off[..9],
        [
            0.0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, -0.5
        ]
    );
    assert_eq!(off[15], -0.0625);
    assert_eq!(
        [
            cvt_f32_ubyte0(m, 0x0403_0201),
            cvt_f32_ubyte1(m, 0x0403_0201)
        ],
        [1.0, 2.0]
    );
    assert_eq!(
        [
            cvt_f32_ubyte2(m, 0x0403_0201),
            cvt_f32_ubyte3(m, 0xff03_0201)
        ],
        [3.0, 255.0]
    );
    assert_eq!(cvt_pk_u8_f32(m, 2.5, 0, 0xaabb_ccdd), 0xaabb_cc02);
    assert_eq!(cvt_pk_u8_f32(m, 3.5, 5, 0xaabb_ccdd), 0xaabb_04dd);
    assert_eq!(
        cvt_pk_u8_f32(rounding(Round::TowardPositive), 2.1, 3, 0xaabb_ccdd),
        0x03bb_ccdd
    );
    assert_eq!(
        [300.0, -5.0, f32::NAN].map(|x| cvt_pkaccum_u8_f32(m, x, 2, u32::MAX)),
        [u32::MAX, 0xff00_ffff, 0xff00_ffff]
    );
}

#[test]
fn normalised_integers() {
    let m = Mode::HIP;
    assert_eq!(cvt_pknorm_i16_f32(m, 1.0, -1.0), [32767, -32767]);
    assert_eq!(
        cvt_pknorm_i16_f32(m, 7.0, f32::NEG_INFINITY),
        [32767, -32767]
    );
    assert_eq!(cvt_pknorm_i16_f32(m, f32::NAN, 0.5), [0, 16384]);
    assert_eq!(cvt_pknorm_u16_f32(m, 1.0, -1.0), [65535, 0]);
    assert_eq!(cvt_pknorm_u16_f32(m, 0.5, 2.0), [32768, 65535]);
    assert_eq!(
        cvt_pknorm_i16_f16(m, f16::from_f32(-0.25), f16::NAN),
        [-8192, 0]
    );
    assert_eq!(
        cvt_pknorm_u16_f16(m, f16::from_f32(0.25), f16::ONE),
        [16384, 65535]
    );
    assert_eq!(cvt_norm_i16_f16(m, f16::from_f32(-3.0)), -32767);
}

#[test]
fn packing_integers_saturates() {
    assert_eq!(cvt_pk_u16_u32(0x1_0000, 7), [0xffff, 7]);
    assert_eq!(cvt_pk_i16_i32(-40_000, 40_000), [-32768, 32767]);
    assert_eq!(sat_pk_u8_i16([-1, 300]), 0xff00);
    assert_eq!(sat_pk_u8_i16([77, 3]), 0x034d);
}

#[test]
fn toward_zero_keeps_infinity_only() {
    let m = rounding(Round::TowardPositive);
    assert_eq!(
        cvt_pkrtz_f16_f32(m, 1e9, -1e9).map(f16::to_bits),
        [0x7bff, 0xfbff]
    );
    assert_eq!(
        cvt_pkrtz_f16_f32(m, f32::INFINITY, -f32::INFINITY).map(f16::to_bits),
        [0x7c00, 0xfc00]
    );
    assert_eq!(f16::BELOW_ONE.to_bits(), 0x3bff);
    assert_eq!(widen(f16::from_bits(1)), 2.0f32.powi(-24));
}
