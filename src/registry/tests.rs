//! Tests of the registry's reader: the complaints about wrong files, and the built-in registry.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::compare::is_general_hypothesis;
use crate::contract::{Case, Instance, Test, Value};
use crate::files::FileError;
use crate::program::Program;
use crate::report::model::Tolerance;
use crate::run::all_cases;

/// Reads a registry without a base.
fn parse(text: &str) -> Result<Registry, FileError> {
    Registry::parse("mine.toml", text, None)
}

const GOOD: &str = r#"schema = 1
partial = true

[[phase]]
number = 1
title = "One"

[[phase.test]]
id = "mul"
aliases = ["product"]
contract = "mul"
shape = { n = 100 }
outputs.out = { tolerance = 0.0, ceiling = 1e-6, reason = "rounded once" }
planted = ["sum for product"]

[[phase.test]]
id = "solve"
contract = "solve_tri"
cases = [{ n = 4, k = 2 }, { k = 3, n = 5 }]
outputs.X = { tolerance = 1e-6, ceiling = 1e-4, reason = "measured" }
planted = "all"
"#;

#[test]
fn cases_share_a_shape_and_outputs_a_named_tolerance() {
    let text = GOOD
        .replacen("partial = true", "partial = true\n[tolerances]\nsmall = { tolerance = 1e-6, ceiling = 1e-4, reason = \"measured\" }", 1)
        .replacen("cases = [{ n = 4, k = 2 }, { k = 3, n = 5 }]", "shape = { n = 4 }\ncases = [{ k = 2 }, { k = 3 }]", 1)
        .replacen("outputs.X = { tolerance = 1e-6, ceiling = 1e-4, reason = \"measured\" }", "outputs = \"small\"", 1);
    let registry = parse(&text).expect("it is good");
    let ids: Vec<&str> = all_cases(&registry)
        .map(|entry| entry.case.id.as_str())
        .collect();
    assert_eq!(ids, ["mul", "solve:n=4,k=2", "solve:n=4,k=3"]);
    let solve = registry.tests().nth(1).expect("two tests");
    assert_eq!(solve.outputs["X"].tolerance.absolute, 1e-6);
}

/// The ids of smaller cases are printed to run again. Those with input classes that the first case leaves open were no tests, and those
/// without had the classes of the first case.
#[test]
fn the_id_of_a_case_describes_it_to_a_test_that_does_not_list_it() {
    let (mut open, mut others) = (0, 0);
    for test in REGISTRY.tests().filter(|test| test.designed) {
        for first in [0, test.cases.len() - 1] {
            let first = &test.cases[first].values;
            let described = test.cases.iter();
            for case in described.filter(|case| case.values.names().count() > 0) {
                let text = case.values.suffix();
                let described = cases::described_values(test.function, first, &text);
                let described = described.map(|values| values.suffix());
                assert_eq!(described, Some(text), "{}", test.id);
                let [names, known] = [&case.values, first].map(|values| values.names().count());
                open += usize::from(names > known);
                others += usize::from(names < known);
            }
        }
    }
    assert!(open > 100 && others > 100, "{open} {others}");
}

/// A right kernel that passes each built-in test of its contract must pass a user's test of the same shape.
#[test]
fn a_test_without_outputs_is_allowed_what_any_test_of_its_contract_is() {
    let named_cases = || REGISTRY.tests().filter(|test| !test.designed);
    for test in named_cases() {
        let case = &test.cases[0];
        let shape = case.values.to_string();
        let entries = shape.split(' ').filter_map(|entry| entry.split_once('='));
        let entries = entries.map(|(name, value)| match value.parse::<i64>() {
            Ok(number) => format!("{name} = {number}"),
            Err(_) => format!("{name} = \"{value}\""),
        });
        let text = format!(
            "schema = 1\n[[test]]\nid = \"mine\"\ncontract = \"{}\"\nshape = {{ {} }}\n",
            test.function.name,
            entries.collect::<Vec<_>>().join(", ")
        );
        let registry = Registry::parse("mine.toml", &text, Some(&REGISTRY));
        let registry = registry.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mine = &registry.tests().next().expect("a test").outputs;
        for same in named_cases().filter(|same| same.function.name == test.function.name) {
            for (name, output) in &same.outputs {
                let allowed = &mine[name].tolerance;
                assert_eq!(
                    &allowed.union(&output.tolerance),
                    allowed,
                    "{}: {name}",
                    same.id
                );
            }
        }
        if test.function.name == "gdr_l2_normalize" {
            assert_eq!(mine["y"].tolerance.ulp, Some(48));
            assert_eq!(mine["y"].tolerance.relative_rms, Some(2.1e-6));
        }
    }
}

