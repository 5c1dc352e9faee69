//! Every complaint a registry can earn, and that the built-in one earns none.

use super::*;
use crate::contract::{Case, Values};
use crate::program::Program;
use crate::select::everything;
use crate::verdict::Tolerance;

fn parse(text: &str) -> Result<Registry, String> {
    let (kernels, planted) = (
        Program::built_in().expect("built in"),
        Program::planted().expect("built in"),
    );
    let names = |program: &'static Program| {
        program
            .object
            .kernels
            .iter()
            .map(|kernel| kernel.name.as_str())
            .collect()
    };
    let (kernels, planted) = (Box::leak(Box::new(kernels)), Box::leak(Box::new(planted)));
    let known = Known {
        kernels: names(kernels),
        planted: names(planted),
        base: None,
    };
    Registry::parse("mine.toml", text, &known).map_err(|stop| stop.message)
}

fn number(values: &Values, name: &str) -> i64 {
    values.get(name).unwrap_or_default()
}

const GOOD: &str = r#"schema = 1
partial = true

[[phase]]
number = 1
title = "One"

[[phase.test]]
id = "mul"
aliases = ["product"]
function = "mul"
kernels = ["kernel_mul"]
shape = { n = 100 }
outputs.out = { tolerance = 0.0, ceiling = 1e-6, reason = "rounded once" }
planted = [{ name = "sum for product", replace = { kernel_mul = "planted_mul_adds" } }]

[[phase.test]]
id = "solve"
function = "solve_tri"
kernels = ["kernel_solve_tri_sequential"]
cases = [{ n = 4, k = 2 }, { k = 3, n = 5 }]
outputs.X = { tolerance = 1e-6, ceiling = 1e-4, reason = "measured" }
planted = [{ name = "sign", replace = { kernel_solve_tri_sequential = "planted_solve_wrong_sign" } }]
"#;

#[test]
fn a_good_registry_is_read_as_written() {
    let registry = parse(GOOD).expect("it is good");
    let ids: Vec<&str> = everything(&registry)
        .map(|one| one.case.id.as_str())
        .collect();
    assert_eq!(ids, ["mul", "solve:n=4,k=2", "solve:n=5,k=3"]);
    let mul = registry.tests().next().expect("a test");
    assert_eq!(mul.aliases, ["product"]);
    assert_eq!(mul.outputs["out"].tolerance, Tolerance::absolute(0.0, 1e-6));
    assert_eq!(mul.planted[0].replace["kernel_mul"], "planted_mul_adds");
    assert!(!mul.documented);
}

/// The names of somebody's report are names of tests as they stand there.
#[test]
fn names_may_be_words() {
    let names = [
        "gdr_utils_tk abs_diff",
        "gdr_utils_tk bf16↔float",
        "op_tk (8 elementwise ops)",
        "solve_tril_tk BT=16",
        "chunk_tk solve_tril (in-place)",
        "a+b, c.d",
    ];
    for name in names {
        let text = GOOD.replace("id = \"solve\"", &format!("id = \"{name}\""));
        let registry = parse(&text).expect(name);
        assert_eq!(registry.tests().nth(1).expect("two").id, name);
    }
    let text = GOOD.replace("\"mul\"\nal", "\"a (b)\"\nal");
    let text = text.replace("id = \"solve\"", "id = \"a .b.\"");
    let text = text.replace(
        "cases = [{ n = 4, k = 2 }, { k = 3, n = 5 }]",
        "shape = { n = 4, k = 2 }",
    );
    let message = parse(&text).expect_err("one directory for two tests");
    let title = "`a .b.` and `a (b)` would be dumped to one file";
    assert!(message.contains(title), "{message}");
}

#[test]
fn places_of_a_type_are_a_tolerance() {
    let text = GOOD.replace("tolerance = 0.0", "ulp = 1, relative_rms = 1e-3");
    let registry = parse(&text).expect("it is good");
    let tolerance = &registry.tests().next().expect("a test").outputs["out"].tolerance;
    assert_eq!((tolerance.ulp, tolerance.absolute), (Some(1), 0.0));
    assert_eq!(tolerance.relative_rms, Some(1e-3));
    assert!(!tolerance.is_exact());
    let text = text.replace("ulp = 1", "ulp = 1, tolerance = 1e-7");
    let registry = parse(&text).expect("it is good");
    let tolerance = &registry.tests().next().expect("a test").outputs["out"].tolerance;
    assert_eq!((tolerance.ulp, tolerance.absolute), (Some(1), 1e-7));
}

/// The document's names (its section 7.3), in its order.
const DOCUMENTED: [&str; 26] = [
    "sigmoid",
    "exp",
    "mul",
    "cumsum",
    "tril",
    "causal_mask",
    "eye",
    "solve_tri_small",
    "solve_tri_64",
    "gemm_nt_naive_small",
    "gemm_nt_naive_64",
    "gemm_tn_naive",
    "gemm_nt_tiled",
    "gemm_nt_tiled_128",
    "decay_mask_small",
    "decay_mask_64",
    "attn_matrix_small",
    "attn_matrix_64",
    "attn_pre_computation",
    "solve_causal_identity",
    "intra_chunk_small",
    "intra_chunk",
    "state_update",
    "output_with_state",
    "deltanet_single_chunk",
    "deltanet_full",
];

