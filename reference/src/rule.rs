//! The gated delta rule as models use it (docs/the-rule.md), in contrast to the documented pipeline.
//!
//! - [`recurrence`]: the definition, token by token, in the variant that a [`Convention`] names;
//! - [`backward`]: the gradients of the recurrence, token by token;
//! - [`chunk`]: the same results by chunks, with a function for each launch and every intermediate result;
//! - [`packed`]: the same over packed sequences of different lengths, with states in slots;
//! - [`ggml_gated_delta_net`]: the recurrence in ggml's layouts and with its output buffer, and [`nmse`], ggml's metric;
//! - [`ggml_gated_delta_net_raw`]: that operator from raw gates; [`ggml_delta_net_layer`]: the layer around it, whose steps are
//!   [`ggml_ssm_conv`] and [`ggml_gated_norm`];
//! - [`decode_step`]: the recurrence together with a layer's gates and norms;
//! - [`producers`]: gates from a model's parameters;
//! - [`rule_with_departures`]: the rule with any of the documented pipeline's departures from it.
//!
//! Tensors are whole (all heads and sequences) and row-major, in the layouts of [`Sizes`].

pub mod chunk;
pub mod packed;
pub mod producers;

mod backward;
mod convention;
mod decode;
mod departures;
mod ggml;
mod norm;
mod recurrence;
mod sizes;

pub use backward::{
    BackwardDeparture, InputGradients, OutputGradients, backward, backward_with_departure,
};
pub use convention::{Convention, Gate, HeadMap, Order, Readout, Scale, StateLayout};
pub use decode::{DecodeInputs, decode_step};
pub use departures::{Departure, DepartureResults, HeadInputs, rule_with_departures};
pub use ggml::{
    ConvSizes, LayerInputs, LayerOutputs, RawInputs, ggml_conv_input, ggml_conv_states,
    ggml_delta_net_layer, ggml_gated_delta_net, ggml_gated_delta_net_raw, ggml_gated_norm,
    ggml_layer_conv, ggml_output_len, ggml_split, ggml_ssm_conv, nmse,
};
pub use norm::Norm;
pub use packed::Layout;
pub use recurrence::recurrence;
pub(crate) use recurrence::{Token, step};
pub use sizes::{GateKind, Inputs, Outputs, Sizes};
