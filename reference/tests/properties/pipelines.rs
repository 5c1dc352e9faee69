//! Tests of the documented pipelines against their definitions, and of golden against oracle.

use crate::common::{Random, distance};
use deltanet_reference::operators::*;
use deltanet_reference::pipelines::*;
use deltanet_reference::{Real, widen};

const S: usize = 24;
const C: usize = 16;

struct Chunk {
    k: Vec<f32>,
    v: Vec<f32>,
    g: Vec<f32>,
    beta: Vec<f32>,
}

fn chunk(seed: u64, tokens: usize) -> Chunk {
    let mut random = Random::new(seed);
    Chunk {
        k: random.unit_columns(S, tokens),
        v: random.fill(S * tokens, -1.0, 1.0),
        g: random.fill(tokens, -0.1, 0.0),
        beta: random.fill(tokens, -2.0, 2.0),
    }
}

impl Chunk {
    fn golden(&self) -> IntraChunkResults<f32> {
        intra_chunk(&self.k, &self.v, &self.g, &self.beta, S, C)
    }

    fn oracle(&self) -> IntraChunkResults<f64> {
        intra_chunk(
            &widen(&self.k),
            &widen(&self.v),
            &widen(&self.g),
            &widen(&self.beta),
            S,
            C,
        )
    }
}

#[test]
fn two_tokens_by_hand() {
    // one channel, k = (1, 2), v = (3, 5), beta = 1/2 (logit 0), g = (0, -ln 2)
    let x = intra_chunk(
        &[1.0, 2.0],
        &[3.0, 5.0],
        &[0.0, -(2f64.ln())],
        &[0.0, 0.0],
        1,
        2,
    );
    // decay[1][0] = e^(0 + ln 2) = 2; attn_pre[1][0] = -(2 * 0.5) * 2 = -2
    let near =
        |got: &[f64], want: &[f64]| assert!(distance(got, want) < 1e-14, "{got:?} is not {want:?}");
    near(&x.decay_mask, &[1.0, 0.0, 2.0, 1.0]);
    near(&x.attn_pre, &[0.0, 0.0, -2.0, 0.0]);
    near(&x.attn_solved, &[1.0, 0.0, -2.0, 1.0]);
    // v_beta = (1.5, 2.5): v_new_1 = 2.5 - 2 * 1.5
    near(&x.v_new, &[1.5, -0.5]);
    // kbeta_gexp = (0.5, 1 * 0.5): k_cumdecay_1 = 0.5 - 2 * 0.5
    near(&x.k_cumdecay, &[0.5, -0.5]);
    // state 10: 10 * e^(-ln 2) + 0.5 * 1.5 + (-0.5) * (-0.5)
    let update = state_update(
        &[10.0],
        Real::exp(x.g_cumsum[1]),
        &x.k_cumdecay,
        &x.v_new,
        1,
        2,
    );
    near(&update.state, &[6.0]);
}

#[test]
fn attn_solved_is_the_inverse() {
    let x = chunk(1, C).oracle();
    let one = sub(
        &x.attn_solved,
        &gemm_nn(&x.attn_pre, &x.attn_solved, C, C, C),
    );
    assert!(distance(&one, &eye(C)) < 1e-14);
}

#[test]
fn v_new_and_k_cumdecay_solve_their_systems_directly() {
    let x = chunk(2, C).oracle();
    // (I - A) V_new^T = V_beta^T, and the same for the keys
    let v = solve_tri(&x.attn_pre, &transpose(&x.v_beta, S, C), C, S);
    assert!(distance(&transpose(&v, C, S), &x.v_new) < 1e-14);
    let k = solve_tri(&x.attn_pre, &transpose(&x.kbeta_gexp, S, C), C, S);
    assert!(distance(&transpose(&k, C, S), &x.k_cumdecay) < 1e-14);
}

#[test]
fn the_launches_and_the_fused_kernel_build_the_same_matrix() {
    let x = chunk(3, C);
    let golden = x.golden();
    assert_eq!(
        attention_matrix(&x.k, &golden.k_beta, &golden.decay_mask, S, C),
        golden.attn_pre
    );
}

