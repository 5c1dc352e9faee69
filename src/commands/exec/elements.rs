//! The types of elements that can be judged, and how.
//!
//! The judge knows f64, f32, f16, bf16, i32 and u16. Other integers are judged as one of these that holds all their values; of 64 bits
//! f64 does up to 2^53.

use crate::tensor::npy::Dtype;
use crate::tensor::{Element, ElementKind, decode, poison};

/// The first number from which f64 does not hold every whole number.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// The type of a buffer's elements, and the type that the judge takes them as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JudgedType {
    pub(super) dtype: Dtype,
    /// The type that the judge takes the elements as.
    pub(super) kind: ElementKind,
}

impl JudgedType {
    /// None for types that are no numbers.
    pub(super) fn of(dtype: Dtype) -> Option<JudgedType> {
        let kind = match (dtype.kind, dtype.size) {
            ('f', 8) => ElementKind::F64,
            ('f', 4) => ElementKind::F32,
            ('f', 2) => ElementKind::F16,
            ('V', 2) => ElementKind::Bf16,
            ('i', 1 | 2 | 4) => ElementKind::I32,
            ('u' | 'b', 1) | ('u', 2) => ElementKind::U16,
            ('u', 4) | ('i' | 'u', 8) => ElementKind::F64,
            _ => return None,
        };
        Some(JudgedType { dtype, kind })
    }

    /// The type whose poison fills a buffer of these elements: words for those that the judge does not know.
    pub(super) fn kind_of_memory(self) -> ElementKind {
        match self.kind {
            ElementKind::F64 if self.dtype != Dtype::F64 => ElementKind::F32,
            kind => kind,
        }
    }

    /// Returns the type for a buffer that was not filled with poison, in which an integer that looks like poison is a value.
    pub(super) fn without_poison(self) -> JudgedType {
        let kind = match self.kind {
            ElementKind::I32 | ElementKind::U16 => ElementKind::F64,
            kind => kind,
        };
        JudgedType { kind, ..self }
    }

    /// Returns true if the judge takes the elements without conversion.
    pub(super) fn is_direct(self) -> bool {
        match self.kind {
            ElementKind::I32 => self.dtype == Dtype::I32,
            ElementKind::U16 => self.dtype == Dtype::U16,
            _ => self.dtype.is_float(),
        }
    }

    /// The elements of bytes, as the judge takes them. What still holds the poison of a buffer that was filled with it is the poison
    /// of the type that it is judged as.
    pub(super) fn elements<E: Element>(self, bytes: &[u8], poisoned: bool) -> Vec<E> {
        if self.is_direct() {
            return decode(bytes);
        }
        let mut elements: Vec<E> = values(self.dtype, bytes)
            .into_iter()
            .map(E::nearest)
            .collect();
        if poisoned {
            for (element, left) in elements.iter_mut().zip(self.left(bytes)) {
                if left {
                    *element = poison::element();
                }
            }
        }
        elements
    }

    /// Returns for each element whether it is still poison: all words that it lies in are poison. Parts of a word may be values by chance.
    fn left(self, bytes: &[u8]) -> impl Iterator<Item = bool> {
        let word = poison::POISON.to_le_bytes();
        let words: Vec<bool> = bytes
            .chunks(4)
            .map(|chunk| *chunk == word[..chunk.len()])
            .collect();
        let size = self.dtype.size;
        (0..bytes.len() / size).map(move |at| {
            let (first, last) = (at * size / 4, (at * size + size - 1) / 4);
            words[first..=last].iter().all(|&left| left)
        })
    }
}

