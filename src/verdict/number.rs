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

#[cfg(test)]
mod tests {
    use serde::Serialize;

    #[derive(Serialize)]
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
}
