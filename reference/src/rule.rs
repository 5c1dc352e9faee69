//! The gated delta rule as models use it, in contrast to the documented pipeline.
//!
//! - [`recurrence`]: the definition, token by token; a [`Convention`] says which of the variants in use is meant;
//! - [`chunk`]: the same function by chunks, one function a launch, every intermediate result;
//! - [`ggml_gated_delta_net`]: ggml's layouts and output buffer, and [`nmse`], its metric;
//! - [`decode_step`]: the same with a layer's gates and norms made inside;
//! - [`producers`]: gates from a model's parameters;
//! - [`departed`]: the rule with any of the documented pipeline's departures from it.
//!
//! Tensors are whole (all heads and sequences) and row-major, in the layouts of [`Sizes`].

pub mod chunk;
pub mod producers;

mod convention;
mod decode;
mod departures;
mod ggml;
mod norm;
mod recurrence;
mod sizes;

pub use convention::{Convention, Gate, HeadMap, Order, Readout, Scale, StateLayout};
pub use decode::{DecodeInputs, decode_step};
pub use departures::{Departure, DepartureResults, HeadInputs, departed};
pub use ggml::{ggml_gated_delta_net, ggml_output_len, nmse};
pub use norm::Norm;
pub use recurrence::recurrence;
pub(crate) use recurrence::{Token, step};
pub use sizes::{GateKind, Inputs, Outputs, Sizes};
