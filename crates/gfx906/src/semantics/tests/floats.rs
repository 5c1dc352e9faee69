//! Float arithmetic: NaN, zeros, denormals, minima, splitting, modifiers.

use super::super::format::Format;
use super::super::*;
use super::*;

const M: Mode = Mode::HIP;
const QUIET_A: f32 = f32::from_bits(0x7fc0_000a);
const SIGNALLING_A: f32 = f32::from_bits(0x7f80_000a);
const QUIET_B: f32 = f32::from_bits(0xffc0_000b);
const SIGNALLING_B: f32 = f32::from_bits(0xff80_000b);
const LEGACY: Mode = Mode {
    ieee: false,
    ..Mode::HIP
};

#[test]
fn the_first_nan_comes_back_quieted() {
    assert_eq!(add_f32(M, SIGNALLING_A, QUIET_B).to_bits(), 0x7fc0_000a);
    assert_eq!(add_f32(M, 1.0, SIGNALLING_B).to_bits(), 0xffc0_000b);
    assert_eq!(sub_f32(M, 1.0, QUIET_A).to_bits(), 0x7fc0_000a);
    assert_eq!(subrev_f32(M, QUIET_A, QUIET_B).to_bits(), 0x7fc0_000a);
    assert_eq!(mul_f32(M, QUIET_B, QUIET_A).to_bits(), 0xffc0_000b);
    assert_eq!(fma_f32(M, 1.0, QUIET_B, QUIET_A).to_bits(), 0xffc0_000b);
    assert_eq!(
        fma_f32(M, 0.0, f32::INFINITY, QUIET_B).to_bits(),
        0xffc0_000b
    );
    assert_eq!(
        add_f16(M, f16::from_bits(0x7c01), f16::ONE).to_bits(),
        0x7e01
    );
    assert_eq!(
        mul_f64(M, f64::from_bits(0xfff0_0000_0000_0003), 1.0).to_bits(),
        0xfff8_0000_0000_0003
    );
}

#[test]
fn invalid_operations_give_the_positive_nan() {
    let inf = f32::INFINITY;
    assert_eq!(add_f32(M, inf, -inf).to_bits(), 0x7fc0_0000);
    assert_eq!(sub_f32(M, inf, inf).to_bits(), 0x7fc0_0000);
    assert_eq!(mul_f32(M, 0.0, -inf).to_bits(), 0x7fc0_0000);
    assert_eq!(fma_f32(M, inf, 1.0, -inf).to_bits(), 0x7fc0_0000);
    assert_eq!(
        add_f64(M, f64::INFINITY, f64::NEG_INFINITY).to_bits(),
        0x7ff8_0000_0000_0000
    );
    assert_eq!(mul_f16(M, f16::ZERO, f16::INFINITY).to_bits(), 0x7e00);
    assert_eq!(fract_f32(M, inf).to_bits(), 0x7fc0_0000);
}

#[test]
fn denormals_follow_the_mode() {
    let small = f32::from_bits(0x0040_0000);
    assert_eq!(add_f32(M, small, small), f32::MIN_POSITIVE);
    assert_eq!(add_f32(FLUSH, small, small), 0.0);
    assert_eq!(
        mul_f32(FLUSH, f32::MIN_POSITIVE, -0.5).to_bits(),
        0x8000_0000
    );
    assert_eq!(
        add_f32(
            Mode {
                denorm_in32: false,
                ..M
            },
            small,
            1.0
        ),
        1.0
    );
    assert_eq!(
        sub_f32(
            Mode {
                denorm_out32: false,
                ..M
            },
            1.5 * f32::MIN_POSITIVE,
            f32::MIN_POSITIVE
        ),
        0.0
    );
    assert_eq!(
        fma_f16(FLUSH, f16::from_bits(1), f16::ONE, f16::ONE),
        f16::ONE
    );
    assert_eq!(add_f64(FLUSH, f64::from_bits(5), 0.0), 0.0);
    assert_eq!(max_f32(FLUSH, small, -1.0).to_bits(), 0);
    assert!(cmp_eq_f32(FLUSH, small, 0.0));
    assert!(!cmp_eq_f32(M, small, 0.0));
}

