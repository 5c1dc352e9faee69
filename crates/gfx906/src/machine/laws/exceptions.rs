//! Rows that break a law, or that a law cannot reach, with reasons. An exception that no longer applies fails the law's test.

use super::Law;
use super::subject::Subject;
use crate::isa::Form;

/// Rows for which a law does not hold.
pub struct Exception {
    /// The law.
    pub law: Law,
    /// Mnemonics, in which a `*` stands for any letters.
    pub rows: &'static str,
    /// Form, or `None` for all forms.
    pub form: Option<Form>,
    /// The reason.
    #[expect(dead_code, reason = "for who reads the table")]
    pub reason: &'static str,
}

impl Exception {
    /// Returns true if the exception is made for the subject.
    pub fn matches(&self, subject: &Subject) -> bool {
        self.form.is_none_or(|form| form == subject.form)
            && is_like(self.rows, subject.row.mnemonic)
    }
}

/// Returns true if a name matches a pattern.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|tail| (0..=tail.len()).any(|n| is_like(rest, &tail[n..]))),
    }
}

const fn except(
    law: Law,
    rows: &'static str,
    form: Option<Form>,
    reason: &'static str,
) -> Exception {
    Exception {
        law,
        rows,
        form,
        reason,
    }
}

/// Rows that break a law.
#[rustfmt::skip]
pub const EXCEPTIONS: &[Exception] = &[
    except(Law::Separate, "v_pack_b32_f16", None, "moves halves without flushing subnormals; v_pk_max, the clamp alone, flushes them"),
    except(Law::Separate, "v_trig_preop_f64", None, "keeps a subnormal result in every mode; v_max, the clamp alone, flushes it"),
    except(Law::Off,     "v_readfirstlane_b32", None, "reads lane 0 where no lane is on"),
    except(Law::Off,     "v_readlane_b32",      None, "reads any lane, whatever EXEC says"),
    except(Law::Uses,    "v_writelane_b32",     None, "writes any lane, whatever EXEC says"),
    except(Law::Off,     "v_writelane_b32",     None, "writes any lane, whatever EXEC says"),
];

/// Rows that a law applies to and does not reach.
#[rustfmt::skip]
pub const UNREACHED: &[Exception] = &[
];

#[test]
fn patterns_are_of_whole_names() {
    for (pattern, name, like) in [
        ("s_nop", "s_nop", true),
        ("s_no", "s_nop", false),
        ("s_*", "s_nop", true),
        ("*_x2", "flat_atomic_add_x2", true),
        ("buffer_*_d16*", "buffer_load_format_d16_x", true),
        ("buffer_*_d16", "buffer_load_format_d16_x", false),
    ] {
        assert_eq!(is_like(pattern, name), like, "{pattern} {name}");
    }
}
