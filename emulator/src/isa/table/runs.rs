//! The vocabulary of the last column: how an instruction runs. `valu!` and `salu!` name a pure function of
//! [`crate::semantics`]; the others say which shape of [`crate::machine::shapes`] carries it.

pub(super) use crate::machine::shapes::rows::*;
pub(super) use crate::machine::shapes::{
    control, divergence, exchange, image, indexing, lanes, lds_more, smem, to_lds, typed,
};
