//! The element types of `.npy` files.

use std::fmt;

use super::NpyError;
use crate::tensor::ElementKind;

/// The type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dtype {
    /// `f`loat, signed `i`nteger, `u`nsigned integer, `b`oolean, or `V` for bytes without a meaning (bf16 is stored so).
    pub kind: char,
    /// Bytes of an element.
    pub size: usize,
}

impl Dtype {
    /// f32.
    pub const F32: Dtype = Dtype { kind: 'f', size: 4 };
    /// f64.
    pub const F64: Dtype = Dtype { kind: 'f', size: 8 };
    /// f16.
    pub const F16: Dtype = Dtype { kind: 'f', size: 2 };
    /// bf16, which NumPy has no name for.
    pub const BF16: Dtype = Dtype { kind: 'V', size: 2 };
    /// i32.
    pub const I32: Dtype = Dtype { kind: 'i', size: 4 };
    /// u16.
    pub const U16: Dtype = Dtype { kind: 'u', size: 2 };
    /// Bytes.
    pub const U8: Dtype = Dtype { kind: 'u', size: 1 };

    /// Returns the type of a tensor's elements.
    #[must_use]
    pub fn of(kind: ElementKind) -> Dtype {
        use ElementKind::{Bf16, F16, F32, F64, I8, I32, I64, U8, U16, U32};
        Dtype {
            kind: match kind {
                F64 | F32 | F16 => 'f',
                Bf16 => 'V',
                I64 | I32 | I8 => 'i',
                U32 | U16 | U8 => 'u',
            },
            size: kind.size(),
        }
    }

    /// Returns the type with a name of Rust (`f32`, `i16`, ...).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Dtype> {
        DTYPES.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// Returns the type's Rust name, `bool`, or NumPy's name if Rust has no such type.
    #[must_use]
    pub fn name(self) -> String {
        let known = DTYPES.iter().find(|row| row.1 == self);
        match known {
            Some((name, _)) => (*name).to_owned(),
            None if self.kind == 'b' => "bool".to_owned(),
            None => self.to_string(),
        }
    }

    /// Returns true for types of floats.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.kind == 'f' || self == Dtype::BF16
    }

    pub(super) fn from_descr(descr: &str) -> Result<Dtype, NpyError> {
        let unsupported = || {
            NpyError(format!(
                "elements of type `{}` are not supported: save numbers",
                descr.escape_debug()
            ))
        };
        let mut rest = descr.chars();
        let (order, kind) = (
            rest.next().ok_or_else(unsupported)?,
            rest.next().ok_or_else(unsupported)?,
        );
        let size: usize = rest.as_str().parse().map_err(|_| unsupported())?;
        let known = match kind {
            'f' => [2, 4, 8].contains(&size),
            'i' | 'u' => [1, 2, 4, 8].contains(&size),
            'b' => size == 1,
            'V' => (1..=16).contains(&size),
            _ => false,
        };
        match order {
            _ if !known => Err(unsupported()),
            '>' if size > 1 => Err(NpyError(
                "the elements are big-endian: save them little-endian".into(),
            )),
            '<' | '|' | '=' | '>' => Ok(Dtype { kind, size }),
            _ => Err(unsupported()),
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = if self.size == 1 || self.kind == 'V' {
            '|'
        } else {
            '<'
        };
        write!(f, "{order}{}{}", self.kind, self.size)
    }
}

/// The names that [`Dtype::from_name`] takes.
#[rustfmt::skip]
pub const DTYPES: &[(&str, Dtype)] = &[
    ("i8",  Dtype { kind: 'i', size: 1 }), ("u8",  Dtype::U8),
    ("i16", Dtype { kind: 'i', size: 2 }), ("u16", Dtype::U16),
    ("i32", Dtype::I32), ("u32", Dtype { kind: 'u', size: 4 }),
    ("i64", Dtype { kind: 'i', size: 8 }), ("u64", Dtype { kind: 'u', size: 8 }),
    ("f16", Dtype::F16), ("f32", Dtype::F32), ("f64", Dtype::F64),
    ("bf16", Dtype::BF16),
];
