//! Vocabulary of the table's last column, the handlers. `valu!` and `salu!` name a pure function of [`crate::semantics`]; the other macros
//! name the shape of [`crate::machine::shapes`] that executes the instruction.

pub(super) use crate::machine::shapes::rows::*;
pub(super) use crate::machine::shapes::{
    control, divergence, exchange, image, indexing, lanes, lds, smem, to_lds, typed,
};
