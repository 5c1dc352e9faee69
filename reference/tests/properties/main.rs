//! What must hold whatever the inputs, and small cases worked out by hand.

mod common;
mod operators;
mod pipelines;
mod rule;
