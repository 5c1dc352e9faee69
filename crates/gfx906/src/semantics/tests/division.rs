//! Tests that the division sequences which compilers emit give the correctly rounded quotient.

use super::super::*;
use super::*;

/// LLVM's f32 division.
fn divide_f32(mode: Mode, n: f32, d: f32) -> f32 {
    let (scaled_d, _) = div_scale_f32(mode, d, d, n);
    let (scaled_n, vcc) = div_scale_f32(mode, n, d, n);
    let r = rcp_f32(mode, scaled_d);
    let minus_d = -scaled_d;
    let e = fma_f32(mode, minus_d, r, 1.0);
    let r = fma_f32(mode, e, r, r);
    let q = mul_f32(mode, scaled_n, r);
    let e = fma_f32(mode, minus_d, q, scaled_n);
    let q = fma_f32(mode, e, r, q);
    let e = fma_f32(mode, minus_d, q, scaled_n);
    let q = div_fmas_f32(mode, e, r, q, vcc);
    div_fixup_f32(mode, q, d, n)
}

/// LLVM's f64 division.
fn divide_f64(mode: Mode, n: f64, d: f64) -> f64 {
    let (scaled_d, _) = div_scale_f64(mode, d, d, n);
    let (scaled_n, vcc) = div_scale_f64(mode, n, d, n);
    let minus_d = -scaled_d;
    let r = rcp_f64(mode, scaled_d);
    let e = fma_f64(mode, minus_d, r, 1.0);
    let r = fma_f64(mode, r, e, r);
    let e = fma_f64(mode, minus_d, r, 1.0);
    let r = fma_f64(mode, r, e, r);
    let q = mul_f64(mode, scaled_n, r);
    let e = fma_f64(mode, minus_d, q, scaled_n);
    let q = div_fmas_f64(mode, e, r, q, vcc);
    div_fixup_f64(mode, q, d, n)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn f32_quotients_are_correctly_rounded(n in any_f32(), d in any_f32()) {
        let (got, want) = (divide_f32(Mode::HIP, n, d), n / d);
        prop_assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{n:e} / {d:e}: {got:e}, not {want:e}");
    }

    #[test]
    fn f64_quotients_are_correctly_rounded(n in any_f64(), d in any_f64()) {
        let (got, want) = (divide_f64(Mode::HIP, n, d), n / d);
        prop_assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{n:e} / {d:e}: {got:e}, not {want:e}");
    }
}

#[test]
fn special_quotients() {
    let m = Mode::HIP;
    assert_eq!(div_fixup_f32(m, 5.0, 0.0, -3.0), f32::NEG_INFINITY);
    assert_eq!(
        div_fixup_f32(m, 5.0, f32::INFINITY, -3.0).to_bits(),
        0x8000_0000
    );
    assert_eq!(div_fixup_f32(m, f32::NAN, 0.0, -0.0).to_bits(), 0xffc0_0000);
    assert_eq!(
        div_fixup_f32(m, 1.0, f32::INFINITY, f32::INFINITY).to_bits(),
        0xffc0_0000
    );
    assert_eq!(
        div_fixup_f32(m, 1.0, f32::from_bits(0x7f80_0005), 1.0).to_bits(),
        0x7fc0_0005
    );
    assert_eq!(
        div_fixup_f32(
            m,
            1.0,
            f32::from_bits(0x7f80_0005),
            f32::from_bits(0xff80_0006)
        )
        .to_bits(),
        0xffc0_0006
    );
    assert_eq!(div_fixup_f32(m, -7.0, 2.0, 3.0), 7.0);
    assert_eq!(div_scale_f32(m, 2.0, 2.0, 3.0), (2.0, false));
    assert_eq!(div_scale_f32(m, 1.0, 2.0f32.powi(-100), 1.0), (1.0, true));
    assert_eq!(
        div_scale_f32(m, 2.0f32.powi(-100), 2.0f32.powi(-100), 1.0),
        (2.0f32.powi(-36), true)
    );
    assert!(div_scale_f32(m, 0.0, 0.0, 1.0).0.is_nan());
}
