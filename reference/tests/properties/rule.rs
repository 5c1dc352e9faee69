//! The gated delta rule: by hand, by its properties, and against tensors that others computed.

mod by_hand;
mod call;
mod chunk;
mod departures;
mod ggml;
mod properties;
mod vectors;
