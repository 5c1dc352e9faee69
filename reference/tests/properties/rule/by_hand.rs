//! Tests of every predefined convention against cases worked out by hand.

use crate::common::distance;
use deltanet_reference::rule::*;

fn near(got: &[f64], want: &[f64]) {
    assert!(distance(got, want) < 1e-14, "{got:?} is not {want:?}");
}

/// Returns sizes of one sequence with per-head gates.
fn sizes(tokens: usize, heads: (usize, usize), key_size: usize, value_size: usize) -> Sizes {
    Sizes {
        sequences: 1,
        tokens,
        key_heads: heads.0,
        value_heads: heads.1,
        key_size,
        value_size,
        gate_kind: GateKind::PerHead,
    }
}

/// One channel, two tokens: S = 4, decay 1/2 then 1, k = (1, 2), v = (3, 1), beta = (1/2, 1/4), q = (1, 10).
fn two_tokens(convention: &Convention, g: &[f64]) -> Outputs<f64> {
    let q: &[f64] = match convention.readout {
        Readout::Query => &[1.0, 10.0],
        Readout::Key => &[],
    };
    let inputs = Inputs {
        q,
        k: &[1.0, 2.0],
        v: &[3.0, 1.0],
        g,
        beta: &[0.5, 0.25],
        state: &[4.0],
    };
    recurrence(convention, sizes(2, (1, 1), 1, 1), inputs)
}

#[test]
fn decay_first() {
    // S = 2; e = 3 - 2; S = 2.5, o = 2.5; then e = 1 - 5, S = 2.5 - 2 * 0.25 * 4 = 0.5, o = 10 * 0.5
    for (convention, sign) in [
        (Convention::FLA, 1.0),
        (Convention::GGML, 1.0),
        (Convention::METAL, -1.0),
    ] {
        let got = two_tokens(&convention, &[sign * -(2f64.ln()), 0.0]);
        near(&got.output, &[2.5, 5.0]);
        near(&got.state, &[0.5]);
    }
}

#[test]
fn hugging_face_normalises_inside() {
    // q = k = 1 but for the epsilon: S = 2, then 2.5, o = 2.5; e = 1 - 2.5, S = 2.5 - 0.25 * 1.5
    let got = two_tokens(&Convention::HUGGING_FACE, &[-(2f64.ln()), 0.0]);
    assert!(distance(&got.output, &[2.5, 2.125]) < 1e-5);
    assert!(distance(&got.state, &[2.125]) < 1e-5);
}

#[test]
fn seed_003_takes_the_error_from_the_undecayed_state_and_reads_with_the_key() {
    // e = 3 - 4, S = 2 - 0.5 = 1.5, o = 1.5; e = 1 - 3, S = 1.5 - 2 * 0.25 * 2 = 0.5, o = 2 * 0.5
    let got = two_tokens(&Convention::NOTEBOOK, &[0.5, 1.0]);
    near(&got.output, &[1.5, 1.0]);
    near(&got.state, &[0.5]);
}

/// Reads with one token from the state of rows (1, 2, 3) and (4, 5, 6), without a write.
fn read_only(convention: &Convention, state: &[f64]) -> Vec<f64> {
    let inputs = Inputs {
        q: &[1.0, 10.0],
        k: &[0.0, 0.0],
        v: &[0.0; 3],
        g: &[0.0],
        beta: &[0.0],
        state,
    };
    recurrence(convention, sizes(1, (1, 1), 2, 3), inputs).output
}

#[test]
fn scale_and_state_layout() {
    let key_major = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let value_major = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0];
    let scaled = [41.0, 52.0, 63.0].map(|o: f64| o / 2f64.sqrt());
    near(&read_only(&Convention::FLA, &key_major), &scaled);
    near(&read_only(&Convention::GGML, &value_major), &scaled);
    near(
        &read_only(&Convention::METAL, &value_major),
        &[41.0, 52.0, 63.0],
    );
}

