//! Sizes that a registry asks for and the built-in kernels do not take: every case passes, or is skipped with the condition of its binding.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use crate::{run, scratch};

/// Sizes that kernels have bounds for, and values near those bounds.
const TRIED: [(&str, &[i64]); 7] = [
    ("K", &[128, 129, 256, 257]),
    ("V", &[128, 129, 256, 257]),
    ("S", &[64, 128, 256, 257]),
    ("D", &[64, 257]),
    ("C", &[16, 17, 64, 65, 128]),
    ("BT", &[16, 17, 32, 64, 65, 128]),
    ("W", &[1, 2, 4, 5]),
];

/// The most of each size that a binding takes by the kernels' README, and none where any will do.
fn takes(binding: &str, contract: &str, size: &str, length: i64) -> bool {
    match (contract, binding, size) {
        (
            "gdn_recurrent",
            "a wave a column" | "scan of two columns" | "chunks in f16 products",
            "K",
        ) => length == 128,
        (
            "gdn_recurrent",
            "a wave a column" | "scan of two columns" | "chunks in f16 products",
            _,
        ) => false,
        // For one sequence, and these cases have two.
        ("gdn_slots_half", "decode, a launch a token", _) => false,
        // For heads of 128 channels and a convolution over 4 tokens; these cases have one or the other.
        ("ggml_delta_net_layer", "one launch", _) => false,
        ("gdr_solve_tril" | "gdr_chunk_solve_tril" | "gdr_chunk_pipeline", _, "BT") => {
            [16, 32, 64].contains(&length)
        }
        ("gdr_causal_conv1d_update" | "gdr_causal_conv1d_fwd", _, "W") => (2..=4).contains(&length),
        (
            "gdr_cumsum_vector" | "gdr_cumsum_scalar" | "gdr_chunk_cumsum" | "gdn_chunk_cumsum",
            _,
            "C" | "BT",
        ) => true,
        ("ggml_gated_delta_net" | "ggml_gated_delta_net_raw" | "ggml_delta_net_layer", _, "S") => {
            length <= 256
        }
        ("ggml_ssm_conv_update" | "ggml_delta_net_layer", _, "W") => length > 1,
        ("intra_chunk" | "deltanet", "optimised", "C") => length <= 64,
        ("gdn_chunked", "one launch", "C") | ("gdn_backward_chunked", _, "C") => true,
        ("gdn_transition" | "gdn_packed_outputs", _, "K") => length <= 256,
        ("gdn_conv" | "gdn_conv_backward", _, "W") => (2..=8).contains(&length),
        (contract, binding, "C" | "BT") if !contract.starts_with("gdr_prepare") => {
            let any = !contract.starts_with("gdr") && binding.is_empty();
            any || !contract.starts_with("gd") || length <= 64
        }
        (
            "gdn_recurrent"
            | "gdn_chained"
            | "gdn_decode"
            | "gdn_decode_step"
            | "gdn_sequential"
            | "gdn_error_correction"
            | "gdn_chunked"
            | "gdn_chunk_states"
            | "gdn_backward"
            | "gdn_backward_chunked"
            | "gdn_packed"
            | "gdn_packed_chunked"
            | "gdn_packed_states"
            | "gdn_slots"
            | "gdn_slots_half"
            | "gdn_slots_half_by_token"
            | "gdn_verify"
            | "gdn_product"
            | "gdr_chunk_delta_h"
            | "gdr_fused_recurrent_output"
            | "gdr_fused_recurrent_state"
            | "gdr_sigmoid_gating_update",
            binding,
            "K" | "V",
        ) => length <= 256 || (size == "V" && !binding.is_empty()),
        _ => true,
    }
}

/// Bindings of the built-in kernels that have a name, by contract.
fn named() -> BTreeMap<String, Vec<String>> {
    let files = [
        include_str!("../../kernels/compare.bind.toml"),
        include_str!("../../kernels/fast_chunk.bind.toml"),
        include_str!("../../kernels/fast_document.bind.toml"),
        include_str!("../../kernels/fast_ggml.bind.toml"),
        include_str!("../../kernels/fast_half.bind.toml"),
        include_str!("../../kernels/fast_scan.bind.toml"),
        include_str!("../../kernels/fast_slots.bind.toml"),
    ];
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let table: toml::Table = file.parse().expect("TOML");
        let bindings = table["binding"].as_array().expect("bindings");
        for binding in bindings {
            let text = |key: &str| binding[key].as_str().expect("text").to_owned();
            let names = named.entry(text("contract")).or_default();
            if !names.contains(&text("name")) {
                names.push(text("name"));
            }
        }
    }
    named
}

