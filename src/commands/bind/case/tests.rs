//! Sizes of recorded calls.

use super::*;
use crate::binding::describe;
use crate::commands::contracts;
use crate::commands::exec::recorded::Region;
use crate::exit::Stop;

/// Finds the case of a launch of a contract. `regions` are the bytes of its buffers, and whether they were changed.
fn found(
    contract: &str,
    given: &str,
    regions: &[(u64, bool)],
    numbers: &[Number<'_>],
) -> Result<String, Stop> {
    let function = contracts::find(contract, &[])?;
    let entries: Vec<String> = given
        .split(',')
        .filter(|entry| !entry.is_empty())
        .map(Into::into)
        .collect();
    let given = GivenSizes::read(function, &entries)?;
    let dims = function.dims.iter().map(|name| (*name, 3));
    let words: Vec<_> = function
        .words
        .iter()
        .map(|(name, words)| (*name, words[0]))
        .collect();
    let values = case(function, &dims.collect::<Vec<_>>(), &words);
    let described = describe(function, &[&values], &[]).expect("its tensors");
    let regions: Vec<Region> = regions
        .iter()
        .map(|(size, changed)| Region {
            buffer: "alloc".into(),
            offset: 0,
            size: *size,
            changed: Some(*changed),
        })
        .collect();
    let names = vec![None; regions.len()];
    let recorded = RecordedLaunch {
        code_object: "x.co".into(),
        kernel: "k".into(),
        grid: [7, 1, 1],
        block: [256, 1, 1],
        dynamic_lds: 0,
        args: Vec::new(),
        regions,
    };
    let case = find(&described, &given, &recorded, &names, numbers).map_err(Stop::usage)?;
    Ok(case.values.to_string())
}

const GEMM: [(u64, bool); 3] = [(16_000, false), (11_520, false), (28_800, true)];

#[test]
fn sizes_are_found_where_the_launch_leaves_one_assignment() {
    let number = |number| (None, number);
    assert_eq!(
        found(
            "mul",
            "",
            &[(400, false), (400, false), (400, true)],
            &[number(100)]
        )
        .expect("its sizes"),
        "n=100"
    );
    // Nobody hands over n: the buffers tell it.
    assert_eq!(
        found("mul", "", &[(400, false), (400, false), (400, true)], &[]).expect("its sizes"),
        "n=100"
    );
    // Halves.
    assert_eq!(
        found(
            "mul",
            "",
            &[(200, false), (200, false), (200, true)],
            &[number(100)]
        )
        .expect("its sizes"),
        "n=100"
    );
    let sizes = [number(40), number(100), number(72), number(1)];
    assert_eq!(
        found("gemm_nt", "M=100", &GEMM, &sizes).expect("its sizes"),
        "M=100 N=72 K=40"
    );
    // By name, in whatever case.
    let named = [(Some("k"), 40), (Some("m"), 100), (Some("n"), 72)];
    assert_eq!(
        found("gemm_nt", "", &GEMM, &named).expect("its sizes"),
        "M=100 N=72 K=40"
    );
    // A name that the buffers contradict says nothing.
    let wrong = [(Some("n"), 40), (Some("x"), 100)];
    assert_eq!(
        found(
            "mul",
            "",
            &[(400, false), (400, false), (400, true)],
            &wrong
        )
        .expect("its sizes"),
        "n=100"
    );
}

#[test]
fn what_is_not_told_is_asked_for() {
    let number = |number| (None, number);
    let sizes = [number(40), number(100), number(72)];
    assert_eq!(
        found("gemm_nt", "", &GEMM, &sizes)
            .expect_err("two")
            .message,
        "several sizes fit the buffers of the launch (M=72,N=100,K=40; M=100,N=72,K=40): choose with `--size`"
    );
    assert_eq!(
        found("gemm_nt", "K=40", &[(16_000, false)], &sizes)
            .expect_err("no output")
            .message,
        "the buffers and numbers of the launch do not tell its sizes: give them, `--size M=..,N=..`"
    );
    // In no tensor's shape.
    let named = found(
        "tril",
        "n=3",
        &[(36, false), (36, true)],
        &[(Some("diag"), -1)],
    );
    assert!(
        named
            .expect_err("not told")
            .message
            .ends_with("`--size diag=..`")
    );
}

#[test]
fn choices_are_words_of_the_contract() {
    let refused = |given: &str| {
        found("gdn_l2norm", given, &[], &[])
            .expect_err("refused")
            .message
    };
    assert_eq!(
        refused("form=square"),
        "`--size form=square`: `form` is one of root, max"
    );
    assert_eq!(
        refused("D=4,form=root,D=4"),
        "`--size D=4`: `D` is given twice"
    );
    assert_eq!(
        refused("E=4"),
        "`--size E=4`: `gdn_l2norm` has no such size; there is: rows, D, form, size"
    );
    let case = found(
        "gdn_l2norm",
        "rows=2,D=8,form=root",
        &[(64, false), (64, true)],
        &[],
    );
    assert_eq!(case.expect("its sizes"), "rows=2 D=8 form=root size=usual");
}
