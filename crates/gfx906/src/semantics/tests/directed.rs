//! Tests that branch-free arithmetic equals one rounding of the exact value to the last bit, in every direction.
//!
//! `cargo test --workspace --lib semantics -- --ignored` tests all sources instead of a sample.

use super::super::exact::{self, Exact};
use super::super::format::Format;
use super::super::half_format::widen;
use super::super::*;
use super::*;

/// Returns a second number near the first, so that sums of the two cancel, tie and underflow.
fn near<F: Format>(a: F, b: F, by: u32) -> F {
    let places = (b.bits() & !F::SIGN & (F::HIDDEN * 4 - 1)) << (by % 5);
    let bits = (a.bits() & !F::SIGN).wrapping_add(places) & !F::SIGN | b.bits() & F::SIGN;
    F::from_encoding(bits)
}

/// Checks every operation of a format against the exact one.
fn operations<F: Format + core::fmt::Debug>(
    a: F,
    b: F,
    c: F,
    by: i32,
) -> Result<(), TestCaseError> {
    if !(a.finite() && b.finite() && c.finite()) {
        return Ok(());
    }
    for round in ROUNDS {
        let same = |got: F, want: F| got.bits() == want.bits();
        let got = a.sum(b, round);
        prop_assert!(
            same(got, exact::add(round, a, b)),
            "{a:?} + {b:?} {round:?}: {got:?}"
        );
        let got = a.product(b, round);
        prop_assert!(
            same(got, exact::mul(round, a, b)),
            "{a:?} * {b:?} {round:?}: {got:?}"
        );
        let got = a.fused(b, c, round);
        let want = exact::fma(round, a, b, c, 0);
        prop_assert!(same(got, want), "{a:?} * {b:?} + {c:?} {round:?}: {got:?}");
        let got = a.scaled(by, round);
        let want = Exact::from_float(a).scaled(by).round::<F>(round);
        prop_assert!(same(got, want), "{a:?} * 2^{by} {round:?}: {got:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn f32_operations(a in any_f32(), b in any_f32(), c in any_f32(), by in -300i32..300) {
        operations(a, b, c, by)?;
        operations(a, near(a, b, by as u32), c, by)?;
        operations(a, b, near(a.product(b, Round::TowardZero), c, by as u32), by / 16)?;
    }

    #[test]
    fn f64_operations(a in any_f64(), b in any_f64(), c in any_f64(), by in -2300i32..2300) {
        operations(a, b, c, by)?;
        operations(a, near(a, b, by as u32), c, by)?;
        operations(a, near(f64::from_encoding(0x7fe0_0000_0000_0000 - (a.bits() & !f64::SIGN) / 2), b, 0), c, i32::MIN)?;
    }

    #[test]
    fn f16_operations(a in any_f16(), b in any_f16(), c in any_f16(), by in any::<i16>()) {
        operations(a, b, c, by.into())?;
        operations(a, near(a, b, by as u32 & 7), near(a.product(b, Round::TowardZero), c, 0), i32::from(by) / 512)?;
    }

    #[test]
    fn conversions(a in any_f32(), b in any_f64(), n in any::<u32>(), exponent in 850u64..1060) {
        let near = f64::from_bits(b.to_bits() & 0x800f_ffff_ffff_ffff | exponent << 52);
        let tie = f64::from_bits(near.to_bits() & !0x1fff_ffff | 0x1000_0000);
        for round in ROUNDS {
            let m = rounding(round);
            if a.is_finite() {
                prop_assert_eq!(cvt_f16_f32(m, a).to_bits(), exact::convert::<f32, f16>(round, a).to_bits());
            }
            for b in [b, near, tie] {
                if b.is_finite() {
                    prop_assert_eq!(cvt_f32_f64(m, b).to_bits(), exact::convert::<f64, f32>(round, b).to_bits());
                }
            }
            prop_assert_eq!(cvt_f32_u32(m, n).to_bits(), exact::convert::<f64, f32>(round, n.into()).to_bits());
            let signed = f64::from(n as i32);
            prop_assert_eq!(cvt_f32_i32(m, n as i32).to_bits(), exact::convert::<f64, f32>(round, signed).to_bits());
            let half = f64::from(n as i16);
            prop_assert_eq!(cvt_f16_i16(m, n as i16).to_bits(), exact::convert::<f64, f16>(round, half).to_bits());
            prop_assert_eq!(cvt_f16_u16(m, n as u16).to_bits(), exact::convert::<f64, f16>(round, (n as u16).into()).to_bits());
        }
        prop_assert_eq!((cvt_i32_f64(Mode::HIP, b), cvt_u32_f64(Mode::HIP, b)), (b as i32, b as u32));
        prop_assert_eq!((cvt_i32_f64(Mode::HIP, tie), cvt_u32_f64(Mode::HIP, near)), (tie as i32, near as u32));
    }

    #[test]
    fn scaled_back_quotients(a in any_f32(), b in any_f32(), c in any_f32()) {
        if a.is_finite() && b.is_finite() && c.is_finite() {
            for round in ROUNDS {
                let m = rounding(round);
                let by = if c.abs() >= 2.0 { 64 } else { -64 };
                let want = [0, by].map(|by| exact::fma(round, a, b, c, by).to_bits());
                let got = [false, true].map(|vcc| div_fmas_f32(m, a, b, c, vcc).to_bits());
                prop_assert_eq!(got, want, "{:e} * {:e} + {:e} {:?}", a, b, c, round);
            }
        }
    }
}

/// A sum of the largest number and an opposite one loses its error if the error is computed from the smaller term.
#[test]
fn errors_of_sums_near_the_largest_number() {
    for round in ROUNDS {
        for small in [3.156_78e35f32, 1.0, f32::from_bits(1), 2e38] {
            for (a, b) in [(small, -f32::MAX), (-f32::MAX, small), (f32::MAX, -small)] {
                let (got, want) = (a.sum(b, round), exact::add(round, a, b));
                assert_eq!(got.to_bits(), want.to_bits(), "{a:e} + {b:e} {round:?}");
            }
        }
    }
}

/// Checks sums and products of pairs of f16: every f16 with each of the second operands.
fn pairs(second: impl Iterator<Item = u16> + Clone) {
    for a in (0..=u16::MAX).map(f16::from_bits).filter(|a| a.finite()) {
        for b in second.clone().map(f16::from_bits).filter(|b| b.finite()) {
            for round in ROUNDS {
                let (got, want) = (a.sum(b, round), exact::add(round, a, b));
                assert_eq!(got.to_bits(), want.to_bits(), "{a:?} + {b:?} {round:?}");
                let (got, want) = (a.product(b, round), exact::mul(round, a, b));
                assert_eq!(got.to_bits(), want.to_bits(), "{a:?} * {b:?} {round:?}");
            }
        }
    }
}

#[test]
fn some_pairs_of_halves() {
    pairs((0..=u16::MAX).step_by(9973));
}

#[test]
#[ignore = "half an hour: .ci/nightly every-value"]
fn all_pairs_of_halves() {
    pairs(0..=u16::MAX);
}

/// Checks the unary functions of f32 against other computations of the same bits.
fn singles(sources: impl Iterator<Item = u32>) {
    let m = Mode::HIP;
    let bits = |x: f32| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() };
    for source in sources {
        let a = f32::from_bits(source);
        let flushed = a.flushed();
        let root = (1.0 / f64::from(flushed).sqrt()) as f32;
        assert_eq!(bits(rsq_f32(m, a)), bits(root), "rsq {a:e}");
        assert_eq!(cvt_i32_f32(m, a), a as i32, "{a:e}");
        assert_eq!(cvt_u32_f32(m, a), a as u32, "{a:e}");
        if !a.is_nan() {
            assert_eq!(cvt_flr_i32_f32(m, a), a.floor() as i32, "{a:e}");
            let up = (f64::from(a) + 0.5).floor() as i32;
            assert_eq!(cvt_rpi_i32_f32(m, a), up, "{a:e}");
        }
        if a.is_finite() {
            let want = exact::convert::<f32, f16>(Round::NearestEven, a);
            assert_eq!(cvt_f16_f32(m, a), want, "{a:e}");
        }
    }
}

#[test]
fn some_singles() {
    singles((0..=u32::MAX).step_by(1999));
}

#[test]
#[ignore = "minutes: .ci/nightly every-value"]
fn all_singles() {
    singles(0..=u32::MAX);
}

/// Checks that the f16 forms, which use fewer terms, equal the f32 forms rounded to f16 for every source.
#[test]
fn circular_functions_of_all_halves() {
    for bits in 0..=u16::MAX {
        let a = f16::from_bits(bits);
        let twice =
            |f: fn(Mode, f32) -> f32| cvt_f16_f32(Mode::HIP, f(Mode::HIP, widen(a))).to_bits();
        assert_eq!(sin_f16(Mode::HIP, a).to_bits(), twice(sin_f32), "{a}");
        assert_eq!(cos_f16(Mode::HIP, a).to_bits(), twice(cos_f32), "{a}");
    }
}
