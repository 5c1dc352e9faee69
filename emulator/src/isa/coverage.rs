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
    /// How many of the missing ones only graphics uses: images, exports, interpolation.
    pub graphics: usize,
}

/// What runs, encoding by encoding in the manual's order.
pub fn coverage() -> Vec<Coverage> {
    Encoding::ALL.into_iter().map(of).collect()
}

fn of(encoding: Encoding) -> Coverage {
    let own = || rows().filter(move |(e, _)| *e == encoding).map(|(_, row)| row);
    let lacking = || own().filter(|row| row.semantics.is_none());
    Coverage {
        encoding,
        rows: own().count(),
        forms: own().map(|row| Form::ALL.iter().filter(|form| row.has_form(encoding, **form)).count()).sum(),
        executed: own().count() - lacking().count(),
        missing: lacking().map(|row| row.mnemonic).collect(),
        graphics: lacking().filter(|row| is_graphics(encoding, row)).count(),
    }
}

/// Whether only graphics uses it.
fn is_graphics(encoding: Encoding, row: &Row) -> bool {
    matches!(encoding, Encoding::Mimg | Encoding::Exp | Encoding::Vintrp)
        || ["v_interp_"]
            .iter()
            .any(|prefix| row.mnemonic.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_counted_once_and_runs_or_is_named() {
        let all = coverage();
        assert_eq!(all.iter().map(|c| c.rows).sum::<usize>(), rows().count());
        for c in all {
            assert_eq!(c.executed + c.missing.len(), c.rows, "{}", c.encoding);
            assert!(c.graphics <= c.missing.len() && c.forms >= c.rows, "{}", c.encoding);
        }
    }
}
