//! Halves of a sequence that are computed apart: the transition of one, and the state after both.

use deltanet_reference::Real;
use deltanet_reference::rule::packed::{merged_state, transition as transition_of};

use super::call::Choices;
use crate::contract::catalog::rule::problem::{log_gates, strengths, unit_rows};
use crate::contract::{DeviceResult, Instance, axes};
use crate::references;
use crate::tensor::Distribution::Normal;

/// The transition of each sequence.
pub fn transition(t: &mut Instance<'_>) -> DeviceResult {
    let by = Choices::new(t);
    let s = by.sizes;
    let k = unit_rows(t, "k", s, s.key_size)?;
    let g = log_gates(t, s)?;
    let beta = strengths(t, s)?;
    super::call::integers(
        t,
        "cu_seqlens",
        axes([("bound", by.bounds.len())]),
        &by.bounds,
    )?;
    let shape = axes([
        ("sequence", by.starts.len()),
        ("head", s.value_heads),
        ("row", s.key_size),
        ("column", s.key_size),
    ]);
    let m = t.output("M", shape)?;
    t.outputs(&[m])?;
    let references = references!(t, |k, g, beta| {
        transition_of(by.layout(), (s.gate_kind, by.head_map), k, g, beta)
    });
    t.check(m, references)
}

/// The state after two halves.
pub fn merge(t: &mut Instance<'_>) -> DeviceResult {
    let [n, heads, keys, values] = ["N", "HV", "K", "V"].map(|name| t.dim(name));
    let matrix = |rows, columns| {
        axes([
            ("sequence", n),
            ("head", heads),
            ("key channel", rows),
            columns,
        ])
    };
    let state = || matrix(keys, ("value channel", values));
    let m = t.input("M", matrix(keys, ("column", keys)), Normal(0.2))?;
    let first = t.input("first", state(), Normal(1.0))?;
    let second = t.input("second", state(), Normal(1.0))?;
    let merged = t.output("merged", state())?;
    t.outputs(&[merged])?;
    fn of<R: Real>(sizes: (usize, usize), m: &[R], first: &[R], second: &[R]) -> Vec<R> {
        merged_state(sizes, m, first, second)
    }
    let references = references!(t, |m, first, second| {
        of((keys, values), m, first, second)
    });
    t.check(merged, references)
}
