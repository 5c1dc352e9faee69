//! The approximated functions against the host's f64, in units in the last place.

use super::super::exact;
use super::super::*;
use super::*;

/// Returns the distance of `got` from `want` in units in the last place of an f32.
fn ulps(got: f32, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if f64::from(got) == want {
        return 0.0;
    }
    let place = f64::from(want.abs() as f32).max(f64::from(f32::MIN_POSITIVE));
    let place = 2.0f64.powi(place.log2().floor() as i32 - 23);
    (f64::from(got) - want).abs() / place
}

/// Returns values of all magnitudes, spread evenly over the exponents.
fn grid() -> impl Iterator<Item = f32> {
    (0..=u32::MAX)
        .step_by(40_009)
        .map(f32::from_bits)
        .filter(|x| x.is_normal())
}

/// Returns the worst error over the grid, except where the exact result is below or above the normal range.
fn worst(f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64, take: impl Fn(f32) -> bool) -> f64 {
    let normal = |x: f64| {
        x.abs() >= f64::from(f32::MIN_POSITIVE) && x.abs() <= f64::from(f32::MAX) || x == 0.0
    };
    grid()
        .filter(|x| take(*x))
        .filter(|x| normal(exact(f64::from(*x))))
        .map(|x| ulps(f(x), exact(f64::from(x))))
        .fold(0.0, f64::max)
}

#[test]
fn f32_within_a_place() {
    let m = Mode::HIP;
    assert!(worst(|x| exp_f32(m, x), f64::exp2, |_| true) < 0.501);
    assert!(worst(|x| log_f32(m, x), f64::log2, |x| x > 0.0) < 0.501);
    assert!(worst(|x| rcp_f32(m, x), |x| 1.0 / x, |_| true) <= 0.5);
    assert!(worst(|x| sqrt_f32(m, x), f64::sqrt, |x| x > 0.0) <= 0.5);
    assert!(worst(|x| rsq_f32(m, x), |x| 1.0 / x.sqrt(), |x| x > 0.0) < 0.501);
    let turns = |x: f64| (x - x.round()) * core::f64::consts::TAU;
    let domain = |x: f32| x.abs() <= 256.0 && x.abs() > 1e-30;
    assert!(
        worst(
            |x| sin_f32(m, x),
            |x| turns(x).sin(),
            |x| domain(x) && (x * 2.0).fract() != 0.0
        ) < 0.51
    );
    assert!(
        worst(
            |x| cos_f32(m, x),
            |x| turns(x).cos(),
            |x| domain(x) && (x * 4.0).fract() != 0.0
        ) < 0.51
    );
}

#[test]
fn dense_where_it_matters() {
    let m = Mode::HIP;
    for i in -300_000..300_000 {
        let x = i as f32 / 2048.0;
        if (-126.0..128.0).contains(&x) {
            assert!(ulps(exp_f32(m, x), f64::from(x).exp2()) < 0.501, "exp {x}");
        }
        let y = 1.0 + i as f32 / 16_777_216.0;
        assert!(ulps(log_f32(m, y), f64::from(y).log2()) < 0.501, "log {y}");
    }
}

/// Rounds once to an f16.
fn nearest_f16(x: f64) -> f16 {
    if x.is_finite() {
        exact::convert(Round::NearestEven, x)
    } else {
        f16::from_f64(x)
    }
}

#[test]
fn all_halves_correctly_rounded() {
    let m = Mode::HIP;
    // The f64 is rounded itself, and may miss a tie by that. No tie occurs.
    type Functions = (fn(Mode, f16) -> f16, fn(f64) -> f64);
    let functions: [Functions; 5] = [
        (exp_f16, f64::exp2),
        (log_f16, f64::log2),
        (rcp_f16, |x| 1.0 / x),
        (sqrt_f16, f64::sqrt),
        (rsq_f16, |x| 1.0 / x.sqrt()),
    ];
    for bits in 0..=u16::MAX {
        let x = f16::from_bits(bits);
        for (index, (f, exact)) in functions.iter().enumerate() {
            let (got, want) = (f(m, x), nearest_f16(exact(x.to_f64())));
            assert!(
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                "function {index} of {x}: {got}, not {want}"
            );
        }
        let turns = x.to_f64();
        if turns.abs() <= 256.0 && (turns * 4.0).fract() != 0.0 {
            let angle = turns.fract() * core::f64::consts::TAU;
            assert!(
                (sin_f16(m, x).to_f64() - angle.sin()).abs() <= 2.0f64.powi(-12),
                "sin {x}"
            );
            assert!(
                (cos_f16(m, x).to_f64() - angle.cos()).abs() <= 2.0f64.powi(-12),
                "cos {x}"
            );
        }
    }
}