#[test]
fn named_tolerances_refer_to_each_other_in_any_order() {
    let table = "{ tolerance = 0.0, ceiling = 1e-6, reason = \"rounded once\" }";
    let read = |tolerances: &str| {
        let head = format!("partial = true\n[tolerances]\n{tolerances}");
        let text = GOOD.replacen("partial = true", &head, 1);
        parse(&text.replacen(&format!("outputs.out = {table}"), "outputs = \"a\"", 1))
    };
    for tolerances in [
        format!("a = {table}"),
        format!("a = \"b\"\nb = {table}"),
        format!("b = {table}\na = \"b\""),
        format!("a = \"c\"\nb = {table}\nc = \"b\""),
    ] {
        let registry = read(&tolerances).expect(&tolerances);
        let mul = registry.tests().next().expect("a test");
        assert_eq!(mul.outputs["out"].tolerance, Tolerance::absolute(0.0, 1e-6));
    }
    for (tolerances, title, line) in [
        ("a = \"b\"", "unknown tolerance: `b`", 4),
        ("a = \"a\"", "the tolerance `a` leads back to itself", 4),
        (
            "a = \"b\"\nb = \"c\"\nc = \"b\"",
            "the tolerance `b` leads",
            5,
        ),
        ("a = \"b\"\nb = { tolerance = -1 }", "`tolerance` is -1", 5),
    ] {
        let message = read(tolerances).expect_err(tolerances).to_string();
        assert!(message.contains(title), "{message}");
        assert!(message.contains(&format!("mine.toml:{line}:")), "{message}");
    }
}

/// The built-in registry is read as one, and its names hold in a user's file, which may define them anew.
#[test]
fn named_tolerances_hold_in_later_files_and_in_a_users_registry() {
    let small = "small = { tolerance = 1e-6, ceiling = 1e-4, reason = \"measured\" }";
    let head = |tolerance: &str| format!("partial = true\n[tolerances]\n{tolerance}");
    let first = |tolerance: &str| GOOD.replacen("partial = true", &head(tolerance), 1);
    let domains = "[[phase]]\nnumber = 2\ntitle = \"Two\"\n[phase.domains]\nmul = \"small\"\n";
    let second = |tolerances: &str| format!("schema = 1\n{tolerances}\n{domains}");
    let both = |first: &str, second: &str| {
        let files = [("a.toml", first), ("b.toml", second)];
        Registry::parse_files(&files, None)
    };
    let allowed = |registry: Result<Registry, FileError>| {
        let registry = registry.unwrap_or_else(|error| panic!("{error}"));
        let test = registry.tests().last().expect("a test");
        test.outputs["out"].tolerance.absolute
    };
    assert_eq!(allowed(both(&first(small), &second(""))), 1e-6);
    let same = "[tolerances]\nsame = \"small\"";
    let same = second(same).replace("mul = \"small\"", "mul = \"same\"");
    assert_eq!(allowed(both(&first(small), &same)), 1e-6);
    let own = second(&format!("[tolerances]\n{small}"));
    assert_eq!(allowed(both(GOOD, &own)), 1e-6);
    let message = both(&first(small), &own).expect_err("twice").to_string();
    assert!(message.contains("`small` is there twice"), "{message}");
    assert!(message.contains("b.toml:3:1"), "{message}");
    // Only the tolerance has a complaint, not each use.
    for wrong in ["small = { tolerance = -1 }", "small = \"small\""] {
        let wrong = both(&first(wrong), &second("")).expect_err(wrong);
        assert_eq!(wrong.to_string().matches("error: ").count(), 1, "{wrong}");
    }
    let users = |tolerances: &str| {
        let test = "id = \"mine\"\ncontract = \"mul\"\nshape = { n = 3 }\noutputs = \"rule\"";
        let text = format!("schema = 1\n{tolerances}\n[[test]]\n{test}\n");
        Registry::parse("mine.toml", &text, Some(&REGISTRY))
    };
    assert_eq!(allowed(users("")), 1e-5);
    for anew in [
        "rule = { tolerance = 1e-3 }",
        "rule = \"a\"\na = { tolerance = 1e-3 }",
        "a = { tolerance = 1e-3 }\nrule = \"b\"\nb = \"a\"",
        "bits = \"rule\"\nrule = { tolerance = 1e-3 }",
    ] {
        assert_eq!(allowed(users(&format!("[tolerances]\n{anew}"))), 1e-3);
    }
    let message = users("extends = \"nothing\"").expect_err("no names");
    let message = message.to_string();
    assert!(message.contains("unknown tolerance: `rule`"), "{message}");
}

