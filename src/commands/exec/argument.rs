//! Arguments of a launch: buffers with offsets, values, and structures of both.

use super::buffer::Buffer;
use super::json::{Json, Node};
use super::value::{self, Value};
use crate::commands::did_you_mean;

/// An argument.
#[derive(Debug)]
pub(super) enum ArgSpec {
    /// A pointer or a value.
    One(Part),
    /// A structure by value: its parts one after the other.
    Parts(Vec<Part>),
}

/// An argument that is no structure, or a part of one that is.
#[derive(Debug)]
pub(super) enum Part {
    Pointer(Pointer),
    Value(Value),
}

/// An address in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pointer {
    /// The index of the buffer.
    pub(super) buffer: usize,
    /// Bytes from its start.
    pub(super) offset: i64,
}

impl ArgSpec {
    /// The argument, or its parts if it is a structure.
    fn parts(&self) -> &[Part] {
        match self {
            ArgSpec::One(part) => std::slice::from_ref(part),
            ArgSpec::Parts(parts) => parts,
        }
    }

    /// The pointers in it.
    pub(super) fn pointers(&self) -> Vec<Pointer> {
        let pointer = |part: &Part| match part {
            Part::Pointer(pointer) => Some(*pointer),
            Part::Value(_) => None,
        };
        self.parts().iter().filter_map(pointer).collect()
    }

    /// The bytes that the kernel reads.
    pub(super) fn bytes(&self, addresses: &[u64]) -> Vec<u8> {
        let bytes = |part: &Part| match part {
            Part::Pointer(pointer) => {
                let address = addresses[pointer.buffer].wrapping_add_signed(pointer.offset);
                address.to_le_bytes().to_vec()
            }
            Part::Value(value) => value.bytes.clone(),
        };
        self.parts().iter().flat_map(bytes).collect()
    }

    /// Returns the size of the argument in bytes.
    pub(super) fn size(&self) -> usize {
        let size = |part: &Part| match part {
            Part::Pointer(_) => 8,
            Part::Value(value) => value.bytes.len(),
        };
        self.parts().iter().map(size).sum()
    }
}

/// Reads `"$buffer + 16"`, `{"i32": 5}`, or an array of these.
pub(super) fn parse(node: &Node<'_>, buffers: &[Buffer]) -> anyhow::Result<ArgSpec> {
    if let Json::Array(_) = node.json {
        let parts = node.array()?;
        let parts: Vec<Part> = parts
            .iter()
            .map(|node| part(node, buffers))
            .collect::<Result<_, _>>()?;
        if parts.is_empty() {
            return Err(node.error("empty: a structure has parts, as [\"$buffer\", {\"i32\": 5}]"));
        }
        return Ok(ArgSpec::Parts(parts));
    }
    part(node, buffers).map(ArgSpec::One)
}

fn part(node: &Node<'_>, buffers: &[Buffer]) -> anyhow::Result<Part> {
    match node.json {
        Json::String(text) => pointer(node, text, buffers).map(Part::Pointer),
        _ => value::parse(node).map(Part::Value),
    }
}

/// `$buffer`, and offsets in bytes behind it: `+ 4096`, `- 0x10`. A name may itself hold a sign: the longest that is known is meant.
fn pointer(node: &Node<'_>, text: &str, buffers: &[Buffer]) -> anyhow::Result<Pointer> {
    let Some(text) = text.trim().strip_prefix('$') else {
        let text = text.escape_debug();
        return Err(node.error(format_args!(
            "`{text}` is neither a buffer (`${text}`) nor a value (as {{\"i32\": 5}})"
        )));
    };
    let known = buffers.iter().enumerate().filter(|(_, buffer)| {
        let rest = text.strip_prefix(buffer.name.as_str()).map(str::trim_start);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', '-']))
    });
    let Some((index, buffer)) = known.max_by_key(|(_, buffer)| buffer.name.len()) else {
        let name = text.split(['+', '-']).next().unwrap_or(text).trim_end();
        let nearest = did_you_mean(name, buffers.iter().map(|buffer| buffer.name.as_str()));
        return Err(node.error(format_args!("no buffer `{}`{nearest}", name.escape_debug())));
    };
    let terms = &text[buffer.name.len()..];
    let offset = sum(terms).ok_or_else(|| {
        node.error(format_args!(
            "`{}` is no offset in bytes, as in \"${} + 4096\"",
            terms.trim().escape_debug(),
            buffer.name
        ))
    })?;
    Ok(Pointer {
        buffer: index,
        offset,
    })
}

/// The value of `+ 4096 - 0x10`: 0 of nothing.
fn sum(terms: &str) -> Option<i64> {
    let mut rest = terms.trim_start();
    let mut sum = 0i64;
    while let Some(sign) = rest.chars().next() {
        let after = rest[sign.len_utf8()..].trim_start();
        let end = after.find(['+', '-']).unwrap_or(after.len());
        let term = after[..end].trim_end();
        let bytes = match term.strip_prefix("0x") {
            Some(hex) if hex.chars().all(|c| c.is_ascii_hexdigit()) => i64::from_str_radix(hex, 16),
            _ if term.chars().all(|c| c.is_ascii_digit()) => term.parse::<i64>(),
            _ => return None,
        };
        sum = match sign {
            '+' => sum.checked_add(bytes.ok()?)?,
            '-' => sum.checked_sub(bytes.ok()?)?,
            _ => return None,
        };
        rest = &after[end..];
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_add_up() {
        for (text, want) in [
            ("", Some(0)),
            (" + 4096", Some(4096)),
            ("+4096-96", Some(4000)),
            (" -  0x10 ", Some(-16)),
            ("+ 9223372036854775807", Some(i64::MAX)),
            ("+ 9223372036854775808", None),
            ("+ 9223372036854775807 + 1", None),
            ("+", None),
            ("+ -4", None),
            ("+ 4 4", None),
            ("* 4", None),
            ("+ 0x", None),
            ("+ 1.5", None),
            ("é", None),
        ] {
            assert_eq!(sum(text), want, "{text}");
        }
    }
}
