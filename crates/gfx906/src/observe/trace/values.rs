//! Text of register values.

use std::fmt::Write;

use half::f16;

use crate::isa::Type;
use crate::machine::LANES;

/// Smallest number of lanes that are written as a run with a constant step.
const STEPS: usize = 4;

/// Formats a value of 32 or 64 bits, with its floating-point value if its type is a float.
pub fn value(bits: u64, ty: Type, wide: bool) -> String {
    let mut text = if wide {
        format!("{bits:#018x}")
    } else {
        format!("{bits:#010x}")
    };
    let half = |shift: u32| f16::from_bits((bits >> shift) as u16);
    // Writing to a string cannot fail.
    let _ = match ty {
        Type::F32 => write!(text, "({:?})", f32::from_bits(bits as u32)),
        Type::F64 => write!(text, "({:?})", f64::from_bits(bits)),
        Type::F16 => write!(text, "({:?})", half(0)),
        Type::F16x2 => write!(text, "({:?},{:?})", half(0), half(16)),
        _ => Ok(()),
    };
    text
}

/// Formats the values of the lanes in `lanes`. Lanes with equal values, or with integers that rise or fall by one step, are joined.
pub fn lanes(values: &[u64; LANES], lanes: u64, ty: Type, wide: bool) -> String {
    let on = |l: usize| l < LANES && lanes >> l & 1 != 0;
    let float = matches!(ty, Type::F16 | Type::F16x2 | Type::F32 | Type::F64);
    let step = |l: usize| {
        let step = values[l + 1].wrapping_sub(values[l]) as i64;
        if wide { step } else { i64::from(step as i32) }
    };
    let mut parts = Vec::new();
    let mut first = 0;
    while first < LANES {
        if !on(first) {
            first += 1;
            continue;
        }
        // Returns the last lane of a run whose neighbours differ by `by`.
        let end = |by: i64| {
            let mut last = first;
            while on(last + 1) && step(last) == by {
                last += 1;
            }
            last
        };
        let (mut by, mut last) = (0, end(0));
        if last == first && !float && on(first + 1) {
            let steady = end(step(first));
            if steady - first + 1 >= STEPS {
                (by, last) = (step(first), steady);
            }
        }
        let mut part = value(values[first], ty, wide);
        // Writing to a string cannot fail.
        let _ = if by == 0 {
            Ok(())
        } else {
            write!(part, "{by:+}")
        };
        let range = if last == first {
            format!("{first}:")
        } else {
            format!("{first}-{last}:")
        };
        parts.push(range + &part);
        first = last + 1;
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(f: impl Fn(u64) -> u64, mask: u64, ty: Type) -> String {
        lanes(&std::array::from_fn(|l| f(l as u64)), mask, ty, false)
    }

    #[test]
    fn lanes_of_one_value_stand_together() {
        let float = |l| if l < 16 { 0x3f80_0000 } else { 4 };
        assert_eq!(
            shown(float, !0, Type::B32),
            "0-15:0x3f800000 16-63:0x00000004"
        );
        assert_eq!(
            shown(float, 1 << 2 | 1 << 63, Type::F32),
            "2:0x3f800000(1.0) 63:0x00000004(6e-45)"
        );
        assert_eq!(
            shown(|_| 7, 0b1101, Type::B32),
            "0:0x00000007 2-3:0x00000007"
        );
        assert_eq!(shown(|_| 7, 0, Type::B32), "");
    }

    #[test]
    fn a_steady_step_is_a_run() {
        assert_eq!(shown(|l| 16 + 4 * l, !0, Type::U32), "0-63:0x00000010+4");
        assert_eq!(shown(|l| 63 - l, 0xf0, Type::U32), "4-7:0x0000003b-1");
        // Three lanes are not a run, and floats have no steps.
        assert_eq!(
            shown(|l| l, 0b111, Type::U32),
            "0:0x00000000 1:0x00000001 2:0x00000002"
        );
        assert_eq!(
            shown(|l| if l == 3 { 9 } else { l }, 0b1111, Type::F16),
            "0:0x00000000(0.0) 1:0x00000001(5.9604645e-8) 2:0x00000002(1.1920929e-7) 3:0x00000009(5.364418e-7)"
        );
        // A run with a step is followed by a constant value.
        assert_eq!(
            shown(|l| l.min(8), 0xfff, Type::U32),
            "0-8:0x00000000+1 9-11:0x00000008"
        );
        // The run passes zero in 32 bits.
        assert_eq!(
            shown(|l| u64::from((l as u32).wrapping_sub(2)), 0xf, Type::U32),
            "0-3:0xfffffffe+1"
        );
    }

    #[test]
    fn floats_of_every_width() {
        assert_eq!(
            value(0x3ff8_0000_0000_0000, Type::F64, true),
            "0x3ff8000000000000(1.5)"
        );
        assert_eq!(
            value(0x4000_3c00, Type::F16x2, false),
            "0x40003c00(1.0,2.0)"
        );
        assert_eq!(value(0x7fc0_0000, Type::F32, false), "0x7fc00000(NaN)");
    }
}
