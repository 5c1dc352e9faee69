use super::{Layout, PackedCall, Rounding, StateType, packed};
use crate::operators::gemm_nn;
use crate::rule::{GateKind, HeadMap, Order, StateLayout};
use crate::{Real, shape};

/// Returns the transition of each sequence and head, `[N, HV, K, K]`: the state after the sequence is `M S + S_0`, where S is the state before it
/// and `S_0` the state after it if it begins with zeros.
///
/// ```text
/// M = (I - beta_T k_T k_T^T) D_T ... (I - beta_1 k_1 k_1^T) D_1,   D_t = diag(e^(g_t))
/// ```
///
/// `k` is `[tok, H, K]`, `g` is `[tok, HV]` or `[tok, HV, K]`, `beta` is `[tok, HV]`. The rule on values of 0 that begins with the identity gives it.
#[must_use]
pub fn transition<R: Real>(
    layout: Layout<'_>,
    (gate_kind, head_map): (GateKind, HeadMap),
    k: &[R],
    g: &[R],
    beta: &[R],
) -> Vec<R> {
    let size = layout.key_size;
    let square = Layout {
        value_size: size,
        ..layout
    };
    let heads = layout.sequences() * layout.value_heads;
    let identity = |at: usize| match at % (size + 1) {
        0 => R::ONE,
        _ => R::ZERO,
    };
    let identity: Vec<R> = (0..size * size).map(identity).collect();
    let mut states = identity.repeat(heads);
    let call = PackedCall {
        layout: square,
        gate_kind,
        head_map,
        order: Order::DecayFirst,
        state: StateLayout::KeyMajor,
        kept: (StateType::Whole, Rounding::Launch),
        steps: 1,
        scale: R::ONE,
        q: k,
        k,
        v: &vec![R::ZERO; layout.tokens() * layout.value_heads * size],
        g,
        beta,
    };
    let all: Vec<Option<usize>> = (0..layout.sequences()).map(Some).collect();
    let ends: Vec<usize> = layout.bounds.windows(2).map(|w| w[1] - w[0]).collect();
    packed(&call, &mut states, &all, |n, token| {
        (token + 1 == ends[n]).then_some(n)
    });
    states
}

/// Returns the state after two halves of a sequence, `[count, K, V]`, of the transition of the second half `[count, K, K]`, the state after the
/// first half, and the state after the second half if it begins with zeros: `M first + second`.
#[must_use]
pub fn merged_state<R: Real>(
    (key_size, value_size): (usize, usize),
    transition: &[R],
    first: &[R],
    second: &[R],
) -> Vec<R> {
    let matrix = key_size * value_size;
    let count = first.len() / matrix.max(1);
    let square = [count, key_size, key_size];
    shape::expect("merged_state", "transition", transition.len(), &square);
    shape::expect("merged_state", "second", second.len(), &[first.len()]);
    let of_head = |n: usize| {
        let transition = &transition[n * key_size * key_size..][..key_size * key_size];
        let first = &first[n * matrix..][..matrix];
        let moved = gemm_nn(transition, first, key_size, value_size, key_size);
        let pairs = moved.into_iter().zip(&second[n * matrix..][..matrix]);
        pairs.map(|(moved, &own)| moved + own).collect::<Vec<R>>()
    };
    (0..count).flat_map(of_head).collect()
}
