//! Scalar arguments: `{"i32": 5}`, `{"f32": "inf"}`, `{"raw": "00ff"}`.

use half::{bf16, f16};

use super::json::{Json, Node};
use crate::commands::did_you_mean;
use crate::tensor::{Element, encode};

const KINDS: &[&str] = &[
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "raw",
];

/// A value, as it stands in kernarg memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// One of the names above, or [`ADDRESS`].
    pub(super) kind: &'static str,
    /// Little-endian.
    pub(super) bytes: Vec<u8>,
}

/// The kind of a value without a type, `null` or a whole number: an address that a pointer holds.
pub(super) const ADDRESS: &str = "address";

/// Reads an object with the kind of the value as its one key, or an address.
pub(super) fn parse(node: &Node<'_>) -> anyhow::Result<Value> {
    let address = |bytes| Value {
        kind: ADDRESS,
        bytes,
    };
    match node.json {
        Json::Object(_) => {}
        Json::Null => return Ok(address(vec![0; 8])),
        Json::Number(_) => return whole("u64", node).map(address),
        _ => return Err(node.wrong("\"$buffer\", a value (as {\"i32\": 5}) or null")),
    }
    let entries = node.entries()?;
    let [(key, node)] = entries.as_slice() else {
        return Err(node.error(format_args!(
            "a value has one key, its type; here are {}",
            entries.len()
        )));
    };
    let Some(kind) = KINDS.iter().find(|kind| *kind == key) else {
        let nearest = did_you_mean(key, KINDS.iter().copied());
        return Err(node.error(format_args!(
            "unknown type `{}`{nearest}; there is: {}",
            key.escape_debug(),
            KINDS.join(" ")
        )));
    };
    let bytes = match *kind {
        "raw" => raw(node)?,
        "f16" | "bf16" | "f32" | "f64" => float(kind, node)?,
        integer => whole(integer, node)?,
    };
    Ok(Value { kind, bytes })
}

fn whole(kind: &str, node: &Node<'_>) -> anyhow::Result<Vec<u8>> {
    let Json::Number(number) = node.json else {
        return Err(node.wrong("a whole number"));
    };
    let value = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    let value =
        value.ok_or_else(|| node.error(format_args!("should be a whole number, is {number}")))?;
    let bits: u32 = kind[1..].parse().unwrap_or(64);
    let (low, high) = if kind.starts_with('i') {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    if !(low..=high).contains(&value) {
        return Err(node.error(format_args!(
            "{value} does not fit {kind}, which goes from {low} to {high}"
        )));
    }
    Ok(value.to_le_bytes()[..bits as usize / 8].to_vec())
}

/// Rounded to nearest, once, from the f64 in the file.
fn float(kind: &str, node: &Node<'_>) -> anyhow::Result<Vec<u8>> {
    let value = match node.json {
        Json::String(text) => match text.as_str() {
            "inf" => f64::INFINITY,
            "-inf" => f64::NEG_INFINITY,
            "nan" => f64::NAN,
            other => {
                return Err(node.error(format_args!(
                    "`{}` is no number; there is: inf, -inf, nan",
                    other.escape_debug()
                )));
            }
        },
        _ => node.f64()?,
    };
    let (bytes, rounded) = match kind {
        "f16" => rounded::<f16>(value),
        "bf16" => rounded::<bf16>(value),
        "f32" => rounded::<f32>(value),
        _ => rounded::<f64>(value),
    };
    if rounded.is_infinite() && value.is_finite() {
        return Err(node.error(format_args!("{value:e} is too large for {kind}")));
    }
    Ok(bytes)
}

/// The nearest value of a type: its bytes, and what it is.
fn rounded<E: Element>(value: f64) -> (Vec<u8>, f64) {
    let nearest = E::nearest(value);
    (encode(&[nearest]), nearest.to_f64())
}

fn raw(node: &Node<'_>) -> anyhow::Result<Vec<u8>> {
    let text = node.string()?;
    hex_bytes(text)
        .filter(|bytes| !bytes.is_empty())
        .ok_or_else(|| {
            node.error(format_args!(
                "`{}` is not bytes as pairs of hex digits",
                text.escape_debug()
            ))
        })
}

/// Pairs of hex digits, nothing between them.
fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(high << 4 | low).ok(),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Value> {
        let json: Json = serde_json::from_str(text).expect("JSON");
        parse(&Node::root(&json))
    }

    fn bytes(text: &str) -> Vec<u8> {
        read(text).expect("a value").bytes
    }

    fn error(text: &str) -> String {
        read(text).expect_err("no value").to_string()
    }

    #[test]
    fn values_become_bytes() {
        assert_eq!(bytes(r#"{"i8": -128}"#), [0x80]);
        assert_eq!(bytes(r#"{"u8": 255}"#), [0xff]);
        assert_eq!(bytes(r#"{"i16": -2}"#), [0xfe, 0xff]);
        assert_eq!(bytes(r#"{"i32": 5}"#), [5, 0, 0, 0]);
        assert_eq!(bytes(r#"{"u64": 18446744073709551615}"#), [0xff; 8]);
        assert_eq!(
            bytes(r#"{"i64": -9223372036854775808}"#),
            i64::MIN.to_le_bytes()
        );
        assert_eq!(bytes(r#"{"f32": 0.1}"#), 0.1f32.to_le_bytes());
        assert_eq!(bytes(r#"{"f64": 1}"#), 1f64.to_le_bytes());
        assert_eq!(bytes(r#"{"f16": 1.5}"#), [0x00, 0x3e]);
        assert_eq!(bytes(r#"{"bf16": -2.0}"#), [0x00, 0xc0]);
        assert_eq!(bytes(r#"{"f32": "-inf"}"#), f32::NEG_INFINITY.to_le_bytes());
        assert_eq!(bytes(r#"{"raw": "00fF"}"#), [0, 0xff]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(
            error(r#"{"i8": 128}"#),
            "i8: 128 does not fit i8, which goes from -128 to 127"
        );
        assert_eq!(
            error(r#"{"u32": -1}"#),
            "u32: -1 does not fit u32, which goes from 0 to 4294967295"
        );
        assert_eq!(
            error(r#"{"i32": 1.5}"#),
            "i32: should be a whole number, is 1.5"
        );
        assert_eq!(error(r#"{"f32": 1e39}"#), "f32: 1e39 is too large for f32");
        assert_eq!(
            error(r#"{"f16": 65536}"#),
            "f16: 6.5536e4 is too large for f16"
        );
        assert_eq!(
            error(r#"{"f32": "one"}"#),
            "f32: `one` is no number; there is: inf, -inf, nan"
        );
        assert_eq!(
            error(r#"{"raw": "abc"}"#),
            "raw: `abc` is not bytes as pairs of hex digits"
        );
        assert_eq!(
            error(r#"{"raw": ""}"#),
            "raw: `` is not bytes as pairs of hex digits"
        );
        assert!(error(r#"{"float32": 1}"#).starts_with("float32: unknown type `float32`"));
        assert!(
            error(r#"{"i32": 1, "f32": 2}"#).contains("a value has one key, its type; here are 2")
        );
        assert!(error("{}").contains("here are 0"));
    }
}
