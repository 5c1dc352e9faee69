//! Tests of reports on planted bugs of the operators around the rule.

use super::hypotheses;

#[test]
fn the_likely_mistake_of_an_operator_is_named() {
    let bugs = [
        (
            "gdr_utils_tk bf16↔float",
            &[][..],
            "cut off, not rounded",
            "truncated",
        ),
        (
            "gdr_utils_tk bf16↔float",
            &[],
            "ties away from zero",
            "ties-away",
        ),
        (
            "gdr_utils_tk l2_normalize",
            &[],
            "a halving tree over a length that is no power of two",
            "halving-tree",
        ),
        (
            "gdr_utils_tk l2_normalize",
            &[],
            "sum doubled: an exchange by 64 in a wave of 64",
            "sum-doubled",
        ),
        (
            "gdr_l2_normalize_bf16",
            &["D=320"],
            "a halving tree over a length that is no power of two",
            "halving-tree",
        ),
        ("l2norm_tk bwd", &[], "no projection", "projection-missing"),
        ("l2norm_tk bwd", &[], "rstd on dy only", "rstd-once"),
        ("op_tk (8 elementwise ops)", &[], "log: to base 2", "base-2"),
        (
            "op_tk (8 elementwise ops)",
            &[],
            "log2: to base e",
            "base-e",
        ),
        (
            "cumsum_tk scalar",
            &[],
            "the sum before the element",
            "exclusive",
        ),
        (
            "cumsum_tk vector",
            &[],
            "carried on over the ends of chunks",
            "chunks-ignored",
        ),
        (
            "gdr_cumsum_vector_domain",
            &["T=63,H=5"],
            "backwards not heard of",
            "not-reversed",
        ),
        ("fused_qkvzba_split_tk", &[], "b and a exchanged", "a-for-b"),
        ("fused_qkvzba_split_tk", &[], "v and z exchanged", "z-for-v"),
        (
            "fused_qkvzba_split_tk",
            &[],
            "not grouped by key head",
            "not-grouped",
        ),
        (
            "causal_conv1d_split_qkv_tk (decode)",
            &[],
            "no bias",
            "bias-missing",
        ),
        (
            "causal_conv1d_split_qkv_tk (decode)",
            &[],
            "no activation",
            "activation-missing",
        ),
        (
            "causal_conv1d_split_qkv_tk (decode)",
            &[],
            "weights from the last to the first",
            "weights-reversed",
        ),
        (
            "causal_conv1d_fwd_split_qkv_tk (prefill)",
            &[],
            "history from the sequence before",
            "history-across",
        ),
        (
            "fused_gdn_gating_prefill_tk",
            &[],
            "A_log taken for A",
            "rate-not-exponential",
        ),
        (
            "fused_gdn_gating_prefill_tk",
            &[],
            "dt_bias forgotten",
            "bias-missing",
        ),
    ];
    let silent: Vec<String> = bugs
        .into_iter()
        .filter_map(|(test, parts, planted, name)| {
            let found = hypotheses(test, parts, planted);
            let named = found.iter().any(|hypothesis| hypothesis == name);
            (!named).then(|| format!("{test}, {planted}: not {name} but {found:?}"))
        })
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}
