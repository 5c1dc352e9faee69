//! Share of the instruction table that the emulator executes.

use super::{Encoding, Form, Properties, Row, rows};

/// One encoding's share of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The encoding.
    pub encoding: Encoding,
    /// Rows of the encoding. Every row decodes and disassembles.
    pub rows: usize,
    /// Encodings of these rows, including the VOP3, SDWA and DPP forms that follow by rule.
    pub forms: usize,
    /// Rows that the emulator executes.
    pub executed: usize,
    /// Mnemonics of the rows that trap with their name when a wave reaches them.
    pub missing: Vec<&'static str>,
    /// Missing rows that only graphics uses.
    pub graphics: Vec<&'static str>,
    /// Missing rows that need resources which a driver allocates and a launch here does not have.
    pub driver: Vec<&'static str>,
}

/// Counts the executed rows of each encoding, in the manual's order.
pub fn coverage() -> Vec<Coverage> {
    Encoding::ALL.into_iter().map(encoding_coverage).collect()
}

/// Reason why the emulator does not execute an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    Graphics,
    Driver,
    Missing,
}

fn encoding_coverage(encoding: Encoding) -> Coverage {
    let encoding_rows = || {
        rows()
            .filter(move |(e, _)| *e == encoding)
            .map(|(_, row)| row)
    };
    let not_executed = |reason| -> Vec<&'static str> {
        encoding_rows()
            .filter(|row| row.semantics.is_none() && self::reason(encoding, row) == reason)
            .map(|row| row.mnemonic)
            .collect()
    };
    let forms = |row: &Row| {
        let has = |form: &&Form| row.has_form(encoding, **form);
        Form::ALL.iter().filter(has).count()
    };
    Coverage {
        encoding,
        rows: encoding_rows().count(),
        forms: encoding_rows().map(forms).sum(),
        executed: encoding_rows()
            .filter(|row| row.semantics.is_some())
            .count(),
        missing: not_executed(Reason::Missing),
        graphics: not_executed(Reason::Graphics),
        driver: not_executed(Reason::Driver),
    }
}

/// Returns the reason why a row without semantics is not executed. Its image, export and interpolation instructions belong to graphics. A
/// driver assigns a queue its global-wave-sync semaphores and its place in the global data share for ordered counting; a launch here has
/// neither. The GWS barrier of cooperative launches is executed.
fn reason(encoding: Encoding, row: &Row) -> Reason {
    let graphics = matches!(encoding, Encoding::Mimg | Encoding::Exp | Encoding::Vintrp);
    if graphics || row.properties.has(Properties::INTERPOLATION) {
        Reason::Graphics
    } else if row.properties.has(Properties::GWS) || row.properties.has(Properties::ORDERED_COUNT) {
        Reason::Driver
    } else {
        Reason::Missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_counted_once() {
        let encodings = coverage();
        assert_eq!(
            encodings.iter().map(|c| c.rows).sum::<usize>(),
            rows().count()
        );
        for c in encodings {
            let not_executed = c.missing.len() + c.graphics.len() + c.driver.len();
            assert_eq!(c.executed + not_executed, c.rows, "{}", c.encoding);
            assert!(c.forms >= c.rows, "{}", c.encoding);
        }
    }

    #[test]
    fn every_compute_instruction_runs() {
        let missing: Vec<_> = coverage().into_iter().flat_map(|c| c.missing).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
