//! What unwritten memory holds.
//!
//! One 32-bit word fills every output before launch. It is a signalling NaN as f32, a NaN as either half of it read
//! as f16 or bf16, and 2 139 455 365 as an integer. Arithmetic makes a NaN quiet, so the word itself in an output
//! means that nobody wrote there, and its quiet form that somebody computed with memory nobody had written.

use super::{Element, ElementKind};

/// The word.
pub const POISON: u32 = 0x7F85_7F85;

/// Fills a buffer with the word, from its first byte on.
pub fn fill(bytes: &mut [u8]) {
    for (byte, pattern) in bytes
        .iter_mut()
        .zip(POISON.to_le_bytes().into_iter().cycle())
    {
        *byte = pattern;
    }
}

/// The poison as one element.
pub fn element<E: Element>() -> E {
    E::from_bits(POISON & mask(E::KIND))
}

/// Whether an element is still what [`fill`] left.
pub fn is_left<E: Element>(value: E) -> bool {
    value.bits() == POISON & mask(E::KIND)
}

/// Whether a NaN carries the poison's payload, signalling or quiet, of either sign.
pub fn is_descendant<E: Element>(value: E) -> bool {
    let (quiet, sign) = match E::KIND {
        ElementKind::F32 => (1 << 22, 1 << 31),
        ElementKind::F16 => (1 << 9, 1 << 15),
        ElementKind::Bf16 => (1 << 6, 1 << 15),
        ElementKind::I32 => return false,
    };
    (value.bits() | quiet) & !sign == (POISON & mask(E::KIND)) | quiet
}

fn mask(kind: ElementKind) -> u32 {
    if kind.size() == 4 { u32::MAX } else { 0xFFFF }
}

#[cfg(test)]
mod tests {
    use super::super::{decode, encode};
    use super::*;
    use half::{bf16, f16};

    #[test]
    fn poison_is_nan_as_every_float_and_signalling_as_f32() {
        let mut bytes = vec![0; 10];
        fill(&mut bytes);
        assert!(
            decode::<f32>(&bytes)
                .iter()
                .all(|v| v.is_nan() && is_left(*v))
        );
        assert!(
            decode::<f16>(&bytes)
                .iter()
                .all(|v| v.is_nan() && is_left(*v))
        );
        assert!(
            decode::<bf16>(&bytes)
                .iter()
                .all(|v| v.is_nan() && is_left(*v))
        );
        assert!(
            decode::<i32>(&bytes)
                .iter()
                .all(|v| *v > 2_000_000_000 && is_left(*v))
        );
        assert_eq!(POISON & (1 << 22), 0, "the quiet bit is clear");
        assert_eq!(encode(&[element::<f32>()]), bytes[..4]);
    }

    #[test]
    fn a_quieted_poison_is_a_descendant_but_not_left() {
        let quiet = f32::from_bits(POISON | 1 << 22);
        assert!(!is_left(quiet));
        assert!(is_descendant(quiet));
        assert!(is_descendant(-quiet));
        assert!(!is_descendant(f32::NAN));
        assert!(!is_descendant(f32::INFINITY));
    }
}
