//! Element that a lane moves to or from memory, the direction, and the element's form in a register.

use super::super::registers::{Lanes, each_lane};

/// Direction of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The data moves from memory to registers.
    Load,
    /// The data moves from registers to memory.
    Store,
}

/// A sub-dword or whole-dword element of memory, and its form in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A byte, zero-extended.
    U8,
    /// A byte, sign-extended.
    I8,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, sign-extended.
    I16,
    /// `n` dwords in as many registers.
    Dwords(u16),
    /// A zero-extended byte in the low half; the high half keeps its value.
    U8Low,
    /// A byte in the high half; the low half keeps its value.
    U8High,
    /// A sign-extended byte in the low half.
    I8Low,
    /// A sign-extended byte in the high half.
    I8High,
    /// Two bytes in the low half.
    B16Low,
    /// Two bytes in the high half.
    B16High,
}

impl Element {
    /// Returns the size in memory in bytes.
    #[inline(always)]
    pub const fn bytes(self) -> u64 {
        match self {
            Element::U8
            | Element::I8
            | Element::U8Low
            | Element::U8High
            | Element::I8Low
            | Element::I8High => 1,
            Element::U16 | Element::I16 | Element::B16Low | Element::B16High => 2,
            Element::Dwords(n) => 4 * n as u64,
        }
    }

    /// Splits the element into dwords, or one smaller part: returns the number of parts and their form.
    #[inline(always)]
    pub const fn parts(self) -> (u16, Element) {
        match self {
            Element::Dwords(n) => (n, Element::Dwords(1)),
            other => (1, other),
        }
    }

    /// Returns an element of the same size in the low bits of its register, the form of data in transit.
    #[inline(always)]
    pub const fn low(self) -> Element {
        match self {
            Element::Dwords(n) => Element::Dwords(n),
            other if other.bytes() == 1 => Element::U8,
            _ => Element::U16,
        }
    }

    /// Returns the register's new value for the loaded bytes `raw`.
    #[inline(always)]
    pub fn load(self, raw: u32, old: u32) -> u32 {
        match self {
            Element::U8 => raw & 0xff,
            Element::I8 => raw as i8 as i32 as u32,
            Element::U16 => raw & 0xffff,
            Element::I16 => raw as i16 as i32 as u32,
            Element::Dwords(_) => raw,
            Element::U8Low => old & 0xffff_0000 | raw & 0xff,
            Element::I8Low => old & 0xffff_0000 | (raw as i8 as i16 as u16) as u32,
            Element::B16Low => old & 0xffff_0000 | raw & 0xffff,
            Element::U8High => old & 0xffff | (raw & 0xff) << 16,
            Element::I8High => old & 0xffff | (raw as i8 as i16 as u16 as u32) << 16,
            Element::B16High => old & 0xffff | raw << 16,
        }
    }

    /// Returns a register's new values for the loaded bytes `raw`. Each element has a loop of its own.
    #[inline(always)]
    pub fn loaded(self, raw: &Lanes, old: &Lanes) -> Lanes {
        macro_rules! each {
            ($($element:ident)*) => {
                match self {
                    Element::Dwords(_) => *raw,
                    $(Element::$element => each_lane(|l| Element::$element.load(raw[l], old[l])),)*
                }
            };
        }
        each!(U8 I8 U16 I16 U8Low I8Low B16Low U8High I8High B16High)
    }

    /// Returns true if the element stands in the high half of its register.
    const fn is_high(self) -> bool {
        matches!(self, Element::U8High | Element::I8High | Element::B16High)
    }

    /// Returns the bytes to store from a register.
    #[inline(always)]
    pub fn store(self, register: u32) -> u32 {
        if self.is_high() {
            register >> 16
        } else {
            register
        }
    }

    /// Returns the bytes to store from a register's lanes.
    #[inline(always)]
    pub fn stored(self, register: &Lanes) -> Lanes {
        if self.is_high() {
            each_lane(|l| self.store(register[l]))
        } else {
            *register
        }
    }
}
