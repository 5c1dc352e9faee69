//! NumPy's `.npy` files: one array, little-endian, in C order.
//!
//! Format: magic `\x93NUMPY`, version (major, minor), length of the header (u16; u32 from version 2 on), a Python dictionary as text
//! (`descr`, `fortran_order`, `shape`), then the elements. Written as version 1, the header padded to a multiple of 64 bytes.

mod dtype;

pub use dtype::{DTYPES, Dtype};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Bytes of the longest header that is read. The dictionary of an array of numbers is short.
const MAX_HEADER: usize = 64 << 10;

/// An array: its elements as little-endian bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Npy {
    /// The type of the elements.
    pub dtype: Dtype,
    /// The size along each axis; none for a single number.
    pub shape: Vec<usize>,
    /// The elements, the last axis fastest.
    pub data: Vec<u8>,
}

/// The reason why bytes are not an array.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NpyError(String);

impl Npy {
    /// Reads a whole file.
    ///
    /// # Errors
    /// The bytes are not in this format, are big-endian or not in C order, or their count differs from the shape's.
    pub fn from_bytes(bytes: &[u8]) -> Result<Npy, NpyError> {
        let truncated = || NpyError("not a .npy file, or cut short within its header".into());
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(truncated)?;
        let (length, start) = match rest {
            [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 10),
            [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 12),
            [major, minor, ..] if *major > 3 => {
                return Err(NpyError(format!(
                    "version {major}.{minor} of .npy is not supported"
                )));
            }
            _ => return Err(truncated()),
        };
        if length > MAX_HEADER {
            return Err(NpyError(format!(
                "a header of {length} bytes is too long for an array of numbers"
            )));
        }
        let header = bytes.get(start..start + length).ok_or_else(truncated)?;
        let header =
            std::str::from_utf8(header).map_err(|_| NpyError("the header is not text".into()))?;
        let (dtype, fortran, shape) = parse_header(header)?;
        if fortran && shape.iter().filter(|&&side| side > 1).count() > 1 {
            return Err(NpyError(
                "the elements are in Fortran order: save numpy.ascontiguousarray(array)".into(),
            ));
        }
        let data = &bytes[start + length..];
        let wanted = shape
            .iter()
            .try_fold(dtype.size, |product, &side| product.checked_mul(side));
        if wanted != Some(data.len()) {
            let problem = format!(
                "shape {shape:?} of {dtype} does not fit the {} bytes of elements in the file",
                data.len()
            );
            return Err(NpyError(problem));
        }
        Ok(Npy {
            dtype,
            shape,
            data: data.to_vec(),
        })
    }

    /// Returns the file of this array.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header(self.dtype, &self.shape);
        bytes.extend(&self.data);
        bytes
    }
}

/// Returns the header that precedes the elements of a file.
#[must_use]
pub fn header(dtype: Dtype, shape: &[usize]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if sides.len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        dtype,
        sides.join(", ")
    );
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', padded - header.len() - 1));
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    // a shape would need thousands of axes to pass 64 KiB
    bytes.extend(
        u16::try_from(header.len())
            .unwrap_or(u16::MAX)
            .to_le_bytes(),
    );
    bytes.extend(header.as_bytes());
    bytes
}

fn parse_header(text: &str) -> Result<(Dtype, bool, Vec<usize>), NpyError> {
    let bad = |what: &str| NpyError(format!("the header has no usable `{what}`"));
    let value = |key: &str| {
        let after = [format!("'{key}'"), format!("\"{key}\"")]
            .iter()
            .find_map(|key| text.split_once(key.as_str()).map(|split| split.1));
        after
            .and_then(|rest| rest.trim_start().strip_prefix(':'))
            .map(str::trim_start)
            .ok_or_else(|| bad(key))
    };
    let descr = value("descr")?;
    let quote = descr
        .chars()
        .next()
        .filter(|c| ['\'', '"'].contains(c))
        .ok_or_else(|| bad("descr"))?;
    let descr = descr[1..].split_once(quote).ok_or_else(|| bad("descr"))?.0;
    let order = value("fortran_order")?;
    let fortran = order.starts_with("True");
    if !fortran && !order.starts_with("False") {
        return Err(bad("fortran_order"));
    }
    let shape = value("shape")?
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(|| bad("shape"))?
        .0;
    let sides = shape
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty());
    let shape = sides
        .map(|side| side.parse().map_err(|_| bad("shape")))
        .collect::<Result<_, _>>()?;
    Ok((Dtype::from_descr(descr)?, fortran, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        for (dtype, shape) in [
            (Dtype::F32, vec![2, 3]),
            (Dtype::U8, vec![24]),
            (Dtype::F64, vec![3]),
            (Dtype { kind: 'i', size: 8 }, vec![3, 1, 1]),
        ] {
            let data: Vec<u8> = (0..24).collect();
            let array = Npy { dtype, shape, data };
            let bytes = array.to_bytes();
            assert_eq!((bytes.len() - 24) % 64, 0);
            assert_eq!(Npy::from_bytes(&bytes), Ok(array));
        }
    }

    #[test]
    fn the_bytes_are_those_of_numpy() {
        // numpy.save of numpy.zeros((2, 3), numpy.float32), NumPy 1.24
        let bytes = Npy {
            dtype: Dtype::F32,
            shape: vec![2, 3],
            data: vec![0; 24],
        }
        .to_bytes();
        let mut expected =
            b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
                .to_vec();
        expected.resize(127, b' ');
        expected.push(b'\n');
        expected.extend([0; 24]);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let error = |header: &str, size: usize| {
            Npy::from_bytes(&file(header, &vec![0; size]))
                .expect_err("unusable")
                .to_string()
        };
        let f4 = |rest: &str| format!("{{'descr': '<f4', {rest}}}");
        assert_eq!(
            Npy::from_bytes(&file(&f4("'fortran_order': False, 'shape': (), "), &[0; 4]))
                .expect("a number")
                .shape,
            [0; 0]
        );
        assert!(error(&f4("'fortran_order': True, 'shape': (2, 3)"), 24).contains("Fortran order"));
        assert!(
            error(&f4("'fortran_order': False, 'shape': (2, 3)"), 23)
                .contains("shape [2, 3] of <f4 does not fit the 23 bytes")
        );
        assert!(
            error(
                &f4("'fortran_order': False, 'shape': (18446744073709551615, 3)"),
                4
            )
            .contains("does not fit")
        );
        assert!(
            error(&f4("'fortran_order': False, 'shape': (-1,)"), 4).contains("no usable `shape`")
        );
        assert!(
            error(&f4("'fortran_order': 0, 'shape': (1,)"), 4)
                .contains("no usable `fortran_order`")
        );
        assert!(
            error("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4)
                .contains("big-endian")
        );
        assert!(
            error("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8)
                .contains("`<c8` are not supported")
        );
        assert!(
            error(
                "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
                4
            )
            .contains("no usable `descr`")
        );
        assert!(error("", 0).contains("no usable `descr`"));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let whole = Npy {
            dtype: Dtype::F32,
            shape: vec![2, 3],
            data: vec![0; 24],
        }
        .to_bytes();
        for length in 0..whole.len() {
            assert!(Npy::from_bytes(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(Npy::from_bytes(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").is_err());
    }
}
