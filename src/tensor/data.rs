//! The elements of a tensor on the host.

use half::bf16;

use crate::tensor::{Element, ElementKind, decode, encode, with_element};

/// Elements of one type. Each is exactly a value of the type, so that the references see the same values as the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    kind: ElementKind,
    held: Storage,
}

/// The storage of elements. Floats of at most 32 bits are stored as f32, integers that fit i32 as i32, and others as i64.
#[derive(Clone, Debug, PartialEq)]
enum Storage {
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
    Integers(Vec<i32>),
    Longs(Vec<i64>),
}

impl Data {
    /// Rounds values to a type, ties to even; integers saturate.
    pub fn nearest(kind: ElementKind, values: &[f64]) -> Data {
        let round =
            |value: &f64| with_element!(kind, E => <E as Element>::nearest(*value).to_f64());
        let rounded = values.iter().map(round);
        let held = match kind {
            ElementKind::F64 => Storage::Doubles(rounded.collect()),
            ElementKind::F32 | ElementKind::F16 | ElementKind::Bf16 => {
                Storage::Floats(rounded.map(|value| value as f32).collect())
            }
            ElementKind::I64 | ElementKind::U32 => {
                Storage::Longs(rounded.map(|value| value as i64).collect())
            }
            ElementKind::I32 | ElementKind::U16 | ElementKind::I8 | ElementKind::U8 => {
                Storage::Integers(rounded.map(|value| value as i32).collect())
            }
        };
        Data { kind, held }
    }

    /// Reads little-endian elements, as the device has them.
    pub fn read(kind: ElementKind, bytes: &[u8]) -> Data {
        match kind {
            // A conversion through a number would lose a NaN's payload.
            ElementKind::F32 => Data::from(decode::<f32>(bytes)),
            _ => {
                let chunks = bytes.chunks_exact(kind.size());
                let values: Vec<f64> = chunks.map(|bytes| kind.value(bytes)).collect();
                Data::nearest(kind, &values)
            }
        }
    }

    /// Rounds floats to bf16, ties to even.
    pub fn bf16(values: Vec<f32>) -> Data {
        Data::from(values).to(ElementKind::Bf16)
    }

    /// Makes data of 64-bit floats. A named constructor is needed because untyped literals would default to f64.
    pub fn f64(values: Vec<f64>) -> Data {
        Data {
            kind: ElementKind::F64,
            held: Storage::Doubles(values),
        }
    }

    /// Converts the elements to the nearest values of another type.
    pub fn to(self, kind: ElementKind) -> Data {
        if kind == self.kind {
            self
        } else {
            Data::nearest(kind, &self.wide())
        }
    }

    /// Returns the type of the elements.
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// Returns the values in f64, which is exact for every type up to 2^53.
    pub fn wide(&self) -> Vec<f64> {
        match &self.held {
            Storage::Floats(values) => values.iter().map(|&value| value.into()).collect(),
            Storage::Doubles(values) => values.clone(),
            Storage::Integers(values) => values.iter().map(|&value| value.into()).collect(),
            Storage::Longs(values) => values.iter().map(|&value| value as f64).collect(),
        }
    }

    /// Returns floats of at most 32 bits as f32; none for other types.
    pub fn floats(&self) -> Option<&[f32]> {
        match &self.held {
            Storage::Floats(values) => Some(values),
            _ => None,
        }
    }

    /// Returns floats of 64 bits; none for other types.
    pub fn doubles(&self) -> Option<&[f64]> {
        match &self.held {
            Storage::Doubles(values) => Some(values),
            _ => None,
        }
    }

    /// Returns integers that fit i32; none for other types.
    pub fn integers(&self) -> Option<&[i32]> {
        match &self.held {
            Storage::Integers(values) => Some(values),
            _ => None,
        }
    }

    /// Converts the values to the nearest elements of a type.
    pub fn elements<E: Element>(&self) -> Vec<E> {
        match &self.held {
            // A conversion through a number would lose a NaN's payload.
            Storage::Floats(values) if self.kind == ElementKind::F32 && E::KIND == self.kind => {
                values
                    .iter()
                    .map(|value| E::from_bits(value.to_bits().into()))
                    .collect()
            }
            _ => self.wide().into_iter().map(E::nearest).collect(),
        }
    }

    /// Returns the little-endian bytes that the device has.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.held {
            Storage::Floats(values) if self.kind == ElementKind::F32 => encode(values),
            Storage::Doubles(values) => encode(values),
            _ => with_element!(self.kind, E => encode(&self.elements::<E>())),
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        match &self.held {
            Storage::Floats(values) => values.len(),
            Storage::Doubles(values) => values.len(),
            Storage::Integers(values) => values.len(),
            Storage::Longs(values) => values.len(),
        }
    }
}

impl From<Vec<f32>> for Data {
    fn from(values: Vec<f32>) -> Data {
        Data {
            kind: ElementKind::F32,
            held: Storage::Floats(values),
        }
    }
}

impl From<Vec<i32>> for Data {
    fn from(values: Vec<i32>) -> Data {
        Data {
            kind: ElementKind::I32,
            held: Storage::Integers(values),
        }
    }
}

impl From<Vec<u16>> for Data {
    fn from(values: Vec<u16>) -> Data {
        Data {
            kind: ElementKind::U16,
            held: Storage::Integers(values.into_iter().map(i32::from).collect()),
        }
    }
}

impl From<Vec<bf16>> for Data {
    fn from(values: Vec<bf16>) -> Data {
        Data {
            kind: ElementKind::Bf16,
            held: Storage::Floats(values.into_iter().map(bf16::to_f32).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_device_have_the_same_rounded_values() {
        // Ties: 1 + 2^-8 to even, which is down, and 1 + 3 * 2^-8 up.
        let data = Data::bf16(vec![1.003_906_2, 1.011_718_8, -0.1]);
        assert_eq!(data.kind(), ElementKind::Bf16);
        assert_eq!(data.floats(), Some(&[1.0, 1.015_625, -0.100_097_656][..]));
        assert_eq!(data.bytes(), [0x80, 0x3F, 0x82, 0x3F, 0xCD, 0xBD]);
        assert_eq!(data.clone().to(ElementKind::Bf16), data);
        assert_eq!(Data::from(data.elements::<bf16>()), data);
    }

    #[test]
    fn every_type_goes_to_bytes_and_to_f64() {
        let integers = Data::from(vec![-1, i32::MAX]);
        assert_eq!(integers.wide(), [-1.0, 2_147_483_647.0]);
        assert_eq!(integers.bytes(), [255, 255, 255, 255, 255, 255, 255, 127]);
        assert_eq!((integers.floats(), integers.doubles()), (None, None));
        let words = Data::from(vec![0xFFC1u16]);
        assert_eq!(
            (words.bytes(), words.integers()),
            (vec![0xC1, 0xFF], Some(&[0xFFC1][..]))
        );
        let doubles = Data::f64(vec![0.1]);
        assert_eq!(doubles.bytes(), 0.1f64.to_le_bytes());
        assert_eq!(doubles.to(ElementKind::F32), Data::from(vec![0.1f32]));
        let nan = f32::from_bits(0xFF85_0001);
        assert_eq!(Data::from(vec![nan]).bytes(), 0xFF85_0001u32.to_le_bytes());
    }
}
