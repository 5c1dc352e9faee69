//! Conversions between bf16 and f32: of every bf16, and of f32 of every kind.

use std::sync::Arc;

use deltanet_reference::gdr::bf16;

use super::super::Function;
use crate::contract::{DeviceResult, Domain, Instance, Mistake, axes, elements};
use crate::tensor::Distribution::Uniform;
use crate::tensor::ElementKind::{I32, U16};

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_bf16_float",
    title: "bf16 to f32, back, and f32 to bf16",
    formulas: &[
        "floats[i] = bits[i]; the number that the bf16 is, as the bits of an f32",
        "back[i] = bf16(floats[i])",
        "rounded[i] = bf16(x[i]); to nearest, ties to even; a NaN stays one, quiet",
    ],
    outputs: &["floats", "back", "rounded"],
    domain: Domain::of(&[]),
    run: &convert,
    ..Function::EMPTY
}];

/// The number of bf16 values.
const ALL: usize = 1 << 16;

/// Converts every bf16 to f32 and back, and then an f32 of every upper half to bf16: numbers, subnormals, infinities and NaN. The
/// comparison is by bits, also for NaN.
fn convert(t: &mut Instance<'_>) -> DeviceResult {
    let patterns = || axes([("bf16", ALL)]);
    let _bits = t.upload("bits", patterns(), (0..=u16::MAX).collect::<Vec<u16>>())?;
    let floats = t.output_as(I32, "floats", patterns())?;
    let back = t.output_as(U16, "back", patterns())?;

    let drawn = t.draw("drawn", elements(ALL), Uniform(0.0, 65536.0));
    let halves = (0..=u16::MAX).zip(t.values(drawn));
    let values: Vec<f32> = halves
        .map(|(upper, &lower)| f32::from_bits(u32::from(upper) << 16 | lower_half(lower)))
        .collect();
    let _x = t.upload("x", patterns(), values.clone())?;
    let rounded = t.output_as(U16, "rounded", patterns())?;

    let all: Vec<u16> = (0..=u16::MAX).collect();
    let numbers = bf16::to_float(&all);
    let of_bits = |x: &f32| x.to_bits().cast_signed();
    t.check_exact(floats, numbers.iter().map(of_bits).collect::<Vec<i32>>())?;
    t.check_exact(back, bf16::from_float(&numbers))?;
    let right = bf16::from_float(&values);
    let kept = Arc::new((values, right.clone()));
    let rounded_by = |keeps_nan: bool, carry: fn(u32) -> u32| {
        let kept = Arc::clone(&kept);
        move || {
            let pairs = kept.0.iter().zip(&kept.1);
            let round = |(x, right): (&f32, &u16)| match x.to_bits() {
                _ if keeps_nan && x.is_nan() => f64::from(*right),
                bits => f64::from(bits.wrapping_add(carry(bits)) >> 16),
            };
            pairs.map(round).collect()
        }
    };
    let mistakes = vec![
        Mistake::new(
            "truncated",
            "the lower bits are cut off, not rounded",
            rounded_by(true, |_| 0),
        ),
        Mistake::new(
            "ties-away",
            "ties are rounded away from zero, not to even",
            rounded_by(true, |_| 0x8000),
        ),
        Mistake::new(
            "nan-rounded",
            "a NaN is rounded like a number: to inf, or around to 0",
            rounded_by(false, |bits| 0x7FFF + (bits >> 16 & 1)),
        ),
    ];
    let wide = right.iter().copied().map(f64::from).collect();
    t.check_or(rounded, (right, wide), mistakes)
}

/// Returns the 16 bits that are rounded away. Each of a tie, its lower neighbour, its upper neighbour and the ends takes one number in
/// eight; the others keep the drawn bits.
fn lower_half(drawn: f32) -> u32 {
    let drawn = drawn as u32;
    match drawn % 8 {
        0 => 0x8000,
        1 => 0x7FFF,
        2 => 0x8001,
        3 => [0x0000, 0x0001, 0xFFFF][drawn as usize / 8 % 3],
        _ => drawn,
    }
}