/// A contract of a phase's domains has the test that a row with `cases = "design"` has.
#[test]
fn a_contract_of_a_phases_domains_is_a_test_of_its_design() {
    let head = "schema = 1\npartial = true\n[[phase]]\nnumber = 1\ntitle = \"One\"\n";
    let tolerance = "{ tolerance = 1e-6, ceiling = 1e-4, reason = \"measured\" }";
    let contracts = [("solve_tri", "X"), ("mul", "out")];
    let row = |(contract, output): (&str, &str)| {
        format!(
            "[[phase.test]]\nid = \"{contract}_domain\"\ncontract = \"{contract}\"\n\
             cases = \"design\"\noutputs.{output} = {tolerance}\n"
        )
    };
    let line = |(contract, output)| format!("{contract}.{output} = {tolerance}\n");
    let phases = |text: &str| {
        let registry = parse(text).unwrap_or_else(|error| panic!("{error}"));
        format!("{:?}", registry.phases)
    };
    let rows = contracts.map(row);
    let lines = contracts.map(line);
    let expected = phases(&format!("{head}{}", rows.concat()));
    let table = format!("{head}[phase.domains]\n{}", lines.concat());
    assert_eq!(phases(&table), expected);
    let mixed = format!("{head}{}[phase.domains]\n{}", rows[0], lines[1]);
    assert_eq!(phases(&mixed), expected);
    let message = parse(head).expect_err("no tests").to_string();
    assert!(message.contains("this phase has no `test`"), "{message}");
}

#[test]
fn a_test_catches_all_planted_bugs_but_its_unplanted() {
    let planted = |list: &str, base| {
        let text = GOOD.replacen("planted = \"all\"", list, 1);
        let registry = Registry::parse("mine.toml", &text, base)?;
        Ok::<_, FileError>(registry.tests().nth(1).expect("two").planted.clone())
    };
    let all = planted("planted = \"all\"", None).expect("it is good");
    for (left_out, base) in (0..all.len()).flat_map(|at| [(at, None), (at, Some(&*REGISTRY))]) {
        let list = format!("unplanted = [{:?}]", all[left_out]);
        let mut others = all.clone();
        others.remove(left_out);
        assert_eq!(planted(&list, base).expect("it is good"), others);
    }
    let message = planted(&format!("unplanted = {all:?}"), None).expect_err("nothing");
    let message = message.to_string();
    assert!(message.contains("catches no planted bug"), "{message}");
}

/// Each mistake has its complaint, whatever other mistakes the file has.
#[test]
fn a_test_without_cases_is_named_beside_other_mistakes() {
    let cases = "cases = [{ n = 4, k = 2 }, { k = 3, n = 5 }]";
    let empty = GOOD.replacen(cases, "cases = []", 1);
    let title = "this test has no cases";
    for text in [empty.clone(), empty.replacen("n = 100", "n = 0", 1)] {
        let message = parse(&text).expect_err("no cases").to_string();
        assert!(message.contains(title), "{message}");
    }
    let wrong = GOOD.replacen(cases, "cases = [{ n = 0, k = 2 }]", 1);
    let message = parse(&wrong).expect_err("no such shape").to_string();
    assert!(!message.contains(title), "{message}");
}

