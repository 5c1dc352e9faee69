//! What unwritten memory holds.
//!
//! One 32-bit word fills every output before launch. It is a signalling NaN as f32, a NaN as either half of it read
//! as f16 or bf16, and 2 139 455 365 as an integer. As the upper half of an f64 it would be a number: memory of f64 holds
//! a doubleword that is a signalling NaN there, and NaN as either half of it. Arithmetic makes a NaN quiet, so the poison
//! itself in an output means that nobody wrote there, and its quiet form that somebody computed with memory nobody had
//! written.

use super::{Element, ElementKind};

/// The word.
pub const POISON: u32 = 0x7F85_7F85;
/// The doubleword.
const POISON_F64: u64 = 0x7FF5_7F85_7F85_7F85;

/// Fills the memory of elements of a kind, from its first byte on.
pub fn fill(kind: ElementKind, bytes: &mut [u8]) {
    let pattern = pattern(kind).to_le_bytes();
    let pattern = pattern.into_iter().take(kind.size()).cycle();
    for (byte, pattern) in bytes.iter_mut().zip(pattern) {
        *byte = pattern;
    }
}

/// The poison as one element.
pub fn element<E: Element>() -> E {
    E::from_bits(pattern(E::KIND))
}

/// Whether an element is still what [`fill`] left.
pub fn is_left<E: Element>(value: E) -> bool {
    value.bits() == pattern(E::KIND)
}

/// Whether a NaN carries the poison's payload, signalling or quiet, of either sign.
pub fn is_descendant<E: Element>(value: E) -> bool {
    let (quiet, sign) = match E::KIND {
        ElementKind::F64 => (1 << 51, 1 << 63),
        ElementKind::F32 => (1 << 22, 1 << 31),
        ElementKind::F16 => (1 << 9, 1 << 15),
        ElementKind::Bf16 => (1 << 6, 1 << 15),
        ElementKind::I32 | ElementKind::U16 => return false,
    };
    (value.bits() | quiet) & !sign == pattern(E::KIND) | quiet
}

/// The bits of one element.
fn pattern(kind: ElementKind) -> u64 {
    match kind.size() {
        8 => POISON_F64,
        4 => POISON.into(),
        _ => u64::from(POISON & 0xFFFF),
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::with_element;
    use super::super::{decode, encode};
    use super::*;

    #[test]
    fn poison_is_nan_as_every_float_and_large_as_an_integer() {
        for kind in [
            ElementKind::F64,
            ElementKind::F32,
            ElementKind::F16,
            ElementKind::Bf16,
            ElementKind::I32,
            ElementKind::U16,
        ] {
            let mut bytes = vec![0; 3 * kind.size()];
            fill(kind, &mut bytes);
            with_element!(kind, E => {
                let values = decode::<E>(&bytes);
                assert_eq!(values.len(), 3);
                assert!(values.iter().all(|&value| is_left(value)), "{kind:?}");
                assert_eq!(encode(&[element::<E>()]), bytes[..kind.size()]);
                assert!(values.iter().all(|&value| is_descendant(value) == kind.is_float()));
            });
            let least = match kind {
                ElementKind::I32 => 2e9,
                _ => 32_000.0,
            };
            let value = kind.value(&bytes);
            assert!(
                if kind.is_float() {
                    value.is_nan()
                } else {
                    value > least
                },
                "{kind:?}"
            );
        }
        assert_eq!(POISON & (1 << 22), 0, "the quiet bit is clear");
        assert_eq!(POISON_F64 & (1 << 51), 0, "the quiet bit is clear");
    }

    #[test]
    fn poison_of_an_f64_is_nan_as_two_f32_too() {
        let mut bytes = vec![0; 16];
        fill(ElementKind::F64, &mut bytes);
        assert!(decode::<f32>(&bytes).iter().all(|value| value.is_nan()));
    }

    #[test]
    fn a_quieted_poison_is_a_descendant_but_not_left() {
        let quiet = f32::from_bits(POISON | 1 << 22);
        assert!(!is_left(quiet));
        assert!(is_descendant(quiet));
        assert!(is_descendant(-quiet));
        assert!(!is_descendant(f32::NAN));
        assert!(!is_descendant(f32::INFINITY));
        let quiet = f64::from_bits(POISON_F64 | 1 << 51);
        assert!(!is_left(quiet) && is_descendant(-quiet));
        assert!(!is_descendant(f64::NAN));
    }
}
