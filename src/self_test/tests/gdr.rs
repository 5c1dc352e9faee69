//! Tests of reports on planted bugs of the gated delta rule's steps (contracts `gdr_*`).

use super::{hypotheses, problems};
use crate::report::model::{Hypothesis, Problem};

#[test]
fn the_likely_mistake_is_named() {
    let (output, state) = (
        "fused_recurrent_tk output",
        "fused_recurrent_tk final state",
    );
    let gating = "fused_sigmoid_gating_recurrent_tk";
    let grouped = ["T=17", "HV=8"];
    for (test, parts, planted, name) in [
        (output, &grouped[..], "head maps swapped", "head-map"),
        (output, &grouped, "scale missing", "scale-missing"),
        (output, &grouped, "sums doubled", "sums-doubled"),
        (output, &grouped, "beta on v only", "beta-on-v-only"),
        (
            state,
            &grouped,
            "error from the undecayed state",
            "undecayed-error",
        ),
        (state, &grouped, "initial state ignored", "initial-ignored"),
        (state, &grouped, "gate sign flipped", "gate-sign"),
        (
            state,
            &["by=all"],
            "gates of key channels not applied",
            "gk-ignored",
        ),
        (
            state,
            &["by=all"],
            "gates of value channels not applied",
            "gv-ignored",
        ),
        (
            state,
            &["T=1,"],
            "initial state transposed",
            "initial-transposed",
        ),
        (
            gating,
            &["norm=inside", "slots=others"],
            "sums doubled",
            "sums-doubled",
        ),
        (
            gating,
            &["slots=padding"],
            "a padding leaves its state in slot 0",
            "padding-written",
        ),
        (
            gating,
            &["slots=others"],
            "slots not looked up",
            "slots-ignored",
        ),
        (
            "chunk_tk compute_A",
            &["T=128"],
            "beta of the column",
            "beta-of-column",
        ),
        (
            "chunk_tk compute_A",
            &["T=128"],
            "head maps swapped",
            "head-map",
        ),
        (
            "chunk_tk compute_A",
            &["T=128"],
            "base 2 for base e",
            "base-of-exp",
        ),
        (
            "chunk_tk recompute_w_u",
            &["T=128"],
            "w without e^G",
            "chunk-gates",
        ),
        (
            "chunk_delta_h_tk",
            &["T=128"],
            "no - w h",
            "correction-missing",
        ),
        (
            "chunk_delta_h_tk",
            &["T=128"],
            "initial state ignored",
            "initial-ignored",
        ),
        (
            "chunk_o_tk",
            &["T=128"],
            "q h without its decay",
            "chunk-gates",
        ),
        ("chunk_o_tk", &["T=128"], "scale missing", "scale-missing"),
    ] {
        let found = hypotheses(test, parts, planted);
        assert!(
            found.iter().any(|hypothesis| hypothesis == name),
            "{test}, {planted}: {found:?}"
        );
    }
}

/// Returns the place where a bug of `solve_tril` shows, and the likeliest reason.
fn solve_tril(bt: usize, planted: &str) -> (String, Hypothesis) {
    let test = format!("solve_tril_tk BT={bt}");
    let found = problems(&test, &["B=2", "gates=slow"], planted)
        .into_iter()
        .next();
    let Some(Problem::Mismatch {
        pattern,
        hypotheses,
        ..
    }) = found
    else {
        panic!("{test}, {planted}: {found:?}");
    };
    let first = hypotheses.into_iter().next().expect("a reason");
    (pattern.expect("a place"), first)
}

#[test]
fn solve_tril_names_the_diagonal_and_the_identity() {
    for bt in [16, 32, 64] {
        let last = bt - 1;
        let both = format!("below the diagonal, rows 2..{last}, columns 0..1");
        for (planted, place, reason) in [
            (
                "the diagonal lost from row 2 on",
                format!("on the diagonal only, rows 2..{last}"),
                format!("the identity is missing from rows 2..{last}"),
            ),
            (
                "the identity added to rows 0 and 1 twice",
                "on the diagonal only, rows 0..1".into(),
                "the identity was added to a diagonal that still held it".into(),
            ),
            (
                "as published: the identity used, then lost",
                format!("on the diagonal, rows 2..{last}; {both}"),
                "identity missing".into(),
            ),
            (
                "its cure: the identity added to what still held it",
                format!("on the diagonal, rows 0..1; {both}"),
                "identity added to a diagonal that still held it".into(),
            ),
        ] {
            let (found, why) = solve_tril(bt, planted);
            assert_eq!(found, place, "BT {bt}, {planted}");
            assert!(why.explains_all, "BT {bt}, {planted}: {why:?}");
            assert!(
                why.explanation.contains(&reason),
                "BT {bt}, {planted}: {why:?}"
            );
        }
    }
}