#[test]
fn a_good_registry_is_read_as_written() {
    let registry = parse(GOOD).expect("it is good");
    let ids: Vec<&str> = all_cases(&registry)
        .map(|entry| entry.case.id.as_str())
        .collect();
    assert_eq!(ids, ["mul", "solve:n=4,k=2", "solve:n=5,k=3"]);
    let mul = registry.tests().next().expect("a test");
    assert_eq!(mul.aliases, ["product"]);
    assert_eq!(mul.outputs["out"].tolerance, Tolerance::absolute(0.0, 1e-6));
    assert_eq!(mul.planted, ["sum for product"]);
    let solve = registry.tests().nth(1).expect("two");
    assert_eq!(solve.planted.len(), 4, "{:?}", solve.planted);
    assert_eq!(solve.planted[1], "solves (I + A) X = B");
    assert!(!mul.documented);
}

/// Tests can have the names that a published report gives them.
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
    let message = parse(&text)
        .expect_err("one directory for two tests")
        .to_string();
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

/// The names of the documented tests, in the document's order (its section 7.3).
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
    let registry = Registry::built_in().expect("it is good");
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

#[test]
fn every_mistake_is_named_at_its_place() {
    // Rows: the replaced text, its replacement, the expected complaint, and its line.
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
            "no test runs these contracts: sigmoid, exp",
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
            17,
        ),
        (
            "aliases = [\"product\"]",
            "aliases = [\"mul\"]",
            "already its own name",
            10,
        ),
        (
            "contract = \"mul\"",
            "contract = \"mull\"",
            "unknown contract: `mull`",
            11,
        ),
        ("contract = \"mul\"\n", "", "this test has no `contract`", 8),
        ("{ n = 100 }", "{ n = 0 }", "`n` is 0", 12),
        ("{ n = 100 }", "{ n = -4 }", "`n` is -4", 12),
        (
            "{ n = 100 }",
            "{ n = 1.5 }",
            "expected a whole number, found float",
            12,
        ),
        (
            "{ n = 100 }",
            "{ n = 99999999999999999999 }",
            "this number is too large",
            12,
        ),
        (
            "{ n = 100 }",
            "{ m = 100 }",
            "unknown key of a shape: `m`",
            12,
        ),
        ("{ n = 100 }", "{}", "this shape has no `n`", 12),
        (
            "{ n = 4, k = 2 }",
            "{ n = 5000, k = 2 }",
            "the largest tensor of this shape has 25000000 elements",
            19,
        ),
        (
            "{ n = 4, k = 2 }",
            "{ n = 5, k = 3 }",
            "the case solve:n=5,k=3 is there twice",
            19,
        ),
        (
            "tolerance = 0.0",
            "tolerance = -1e-6",
            "`tolerance` is -0.000001",
            13,
        ),
        (
            "tolerance = 0.0",
            "tolerance = nan",
            "`tolerance` is NaN",
            13,
        ),
        (
            "tolerance = 0.0",
            "tolerance = 1e-3",
            "the tolerance 1e-3 is above the ceiling 1e-6",
            13,
        ),
        (
            "tolerance = 0.0",
            "ulp = 0, relative_rms = 1",
            "`ulp` is 0",
            13,
        ),
        (
            "tolerance = 0.0",
            "ulp = -1, relative_rms = 1",
            "`ulp` is -1",
            13,
        ),
        (
            "tolerance = 0.0",
            "ulp = 65, relative_rms = 1",
            "`ulp` is 65",
            13,
        ),
        (
            "tolerance = 0.0",
            "ulp = 1.5, relative_rms = 1",
            "expected a whole number, found float",
            13,
        ),
        ("tolerance = 0.0", "ulp = 1", "has no `relative_rms`", 13),
        ("tolerance = 0.0, ", "", "has no `tolerance`", 13),
        (
            "outputs.out",
            "outputs.oot",
            "unknown key of a test's outputs: `oot`",
            13,
        ),
        (
            ", reason = \"rounded once\"",
            "",
            "this output has no `reason`",
            13,
        ),
        (
            "\"sum for product\"",
            "\"sum of product\"",
            "unknown planted bug of contract `mul`: `sum of product`",
            14,
        ),
        (
            "[\"sum for product\"]",
            "[\"sum for product\", \"sum for product\"]",
            "`sum for product` is named twice",
            14,
        ),
        (
            "[\"sum for product\"]",
            "\"sum for product\"",
            "`planted` is \"sum for product\"",
            14,
        ),
        (
            "[\"sum for product\"]",
            "[3]",
            "expected a text in quotes, found integer",
            14,
        ),
        ("[\"sum for product\"]", "[]", "catches no planted bug", 14),
        (
            "cases = [",
            "shape = { n = 4 }\ncases = [",
            "`n` is in the test's `shape` too",
            20,
        ),
        (
            "cases = [{ n = 4, k = 2 }, { k = 3, n = 5 }]",
            "shape = { n = 4 }\ncases = \"design\"",
            "this test has a `shape` beside",
            19,
        ),
        (
            "{ tolerance = 0.0, ceiling = 1e-6, reason = \"rounded once\" }",
            "\"once\"",
            "unknown tolerance: `once`",
            13,
        ),
        (
            "partial = true",
            "partial = true\ntolerances = 3",
            "`tolerances` is no table",
            3,
        ),
        (
            "planted = [\"sum for product\"]",
            "unplanted = [\"sum of product\"]",
            "unknown planted bug of contract `mul`: `sum of product`",
            14,
        ),
        (
            "planted = [\"sum for product\"]",
            "unplanted = [\"sum for product\", \"sum for product\"]",
            "`sum for product` is named twice",
            14,
        ),
        (
            "planted = [\"sum for product\"]",
            "unplanted = \"all\"",
            "expected an array, found string",
            14,
        ),
        (
            "planted = \"all\"",
            "planted = \"all\"\nunplanted = [\"solves (I + A) X = B\"]",
            "this test has `unplanted` beside `planted`",
            22,
        ),
        (
            "planted = \"all\"",
            "[phase.domains]\nmull.out = 3",
            "unknown contract: `mull`",
            22,
        ),
        (
            "planted = \"all\"",
            "[phase.domains]\nmul.out = \"once\"",
            "unknown tolerance: `once`",
            22,
        ),
        (
            "planted = \"all\"",
            "[phase.domains]\nmul.oot = \"once\"",
            "unknown key of a test's outputs: `oot`",
            22,
        ),
        (
            "planted = \"all\"",
            "[phase.domains]\nmul = {}",
            "this test's outputs has no `out`",
            22,
        ),
        (
            "planted = \"all\"",
            "[phase.domains]\nmul = \"once\"\nmul = \"once\"",
            "duplicate key",
            23,
        ),
        (
            "planted = \"all\"",
            "aliases = [\"mul_domain\"]\n[phase.domains]\nmul.out = \"once\"",
            "`mul_domain` names two tests",
            23,
        ),
        (
            "planted = \"all\"",
            "[[phase]]\nnumber = 2\ntitle = \"Two\"\ndomains = 3",
            "expected a table, found integer",
            24,
        ),
    ];
    for (good, bad, title, line) in mistakes {
        assert!(GOOD.contains(good), "{good}");
        let message = parse(&GOOD.replacen(good, bad, 1))
            .expect_err(bad)
            .to_string();
        assert!(message.contains(title), "{bad}:\n{message}");
        assert!(
            message.contains(&format!("mine.toml:{line}:")),
            "{bad}, line {line}:\n{message}"
        );
        assert!(message.contains("= help: "), "{bad}:\n{message}");
    }
}

