//! Floats in JSON: a number where it is finite, else one of the strings `"NaN"`, `"inf"`, `"-inf"`.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A float of a list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Real(#[serde(with = "self")] pub f64);

/// Writes one float.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else {
        serializer.serialize_str(word(*value))
    }
}

/// Reads one float.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_any(Float)
}

struct Float;

impl Visitor<'_> for Float {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"NaN\", \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
            .into_iter()
            .find(|&value| word(value) == text)
            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// Returns the word for a non-finite float.
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
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes one float or `null`.
    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads one float or `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        let read: Option<super::One> = Option::deserialize(deserializer)?;
        Ok(read.map(|one| one.0))
    }
}

/// One float with its own deserialization.
#[derive(Deserialize)]
struct One(#[serde(with = "self")] f64);

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Both(
        #[serde(with = "super")] f64,
        #[serde(with = "super::option")] Option<f64>,
    );

    #[test]
    fn what_json_has_no_number_for_is_a_word() {
        let text =
            |value: f64| serde_json::to_string(&Both(value, Some(value))).expect("serialised");
        assert_eq!(text(f64::NAN), r#"["NaN","NaN"]"#);
        assert_eq!(text(f64::INFINITY), r#"["inf","inf"]"#);
        assert_eq!(text(f64::NEG_INFINITY), r#"["-inf","-inf"]"#);
        assert_eq!(text(0.1), "[0.1,0.1]");
        assert_eq!(text(-0.0), "[-0.0,-0.0]");
        assert_eq!(
            serde_json::to_string(&Both(1.0, None)).expect("serialised"),
            "[1.0,null]"
        );
    }
    #[test]
    fn what_is_written_is_read_to_the_last_bit() {
        let values = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            5e-324,
            f64::MAX,
            0.1 + 0.2,
            1.192_092_895_507_812_5e-7,
            3.0,
            -4.0,
        ];
        for value in values {
            let text = serde_json::to_string(&Both(value, Some(value))).expect("serialised");
            let Both(one, other) = serde_json::from_str(&text).expect("read");
            assert_eq!(one.to_bits(), value.to_bits(), "{text}");
            assert_eq!(other.map(f64::to_bits), Some(value.to_bits()), "{text}");
        }
        assert_eq!(
            serde_json::from_str::<Both>("[1,null]").expect("read").1,
            None
        );
        assert!(serde_json::from_str::<Both>(r#"["nan",1]"#).is_err());
    }
}
