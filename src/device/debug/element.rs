//! Text of elements and registers.

use half::{bf16, f16};

use crate::tensor::npy::Dtype;

/// Returns an element as text, and its value if it has one.
pub fn shown_element(dtype: Dtype, bytes: &[u8]) -> (String, Option<f64>) {
    fn float<T: Into<f64> + std::fmt::Debug>(value: T) -> (String, Option<f64>) {
        let text = format!("{value:?}");
        (text, Some(value.into()))
    }
    let mut wide = [0; 16];
    let length = bytes.len().min(16);
    wide[..length].copy_from_slice(&bytes[..length]);
    let unsigned = u128::from_le_bytes(wide);
    let bits = 8 * length as u32;
    match (dtype.kind, dtype.size) {
        ('f', 2) => {
            let value = f16::from_bits(unsigned as u16).to_f64();
            (format!("{value:?}"), Some(value))
        }
        ('f', 4) => float(f32::from_bits(unsigned as u32)),
        ('f', 8) => float(f64::from_bits(unsigned as u64)),
        ('V', 2) => {
            let value = bf16::from_bits(unsigned as u16).to_f64();
            (format!("{value:?}"), Some(value))
        }
        ('b', 1) => ((unsigned != 0).to_string(), Some(unsigned as f64)),
        ('i', 1..=8) => {
            let value = (unsigned << (128 - bits)) as i128 >> (128 - bits);
            (value.to_string(), Some(value as f64))
        }
        ('u', 1..=8) => (unsigned.to_string(), Some(unsigned as f64)),
        _ => {
            let digits: String = bytes
                .iter()
                .rev()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            (format!("0x{digits}"), None)
        }
    }
}

/// Returns a dword of a register or of LDS as text: its bits, and the f32 and the i32 that they are.
pub fn shown_dword(bits: u32) -> String {
    let (float, whole) = (f32::from_bits(bits), bits as i32);
    format!("{bits:#010x} (f32 {float:?}, i32 {whole})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_shown_by_their_type() {
        let dtype = |kind, size| Dtype { kind, size };
        for (kind, bytes, text, value) in [
            (Dtype::F32, &1.5f32.to_le_bytes()[..], "1.5", Some(1.5)),
            (Dtype::F16, &[0x00, 0x3e], "1.5", Some(1.5)),
            (Dtype::BF16, &[0xc0, 0x3f], "1.5", Some(1.5)),
            (Dtype::I32, &(-2i32).to_le_bytes(), "-2", Some(-2.0)),
            (dtype('i', 1), &[0x80], "-128", Some(-128.0)),
            (dtype('i', 8), &[0xff; 8], "-1", Some(-1.0)),
            (Dtype::U16, &[0xff, 0xff], "65535", Some(65535.0)),
            (dtype('b', 1), &[1], "true", Some(1.0)),
            (dtype('V', 3), &[1, 2, 3], "0x030201", None),
        ] {
            assert_eq!(shown_element(kind, bytes), (text.to_owned(), value));
        }
        assert_eq!(
            shown_dword(0x3f80_0000),
            "0x3f800000 (f32 1.0, i32 1065353216)"
        );
    }
}
