//! Element types, and their conversions between bits and numbers.

use std::convert::identity;

use half::{bf16, f16};

/// A type that tensors are made of.
pub trait Element: Copy + 'static {
    /// The kind of this type.
    const KIND: ElementKind;

    /// Returns the element's bits, in the low bytes.
    fn bits(self) -> u64;

    /// Makes a value from its bits; bits above its size are ignored.
    fn from_bits(bits: u64) -> Self;

    /// Returns the element's value, which is exact for every type.
    fn to_f64(self) -> f64;

    /// Rounds a number to this type, ties to even; integers saturate.
    fn nearest(value: f64) -> Self;

    /// Returns the position among the values of this type in increasing order. Neighbours differ by 1; 0 and -0 have the same position.
    fn rank(self) -> i64;

    /// Returns the value at a position. Beyond the infinities of a float it is a NaN; integers saturate.
    fn at_rank(rank: i64) -> Self;
}

/// The element types by name, for buffers whose type is known only at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// IEEE binary64.
    F64,
    /// IEEE binary32.
    F32,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// Two's complement of 64 bits. Numbers beyond 2^53 are rounded, because references compute in f64.
    I64,
    /// Two's complement of 32 bits.
    I32,
    /// An unsigned number of 32 bits.
    U32,
    /// An unsigned number of 16 bits. It also stands for a 16-bit float whose bits are compared.
    U16,
    /// Two's complement of 8 bits.
    I8,
    /// An unsigned number of 8 bits, or a byte of a packed block.
    U8,
}

/// Evaluates the body of `with_element!(kind, E => body)` with `E` as the type of a kind.
macro_rules! with_element {
    ($kind:expr, $element:ident => $body:expr) => {
        match $kind {
            $crate::tensor::ElementKind::F64 => {
                type $element = f64;
                $body
            }
            $crate::tensor::ElementKind::F32 => {
                type $element = f32;
                $body
            }
            $crate::tensor::ElementKind::F16 => {
                type $element = ::half::f16;
                $body
            }
            $crate::tensor::ElementKind::Bf16 => {
                type $element = ::half::bf16;
                $body
            }
            $crate::tensor::ElementKind::I64 => {
                type $element = i64;
                $body
            }
            $crate::tensor::ElementKind::I32 => {
                type $element = i32;
                $body
            }
            $crate::tensor::ElementKind::U32 => {
                type $element = u32;
                $body
            }
            $crate::tensor::ElementKind::U16 => {
                type $element = u16;
                $body
            }
            $crate::tensor::ElementKind::I8 => {
                type $element = i8;
                $body
            }
            $crate::tensor::ElementKind::U8 => {
                type $element = u8;
                $body
            }
        }
    };
}
pub(crate) use with_element;

impl ElementKind {
    /// Every type.
    pub const ALL: [ElementKind; 10] = [
        ElementKind::F64,
        ElementKind::F32,
        ElementKind::F16,
        ElementKind::Bf16,
        ElementKind::I64,
        ElementKind::I32,
        ElementKind::U32,
        ElementKind::U16,
        ElementKind::I8,
        ElementKind::U8,
    ];

    /// Returns the type's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ElementKind::F64 => "f64",
            ElementKind::F32 => "f32",
            ElementKind::F16 => "f16",
            ElementKind::Bf16 => "bf16",
            ElementKind::I64 => "i64",
            ElementKind::I32 => "i32",
            ElementKind::U32 => "u32",
            ElementKind::U16 => "u16",
            ElementKind::I8 => "i8",
            ElementKind::U8 => "u8",
        }
    }

    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        match self {
            ElementKind::F64 | ElementKind::I64 => 8,
            ElementKind::F32 | ElementKind::I32 | ElementKind::U32 => 4,
            ElementKind::F16 | ElementKind::Bf16 | ElementKind::U16 => 2,
            ElementKind::I8 | ElementKind::U8 => 1,
        }
    }

    /// Returns true for types with fractions, NaN and infinities.
    pub fn is_float(self) -> bool {
        use ElementKind::{Bf16, F16, F32, F64};
        matches!(self, F64 | F32 | F16 | Bf16)
    }

    /// Returns the distance of two neighbouring numbers as a share of the smaller, at most; none for an integer.
    pub fn place(self) -> Option<f64> {
        match self {
            ElementKind::F64 => Some(f64::EPSILON),
            ElementKind::F32 => Some(f32::EPSILON.into()),
            ElementKind::F16 => Some(2f64.powi(-10)),
            ElementKind::Bf16 => Some(2f64.powi(-7)),
            _ => None,
        }
    }

    /// Returns the least and the greatest whole number of an integer type; none for a float.
    pub fn range(self) -> Option<(i128, i128)> {
        let unsigned = matches!(self, ElementKind::U32 | ElementKind::U16 | ElementKind::U8);
        let bits = 8 * self.size() as u32;
        match (self.is_float(), unsigned) {
            (true, _) => None,
            (false, true) => Some((0, (1 << bits) - 1)),
            (false, false) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        }
    }

    /// Returns the value of the element at the start of `bytes` (little-endian; missing bytes are 0).
    pub fn value(self, bytes: &[u8]) -> f64 {
        let bits = little_endian(bytes, self.size());
        with_element!(self, E => <E as Element>::from_bits(bits).to_f64())
    }

    /// Returns a number rounded to this type.
    pub fn rounded(self, value: f64) -> f64 {
        with_element!(self, E => <E as Element>::nearest(value).to_f64())
    }
}

