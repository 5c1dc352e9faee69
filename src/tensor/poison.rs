//! Poison of unwritten memory, and detection of output elements that were computed from it.
//!
//! Every output is filled before launch with the emulator's poison for memory ([`Poison::Memory`]): a signalling NaN as
//! f32 and as either half read as bf16, and as an integer beyond every index. Memory of f16 and f64 holds a pattern
//! that signals in its own type. Arithmetic makes a NaN quiet. The poison itself in an output therefore means that no
//! kernel wrote there, and its quiet form means that a kernel computed with unwritten memory. Registers, LDS and
//! scratch have poisons of their own.

use gfx906::machine::Poison;

use super::{Element, ElementKind};

/// The word of memory's poison.
pub const POISON: u32 = Poison::Memory.word();
/// The poison of f64: a signalling NaN, with a NaN in either half.
const POISON_F64: u64 = 0xFFF5_FFAD_FFAD_FFAD;
/// The poison of f16: a signalling NaN.
const POISON_F16: u64 = 0xFCAD;

/// Fills the memory of elements of a kind. The last element may be cut short.
pub fn fill(kind: ElementKind, bytes: &mut [u8]) {
    let pattern = pattern(kind).to_le_bytes();
    let pattern = &pattern[..kind.size()];
    for element in bytes.chunks_mut(pattern.len()) {
        element.copy_from_slice(&pattern[..element.len()]);
    }
}

/// Returns the poison of one element.
pub fn element<E: Element>() -> E {
    E::from_bits(pattern(E::KIND))
}

/// Returns true if an element still holds the pattern of [`fill`].
pub fn is_left<E: Element>(value: E) -> bool {
    value.bits() == pattern(E::KIND)
}

/// Returns the kind of unwritten memory that an element comes from: the element is a poison, or a NaN with a poison's payload,
/// signalling or quiet, of either sign, widened or narrowed.
pub fn source<E: Element>(value: E) -> Option<Poison> {
    let kind = E::KIND;
    let plain = |bits: u64| (bits | quiet(kind)) & !sign(kind);
    let nan = value.to_f64().is_nan();
    Poison::ALL.into_iter().find(|&poison| {
        let held = value.bits() == held(kind, poison);
        held || nan && payloads(kind, poison).any(|bits| plain(bits) == plain(value.bits()))
    })
}

/// Returns the bits of an element that a poisoned register was stored to.
fn held(kind: ElementKind, poison: Poison) -> u64 {
    let word = u64::from(poison.word());
    match kind.size() {
        8 => word << 32 | word,
        4 => word,
        2 => poison.half().into(),
        _ => u64::from(poison.half()) & 0xFF,
    }
}

/// Returns the bits of NaNs that come from a poison: unchanged, widened from a smaller type, or narrowed from a larger type.
fn payloads(kind: ElementKind, poison: Poison) -> impl Iterator<Item = u64> {
    let (word, half) = (u64::from(poison.word()), u64::from(poison.half()));
    let memory = poison == Poison::Memory;
    // A half as f32: the upper bits of one where it is bf16, a payload of ten bits where it is f16.
    let from_bf16 = half << 16;
    let from_f16 = |half: u64| 0x7F80_0000 | (half & 0x3FF) << 13;
    let quiet_word = word | quiet(ElementKind::F32);
    let singles = [word, from_bf16, from_f16(half)];
    let of_f16 = memory.then_some(POISON_F16);
    let own = memory.then(|| pattern(kind));
    let all: Vec<u64> = match kind {
        ElementKind::F64 => {
            let widen = |single: u64| 0x7FF0_0000_0000_0000 | (single & 0x7F_FFFF) << 29;
            singles.into_iter().map(widen).collect()
        }
        ElementKind::F32 => singles.into_iter().chain(of_f16.map(from_f16)).collect(),
        // Rounding by an addition to the bits carries into the payload.
        ElementKind::Bf16 => vec![half, half + 1],
        ElementKind::F16 => [quiet_word, from_bf16]
            .map(|single| 0x7C00 | single >> 13 & 0x3FF)
            .into_iter()
            .chain([half])
            .collect(),
        _ => Vec::new(),
    };
    all.into_iter().chain(own)
}

fn quiet(kind: ElementKind) -> u64 {
    match kind {
        ElementKind::F64 => 1 << 51,
        ElementKind::F32 => 1 << 22,
        ElementKind::F16 => 1 << 9,
        ElementKind::Bf16 => 1 << 6,
        _ => 0,
    }
}

fn sign(kind: ElementKind) -> u64 {
    if kind.is_float() {
        1 << (8 * kind.size() - 1)
    } else {
        0
    }
}

/// Returns the bits of one element of memory's poison.
fn pattern(kind: ElementKind) -> u64 {
    match kind {
        ElementKind::F64 => POISON_F64,
        ElementKind::F16 => POISON_F16,
        ElementKind::F32 | ElementKind::I32 | ElementKind::U32 => POISON.into(),
        ElementKind::I64 => u64::from(POISON) << 32 | u64::from(POISON),
        ElementKind::Bf16 | ElementKind::U16 => Poison::Memory.half().into(),
        ElementKind::I8 | ElementKind::U8 => u64::from(Poison::Memory.half()) & 0xFF,
    }
}

#[cfg(test)]
mod tests;
