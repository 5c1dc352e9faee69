//! Every field that selects a mode, and what each of its values does on gfx906: all in one place, for a value that a later chip
//! means something by must not run as something else.
//!
//! Most stand in an instruction's words and are looked at once, when the instruction is made ready. Some stand in registers (the
//! buffer resource, M0, MODE) and are looked at when an instruction reads them.

mod list;

pub use list::*;

use super::Inst;

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name, as the manual or the assembler calls it.
    pub name: &'static str,
    /// Its width in bits.
    pub bits: u32,
    /// Its value in an instruction that has it; `None` of fields that stand in registers too.
    pub at: fn(&Inst) -> Option<u32>,
    /// What its values do, in ascending order, each value once.
    pub values: &'static [Values],
}

/// Neighbouring values of a field.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// What they do.
    pub effect: Effect,
}

/// What a value does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// This.
    Does(&'static str),
    /// It stops the wave, for this reason.
    Traps(&'static str),
}

/// A field with a value that no compute kernel of gfx906 can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// The field's name.
    pub field: &'static str,
    /// Its value.
    pub value: u32,
    /// Why it cannot be used.
    pub why: &'static str,
}

impl Field {
    /// What a value does; values beyond the field's width do not exist.
    pub fn effect(&self, value: u32) -> Effect {
        let known = self.values.iter().find(|v| value <= v.last);
        known.map_or(Effect::Traps("reserved"), |v| v.effect)
    }

    /// Whether a value may be used.
    ///
    /// # Errors
    /// Which value of which field may not, and why.
    pub fn check(&self, value: u32) -> Result<(), Reserved> {
        match self.effect(value) {
            Effect::Does(_) => Ok(()),
            Effect::Traps(why) => Err(Reserved {
                field: self.name,
                value,
                why,
            }),
        }
    }
}

/// The first field of an instruction whose value traps.
pub fn reserved(inst: &Inst) -> Option<Reserved> {
    ALL.iter()
        .filter_map(|field| field.check((field.at)(inst)?).err())
        .next()
}