/// Decodes elements from little-endian bytes. A tail shorter than an element is dropped.
pub fn decode<E: Element>(bytes: &[u8]) -> Vec<E> {
    // There is one loop for each element size, so that every loop is over words of a constant size.
    match E::KIND.size() {
        1 => words(bytes, |word: [u8; 1]| word[0].into()),
        2 => words(bytes, |word: [u8; 2]| u16::from_le_bytes(word).into()),
        4 => words(bytes, |word: [u8; 4]| u32::from_le_bytes(word).into()),
        _ => words(bytes, u64::from_le_bytes),
    }
}

fn words<E: Element, const N: usize>(bytes: &[u8], bits: impl Fn([u8; N]) -> u64) -> Vec<E> {
    let (words, _) = bytes.as_chunks::<N>();
    words.iter().map(|word| E::from_bits(bits(*word))).collect()
}

/// Encodes elements as little-endian bytes.
pub fn encode<E: Element>(values: &[E]) -> Vec<u8> {
    let bits = values.iter().map(|value| value.bits());
    match E::KIND.size() {
        1 => bits.map(|bits| bits as u8).collect(),
        2 => bits
            .map(|bits| (bits as u16).to_le_bytes())
            .collect::<Vec<_>>()
            .into_flattened(),
        4 => bits
            .map(|bits| (bits as u32).to_le_bytes())
            .collect::<Vec<_>>()
            .into_flattened(),
        _ => bits
            .map(u64::to_le_bytes)
            .collect::<Vec<_>>()
            .into_flattened(),
    }
}

fn little_endian(bytes: &[u8], size: usize) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes.iter().take(size)) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}

/// Implements [`Element`] for a float: its type, its kind, the integer of its size, and its conversions to f64 and back.
macro_rules! float {
    ($float:ty, $kind:ident, $bits:ty, $widen:expr, $round:expr) => {
        impl Element for $float {
            const KIND: ElementKind = ElementKind::$kind;

            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            fn from_bits(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }

            fn to_f64(self) -> f64 {
                $widen(self)
            }

            fn nearest(value: f64) -> $float {
                $round(value)
            }

            fn rank(self) -> i64 {
                let sign = 1 << (<$bits>::BITS - 1);
                let magnitude = (self.to_bits() & !sign) as i64;
                if self.to_bits() & sign == 0 {
                    magnitude
                } else {
                    -magnitude
                }
            }

            fn at_rank(rank: i64) -> $float {
                let sign = 1 << (<$bits>::BITS - 1);
                let largest = <$bits>::MAX & !sign;
                let magnitude = <$bits>::try_from(rank.unsigned_abs()).unwrap_or(largest);
                let negative = if rank < 0 { sign } else { 0 };
                <$float>::from_bits(magnitude.min(largest) | negative)
            }
        }
    };
}

float!(f64, F64, u64, identity, identity);
float!(f32, F32, u32, f64::from, nearest_f32);
float!(f16, F16, u16, f16::to_f64, nearest_f16);
float!(bf16, Bf16, u16, bf16::to_f64, nearest_bf16);

fn nearest_f32(value: f64) -> f32 {
    value as f32
}

fn nearest_f16(value: f64) -> f16 {
    f16::from_f32(to_odd(value))
}

fn nearest_bf16(value: f64) -> bf16 {
    bf16::from_f32(to_odd(value))
}

/// Rounds an f64 to f32 with round-to-odd: an inexact value becomes its neighbour with an odd last bit. A later
/// rounding to nearest then gives the same result as a single rounding of the f64. (`from_f64` of the `half` crate
/// reads only the upper half of an f64, and takes a value slightly above a tie for the tie.)
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let bits = near.to_bits();
    if value.is_nan() || f64::from(near) == value || bits & 1 == 1 {
        return near;
    }
    let beyond = f64::from(near).abs() > value.abs();
    f32::from_bits(if beyond { bits - 1 } else { bits + 1 })
}

/// Implements [`Element`] for an integer: its type, its kind, and the unsigned type of its size.
macro_rules! integer {
    ($integer:ty, $kind:ident, $bits:ty) => {
        impl Element for $integer {
            const KIND: ElementKind = ElementKind::$kind;

            fn bits(self) -> u64 {
                u64::from(self as $bits)
            }

            fn from_bits(bits: u64) -> $integer {
                bits as $integer
            }

            fn to_f64(self) -> f64 {
                self as f64
            }

            fn nearest(value: f64) -> $integer {
                value.round_ties_even() as $integer
            }

            fn rank(self) -> i64 {
                self.into()
            }

            fn at_rank(rank: i64) -> $integer {
                rank.clamp(<$integer>::MIN.into(), <$integer>::MAX.into()) as $integer
            }
        }
    };
}