/// The values of elements; exact but for whole numbers beyond 2^53.
pub(super) fn values(dtype: Dtype, bytes: &[u8]) -> Vec<f64> {
    fn wide<E: Element>(bytes: &[u8]) -> Vec<f64> {
        decode::<E>(bytes)
            .into_iter()
            .map(Element::to_f64)
            .collect()
    }
    match (dtype.kind, dtype.size) {
        ('f', 8) => wide::<f64>(bytes),
        ('f', 4) => wide::<f32>(bytes),
        ('f', _) => wide::<half::f16>(bytes),
        ('V', _) => wide::<half::bf16>(bytes),
        ('i', 1) => bytes
            .iter()
            .map(|&byte| f64::from(byte.cast_signed()))
            .collect(),
        ('u' | 'b', 1) => bytes.iter().map(|&byte| f64::from(byte)).collect(),
        ('i', 2) => wide::<u16>(bytes)
            .into_iter()
            .map(|x| if x < 32768.0 { x } else { x - 65536.0 })
            .collect(),
        ('u', 2) => wide::<u16>(bytes),
        ('i', 4) => wide::<i32>(bytes),
        ('u', 4) => wide::<i32>(bytes)
            .into_iter()
            .map(|x| if x < 0.0 { x + 4_294_967_296.0 } else { x })
            .collect(),
        (kind, _) => {
            let (words, _) = bytes.as_chunks();
            let value = |word: &[u8; 8]| match kind {
                'i' => i64::from_le_bytes(*word) as f64,
                _ => u64::from_le_bytes(*word) as f64,
            };
            words.iter().map(value).collect()
        }
    }
}

/// The first value that f64 may hold another for.
pub(super) fn too_large(dtype: Dtype, values: &[f64]) -> Option<usize> {
    let whole = !dtype.is_float() && dtype.size == 8;
    values
        .iter()
        .position(|value| whole && value.abs() >= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::npy::DTYPES;

    #[test]
    fn every_type_is_judged_as_one_that_holds_its_values() {
        for (name, dtype) in DTYPES {
            let judged = JudgedType::of(*dtype).expect(name);
            for fill in [0x00u8, 0x01, 0x3c, 0x7f, 0x80, 0xfe] {
                let bytes = vec![fill; dtype.size];
                let exact = values(*dtype, &bytes);
                let held = crate::tensor::with_element!(judged.kind, E => {
                    judged.elements::<E>(&bytes, true)[0].to_f64()
                });
                let same = held == exact[0] || held.is_nan() && exact[0].is_nan();
                assert!(same, "{name} of {fill:#x}: {held} for {}", exact[0]);
                let plain = judged.without_poison();
                let held = crate::tensor::with_element!(plain.kind, E => {
                    plain.elements::<E>(&bytes, false)[0].to_f64()
                });
                assert!(
                    held == exact[0] || held.is_nan(),
                    "{name} of {fill:#x} without poison"
                );
            }
        }
        assert_eq!(values(Dtype { kind: 'i', size: 2 }, &[0xfe, 0xff]), [-2.0]);
        assert_eq!(
            values(Dtype { kind: 'u', size: 4 }, &[0xff; 4]),
            [4_294_967_295.0]
        );
        assert_eq!(values(Dtype { kind: 'i', size: 8 }, &[0xff; 8]), [-1.0]);
        assert!(JudgedType::of(Dtype { kind: 'V', size: 3 }).is_none());
    }

    /// A byte that is 0xff is a value, four in a row that are the poison's are none.
    #[test]
    fn what_is_still_poison_is_known_in_every_type() {
        let word = poison::POISON.to_le_bytes();
        let bytes = [word, [0xad, 0xff, 0, 0], word].concat();
        let left = |dtype: Dtype| {
            let judged = JudgedType::of(dtype).expect("judged");
            crate::tensor::with_element!(judged.kind, E => {
                let elements = judged.elements::<E>(&bytes, true);
                elements.into_iter().map(poison::is_left).collect::<Vec<bool>>()
            })
        };
        assert_eq!(left(Dtype::U8), [[true; 4], [false; 4], [true; 4]].concat());
        assert_eq!(
            left(Dtype { kind: 'i', size: 2 }),
            [true, true, false, false, true, true]
        );
        assert_eq!(left(Dtype { kind: 'u', size: 4 }), [true, false, true]);
        assert_eq!(left(Dtype { kind: 'u', size: 8 }), [false]);
    }
}
