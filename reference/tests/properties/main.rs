//! Properties that hold for all inputs, and small cases worked out by hand.

mod common;
mod operators;
mod pipelines;
mod rule;
