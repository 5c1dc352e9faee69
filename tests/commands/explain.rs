//! `explain`: what an element came from.

use serde_json::Value;

use crate::diagnosis::{EXCLUSIVE, PLANTED};
use crate::{run, schemas, scratch};

/// The tests whose right kernels must not depart from the reference: one of each family.
const RIGHT: [&str; 9] = [
    "exp",
    "cumsum",
    "tril",
    "solve_tri_small",
    "gemm_nt_tiled",
    "decay_mask_small",
    "attn_pre_computation",
    "intra_chunk_small",
    "state_update",
];

fn explain(here: &std::path::Path, args: &[&str]) -> Value {
    let run = run(here, &[&["explain"], args, &["--format", "json"]].concat());
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    let report = serde_json::from_str(&run.out).expect("JSON");
    schemas::validate(&report);
    report
}

#[test]
fn a_wrong_element_departs_from_the_reference() {
    let here = scratch("explain-wrong");
    std::fs::write(here.join("b.toml"), EXCLUSIVE).expect("written");
    let args = ["--kernels", PLANTED, "--bind", "b.toml", "--test", "cumsum"];
    let text = run(
        &here,
        &[&["explain"][..], &args, &["--element", "out[5]"]].concat(),
    );
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    // An address moves with each build.
    let text: Vec<String> = text
        .out
        .lines()
        .map(|line| match line.split_once(" values") {
            Some((_, after)) if line.starts_with("  0x") => format!("  ADDRESS values{after}"),
            _ => line.to_owned(),
        })
        .collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn a_right_kernel_departs_nowhere() {
    let here = scratch("explain-right");
    for test in RIGHT {
        let report = explain(&here, &["--test", test]);
        assert_eq!(report["departures"], Value::Array(vec![]), "{test}");
        assert_eq!(report["not_compared"], Value::Array(vec![]), "{test}");
        assert_eq!(report["wrong"], false, "{test}");
        let sources = report["sources"].as_array().expect("sources");
        assert!(!sources.is_empty(), "{test}");
        let nodes = report["nodes"].as_array().expect("nodes").len();
        assert!((2..=200).contains(&nodes), "{test}: {nodes} nodes");
    }
}

#[test]
fn the_page_has_the_picture_and_every_instruction() {
    let here = scratch("explain-page");
    let report = explain(
        &here,
        &[
            "--test",
            "cumsum",
            "--element",
            "out[3]",
            "--report",
            "p.html",
        ],
    );
    schemas::strict(&report);
    let page = std::fs::read_to_string(here.join("p.html")).expect("a page");
    assert!(page.contains("<svg class=\"graph\""), "{page}");
    for node in report["nodes"].as_array().expect("nodes") {
        let text = node["text"]
            .as_str()
            .expect("a text")
            .replace('\'', "&#39;");
        assert!(page.contains(&text), "{text}");
    }
    // The sum of four elements, which are one box of the input.
    let source = &report["sources"][0];
    assert_eq!(
        (&source["tensor"], &source["elements"][0]),
        (&"in".into(), &"0-3".into())
    );
}

#[test]
fn an_element_that_does_not_exist_is_refused() {
    let here = scratch("explain-refused");
    let cases = [
        (
            "out[99999]",
            "`out[99999]` is no element of `out`, whose indices are element 0 to 63",
        ),
        ("out[1,2]", "`out[1,2]` is no element of `out`"),
        ("out[1", "`out[1` has no closing `]`"),
        (
            "oud[1]",
            "`oud[1]` is no element of an output (`out`?); the outputs are `out`",
        ),
    ];
    for (element, message) in cases {
        let run = run(
            &here,
            &["explain", "--test", "cumsum", "--element", element],
        );
        assert_eq!(run.code, 2, "{element}");
        assert!(run.err.contains(message), "{element}: {}", run.err);
    }
    let run = run(&here, &["explain", "--test", "gemm*"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("an element is one case's"), "{}", run.err);
}
