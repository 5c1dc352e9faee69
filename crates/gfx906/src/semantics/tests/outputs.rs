//! Output modifiers, mixed precision, packing and cube coordinates.

use super::super::*;
use super::*;

const M: Mode = Mode::HIP;
const QUIET_A: f32 = f32::from_bits(0x7fc0_000a);

#[test]
fn clamp_and_omod() {
    let dx9 = Mode {
        dx10_clamp: false,
        ..M
    };
    assert_eq!(
        [-1.0, 0.25, 7.0, f32::INFINITY].map(|x| clamp_f32(M, x)),
        [0.0, 0.25, 1.0, 1.0]
    );
    assert_eq!([-0.0, QUIET_A].map(|x| clamp_f32(M, x).to_bits()), [0, 0]);
    assert_eq!(clamp_f32(dx9, QUIET_A).to_bits(), 0x7fc0_000a);
    assert_eq!(
        clamp_pk_f16(M, [f16::from_f32(2.0), f16::NAN]),
        [f16::ONE, f16::ZERO]
    );
    assert_eq!(clamp_f64(M, 0.5), 0.5);
    assert_eq!(omod_f32(M, Omod::Two, 3.0), 3.0);
    let by = |bits| omod_f32(FLUSH, Omod::from_bits(bits), 3.0);
    assert_eq!([by(0), by(1), by(2), by(3)], [3.0, 6.0, 12.0, 1.5]);
    assert_eq!(omod_f32(FLUSH, Omod::Half, -f32::MIN_POSITIVE).to_bits(), 0);
    assert_eq!(omod_f32(FLUSH, Omod::Two, -0.0).to_bits(), 0);
    assert_eq!(omod_f16(FLUSH, Omod::Four, f16::from_f32(0.25)), f16::ONE);
    assert_eq!(omod_f64(FLUSH, Omod::Four, f64::MAX), f64::INFINITY);
}

#[test]
fn mixed_precision() {
    assert_eq!(fma_mix_f32(M, 2.0, 3.0, 0.5), 6.5);
    assert_eq!(fma_mixlo_f16(M, 2.0, 3.0, 0.5), f16::from_f32(6.5));
    // The sum is rounded to f32 first. That makes a tie, which goes to even.
    assert_eq!(
        fma_mixhi_f16(M, 2049.0, 1.0, 2.0f32.powi(-13)),
        f16::from_f32(2048.0)
    );
    assert_eq!(
        pack_b32_f16(M, f16::ONE, f16::NEG_ONE),
        [f16::ONE, f16::NEG_ONE]
    );
}

#[test]
fn cube_faces() {
    let faces = [
        ((3.0, 1.0, -2.0), (0.0, 2.0, -1.0, 6.0)),
        ((-3.0, 1.0, -2.0), (1.0, -2.0, -1.0, -6.0)),
        ((1.0, 3.0, -2.0), (2.0, 1.0, -2.0, 6.0)),
        ((1.0, -3.0, -2.0), (3.0, 1.0, 2.0, -6.0)),
        ((1.0, 2.0, 3.0), (4.0, 1.0, -2.0, 6.0)),
        ((1.0, 2.0, -3.0), (5.0, -1.0, -2.0, -6.0)),
    ];
    for ((x, y, z), want) in faces {
        let got = (
            cubeid_f32(M, x, y, z),
            cubesc_f32(M, x, y, z),
            cubetc_f32(M, x, y, z),
            cubema_f32(M, x, y, z),
        );
        assert_eq!(got, want, "{x} {y} {z}");
    }
    assert_eq!(cubeid_f32(M, 1.0, 1.0, 1.0), 4.0);
    assert_eq!(cubeid_f32(M, -1.0, 1.0, 0.0), 2.0);
}
