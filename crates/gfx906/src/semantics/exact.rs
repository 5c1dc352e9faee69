//! Exact values in integers, and their single rounding to a binary format. Tests compare the functions for loops over lanes with these
//! functions, and a few operations have no other implementation.

use super::Round;
use super::format::Format;

/// `(-1)^negative * significand * 2^exponent`, exact except for a sticky lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) exponent: i32,
    pub(crate) significand: u128,
}

/// Shifts right, and sets the lowest remaining bit if any lost bit was set.
fn shift_right_sticky(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => value >> by | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

impl Exact {
    /// Returns the value of a finite number.
    pub(crate) fn from_float<F: Format>(x: F) -> Exact {
        let bits = x.bits();
        let fraction = bits & (F::HIDDEN - 1);
        let field = (bits & F::INFINITY) >> (F::PRECISION - 1);
        let significand = if field == 0 {
            fraction
        } else {
            fraction | F::HIDDEN
        };
        Exact {
            negative: bits & F::SIGN != 0,
            exponent: F::LOWEST + field.max(1) as i32 - 1,
            significand: u128::from(significand),
        }
    }

    /// The exact product of two values with at most 63 bits each.
    pub(crate) fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            significand: self.significand * other.significand,
        }
    }

    /// The value times `2^by`.
    pub(crate) fn scaled(self, by: i32) -> Exact {
        Exact {
            exponent: self.exponent.saturating_add(by.clamp(-100_000, 100_000)),
            ..self
        }
    }

    /// The sum. Bits beyond 126 are kept as a sticky bit, and a zero sum has the sign that `round` determines.
    pub(crate) fn plus(self, other: Exact, round: Round) -> Exact {
        if self.significand == 0 && other.significand == 0 {
            let negative = if self.negative == other.negative {
                self.negative
            } else {
                round == Round::TowardNegative
            };
            return Exact {
                negative,
                exponent: 0,
                significand: 0,
            };
        }
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let (a, b) = (self.normalised(), other.normalised());
        let (high, low) = if a.exponent >= b.exponent {
            (a, b)
        } else {
            (b, a)
        };
        let aligned = shift_right_sticky(low.significand, (high.exponent - low.exponent) as u32);
        if high.negative == low.negative {
            return Exact {
                significand: high.significand + aligned,
                ..high
            };
        }
        match high.significand.cmp(&aligned) {
            core::cmp::Ordering::Greater => Exact {
                significand: high.significand - aligned,
                ..high
            },
            core::cmp::Ordering::Less => Exact {
                significand: aligned - high.significand,
                negative: low.negative,
                ..high
            },
            core::cmp::Ordering::Equal => Exact {
                negative: round == Round::TowardNegative,
                exponent: 0,
                significand: 0,
            },
        }
    }

    /// Returns the same value with bit 126 as the highest set bit.
    fn normalised(self) -> Exact {
        let up = self.significand.leading_zeros() as i32 - 1;
        if up < 0 {
            return Exact {
                significand: shift_right_sticky(self.significand, 1),
                exponent: self.exponent + 1,
                ..self
            };
        }
        Exact {
            significand: self.significand << up,
            exponent: self.exponent - up,
            ..self
        }
    }

    /// Rounds once to a format, including overflow and denormals.
    pub(crate) fn round<F: Format>(self, round: Round) -> F {
        let sign = if self.negative { F::SIGN } else { 0 };
        if self.significand == 0 {
            return F::from_encoding(sign);
        }
        let value = self.normalised();
        // Weight of the result's last place.
        let last = (value.exponent + 127 - F::PRECISION as i32).max(F::LOWEST);
        let mut shift = last - value.exponent;
        let mut significand = value.significand;
        if shift > 127 {
            significand = shift_right_sticky(significand, (shift - 127) as u32);
            shift = 127;
        }
        let kept = (significand >> shift) as u64;
        let rest = significand & ((1 << shift) - 1);
        let half = 1u128 << (shift - 1);
        let up = match round {
            Round::NearestEven => rest > half || rest == half && kept & 1 == 1,
            Round::TowardPositive => rest != 0 && !self.negative,
            Round::TowardNegative => rest != 0 && self.negative,
            Round::TowardZero => false,
        };
        let places = (last - F::LOWEST) as u64;
        let overflowed = places >= F::INFINITY >> (F::PRECISION - 1);
        let magnitude = if overflowed {
            F::INFINITY
        } else {
            (places << (F::PRECISION - 1)) + kept + u64::from(up)
        };
        if magnitude < F::INFINITY {
            return F::from_encoding(sign | magnitude);
        }
        let to_infinity = match round {
            Round::NearestEven => true,
            Round::TowardPositive => !self.negative,
            Round::TowardNegative => self.negative,
            Round::TowardZero => false,
        };
        F::from_encoding(
            sign | if to_infinity {
                F::INFINITY
            } else {
                F::INFINITY - 1
            },
        )
    }
}

/// `a + b` of finite numbers in any rounding mode.
#[cfg(test)]
pub(crate) fn add<F: Format>(round: Round, a: F, b: F) -> F {
    Exact::from_float(a)
        .plus(Exact::from_float(b), round)
        .round(round)
}

/// `a * b` of finite numbers in any rounding mode.
#[cfg(test)]
pub(crate) fn mul<F: Format>(round: Round, a: F, b: F) -> F {
    Exact::from_float(a)
        .times(Exact::from_float(b))
        .round(round)
}

/// `(a * b + c) * 2^scale` of finite numbers, rounded once, in any rounding mode.
#[cold]
#[inline(never)]
pub(crate) fn fma<F: Format>(round: Round, a: F, b: F, c: F, scale: i32) -> F {
    Exact::from_float(a)
        .times(Exact::from_float(b))
        .plus(Exact::from_float(c), round)
        .scaled(scale)
        .round(round)
}

/// A finite number times a power of two, in any rounding mode.
#[inline(never)]
pub(crate) fn scale<F: Format>(round: Round, a: F, by: i32) -> F {
    Exact::from_float(a).scaled(by).round(round)
}

/// A finite number in another format, in any rounding mode.
#[cfg(test)]
pub(crate) fn convert<F: Format, G: Format>(round: Round, a: F) -> G {
    Exact::from_float(a).round(round)
}
