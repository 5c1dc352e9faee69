//! Types of elements, with their numbers in both generations of hipBLAS, and the combinations of types that functions support.

use crate::status::{BlasResult, Status, not_supported};

/// Type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// `hipblasHalf`.
    F16,
    /// `hipblasBfloat16`.
    Bf16,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `hipblasComplex`: two `float`.
    C32,
    /// `hipblasDoubleComplex`: two `double`.
    C64,
    /// `int8_t`.
    I8,
    /// `int32_t`.
    I32,
}

impl ElementType {
    /// Returns the size of an element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            ElementType::I8 => 1,
            ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::F32 | ElementType::I32 => 4,
            ElementType::F64 | ElementType::C32 => 8,
            ElementType::C64 => 16,
        }
    }

    /// Returns the type's part of a kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            ElementType::F16 => "f16",
            ElementType::Bf16 => "bf16",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
            ElementType::C32 => "c32",
            ElementType::C64 => "c64",
            ElementType::I8 => "i8",
            ElementType::I32 => "i32",
        }
    }

    /// Returns the type of a number: a `hipblasDatatype_t` of hipBLAS 1 and 2 or a `rocblas_datatype`, which begin at 150, or a `hipDataType`
    /// of `HIPBLAS_V2` and hipBLAS 3.
    fn from_number(number: u32) -> Option<ElementType> {
        match number {
            150 | 2 => Some(ElementType::F16),
            168 | 14 => Some(ElementType::Bf16),
            151 | 0 => Some(ElementType::F32),
            152 | 1 => Some(ElementType::F64),
            154 | 4 => Some(ElementType::C32),
            155 | 5 => Some(ElementType::C64),
            160 | 3 => Some(ElementType::I8),
            162 | 10 => Some(ElementType::I32),
            _ => None,
        }
    }
}

/// Returns the type of alpha and beta for a compute type. `elements`, the number of the elements' type, says which enumeration `number`
/// belongs to: `hipblasDatatype_t` or `hipblasComputeType_t`.
fn factor_type(elements: u32, number: u32) -> Option<ElementType> {
    const FIRST_OF_OLD: u32 = 150;
    if elements >= FIRST_OF_OLD {
        return ElementType::from_number(number).filter(|_| number >= FIRST_OF_OLD);
    }
    let complex = matches!(
        ElementType::from_number(elements),
        Some(ElementType::C32 | ElementType::C64)
    );
    match number {
        0 => Some(ElementType::F16),
        // Some of these modes allow a narrower type. The kernels use f32.
        2..=6 if complex => Some(ElementType::C32),
        2..=6 => Some(ElementType::F32),
        7 | 8 if complex => Some(ElementType::C64),
        7 | 8 => Some(ElementType::F64),
        9 | 10 => Some(ElementType::I32),
        _ => None,
    }
}

/// Combination of types that the kernels support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Type of the factors' elements.
    pub from: ElementType,
    /// Type of the result's elements.
    pub to: ElementType,
    /// Type of alpha and beta.
    pub factor: ElementType,
    /// Suffix of the kernels' names.
    pub name: &'static str,
}

const fn kinds(
    from: ElementType,
    to: ElementType,
    factor: ElementType,
    name: &'static str,
) -> Kinds {
    Kinds {
        from,
        to,
        factor,
        name,
    }
}

/// Combination of f32 only.
pub const F32: Kinds = kinds(ElementType::F32, ElementType::F32, ElementType::F32, "f32");
/// Combination of f64 only.
pub const F64: Kinds = kinds(ElementType::F64, ElementType::F64, ElementType::F64, "f64");
/// Combination of f16 only, except for the sums.
pub const F16: Kinds = kinds(ElementType::F16, ElementType::F16, ElementType::F16, "f16");
/// Combination of complex numbers of two f32 only.
pub const C32: Kinds = kinds(ElementType::C32, ElementType::C32, ElementType::C32, "c32");
/// Combination of complex numbers of two f64 only.
pub const C64: Kinds = kinds(ElementType::C64, ElementType::C64, ElementType::C64, "c64");

const ALL: [Kinds; 10] = [
    F32,
    F64,
    F16,
    C32,
    C64,
    kinds(
        ElementType::I8,
        ElementType::I32,
        ElementType::I32,
        "i8_to_i32",
    ),
    kinds(
        ElementType::F16,
        ElementType::F16,
        ElementType::F32,
        "f16_by_f32",
    ),
    kinds(
        ElementType::F16,
        ElementType::F32,
        ElementType::F32,
        "f16_to_f32",
    ),
    kinds(
        ElementType::Bf16,
        ElementType::Bf16,
        ElementType::F32,
        "bf16_by_f32",
    ),
    kinds(
        ElementType::Bf16,
        ElementType::F32,
        ElementType::F32,
        "bf16_to_f32",
    ),
];

impl Kinds {
    /// Returns the combination for `hipblasGemmEx` and its variants, from the numbers of the types of a, b and c and of the compute type.
    pub fn from_numbers(name: &str, a: u32, b: u32, c: u32, compute: u32) -> BlasResult<Kinds> {
        let supported = || {
            let (from, other) = (ElementType::from_number(a)?, ElementType::from_number(b)?);
            let (to, factor) = (ElementType::from_number(c)?, factor_type(a, compute)?);
            let fits = |k: &&Kinds| (k.from, k.to, k.factor) == (from, to, factor);
            ALL.iter().find(fits).copied().filter(|_| from == other)
        };
        supported().ok_or_else(|| {
            not_supported(&format!(
                "{name} with types {a}, {b}, {c} and compute type {compute}"
            ))
        })
    }

    /// Returns the combination of one type only.
    pub fn single_type(kind: ElementType) -> BlasResult<Kinds> {
        match kind {
            ElementType::F32 => Ok(F32),
            ElementType::F64 => Ok(F64),
            _ => Err(Status::NotSupported),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generations_of_numbers_are_understood() {
        let name = |a, b, c, compute| Kinds::from_numbers("test", a, b, c, compute).map(|k| k.name);
        assert_eq!(name(150, 150, 150, 150), Ok("f16"));
        assert_eq!(name(2, 2, 2, 0), Ok("f16"));
        assert_eq!(name(150, 150, 151, 151), Ok("f16_to_f32"));
        assert_eq!(name(2, 2, 0, 2), Ok("f16_to_f32"));
        assert_eq!(name(14, 14, 14, 2), Ok("bf16_by_f32"));
        assert_eq!(name(168, 168, 151, 151), Ok("bf16_to_f32"));
        assert_eq!(name(0, 0, 0, 6), Ok("f32"));
        assert_eq!(name(1, 1, 1, 7), Ok("f64"));
        assert_eq!(name(154, 154, 154, 154), Ok("c32"));
        assert_eq!(name(4, 4, 4, 2), Ok("c32"));
        assert_eq!(name(5, 5, 5, 7), Ok("c64"));
        assert_eq!(name(160, 160, 162, 162), Ok("i8_to_i32"));
        assert_eq!(name(3, 3, 10, 9), Ok("i8_to_i32"));
        for other in [
            (2, 0, 0, 2),
            (3, 3, 3, 9),
            (4, 4, 4, 7),
            (154, 154, 154, 151),
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