#[test]
fn mad_rounds_twice_and_flushes_and_fma_does_not() {
    let x = 1.0 + f32::EPSILON;
    assert_eq!(mad_f32(M, x, x, -1.0 - 2.0 * f32::EPSILON), 0.0);
    assert_eq!(
        fma_f32(M, x, x, -1.0 - 2.0 * f32::EPSILON),
        f32::EPSILON * f32::EPSILON
    );
    let small = f32::from_bits(0x0040_0000);
    assert_eq!(mac_f32(M, 1.0, small, small), 0.0);
    assert_eq!(fmac_f32(M, 1.0, small, small), f32::MIN_POSITIVE);
    assert_eq!(mad_f32(M, f32::MIN_POSITIVE, 0.5, 0.0), 0.0);
    let (a, b) = (f16::from_bits(0x3c01), f16::from_bits(0xbc02));
    assert_eq!(mad_f16(M, a, a, b), f16::ZERO);
    assert_eq!(fma_f16(M, a, a, b).to_f64(), 2.0f64.powi(-20));
    assert_eq!(
        mac_f16(M, f16::ONE, f16::from_bits(1), f16::ZERO),
        f16::ZERO
    );
    assert_eq!(madmk_f32(M, 2.0, 3.0, 4.0), 10.0);
    assert_eq!(madak_f32(M, 2.0, 3.0, 5.0), 11.0);
}

#[test]
fn legacy_zero_wins() {
    assert_eq!(mul_legacy_f32(M, 0.0, f32::INFINITY).to_bits(), 0);
    assert_eq!(mul_legacy_f32(M, -0.0, 1.0).to_bits(), 0);
    assert_eq!(mul_legacy_f32(M, QUIET_A, 0.0).to_bits(), 0);
    assert_eq!(mul_legacy_f32(M, 3.0, 2.0), 6.0);
    assert_eq!(mad_legacy_f32(M, 0.0, QUIET_A, 7.0), 7.0);
}

#[test]
fn minimum_and_maximum() {
    assert_eq!(min_f32(M, 0.0, -0.0).to_bits(), 0x8000_0000);
    assert_eq!(max_f32(M, -0.0, 0.0).to_bits(), 0);
    assert_eq!(min_f32(M, QUIET_A, 2.0), 2.0);
    assert_eq!(max_f32(M, 2.0, QUIET_A), 2.0);
    assert_eq!(min_f32(M, SIGNALLING_A, 2.0).to_bits(), 0x7fc0_000a);
    assert_eq!(max_f32(M, 2.0, SIGNALLING_B).to_bits(), 0xffc0_000b);
    assert_eq!(min_f32(LEGACY, SIGNALLING_A, 2.0), 2.0);
    assert_eq!(max_f32(M, QUIET_A, QUIET_B).to_bits(), 0xffc0_000b);
    assert_eq!(
        max_f32(M, SIGNALLING_A, SIGNALLING_A).to_bits(),
        0x7fc0_000a
    );
    assert_eq!(min3_f32(M, 3.0, -1.0, 2.0), -1.0);
    assert_eq!(max3_f32(M, 3.0, QUIET_A, 7.0), 7.0);
    assert_eq!(med3_f32(M, 3.0, QUIET_A, 7.0), 3.0);
    assert_eq!(min_f64(M, -1.0, 2.0), -1.0);
}