#[test]
#[ignore = "half a minute: .ci/nightly slow-tests"]
fn what_built_in_kernels_do_not_take_is_skipped_with_the_reason() {
    let here = scratch("sizes");
    let listed = run(&here, &["contracts", "--format", "json"]);
    let listed: Value = serde_json::from_str(&listed.out).expect("JSON");
    let named = named();
    let mut registry = "schema = 1\n".to_owned();
    let mut wanted = BTreeMap::new();
    for contract in listed["contracts"].as_array().expect("contracts") {
        let texts = |key: &str| -> Vec<String> {
            let all = contract[key].as_array().expect("a list").iter();
            all.map(|one| one.as_str().expect("text").to_owned())
                .collect()
        };
        let id = contract["id"].as_str().expect("text");
        let sizes = [texts("sizes"), texts("integers")].concat();
        let words = contract["choices"].as_array().expect("choices").iter();
        // Gates of 1 and states of zeros tell little.
        let word = |choice: &Value| -> String {
            let all = choice["words"].as_array().expect("words");
            let telling = all.iter().find(|word| *word == "slow" || *word == "random");
            let name = choice["name"].as_str().expect("text");
            format!(", {name} = {}", telling.unwrap_or(&all[0]))
        };
        let words: String = words.map(word).collect();
        let chunked = sizes.iter().any(|size| size == "C" || size == "BT");
        let own = named.get(id).cloned().unwrap_or_default();
        let bindings = std::iter::once(String::new()).chain(own);
        for binding in bindings {
            for (size, lengths) in TRIED {
                if !sizes.iter().any(|known| known == size) {
                    continue;
                }
                for &length in lengths {
                    let number = |name: &str| match name {
                        name if name == size => length,
                        "HV" => 4,
                        "H" | "W" | "first" => 2,
                        // More than a chunk.
                        "T" if matches!(size, "C" | "BT") => length + 3,
                        "T" if chunked => 19,
                        "T" => 5,
                        "seqlen" => 2,
                        "K" | "DK" => 18,
                        "V" | "C" | "BT" | "S" => 16,
                        "Hg" | "Hk" | "snapshots" => 1,
                        "diag" => 0,
                        _ => 2,
                    };
                    let shape: Vec<String> = sizes
                        .iter()
                        .map(|name| format!("{name} = {}", number(name)))
                        .collect();
                    let test = format!("case {}", wanted.len());
                    write!(
                        registry,
                        "[[test]]\nid = \"{test}\"\ncontract = \"{id}\"\nshape = {{ {}{words} }}\n",
                        shape.join(", ")
                    )
                    .expect("text");
                    if !binding.is_empty() {
                        writeln!(registry, "binding = \"{binding}\"").expect("text");
                    }
                    let verdict = if takes(&binding, id, size, length) {
                        "pass"
                    } else {
                        "skip"
                    };
                    wanted.insert(test, (verdict, format!("{id} {binding} {size}={length}")));
                }
            }
        }
    }
    std::fs::write(here.join("sizes.toml"), &registry).expect("written");
    let done = run(
        &here,
        &["--registry", "sizes.toml", "--report", "report.json"],
    );
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    let report = std::fs::read_to_string(here.join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let phases = report["phases"].as_array().expect("phases").iter();
    let mut seen = 0;
    for trial in phases.flat_map(|phase| phase["trials"].as_array().expect("trials")) {
        let (verdict, case) = &wanted[trial["id"].as_str().expect("an id")];
        assert_eq!(trial["verdict"], *verdict, "{case}: {}", trial["error"]);
        if *verdict == "skip" {
            let reason = trial["error"].as_str().expect("a reason");
            assert!(
                reason.starts_with("its binding is for when = "),
                "{case}: {reason}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, wanted.len());
}