/// The built-in code object has every kernel that a built-in binding launches. The code object of planted
/// bugs has every kernel that a binding plants, with the arguments of the kernel that it replaces. Each
/// planted kernel is launched by a bug, and each bug must be caught by a test.
#[test]
fn planted_kernels_bindings_and_tests_fit_together() {
    let (built_in, planted) = (
        Program::built_in().expect("built in"),
        Program::planted().expect("built in"),
    );
    let args = |kernel: &gfx906::code_object::Kernel| -> Vec<(u32, u32)> {
        let args = kernel.explicit_args();
        args.map(|arg| (arg.offset, arg.size)).collect()
    };
    let registry = Registry::built_in().expect("it is good");
    let mut used = std::collections::BTreeSet::new();
    for binding in crate::binding::built_in().expect("good files") {
        let contract = binding.function.name;
        for kernel in binding.kernels() {
            // The literal part of the name before its first formula.
            let start = kernel.split('*').next().expect("a piece");
            let mut there = built_in.object.kernels.iter();
            assert!(
                there.any(|known| known.name == kernel
                    || start != kernel && known.name.starts_with(start)),
                "{contract}: kernels/built/ has no kernel {kernel}: scripts/build-kernels.sh builds the sources; \
                 if they have none of this name, mend the binding's `symbol`"
            );
        }
        for bug in &binding.planted {
            for (kernel, by) in bug.replaced() {
                let honest = built_in.object.kernel(&kernel).expect("it is launched");
                let Some(wrong) = planted.object.kernel(&by) else {
                    panic!(
                        "{contract}: kernels/built/planted.co has no kernel {by}: scripts/build-kernels.sh builds the sources"
                    );
                };
                assert_eq!(args(honest), args(wrong), "{contract}: {by}");
            }
            used.extend(bug.launched());
            let mut tests = registry.tests();
            let caught = tests.any(|test| {
                let same = test.function.name == contract && test.binding == binding.name;
                same && test.planted.contains(&bug.name)
            });
            assert!(caught, "{contract}: no test must catch `{}`", bug.name);
        }
    }
    let kernels = planted.object.kernels.iter().map(|kernel| &kernel.name);
    let left: Vec<&String> = kernels.filter(|name| !used.contains(*name)).collect();
    assert_eq!(left, [""; 0], "planted kernels that nothing launches");
}