integer!(i64, I64, u64);
integer!(i32, I32, u32);
integer!(u32, U32, u32);
integer!(u16, U16, u16);
integer!(i8, I8, u8);
integer!(u8, U8, u8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart_across_zero() {
        let smallest = f32::from_bits(1);
        assert_eq!(smallest.rank(), 1);
        assert_eq!((-smallest).rank(), -1);
        assert_eq!(0.0f32.rank(), (-0.0f32).rank());
        assert_eq!(f32::INFINITY.rank() - f32::MAX.rank(), 1);
        assert_eq!(<f16 as Element>::nearest(-1.0).rank(), -0x3C00);
        assert_eq!(<bf16 as Element>::nearest(1.0).rank(), 0x3F80);
    }

    #[test]
    fn bytes_go_there_and_back() {
        let floats = [1.5f32, -0.0, f32::INFINITY, 1e-45];
        assert_eq!(encode(&floats)[..8], [0, 0, 0xC0, 0x3F, 0, 0, 0, 0x80]);
        assert_eq!(decode::<f32>(&encode(&floats)), floats);
        let halves = [f16::from_f64(0.1), f16::NEG_INFINITY];
        assert_eq!(decode::<f16>(&encode(&halves)), halves);
        assert_eq!(decode::<i32>(&encode(&[-2, i32::MAX])), [-2, i32::MAX]);
        assert_eq!(decode::<u16>(&encode(&[1u16, 0xFFC1])), [1, 0xFFC1]);
        let doubles = [-0.1f64, f64::MIN_POSITIVE];
        assert_eq!(encode(&doubles).len(), 16);
        assert_eq!(decode::<f64>(&encode(&doubles)), doubles);
        assert_eq!(decode::<f32>(&[0, 0, 0x80, 0x3F, 9, 9]), [1.0]);
    }

    #[test]
    fn a_kind_reads_what_its_type_wrote() {
        assert_eq!(
            ElementKind::Bf16.value(&encode(&[bf16::from_f64(-3.0)])),
            -3.0
        );
        assert_eq!(ElementKind::I32.value(&encode(&[-7])), -7.0);
        assert_eq!(ElementKind::U16.value(&encode(&[0xFFF9u16])), 65529.0);
        assert_eq!(ElementKind::F64.value(&encode(&[-0.1f64])), -0.1);
        assert_eq!(ElementKind::F32.value(&encode(&[0.25f32])), 0.25);
        assert_eq!(ElementKind::F16.value(&encode(&[f16::from_f64(2.5)])), 2.5);
    }

    /// A value that is above a tie by less than the upper half of an f64 shows still rounds up.
    #[test]
    fn rounding_is_to_nearest_even_and_integers_saturate() {
        assert_eq!(<f32 as Element>::nearest(1.0 + 2f64.powi(-24)), 1.0);
        assert_eq!(<f32 as Element>::nearest(1e39), f32::INFINITY);
        assert_eq!(<i32 as Element>::nearest(2.5), 2);
        assert_eq!(<i32 as Element>::nearest(1e12), i32::MAX);
        assert_eq!(<u16 as Element>::nearest(-3.0), 0);
        let near = |value: f64| <bf16 as Element>::nearest(value).to_f64();
        let (tie, above) = (1.0 + 2f64.powi(-8), 1.0 + 2f64.powi(-7));
        assert_eq!(near(tie), 1.0);
        assert_eq!(near(tie + 2f64.powi(-50)), above);
        assert_eq!(near(tie - 2f64.powi(-50)), 1.0);
        assert_eq!(near(above + 2f64.powi(-8)), 1.0 + 2f64.powi(-6));
        assert_eq!(near(-tie - 2f64.powi(-50)), -above);
        assert_eq!(near(f64::from(f32::MAX)), f64::INFINITY);
        assert_eq!(near(1e-300), 0.0);
        assert!(near(f64::NAN).is_nan());
        let half = <f16 as Element>::nearest(1.0 + 2f64.powi(-11) + 2f64.powi(-50));
        assert_eq!(half.to_f64(), 1.0 + 2f64.powi(-10));
    }

    #[test]
    fn a_rank_is_the_place_of_one_value() {
        for bits in (0..=u16::MAX).filter(|bits| !bf16::from_bits(*bits).is_nan()) {
            let value = bf16::from_bits(bits);
            let back = <bf16 as Element>::at_rank(value.rank());
            assert_eq!((back, back.rank()), (value, value.rank()));
        }
        let after = <f64 as Element>::at_rank(1.0f64.rank() + 1);
        assert_eq!(after, 1.0 + f64::EPSILON);
        assert_eq!(
            <f64 as Element>::at_rank(f64::MIN.rank() - 1),
            f64::NEG_INFINITY
        );
        assert!(<f32 as Element>::at_rank(f32::INFINITY.rank() + 1).is_nan());
        assert!(<bf16 as Element>::at_rank(i64::MIN).is_nan());
        assert_eq!(<i32 as Element>::at_rank(i64::MAX), i32::MAX);
        assert_eq!(<u16 as Element>::at_rank(-1), 0);
    }
}