#[test]
fn the_built_in_registry_has_the_documented_tests() {
    let registry = parse(BUILT_IN).expect("it is good");
    let documented: Vec<&str> = registry
        .tests()
        .filter(|test| test.documented)
        .map(|test| test.id.as_str())
        .collect();
    assert_eq!(documented, DOCUMENTED);
    let alias = registry.tests().find(|test| {
        test.aliases
            .iter()
            .any(|name| name == "solve_with_causal_identity")
    });
    assert_eq!(
        alias.map(|test| test.id.as_str()),
        Some("solve_causal_identity")
    );
}

/// The recurrence's cases are chosen so that every two values of different parameters meet, but for the one long sequence.
#[test]
fn every_two_values_of_the_recurrence_meet() {
    let registry = parse(BUILT_IN).expect("it is good");
    let mut tests = registry.tests();
    let test = tests
        .find(|test| test.id == "recurrent")
        .expect("it is there");
    // Heads and head sizes go in pairs.
    let parameters = |case: &Case| -> Vec<String> {
        let v = &case.values;
        vec![
            number(v, "T").to_string(),
            format!("{}/{}", number(v, "H"), number(v, "HV")),
            format!("{}/{}", number(v, "K"), number(v, "V")),
            number(v, "B").to_string(),
            v.word("gates").unwrap_or_default().into(),
            v.word("map").unwrap_or_default().into(),
            v.word("state").unwrap_or_default().into(),
            v.word("layout").unwrap_or_default().into(),
        ]
    };
    let cases: Vec<Vec<String>> = test
        .cases
        .iter()
        .filter(|case| case.values.get("T") != Some(1024))
        .map(parameters)
        .collect();
    assert!(cases.len() < test.cases.len(), "one sequence is long");
    let values = |p: usize| -> std::collections::BTreeSet<&String> {
        cases.iter().map(|case| &case[p]).collect()
    };
    assert_eq!([0, 1, 2, 4].map(|p| values(p).len()), [10, 4, 3, 5]);
    for (p, q) in (0..8).flat_map(|p| (p + 1..8).map(move |q| (p, q))) {
        for (a, b) in values(p)
            .into_iter()
            .flat_map(|a| values(q).into_iter().map(move |b| (a, b)))
        {
            assert!(
                cases.iter().any(|case| &case[p] == a && &case[q] == b),
                "no case has both {a} and {b}"
            );
        }
    }
}

