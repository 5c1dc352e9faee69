//! EXP: exports.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "exp", &[TARGET, EXPORT0, EXPORT1, EXPORT2, EXPORT3], NONE, none),
];