#[test]
fn goldens_are_close_to_the_oracle() {
    for seed in 10..20 {
        let x = chunk(seed, C);
        let (golden, oracle) = (x.golden(), x.oracle());
        for (name, golden, oracle) in [
            ("attn_pre", golden.attn_pre, oracle.attn_pre),
            ("attn_solved", golden.attn_solved, oracle.attn_solved),
            ("v_new", golden.v_new, oracle.v_new),
            ("k_cumdecay", golden.k_cumdecay, oracle.k_cumdecay),
        ] {
            let d = distance(&widen(&golden), &oracle);
            assert!(d < 2e-6, "{name} of seed {seed}: {d}");
        }
    }
}

#[test]
fn output_is_the_token_major_formula_transposed() {
    let mut random = Random::new(4);
    let q = random.fill(S * C, -1.0, 1.0);
    let g_cumsum = random.fill(C, -2.0, 0.0);
    let state = random.fill(S * S, -1.0, 1.0);
    let attn = tril(&random.fill(C * C, -1.0, 1.0), C, 0);
    let v_new = random.fill(S * C, -1.0, 1.0);
    let got = output_with_state(&q, &g_cumsum, &state, &attn, &v_new, S);
    // Output^T = Q_gexp^T @ State^T + attn @ V_new^T, to the bit
    let inter = gemm_nt(&transpose(&got.q_gexp, S, C), &state, C, S, S);
    let intra = gemm_nn(&attn, &transpose(&v_new, S, C), C, S, C);
    assert_eq!(got.output, transpose(&add(&inter, &intra), C, S));
}

#[test]
fn output_of_one_token_by_hand() {
    // q = (2, 3) at g = ln 2, the state row-major 2 x 2, attn = 10, v_new = (1, -1)
    let state = [1.0, 2.0, 3.0, 4.0];
    let got = output_with_state(&[2.0, 3.0], &[2f64.ln()], &state, &[10.0], &[1.0, -1.0], 2);
    // state @ (4, 6) = (16, 36), plus (10, -10)
    assert!(distance(&got.output, &[26.0, 26.0]) < 1e-13);
}

#[test]
fn chunks_carry_the_state() {
    let x = chunk(5, 3 * C);
    let state = Random::new(6).fill(S * S, -0.1, 0.1);
    let inputs = DeltanetInputs {
        k: &x.k,
        v: &x.v,
        g: &x.g,
        beta: &x.beta,
        state: &state,
    };
    let whole = deltanet(inputs, S, C);
    assert_eq!(whole.chunks.len(), 3);

    // by hand: each chunk alone, from the state of the one before
    let mut state = state;
    for chunk in 0..3 {
        let columns = |m: &[f32]| -> Vec<f32> {
            (0..S)
                .flat_map(|row| (0..C).map(move |col| (row, col)))
                .map(|(row, col)| m[row * 3 * C + chunk * C + col])
                .collect()
        };
        let part = chunk * C..(chunk + 1) * C;
        let (k, v) = (columns(&x.k), columns(&x.v));
        let inputs = DeltanetInputs {
            k: &k,
            v: &v,
            g: &x.g[part.clone()],
            beta: &x.beta[part],
            state: &state,
        };
        let one = deltanet(inputs, S, C);
        assert_eq!(one.chunks[0], whole.chunks[chunk]);
        assert_eq!(one.state, whole.states[chunk]);
        state = one.state;
    }
    assert_eq!(state, whole.state);

    let (k, v, g, beta) = (widen(&x.k), widen(&x.v), widen(&x.g), widen(&x.beta));
    let start = widen(&Random::new(6).fill(S * S, -0.1, 0.1));
    let oracle = deltanet(
        DeltanetInputs {
            k: &k,
            v: &v,
            g: &g,
            beta: &beta,
            state: &start,
        },
        S,
        C,
    );
    assert!(distance(&widen(&whole.state), &oracle.state) < 1e-5);
}

#[test]
#[should_panic(expected = "deltanet: 5 tokens are not a whole number of chunks of 2")]
fn a_partial_chunk_is_refused() {
    let zeros = [0.0f32; 5];
    let _ = deltanet(
        DeltanetInputs {
            k: &zeros,
            v: &zeros,
            g: &zeros,
            beta: &zeros,
            state: &[0.0],
        },
        1,
        2,
    );
}