proptest! {
    #[test]
    fn the_median_is_the_middle_one(mut x in prop::array::uniform3(-1e9f32..1e9), h in prop::array::uniform3(any_f16())) {
        let got = med3_f32(M, x[0], x[1], x[2]);
        x.sort_by(f32::total_cmp);
        prop_assert_eq!(got, x[1]);
        if h.iter().all(|h| !h.is_nan()) {
            let mut sorted = h;
            sorted.sort_by(f16::total_cmp);
            prop_assert_eq!(med3_f16(M, h[0], h[1], h[2]), sorted[1]);
            prop_assert_eq!(min3_f16(M, h[0], h[1], h[2]).to_bits(), sorted[0].to_bits());
            prop_assert_eq!(max3_f16(M, h[0], h[1], h[2]).to_bits(), sorted[2].to_bits());
        }
    }

    #[test]
    fn splitting_and_joining(a in any_f32(), b in any_f64(), c in any_f16()) {
        if a.is_finite() {
            let (m, e) = (frexp_mant_f32(M, a), frexp_exp_i32_f32(M, a));
            prop_assert!(a == 0.0 || (0.5..1.0).contains(&m.abs()));
            prop_assert_eq!(ldexp_f32(M, m, e).to_bits(), a.to_bits());
        }
        if b.is_finite() {
            let (m, e) = (frexp_mant_f64(M, b), frexp_exp_i32_f64(M, b));
            prop_assert!(b == 0.0 || (0.5..1.0).contains(&m.abs()));
            prop_assert_eq!(ldexp_f64(M, m, e).to_bits(), b.to_bits());
        }
        if c.is_finite() {
            let (m, e) = (frexp_mant_f16(M, c), frexp_exp_i16_f16(M, c));
            prop_assert!(c == f16::ZERO || (0.5..1.0).contains(&m.to_f64().abs()));
            prop_assert_eq!(ldexp_f16(M, m, e).to_bits(), c.to_bits());
        }
    }

    #[test]
    fn integral_values_like_the_host(a in any_f32(), b in -1e4f64..1e4) {
        if !a.is_nan() {
            let got = [trunc_f32(M, a), ceil_f32(M, a), floor_f32(M, a), rndne_f32(M, a)].map(f32::to_bits);
            prop_assert_eq!(got, [a.trunc(), a.ceil(), a.floor(), a.round_ties_even()].map(f32::to_bits));
        }
        let got = [trunc_f64(M, b), ceil_f64(M, b), floor_f64(M, b), rndne_f64(M, b)];
        prop_assert_eq!(got, [b.trunc(), b.ceil(), b.floor(), b.round_ties_even()]);
        let h = f16::from_f64(b);
        let got = [trunc_f16(M, h), ceil_f16(M, h), floor_f16(M, h), rndne_f16(M, h)].map(f16::to_f64);
        let x = h.to_f64();
        prop_assert_eq!(got, [x.trunc(), x.ceil(), x.floor(), x.round_ties_even()]);
        let fract = fract_f32(M, a);
        prop_assert!(!a.is_finite() || (0.0..1.0).contains(&fract));
    }
}

#[test]
fn splitting_specials() {
    let inf = f32::INFINITY;
    assert_eq!(
        [0.0, inf, -inf, QUIET_A].map(|x| frexp_exp_i32_f32(M, x)),
        [0; 4]
    );
    assert_eq!(
        [inf, -inf, -0.0].map(|x| frexp_mant_f32(M, x)),
        [inf, -inf, -0.0]
    );
    assert_eq!(frexp_mant_f32(M, SIGNALLING_A).to_bits(), 0x7fc0_000a);
    assert_eq!(
        (frexp_mant_f32(M, 8.0), frexp_exp_i32_f32(M, 8.0)),
        (0.5, 4)
    );
    assert_eq!(
        (
            frexp_mant_f32(M, f32::from_bits(1)),
            frexp_exp_i32_f32(M, f32::from_bits(1))
        ),
        (0.5, -148)
    );
    assert_eq!(frexp_exp_i32_f32(FLUSH, f32::from_bits(1)), 0);
    assert_eq!(ldexp_f32(M, 1.0, i32::MAX), inf);
    assert_eq!(ldexp_f32(M, -1.0, i32::MIN).to_bits(), 0x8000_0000);
    assert_eq!(ldexp_f32(M, f32::from_bits(1), 276), 2.0f32.powi(127));
    assert_eq!(ldexp_f32(M, 1.5, -149).to_bits(), 2);
    assert_eq!(
        ldexp_f32(rounding(Round::TowardZero), 1.5, -149).to_bits(),
        1
    );
    assert_eq!(ldexp_f32(FLUSH, 1.0, -130), 0.0);
    assert_eq!(ldexp_f32(M, SIGNALLING_B, 3).to_bits(), 0xffc0_000b);
    assert_eq!(ldexp_f64(M, 1.5, -1074).to_bits(), 2);
    assert_eq!(ldexp_f64(M, 5e-324, 2097), 2.0f64.powi(1023));
    assert_eq!(ldexp_f16(M, f16::ONE, 16), f16::INFINITY);
    assert_eq!(ldexp_f16(M, f16::from_f32(1.5), -24).to_bits(), 2);
    assert_eq!(fract_f32(M, -1e-30).to_bits(), 0x3f7f_ffff);
    assert_eq!(fract_f64(M, -1e-300), 1.0 - f64::EPSILON / 2.0);
    assert_eq!(fract_f16(M, f16::from_bits(0x8001)).to_bits(), 0x3bff);
    assert_eq!(fract_f32(M, -1.25), 0.75);
}

#[test]
fn formats_know_themselves() {
    assert_eq!((f16::BIAS, f32::BIAS, f64::BIAS), (15, 127, 1023));
    assert_eq!(
        (f32::INFINITY.bits(), f64::new_nan().bits()),
        (0x7f80_0000, 0x7ff8_0000_0000_0000)
    );
}
