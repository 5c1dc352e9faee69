//! Phase 11: the GDR operators, what a model computes around the gated delta rule. One family a file.

use super::Function;

/// The functions of phase 11, by family.
pub const FAMILIES: &[&[Function]] = &[];