#[test]
fn special_values() {
    let m = Mode::HIP;
    let (inf, nan) = (f32::INFINITY, 0x7fc0_0000);
    let denormal = f32::from_bits(0x007f_ffff);
    assert_eq!(
        [0.0, -0.0, denormal, 1.0, -1.0, 127.0, -126.0].map(|x| exp_f32(m, x)),
        [1.0, 1.0, 1.0, 2.0, 0.5, 2.0f32.powi(127), f32::MIN_POSITIVE]
    );
    assert_eq!(
        [inf, 128.0, -inf, -126.5, -149.0].map(|x| exp_f32(m, x)),
        [inf, inf, 0.0, 0.0, 0.0]
    );
    assert_eq!(
        [0.0, -0.0, denormal, -denormal].map(|x| log_f32(m, x)),
        [-inf; 4]
    );
    assert_eq!(
        [1.0, 2.0, 0.25, inf].map(|x| log_f32(m, x)),
        [0.0, 1.0, -2.0, inf]
    );
    assert_eq!([-1.0, -inf].map(|x| log_f32(m, x).to_bits()), [nan; 2]);
    assert_eq!(
        [0.0, -0.0, denormal, -denormal, inf, -inf].map(|x| rcp_f32(m, x)),
        [inf, -inf, inf, -inf, 0.0, 0.0]
    );
    assert!(rcp_f32(m, -inf).is_sign_negative());
    assert_eq!(rcp_f32(m, 1.5 * 2.0f32.powi(126)), 0.0);
    assert_eq!(
        [0.0, -0.0, denormal, inf].map(|x| rsq_f32(m, x)),
        [inf, -inf, inf, 0.0]
    );
    assert_eq!([-1.0, -inf].map(|x| rsq_f32(m, x).to_bits()), [nan; 2]);
    assert_eq!(
        [-0.0f32, -denormal].map(|x| sqrt_f32(m, x).to_bits()),
        [0x8000_0000; 2]
    );
    assert_eq!(sqrt_f32(m, -1.0).to_bits(), nan);
    let signalling = f32::from_bits(0xff80_1234);
    for f in [
        exp_f32, log_f32, rcp_f32, rsq_f32, sqrt_f32, sin_f32, cos_f32,
    ] {
        assert_eq!(f(m, signalling).to_bits(), 0xffc0_1234);
    }
}

#[test]
fn turns() {
    let m = Mode::HIP;
    assert_eq!(
        [0.0, 0.25, 0.5, 0.75, 1.0, -0.25, 255.75].map(|x| sin_f32(m, x)),
        [0.0, 1.0, 0.0, -1.0, 0.0, -1.0, -1.0]
    );
    assert_eq!(
        [0.0, 0.25, 0.5, 0.75, 1.0, -0.25, -0.5].map(|x| cos_f32(m, x)),
        [1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0]
    );
    assert_eq!(
        [257.25, -1e30].map(|x| (sin_f32(m, x), cos_f32(m, x))),
        [(0.0, 1.0); 2]
    );
    assert!(sin_f32(m, -0.0).is_sign_negative());
    assert_eq!(
        [f32::INFINITY, -f32::INFINITY].map(|x| sin_f32(m, x).to_bits()),
        [0x7fc0_0000; 2]
    );
    assert!((sin_f32(m, 1.0 / 12.0) - 0.5).abs() < 1e-7);
}

#[test]
fn f64_forms() {
    let m = Mode::HIP;
    assert_eq!(
        [rcp_f64(m, 3.0), sqrt_f64(m, 2.0), rsq_f64(m, 4.0)],
        [1.0 / 3.0, 2.0f64.sqrt(), 0.5]
    );
    assert_eq!(
        [rsq_f64(m, 0.0), rsq_f64(m, -0.0)],
        [f64::INFINITY, f64::NEG_INFINITY]
    );
    assert_eq!(sqrt_f64(m, -1.0).to_bits(), 0x7ff8_0000_0000_0000);
}

#[test]
fn pieces_of_two_over_pi() {
    let m = Mode::HIP;
    // The piece is cut, not rounded: 2 / pi to nearest ends in 3.
    assert_eq!(trig_preop_f64(m, 1.0, 0).to_bits(), 0x3fe4_5f30_6dc9_c882);
    // The second piece is the next 53 bits: 2 / pi less the first piece.
    assert_eq!(
        trig_preop_f64(m, 1.0, 1),
        f64::from_bits(0x3c94_a7f0_9d5f_47d4)
    );
    // An exponent past the significand moves the window: 10 bits for 2^64.
    assert_eq!(
        trig_preop_f64(m, 2.0f64.powi(64), 0).to_bits(),
        0x3f4c_c1b7_2722_0a94
    );
    assert_eq!(trig_preop_f64(m, 1.0, 31), 0.0);
    assert!(trig_preop_f64(m, f64::MAX, 1) > 0.0);
}