/// Reads the states 1, 2, 3, 4 of four value heads by two q/k heads with factors 1 and 10.
fn read_heads(convention: &Convention) -> Vec<f64> {
    let inputs = Inputs {
        q: &[1.0, 10.0],
        k: &[0.0, 0.0],
        v: &[0.0; 4],
        g: &[0.0; 4],
        beta: &[0.0; 4],
        state: &[1.0, 2.0, 3.0, 4.0],
    };
    recurrence(convention, sizes(1, (2, 4), 1, 1), inputs).output
}

#[test]
fn head_maps() {
    for block in [
        Convention::FLA,
        Convention {
            norm: Norm::None,
            ..Convention::HUGGING_FACE
        },
    ] {
        near(&read_heads(&block), &[1.0, 2.0, 30.0, 40.0]);
    }
    for tiled in [Convention::GGML, Convention::METAL] {
        near(&read_heads(&tiled), &[1.0, 20.0, 3.0, 40.0]);
    }
}

#[test]
fn a_gate_for_each_key_channel() {
    // the rows of the state, 4 and 8, decay by 1/2 and 1/4: (2, 2); e = 5 - 2, S = (2 + 3, 2)
    let inputs = Inputs {
        q: &[1.0, 10.0],
        k: &[1.0, 0.0],
        v: &[5.0],
        g: &[-(2f64.ln()), -(4f64.ln())],
        beta: &[1.0],
        state: &[4.0, 8.0],
    };
    let sizes = Sizes {
        gate_kind: GateKind::PerKeyChannel,
        ..sizes(1, (1, 1), 2, 1)
    };
    let got = recurrence(
        &Convention {
            scale: Scale::One,
            ..Convention::FLA
        },
        sizes,
        inputs,
    );
    near(&got.state, &[5.0, 2.0]);
    near(&got.output, &[25.0]);
}

#[test]
fn writing_the_same_pair_twice_changes_nothing() {
    // With beta = 1 and no decay, a unit key reads back what it wrote, both times.
    for (convention, g) in [(Convention::FLA, 0.0), (Convention::NOTEBOOK, 1.0)] {
        let key = [0.6, 0.8, 0.6, 0.8];
        let inputs = Inputs {
            q: if convention.readout == Readout::Key {
                &[]
            } else {
                &key
            },
            k: &key,
            v: &[1.0, -2.0, 3.0, 1.0, -2.0, 3.0],
            g: &[g; 2],
            beta: &[1.0; 2],
            state: &[0.0; 6],
        };
        let convention = Convention {
            scale: Scale::One,
            ..convention
        };
        let got = recurrence(&convention, sizes(2, (1, 1), 2, 3), inputs);
        near(&got.output, &[1.0, -2.0, 3.0, 1.0, -2.0, 3.0]);
        near(&got.state, &[0.6, -1.2, 1.8, 0.8, -1.6, 2.4]);
    }
}

#[test]
fn no_tokens_leave_the_state() {
    let inputs = Inputs {
        q: &[],
        k: &[],
        v: &[],
        g: &[],
        beta: &[],
        state: &[1.0, 2.0],
    };
    let got = recurrence(&Convention::GGML, sizes(0, (1, 1), 2, 1), inputs);
    assert_eq!((got.output, got.state), (vec![], vec![1.0, 2.0]));
}

#[test]
#[should_panic(expected = "sizes: 3 value heads are not a multiple of 2 key heads")]
fn heads_that_do_not_fit_are_refused() {
    let inputs = Inputs::<f64> {
        q: &[],
        k: &[],
        v: &[],
        g: &[],
        beta: &[],
        state: &[],
    };
    let _ = recurrence(&Convention::FLA, sizes(0, (2, 3), 1, 1), inputs);
}

#[test]
#[should_panic(expected = "recurrence: q has 2 elements, its shape [0] has 0")]
fn a_query_that_would_not_be_read_is_refused() {
    let inputs = Inputs {
        q: &[1.0, 10.0],
        k: &[1.0, 2.0],
        v: &[3.0, 1.0],
        g: &[0.5, 1.0],
        beta: &[0.5, 0.25],
        state: &[4.0],
    };
    let _ = recurrence(&Convention::NOTEBOOK, sizes(2, (1, 1), 1, 1), inputs);
}
