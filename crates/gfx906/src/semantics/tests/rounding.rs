//! Tests that the integer rounding agrees with the host's to nearest, and brackets the exact value in the other modes.

use super::super::exact::Exact;
use super::super::format::Format;
use super::super::*;
use super::*;

/// Returns true if two results are the same number with the same sign, or both are NaN.
fn same<F: Format>(a: F, b: F) -> bool {
    a.bits() == b.bits() || a.nan() && b.nan()
}

/// Checks the four directions against the nearest: they bracket it, and up and down differ by at most one place.
fn bracket<F: Format>(results: [F; 4]) -> Result<(), TestCaseError> {
    // Orders finite numbers and infinities as integers.
    let rank = |x: F| {
        let magnitude = (x.bits() & !F::SIGN) as i64;
        if x.bits() & F::SIGN != 0 {
            -magnitude
        } else {
            magnitude
        }
    };
    let [nearest, up, down, zero] = results.map(rank);
    prop_assert!(down <= nearest && nearest <= up, "{down} {nearest} {up}");
    prop_assert!(up - down <= 1, "{down} {up}");
    prop_assert_eq!(zero, if up > 0 { down } else { up });
    Ok(())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn f32_like_the_host(a in any_f32(), b in any_f32(), c in any_f32()) {
        let near = Round::NearestEven;
        if a.is_finite() && b.is_finite() && c.is_finite() {
            prop_assert!(same(exact::add(near, a, b), a + b));
            prop_assert!(same(exact::mul(near, a, b), a * b));
            prop_assert!(same(exact::fma(near, a, b, c, 0), a.mul_add(b, c)));
            bracket(ROUNDS.map(|r| add_f32(rounding(r), a, b)))?;
            bracket(ROUNDS.map(|r| mul_f32(rounding(r), a, b)))?;
            bracket(ROUNDS.map(|r| fma_f32(rounding(r), a, b, c)))?;
        }
    }

    #[test]
    fn f64_like_the_host(a in any_f64(), b in any_f64(), c in any_f64()) {
        let near = Round::NearestEven;
        if a.is_finite() && b.is_finite() && c.is_finite() {
            prop_assert!(same(exact::add(near, a, b), a + b));
            prop_assert!(same(exact::mul(near, a, b), a * b));
            prop_assert!(same(exact::fma(near, a, b, c, 0), a.mul_add(b, c)));
            bracket(ROUNDS.map(|r| add_f64(rounding(r), a, b)))?;
            bracket(ROUNDS.map(|r| mul_f64(rounding(r), a, b)))?;
            bracket(ROUNDS.map(|r| fma_f64(rounding(r), a, b, c)))?;
        }
    }

    #[test]
    fn f16_rounds_once(a in any_f16(), b in any_f16(), c in any_f16()) {
        if a.is_finite() && b.is_finite() && c.is_finite() {
            let near = Round::NearestEven;
            prop_assert!(same(exact::add(near, a, b), a.sum(b, near)));
            prop_assert!(same(exact::mul(near, a, b), a.product(b, near)));
            prop_assert!(same(exact::fma(near, a, b, c, 0), a.fused(b, c, near)), "{a} {b} {c}");
            bracket(ROUNDS.map(|r| sub_f16(rounding(r), a, b)))?;
            bracket(ROUNDS.map(|r| fma_f16(rounding(r), a, b, c)))?;
            let exactly = a.to_f64() * b.to_f64();
            let [_, up, down, _] = ROUNDS.map(|r| mul_f16(rounding(r), a, b).to_f64());
            prop_assert!(down <= exactly && exactly <= up);
        }
    }

    #[test]
    fn scaling_rounds_once(a in any_f32(), h in any_f16(), by in -400i32..400) {
        let near = Round::NearestEven;
        if a.is_finite() {
            prop_assert!(same(Exact::from_float(a).scaled(by).round::<f32>(near), a.scaled(by, near)));
        }
        if h.is_finite() {
            prop_assert!(same(Exact::from_float(h).scaled(by / 8).round::<f16>(near), h.scaled(by / 8, near)));
        }
    }
}

#[test]
fn directions_at_the_edges() {
    let all = |f: fn(Mode) -> f32| ROUNDS.map(|r| f(rounding(r)));
    let max = f32::MAX;
    assert_eq!(
        all(|m| add_f32(m, f32::MAX, f32::MAX)),
        [f32::INFINITY, f32::INFINITY, max, max]
    );
    assert_eq!(
        all(|m| add_f32(m, -f32::MAX, -f32::MAX)),
        [-f32::INFINITY, -max, -f32::INFINITY, -max]
    );
    let least = f32::from_bits(1);
    assert_eq!(
        all(|m| mul_f32(m, f32::from_bits(1), 0.5)),
        [0.0, least, 0.0, 0.0]
    );
    assert_eq!(
        all(|m| add_f32(m, 1.0, -1.0)).map(f32::is_sign_negative),
        [false, false, true, false]
    );
    assert_eq!(
        all(|m| add_f32(m, -0.0, -0.0)).map(f32::is_sign_negative),
        [true; 4]
    );
}
