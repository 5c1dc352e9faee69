//! The fields that select a mode, and the effect of each of their values on gfx906. The fields are listed in one place so that a value that
//! only later chips define traps instead of running as something else.
//!
//! Most fields are in an instruction's words, and are checked once, when the instruction is prepared. Some are in registers (the buffer
//! resource, M0, MODE), and are checked when an instruction reads the register.

mod list;

pub use list::*;

use super::Inst;

/// A field that selects a mode.
#[derive(Debug)]
pub struct Field {
    /// Name in the manual or in the assembler.
    pub name: &'static str,
    /// Width in bits.
    pub bits: u32,
    /// Reads the field from an instruction. Returns `None` if the instruction lacks the field, and always for a field of a register.
    pub read: fn(&Inst) -> Option<u32>,
    /// Effects of the values, in ascending order; each value occurs once.
    pub values: &'static [Values],
}

/// A range of values that have the same effect.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    /// First value.
    pub first: u32,
    /// Last value.
    pub last: u32,
    /// Effect of the values.
    pub effect: Effect,
}

/// Effect of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The emulator does what the text describes.
    Does(&'static str),
    /// The value stops the wave; the text is the reason.
    Traps(&'static str),
}

/// A field's value that no compute kernel of gfx906 can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservedValue {
    /// Name of the field.
    pub field: &'static str,
    /// The value.
    pub value: u32,
    /// Reason why the value cannot be used.
    pub reason: &'static str,
}

impl Field {
    /// Returns the effect of a value. A value beyond the field's width is reserved.
    pub fn effect(&self, value: u32) -> Effect {
        let range = self.values.iter().find(|range| value <= range.last);
        range.map_or(Effect::Traps("reserved"), |range| range.effect)
    }

    /// Accepts a value that can be used.
    ///
    /// # Errors
    ///
    /// [`ReservedValue`] names the field, the value and the reason.
    pub fn check(&self, value: u32) -> Result<(), ReservedValue> {
        match self.effect(value) {
            Effect::Does(_) => Ok(()),
            Effect::Traps(reason) => Err(ReservedValue {
                field: self.name,
                value,
                reason,
            }),
        }
    }
}

/// Returns the first field of an instruction whose value traps.
pub fn find_reserved(inst: &Inst) -> Option<ReservedValue> {
    ALL.iter()
        .filter_map(|field| field.check((field.read)(inst)?).err())
        .next()
}
