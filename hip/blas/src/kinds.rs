//! Kinds of elements, as both generations of hipBLAS number them, and which kinds go together.

use crate::status::{Outcome, Status, not_supported};

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `hipblasHalf`.
    F16,
    /// `hipblasBfloat16`.
    Bf16,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl Kind {
    /// Its bytes.
    pub fn bytes(self) -> usize {
        match self {
            Kind::F16 | Kind::Bf16 => 2,
            Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    /// As the names of kernels have it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::F16 => "f16",
            Kind::Bf16 => "bf16",
            Kind::F32 => "f32",
            Kind::F64 => "f64",
        }
    }

    /// By its number: `hipblasDatatype_t` of hipBLAS 1 and 2, which begins at 150, or `hipDataType` of `HIPBLAS_V2` and hipBLAS 3.
    fn of(number: u32) -> Option<Kind> {
        match number {
            150 | 2 => Some(Kind::F16),
            168 | 14 => Some(Kind::Bf16),
            151 | 0 => Some(Kind::F32),
            152 | 1 => Some(Kind::F64),
            _ => None,
        }
    }
}

/// How wide sums are at least. The elements' numbers tell which enumeration it is of: a `hipblasDatatype_t`, or a `hipblasComputeType_t`.
fn sums(elements: u32, number: u32) -> Option<Kind> {
    const FIRST_OF_OLD: u32 = 150;
    if elements >= FIRST_OF_OLD {
        return Kind::of(number).filter(|_| number >= FIRST_OF_OLD);
    }
    match number {
        0 => Some(Kind::F16),
        // Also what may be narrower within, and is not here.
        2..=6 => Some(Kind::F32),
        7 | 8 => Some(Kind::F64),
        _ => None,
    }
}

/// Kinds that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Of the factors' elements.
    pub from: Kind,
    /// Of the result's.
    pub to: Kind,
    /// Of alpha and beta.
    pub factor: Kind,
    /// The end of the kernels' names.
    pub name: &'static str,
}

const fn kinds(from: Kind, to: Kind, factor: Kind, name: &'static str) -> Kinds {
    Kinds {
        from,
        to,
        factor,
        name,
    }
}

/// f32 throughout.
pub const F32: Kinds = kinds(Kind::F32, Kind::F32, Kind::F32, "f32");
/// f64 throughout.
pub const F64: Kinds = kinds(Kind::F64, Kind::F64, Kind::F64, "f64");
/// f16 throughout, but for the sums.
pub const F16: Kinds = kinds(Kind::F16, Kind::F16, Kind::F16, "f16");

const ALL: [Kinds; 7] = [
    F32,
    F64,
    F16,
    kinds(Kind::F16, Kind::F16, Kind::F32, "f16_by_f32"),
    kinds(Kind::F16, Kind::F32, Kind::F32, "f16_to_f32"),
    kinds(Kind::Bf16, Kind::Bf16, Kind::F32, "bf16_by_f32"),
    kinds(Kind::Bf16, Kind::F32, Kind::F32, "bf16_to_f32"),
];

impl Kinds {
    /// What `hipblasGemmEx` and its kin are asked for, by the numbers of a, b, c and of the sums.
    pub fn of(name: &str, a: u32, b: u32, c: u32, compute: u32) -> Outcome<Kinds> {
        let known = || {
            let (from, other) = (Kind::of(a)?, Kind::of(b)?);
            let (to, factor) = (Kind::of(c)?, sums(a, compute)?);
            let fits = |k: &&Kinds| (k.from, k.to, k.factor) == (from, to, factor);
            ALL.iter().find(fits).copied().filter(|_| from == other)
        };
        known().ok_or_else(|| {
            not_supported(&format!(
                "{name} with types {a}, {b}, {c} and compute type {compute}"
            ))
        })
    }

    /// Of one kind throughout.
    pub fn plain(kind: Kind) -> Outcome<Kinds> {
        match kind {
            Kind::F32 => Ok(F32),
            Kind::F64 => Ok(F64),
            Kind::F16 | Kind::Bf16 => Err(Status::NotSupported),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generations_of_numbers_are_understood() {
        let name = |a, b, c, compute| Kinds::of("test", a, b, c, compute).map(|k| k.name);
        assert_eq!(name(150, 150, 150, 150), Ok("f16"));
        assert_eq!(name(2, 2, 2, 0), Ok("f16"));
        assert_eq!(name(150, 150, 151, 151), Ok("f16_to_f32"));
        assert_eq!(name(2, 2, 0, 2), Ok("f16_to_f32"));
        assert_eq!(name(14, 14, 14, 2), Ok("bf16_by_f32"));
        assert_eq!(name(168, 168, 151, 151), Ok("bf16_to_f32"));
        assert_eq!(name(0, 0, 0, 6), Ok("f32"));
        assert_eq!(name(1, 1, 1, 7), Ok("f64"));
        for other in [
            (2, 0, 0, 2),
            (3, 3, 10, 9),
            (150, 150, 150, 2),
            (2, 2, 2, 1),
        ] {
            let (a, b, c, compute) = other;
            assert_eq!(
                name(a, b, c, compute),
                Err(Status::NotSupported),
                "{other:?}"
            );
        }
    }
}