#[test]
fn diagnostics_look_like_this() {
    let bad = GOOD
        .replace("sum for", "sum of")
        .replace("n = 100", "n = 0, m = 3")
        .replace("1e-4", "-1");
    insta::assert_snapshot!(parse(&bad).expect_err("three mistakes").to_string());
}

/// No content of a file may cause a panic: the test reads every prefix of a good file, and the file with
/// each byte damaged.
#[test]
fn damaged_files_are_diagnosed() {
    for end in (0..GOOD.len()).filter(|&end| GOOD.is_char_boundary(end)) {
        let _ = Registry::parse("x", &GOOD[..end], None);
    }
    for at in 0..GOOD.len() {
        for damage in ["\u{0}", "é", "\"", "]", "\n", "=", "9"] {
            let text = format!("{}{damage}{}", &GOOD[..at], &GOOD[at + 1..]);
            let _ = Registry::parse("x", &text, None);
        }
    }
}

/// Returns the product of a case's sizes.
fn size(case: &Case) -> i64 {
    let numbers = case.values.iter().filter_map(|(_, value)| match value {
        Value::Number(number) => Some((*number).max(1)),
        Value::Word(_) => None,
    });
    numbers.product()
}

/// A diagnosis tells a mistake that a contract names, and none that is tried for every contract: it tells them apart by their names.
#[test]
fn no_mistake_of_a_contract_has_the_name_of_one_that_is_tried_for_all() {
    const SMALL: i64 = 1 << 16;
    let registry = Registry::built_in().expect("a registry");
    let mut names = BTreeSet::new();
    for entry in all_cases(&registry).filter(|entry| size(entry.case) < SMALL) {
        let named = (entry.case.id.as_str(), &entry.case.values);
        let made = Instance::make(entry.test.function, named, 0, None, &|_| None);
        for check in made.expect("a case").checks {
            names.extend(check.mistakes.iter().map(|mistake| mistake.name));
        }
    }
    let general = names.iter().filter(|name| is_general_hypothesis(name));
    assert_eq!(general.collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(names.contains("head-map") && names.len() > 50, "{names:?}");
}

/// A mistake that panics or has another shape would take the verdict of a wrong kernel away.
#[test]
fn every_known_mistake_can_be_computed() {
    let registry = Registry::built_in().expect("a registry");
    // The smallest case of each contract.
    let mut smallest: BTreeMap<&str, (&Test, &Case)> = BTreeMap::new();
    for test in registry.tests() {
        for case in &test.cases {
            let known = smallest.entry(test.function.name).or_insert((test, case));
            if size(case) < size(known.1) {
                *known = (test, case);
            }
        }
    }
    let mut computed = 0;
    for (test, case) in smallest.into_values() {
        let named = (case.id.as_str(), &case.values);
        let made = Instance::make(test.function, named, 0, None, &|_| None);
        let made = made.expect("a case");
        for check in &made.checks {
            for mistake in &check.mistakes {
                let name = (mistake.name, &case.id);
                assert_eq!(mistake.values().len(), check.oracle.len(), "{name:?}");
                computed += 1;
            }
        }
    }
    assert!(computed > 100, "{computed}");
}
