//! The recurrence: by hand, and against the chunked form, which is the same function by other means.

use crate::common::{Random, distance};
use deltanet_reference::operators::*;
use deltanet_reference::rule::{RecurrenceInputs, recurrence};
use deltanet_reference::widen;

#[test]
fn two_tokens_by_hand() {
    // one channel: S = 4, decay 1/2 then 1; k = (1, 2), v = (3, 1), beta = (1/2, 1/4), q = (1, 10)
    let inputs = RecurrenceInputs {
        q: &[1.0, 10.0],
        k: &[1.0, 2.0],
        v: &[3.0, 1.0],
        g: &[-(2f64.ln()), 0.0],
        beta: &[0.5, 0.25],
        state: &[4.0],
        scale: 2.0,
    };
    // S = 2; e = 3 - 2; S = 2.5, o = 2 * 2.5; then e = 1 - 5, S = 2.5 - 2 * 0.25 * 4 = 0.5, o = 2 * 5
    let got = recurrence(inputs, 1, 1);
    assert!(distance(&got.output, &[5.0, 10.0]) < 1e-14);
    assert!(distance(&got.state, &[0.5]) < 1e-15);
}

#[test]
fn writing_the_same_pair_twice_changes_nothing() {
    let inputs = RecurrenceInputs {
        q: &[0.6, 0.8, 0.6, 0.8],
        k: &[0.6, 0.8, 0.6, 0.8],
        v: &[1.0, -2.0, 3.0, 1.0, -2.0, 3.0],
        g: &[0.0, 0.0],
        beta: &[1.0, 1.0],
        state: &[0.0; 6],
        scale: 1.0,
    };
    let got = recurrence(inputs, 2, 3);
    // what was written under the key is what is read back, both times
    assert!(distance(&got.output, &[1.0, -2.0, 3.0, 1.0, -2.0, 3.0]) < 1e-15);
}

/// The chunked (WY) form of the rule, one chunk, tokens as rows:
///
/// ```text
/// L_ij = beta_i <k_i, k_j> e^(G_i - G_j) below the diagonal,  Ai = (I + L)^-1
/// u = Ai (beta v),  w = Ai (beta e^G k),  vn = u - w h
/// o = scale (e^G q h + (<q_i, k_j> e^(G_i - G_j) for j <= i) vn)
/// S_next = e^G_last h + sum_i e^(G_last - G_i) k_i (x) vn_i
/// ```
fn one_chunk(
    x: RecurrenceInputs<'_, f64>,
    c: usize,
    key: usize,
    value: usize,
) -> (Vec<f64>, Vec<f64>) {
    let rows = |m: &[f64], factors: &[f64], width: usize| -> Vec<f64> {
        m.iter()
            .enumerate()
            .map(|(i, m)| m * factors[i / width])
            .collect()
    };
    let gates = cumsum(x.g);
    let decay = decay_mask(&neg(&gates));
    let gexp = exp(&gates);
    let k_beta = rows(x.k, x.beta, key);
    let lower = tril(&mul(&gemm_nt(&k_beta, x.k, c, c, key), &decay), c, -1);
    let u = solve_tri(&neg(&lower), &rows(x.v, x.beta, value), c, value);
    let w = solve_tri(&neg(&lower), &rows(&k_beta, &gexp, key), c, key);
    let vn = sub(&u, &gemm_nn(&w, x.state, c, value, key));
    let attn = mul(&gemm_nt(x.q, x.k, c, c, key), &decay);
    let inter = gemm_nn(&rows(x.q, &gexp, key), x.state, c, value, key);
    let output = scale(&add(&inter, &gemm_nn(&attn, &vn, c, value, c)), x.scale);
    let last = gates[c - 1];
    let to_end: Vec<f64> = gates.iter().map(|g| (last - g).exp()).collect();
    let state = add(
        &scale(x.state, last.exp()),
        &gemm_tn(&rows(x.k, &to_end, key), &vn, key, value, c),
    );
    (output, state)
}

#[test]
fn the_chunked_form_is_the_same_function() {
    const C: usize = 32;
    const K: usize = 12;
    const V: usize = 7;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let q = widen(&transpose(&random.unit_columns(K, C), K, C));
        let k = widen(&transpose(&random.unit_columns(K, C), K, C));
        let v = widen(&random.fill(C * V, -1.0, 1.0));
        let g = widen(&random.fill(C, -3.0, 0.0));
        let beta = widen(&random.fill(C, 0.0, 1.0));
        let state = widen(&random.fill(K * V, -1.0, 1.0));
        let inputs = RecurrenceInputs {
            q: &q,
            k: &k,
            v: &v,
            g: &g,
            beta: &beta,
            state: &state,
            scale: 0.25,
        };
        let rule = recurrence(inputs, K, V);
        let (output, state) = one_chunk(inputs, C, K, V);
        assert!(
            distance(&rule.output, &output) < 1e-13,
            "output of seed {seed}"
        );
        assert!(
            distance(&rule.state, &state) < 1e-13,
            "state of seed {seed}"
        );
    }
}