#[test]
fn every_mistake_is_named_at_its_place() {
    // What is replaced by what, what must be said, and on which line.
    let mistakes = [
        ("schema = 1\n", "", "this registry has no `schema`", 1),
        ("schema = 1", "schema = 7", "this registry has schema 7", 1),
        ("schema = 1", "schema = ", "this is not TOML", 1),
        (
            "partial = true",
            "partial = 3",
            "expected true or false, found integer",
            2,
        ),
        (
            "partial = true",
            "partial = false",
            "no test runs these functions: sigmoid, exp",
            1,
        ),
        ("number = 1", "number = -1", "a phase number from 0 up", 5),
        (
            "title = \"One\"",
            "titel = \"One\"",
            "unknown key of a phase: `titel`",
            6,
        ),
        (
            "id = \"mul\"",
            "id = \"mul\"\nid = \"mul\"",
            "duplicate key",
            10,
        ),
        (
            "id = \"mul\"",
            "id = \"m*l\"",
            "`m*l` is not a name for a test",
            9,
        ),
        ("id = \"mul\"", "id = \" mul\"", "` mul` is not a name", 9),
        ("id = \"mul\"", "id = \"mul \"", "`mul ` is not a name", 9),
        ("id = \"mul\"", "id = \"m  ul\"", "`m  ul` is not a name", 9),
        ("id = \"mul\"", "id = \"..\"", "`..` is not a name", 9),
        (
            "id = \"mul\"",
            "id = \"m\\tul\"",
            "`m\\tul` is not a name",
            9,
        ),
        ("id = \"mul\"", "id = \"m:ul\"", "`m:ul` is not a name", 9),
        ("id = \"mul\"", "id = \"größe\"", "`größe` is not a name", 9),
        (
            "aliases = [\"product\"]",
            "aliases = [\"a{b}\"]",
            "`a{b}` is not a name",
            10,
        ),
        (
            "id = \"solve\"",
            "id = \"product\"",
            "`product` names two tests",
            18,
        ),
        (
            "aliases = [\"product\"]",
            "aliases = [\"mul\"]",
            "already its own name",
            10,
        ),
        (
            "function = \"mul\"",
            "function = \"mull\"",
            "unknown function: `mull`",
            11,
        ),
        ("function = \"mul\"\n", "", "this test has no `function`", 8),
        (
            "[\"kernel_mul\"]",
            "[\"kernel_mull\"]",
            "unknown kernel of function `mul`: `kernel_mull`",
            12,
        ),
        (
            "[\"kernel_mul\"]",
            "[]",
            "function `mul` also launches kernel_mul",
            12,
        ),
        ("{ n = 100 }", "{ n = 0 }", "`n` is 0", 13),
        ("{ n = 100 }", "{ n = -4 }", "`n` is -4", 13),
        (
            "{ n = 100 }",
            "{ n = 1.5 }",
            "expected a whole number, found float",
            13,
        ),
        (
            "{ n = 100 }",
            "{ n = 99999999999999999999 }",
            "this number is too large",
            13,
        ),
        (
            "{ n = 100 }",
            "{ m = 100 }",
            "unknown key of a shape: `m`",
            13,
        ),
        ("{ n = 100 }", "{}", "this shape has no `n`", 13),
        (
            "{ n = 4, k = 2 }",
            "{ n = 5000, k = 2 }",
            "the largest tensor of this shape has 25000000 elements",
            21,
        ),
        (
            "{ n = 4, k = 2 }",
            "{ n = 5, k = 3 }",
            "the case solve:n=5,k=3 is there twice",
            21,
        ),
        (
            "tolerance = 0.0",
            "tolerance = -1e-6",
            "`tolerance` is -0.000001",
            14,
        ),
        (
            "tolerance = 0.0",
            "tolerance = nan",
            "`tolerance` is NaN",
            14,
        ),
        (
            "tolerance = 0.0",
            "tolerance = 1e-3",
            "the tolerance 1e-3 is above the ceiling 1e-6",
            14,
        ),
        (
            "tolerance = 0.0",
            "ulp = 0, relative_rms = 1",
            "`ulp` is 0",
            14,
        ),
        (
            "tolerance = 0.0",
            "ulp = -1, relative_rms = 1",
            "`ulp` is -1",
            14,
        ),
        (
            "tolerance = 0.0",
            "ulp = 65, relative_rms = 1",
            "`ulp` is 65",
            14,
        ),
        (
            "tolerance = 0.0",
            "ulp = 1.5, relative_rms = 1",
            "expected a whole number, found float",
            14,
        ),
        ("tolerance = 0.0", "ulp = 1", "has no `relative_rms`", 14),
        ("tolerance = 0.0, ", "", "has no `tolerance`", 14),
        (
            "outputs.out",
            "outputs.oot",
            "unknown key of a test's outputs: `oot`",
            14,
        ),
        (
            ", reason = \"rounded once\"",
            "",
            "this output has no `reason`",
            14,
        ),
        (
            "planted_mul_adds",
            "planted_mul_add",
            "unknown planted kernel: `planted_mul_add`",
            15,
        ),
        (
            "replace = { kernel_mul = \"planted_mul_adds\" }",
            "swap_grid = \"kernel_x\"",
            "unknown kernel of function",
            15,
        ),
        (
            ", replace = { kernel_mul = \"planted_mul_adds\" }",
            "",
            "this planted bug changes nothing",
            15,
        ),
        (
            "[{ name = \"sum for product\", replace = { kernel_mul = \"planted_mul_adds\" } }]",
            "[]",
            "catches no planted bug",
            15,
        ),
    ];
    for (good, bad, title, line) in mistakes {
        assert!(GOOD.contains(good), "{good}");
        let message = parse(&GOOD.replacen(good, bad, 1)).expect_err(bad);
        assert!(message.contains(title), "{bad}:\n{message}");
        assert!(
            message.contains(&format!("mine.toml:{line}:")),
            "{bad}, line {line}:\n{message}"
        );
        assert!(message.contains("= help: "), "{bad}:\n{message}");
    }
}

#[test]
fn a_kernel_that_the_code_object_lacks_is_named() {
    let known = Known {
        kernels: vec!["kernel_exp"],
        planted: vec!["planted_mul_adds", "planted_solve_wrong_sign"],
        base: None,
    };
    let message = Registry::parse("mine.toml", GOOD, &known)
        .expect_err("it lacks them")
        .message;
    assert!(
        message.contains("the code object has no kernel `kernel_mul`"),
        "{message}"
    );
    assert!(message.contains("mine.toml:12:12"), "{message}");
}

#[test]
fn diagnostics_look_like_this() {
    let bad = GOOD
        .replace("kernel_mul = ", "kernel_mol = ")
        .replace("n = 100", "n = 0, m = 3")
        .replace("1e-4", "-1");
    insta::assert_snapshot!(parse(&bad).expect_err("three mistakes"));
}

/// Nothing that is in a file may panic: every prefix of a good one, and the good one with each byte damaged.
#[test]
fn damaged_files_are_diagnosed() {
    let known = Known {
        kernels: vec!["kernel_mul"],
        planted: vec!["planted_mul_adds"],
        base: None,
    };
    for end in (0..GOOD.len()).filter(|&end| GOOD.is_char_boundary(end)) {
        let _ = Registry::parse("x", &GOOD[..end], &known);
    }
    for at in 0..GOOD.len() {
        for damage in ["\u{0}", "é", "\"", "]", "\n", "=", "9"] {
            let text = format!("{}{damage}{}", &GOOD[..at], &GOOD[at + 1..]);
            let _ = Registry::parse("x", &text, &known);
        }
    }
}
