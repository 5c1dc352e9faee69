//! How much of the instruction table runs.

use super::{Encoding, Form, Row, rows};

/// One encoding's share of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The encoding.
    pub encoding: Encoding,
    /// Instructions listed: all of them decode and disassemble.
    pub rows: usize,
    /// Encodings of these instructions, the VOP3, SDWA and DPP forms that follow by rule included.
    pub forms: usize,
    /// Instructions that run.
    pub executed: usize,
    /// Mnemonics of those that stop with their name when they are run.
    pub missing: Vec<&'static str>,
    /// Those that stop because only graphics uses them.
    pub graphics: Vec<&'static str>,
    /// Those that stop because they need what a driver allocates and a launch here does not have.
    pub driver: Vec<&'static str>,
}

/// What runs, encoding by encoding in the manual's order.
pub fn coverage() -> Vec<Coverage> {
    Encoding::ALL.into_iter().map(of).collect()
}

/// Why an instruction does not run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    Graphics,
    Driver,
    Missing,
}

fn of(encoding: Encoding) -> Coverage {
    let own = || {
        rows()
            .filter(move |(e, _)| *e == encoding)
            .map(|(_, row)| row)
    };
    let lacking = |reason| -> Vec<&'static str> {
        own()
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
        rows: own().count(),
        forms: own().map(forms).sum(),
        executed: own().filter(|row| row.semantics.is_some()).count(),
        missing: lacking(Reason::Missing),
        graphics: lacking(Reason::Graphics),
        driver: lacking(Reason::Driver),
    }
}

/// What is left of images, exports and interpolation are graphics. Semaphores of global wave sync, and a place in the global data share for ordered
/// counting, are the driver's to hand out for a queue, and a launch has neither; the barrier that cooperative launches have runs.
fn reason(encoding: Encoding, row: &Row) -> Reason {
    let graphics = matches!(encoding, Encoding::Mimg | Encoding::Exp | Encoding::Vintrp);
    if graphics || row.mnemonic.starts_with("v_interp_") {
        Reason::Graphics
    } else if row.mnemonic.starts_with("ds_gws_") || row.mnemonic == "ds_ordered_count" {
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
        let all = coverage();
        assert_eq!(all.iter().map(|c| c.rows).sum::<usize>(), rows().count());
        for c in all {
            let lacking = c.missing.len() + c.graphics.len() + c.driver.len();
            assert_eq!(c.executed + lacking, c.rows, "{}", c.encoding);
            assert!(c.forms >= c.rows, "{}", c.encoding);
        }
    }

    #[test]
    fn every_compute_instruction_runs() {
        let missing: Vec<_> = coverage().into_iter().flat_map(|c| c.missing).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
