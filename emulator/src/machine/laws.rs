//! Metamorphic tests: laws that every row of the instruction table keeps in every form, whatever the row computes.
//!
//! Cases are generated from the table (a new row is in at once): [`subject`] lists rows and forms, [`draw`] draws modifiers, operands,
//! registers, masks, modes and addresses, [`encode`] makes words of them and has the decoder confirm them, [`state`] runs them. A law a
//! file ([`separate`] has a second one, [`parts`]). What a row breaks for a good reason, or a law cannot reach, stands in [`exceptions`].
//!
//! docs/laws.md says what the laws are. `GFX906_LAWS_ROUNDS=10` makes ten times as many cases, `GFX906_LAWS_SEED=7` others.

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
    /// A wave does what its lanes do one by one.
    Lanes,
    /// Lanes that are off change nothing and are not looked at.
    Off,
    /// Rows that cross lanes do what other instructions say.
    Crossing,
    /// Forms without modifiers do the same.
    Forms,
    /// Modifiers do what instructions of their own would.
    Separate,
    /// Feature levels give the same bits.
    Levels,
    /// Independent instructions may be exchanged.
    Order,
    /// Host threads make no difference.
    Threads,
    /// Registers that are read and written are those of [`crate::isa::uses`].
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
        // Of cooperative launches, which these are not.
        "ds_gws_",
    ];
    stoppers.iter().any(|name| row.mnemonic.starts_with(name))
}

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text}: give a whole number")),
        Err(_) => default,
    }
}

/// Seed of the run.
fn seed() -> u64 {
    setting("GFX906_LAWS_SEED", 0)
}

/// Rounds of a law that usually takes `usual`: fewer where nothing is optimised, more where the environment asks.
fn rounds(usual: u64) -> u64 {
    let usual = if cfg!(debug_assertions) {
        usual.div_ceil(4)
    } else {
        usual
    };
    usual * setting("GFX906_LAWS_ROUNDS", 1)
}
