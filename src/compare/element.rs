//! Element types: how bits become numbers and numbers the nearest bits.

use half::{bf16, f16};

/// A type that tensors are made of.
pub trait Element: Copy + 'static {
    /// Which one it is.
    const KIND: ElementKind;

    /// Its bits, in the low bytes.
    fn bits(self) -> u32;

    /// From its bits; bits above its size are ignored.
    fn from_bits(bits: u32) -> Self;

    /// Its value. Exact for every type.
    fn to_f64(self) -> f64;

    /// The nearest value of this type, ties to even; integers saturate.
    fn nearest(value: f64) -> Self;

    /// Position among the values of this type in increasing order: neighbours differ by 1, 0 and -0 are the same.
    fn rank(self) -> i64;
}

/// The element types by name, for buffers whose type is known only at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// IEEE binary32.
    F32,
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// Two's complement.
    I32,
}

impl ElementKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ElementKind::F32 => "f32",
            ElementKind::F16 => "f16",
            ElementKind::Bf16 => "bf16",
            ElementKind::I32 => "i32",
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            ElementKind::F32 | ElementKind::I32 => 4,
            ElementKind::F16 | ElementKind::Bf16 => 2,
        }
    }

    /// Value of the element at the start of `bytes` (little-endian; missing bytes are 0).
    pub fn value(self, bytes: &[u8]) -> f64 {
        let bits = little_endian(bytes, self.size());
        match self {
            ElementKind::F32 => f32::from_bits(bits).to_f64(),
            ElementKind::F16 => <f16 as Element>::from_bits(bits).to_f64(),
            ElementKind::Bf16 => <bf16 as Element>::from_bits(bits).to_f64(),
            ElementKind::I32 => <i32 as Element>::from_bits(bits).to_f64(),
        }
    }
}

/// Elements of little-endian bytes. A tail shorter than an element is dropped.
pub fn decode<E: Element>(bytes: &[u8]) -> Vec<E> {
    let size = E::KIND.size();
    bytes
        .chunks_exact(size)
        .map(|chunk| E::from_bits(little_endian(chunk, size)))
        .collect()
}

/// Little-endian bytes of elements.
pub fn encode<E: Element>(values: &[E]) -> Vec<u8> {
    let size = E::KIND.size();
    values
        .iter()
        .flat_map(|value| value.bits().to_le_bytes().into_iter().take(size))
        .collect()
}

fn little_endian(bytes: &[u8], size: usize) -> u32 {
    let mut word = [0; 4];
    for (to, from) in word.iter_mut().zip(bytes.iter().take(size)) {
        *to = *from;
    }
    u32::from_le_bytes(word)
}

/// Position of a sign-and-magnitude float among its kind.
fn float_rank(bits: u32, width: u32) -> i64 {
    let magnitude = i64::from(bits & !(1 << (width - 1)));
    if bits >> (width - 1) & 1 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

impl Element for f32 {
    const KIND: ElementKind = ElementKind::F32;

    fn bits(self) -> u32 {
        self.to_bits()
    }

    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn nearest(value: f64) -> f32 {
        value as f32
    }

    fn rank(self) -> i64 {
        float_rank(self.to_bits(), 32)
    }
}

impl Element for f16 {
    const KIND: ElementKind = ElementKind::F16;

    fn bits(self) -> u32 {
        u32::from(self.to_bits())
    }

    fn from_bits(bits: u32) -> f16 {
        f16::from_bits(bits as u16)
    }

    fn to_f64(self) -> f64 {
        self.to_f64()
    }

    fn nearest(value: f64) -> f16 {
        f16::from_f64(value)
    }

    fn rank(self) -> i64 {
        float_rank(self.bits(), 16)
    }
}

impl Element for bf16 {
    const KIND: ElementKind = ElementKind::Bf16;

    fn bits(self) -> u32 {
        u32::from(self.to_bits())
    }

    fn from_bits(bits: u32) -> bf16 {
        bf16::from_bits(bits as u16)
    }

    fn to_f64(self) -> f64 {
        self.to_f64()
    }

    fn nearest(value: f64) -> bf16 {
        bf16::from_f64(value)
    }

    fn rank(self) -> i64 {
        float_rank(self.bits(), 16)
    }
}

impl Element for i32 {
    const KIND: ElementKind = ElementKind::I32;

    fn bits(self) -> u32 {
        self as u32
    }

    fn from_bits(bits: u32) -> i32 {
        bits as i32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn nearest(value: f64) -> i32 {
        value.round_ties_even() as i32
    }

    fn rank(self) -> i64 {
        i64::from(self)
    }
}

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
        assert_eq!(decode::<f32>(&[0, 0, 0x80, 0x3F, 9, 9]), [1.0]);
    }

    #[test]
    fn a_kind_reads_what_its_type_wrote() {
        assert_eq!(
            ElementKind::Bf16.value(&encode(&[bf16::from_f64(-3.0)])),
            -3.0
        );
        assert_eq!(ElementKind::I32.value(&encode(&[-7])), -7.0);
        assert_eq!(ElementKind::F32.value(&encode(&[0.25f32])), 0.25);
        assert_eq!(ElementKind::F16.value(&encode(&[f16::from_f64(2.5)])), 2.5);
    }

    #[test]
    fn rounding_is_to_nearest_even_and_integers_saturate() {
        assert_eq!(<f32 as Element>::nearest(1.0 + 2f64.powi(-24)), 1.0);
        assert_eq!(<f32 as Element>::nearest(1e39), f32::INFINITY);
        assert_eq!(<i32 as Element>::nearest(2.5), 2);
        assert_eq!(<i32 as Element>::nearest(1e12), i32::MAX);
    }
}
