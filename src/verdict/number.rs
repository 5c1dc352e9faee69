//! Floats in JSON: a number where it is finite, else one of the strings `"NaN"`, `"inf"`, `"-inf"`.

use serde::Serializer;

/// Writes one float.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else {
        serializer.serialize_str(word(*value))
    }
}

/// A non-finite float as a word.
pub fn word(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

/// The same for a float that may be absent (`null`).
pub mod option {
    use serde::Serializer;

    /// Writes one float or `null`.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }
}
