//! Classes of values: finite, infinite, not a number.

use half::f16;

use crate::isa::Type;

/// Class of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::observe) enum Class {
    Finite,
    Infinite,
    Nan,
}

impl Class {
    fn of(value: f64) -> Class {
        match value {
            value if value.is_nan() => Class::Nan,
            value if value.is_infinite() => Class::Infinite,
            _ => Class::Finite,
        }
    }
}

/// A value of a lane: its registers and its type.
#[derive(Clone, Copy, Debug)]
pub(in crate::observe) struct Value {
    pub low: u32,
    pub high: u32,
    pub ty: Type,
}

impl Value {
    /// Returns the numbers: two for a pair of halves.
    fn numbers(self) -> (f64, Option<f64>) {
        let half = |shift: u32| f64::from(f16::from_bits((self.low >> shift) as u16));
        match self.ty {
            Type::F16 => (half(0), None),
            Type::F16x2 => (half(0), Some(half(16))),
            Type::F64 => {
                let bits = u64::from(self.low) | u64::from(self.high) << 32;
                (f64::from_bits(bits), None)
            }
            _ => (f32::from_bits(self.low).into(), None),
        }
    }

    /// Returns the class of the value: of two numbers, that of the one which is less of a number.
    pub(in crate::observe) fn class(self) -> Class {
        let (low, high) = self.numbers();
        match (Class::of(low), high.map(Class::of)) {
            (Class::Nan, _) | (_, Some(Class::Nan)) => Class::Nan,
            (Class::Infinite, _) | (_, Some(Class::Infinite)) => Class::Infinite,
            _ => Class::Finite,
        }
    }

    /// Returns the value as text: as few digits as its type needs.
    pub(in crate::observe) fn text(self) -> String {
        let number = |number: f64| match self.ty {
            Type::F64 => format!("{number:?}"),
            _ => format!("{:?}", number as f32),
        };
        match self.numbers() {
            (low, None) => number(low),
            (low, Some(high)) => format!("({}, {})", number(low), number(high)),
        }
    }
}

/// Returns the non-finite number that the bits of some bytes may be: of two bytes an f16 or a bf16, of four an f32 or two f16. Where the type is
/// not known, an integer may look like one.
pub(in crate::observe) fn maybe_non_finite(bits: u32, bytes: u64) -> Option<String> {
    let is_half = |half: u32| half & 0x7c00 == 0x7c00;
    let is_single = |bits: u32| bits & 0x7f80_0000 == 0x7f80_0000;
    let value = |ty, low| Value { low, high: 0, ty }.text();
    match bytes {
        4 if is_single(bits) => Some(value(Type::F32, bits)),
        4 if is_half(bits) || is_half(bits >> 16) => Some(value(Type::F16x2, bits)),
        2 if is_single(bits << 16) => Some(value(Type::F32, bits << 16)),
        2 if is_half(bits) => Some(value(Type::F16, bits & 0xffff)),
        _ => None,
    }
}
