//! Tests of the gated delta rule: by hand, by its properties, and against tensors from other implementations.

mod by_hand;
mod call;
mod chunk;
mod departures;
mod fla;
mod ggml;
mod properties;
mod vectors;
