//! Metamorphic tests: laws that every row of the instruction table obeys in every form, whatever the row computes.
//!
//! The cases are generated from the table, so a new row is included at once: [`subject`] lists rows and forms, [`draw`] draws modifiers,
//! operands, registers, masks, modes and addresses, [`encode`] makes words of them and confirms them by the decoder, and [`state`] runs
//! them. Each law has a file ([`separate`] has a second one, [`parts`]). Rows that break a law for a good reason, or that a law cannot
//! reach, are listed in [`exceptions`]. [`saturation`] tests clamp on integers, which no separate instruction computes.
//!
//! docs/laws.md describes the laws. `GFX906_LAWS_ROUNDS=10` runs ten times as many cases, and `GFX906_LAWS_SEED=7` other ones.

mod address;
mod asm;
mod crossing;
mod dice;
mod draw;
mod encode;
mod exceptions;
mod forms;
mod image;
mod lanes;
mod levels;
mod modifier;
mod off;
mod operand;
mod order;
mod overlap;
mod parts;
mod resource;
mod saturation;
mod separate;
mod state;
mod subject;
mod tally;
mod threads;
mod uses;

use crate::isa::{Form, Row};
use subject::Subject;

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The positions of operands make no difference.
    Overlap,
    /// A wave computes the same as its lanes one by one.
    Lanes,
    /// Disabled lanes change nothing, and their values have no effect.
    Off,
    /// Rows that cross lanes agree with other instructions.
    Crossing,
    /// All forms without modifiers compute the same.
    Forms,
    /// Modifiers compute the same as separate instructions.
    Separate,
    /// All feature levels compute the same bits.
    Levels,
    /// Independent instructions may be exchanged.
    Order,
    /// The number of host threads makes no difference.
    Threads,
    /// [`crate::isa::uses`] names the registers that an instruction reads and writes.
    Uses,
}

impl Law {
    /// Returns true if the law applies to a subject.
    fn applies(self, subject: &Subject) -> bool {
        match self {
            Law::Overlap => !subject.row.operands.is_empty(),
            Law::Lanes => subject.encoding.is_vector() && !crossing::crosses(subject),
            Law::Off => subject.encoding.is_vector(),
            Law::Crossing => {
                let dpp = subject.form == Form::Dpp && !subject.row.operands.is_empty();
                dpp || crossing::crosses(subject)
            }
            Law::Forms => subject.form != Form::Native,
            Law::Separate => separate::has_modifiers(subject),
            Law::Levels => true,
            Law::Order => !order::is_bound(subject) && !stops(subject.row),
            Law::Threads => threads::applies(subject),
            Law::Uses => true,
        }
    }
}

/// Returns true if every execution of the row stops the wave.
fn stops(row: &Row) -> bool {
    let stoppers = [
        "s_endpgm",
        "s_barrier",
        "s_sleep",
        "s_sendmsghalt",
        "s_rfe_",
        // These belong to cooperative launches, and the laws do not make any.
        "ds_gws_",
    ];
    stoppers.iter().any(|name| row.mnemonic.starts_with(name))
}

/// Reads a number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text}: give a whole number")),
        Err(_) => default,
    }
}

/// Returns the seed of the run.
fn seed() -> u64 {
    setting("GFX906_LAWS_SEED", 0)
}

/// Returns the rounds of a law that usually takes `usual`: fewer in debug builds, and more if the environment requests them.
fn rounds(usual: u64) -> u64 {
    let usual = if cfg!(debug_assertions) {
        usual.div_ceil(4)
    } else {
        usual
    };
    usual * setting("GFX906_LAWS_ROUNDS", 1)
}
