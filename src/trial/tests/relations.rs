//! Laws that need no reference: wrong kernels break them, and so do those that a reference agrees with.

use super::*;
use crate::contract::catalog::rule::problem::{problem, read_convention};
use crate::contract::{DeviceResult, Function, Instance, Mathematics, Test, table};
use crate::device::Spec;
use crate::program::PLANTED;
use crate::references;
use crate::registry::REGISTRY;
use crate::report::model::TrialReport;
use crate::tensor::Distribution::Normal;
use deltanet_reference::operators;

/// Runs a case with its laws, with a planted bug or none.
fn tried(test: &Test, case: usize, bug: Option<&str>) -> TrialReport {
    let device = Spec::EMULATOR.open().expect("it is there");
    let mut bound = Bound::built_in(test.function).expect("a binding");
    bound.planted = bug.map(|name| {
        let mut bugs = bound.binding.planted.iter();
        let bug = bugs.find(|bug| bug.name == name).expect("the bug");
        PlantedKernel {
            bug,
            program: &PLANTED,
        }
    });
    let place = (13, test, &test.cases[case]);
    let plan = Plan {
        relations: true,
        ..Plan::new(&*device, (&BUILT_IN, bound), place, 0)
    };
    plan.run().report
}

fn broken(report: &TrialReport) -> Vec<&str> {
    let relations = report.relations.iter();
    let broken = relations.filter(|relation| relation.problem.is_some());
    broken.map(|relation| relation.name.as_str()).collect()
}

/// A test of the registry with another reference: it agrees with a wrong kernel.
fn agreeing(of: &Test, run: &'static Mathematics) -> Test {
    let Function {
        name,
        title,
        formulas,
        dims,
        integers,
        words,
        outputs,
        largest,
        domain,
        ..
    } = *of.function;
    let function = Function {
        lists: &[],
        derived: &[],
        name,
        title,
        formulas,
        dims,
        integers,
        words,
        outputs,
        largest,
        domain,
        run,
        file: None,
    };
    Test {
        binding: None,
        id: of.id.clone(),
        aliases: Vec::new(),
        function: Box::leak(Box::new(function)),
        title: of.title.clone(),
        documented: false,
        designed: true,
        cases: of.cases.clone(),
        outputs: of.outputs.clone(),
        planted: Vec::new(),
    }
}

/// The bug, and the law that it breaks in a case of its contract's domain.
#[rustfmt::skip]
const BREAKS: &[(&str, &str, &str)] = &[
    ("neg_domain", "-abs(x)", "undone-by-itself"),
    ("exp_domain", "result cut to half precision", "reciprocal"),
    ("mul_domain", "lane 0's factor for the whole wave", "operands-exchanged"),
    ("cumsum_domain", "starts again every 16 elements", "sums-differ-by-summands"),
    ("solve_tri_domain", "last product of each row forgotten", "solves"),
    ("apply_causal_identity_domain", "identity on top of the old diagonal", "nothing-left"),
    ("gemm_nt_domain", "B not transposed", "transposed-product"),
    ("decay_mask_domain", "difference without exponential", "decays-multiply"),
    ("solve_causal_identity_domain", "solve_tri_sequential: last product of each row forgotten", "inverse"),
    ("gdn_l2norm_domain", "the sum of squares for its root", "unit-rows"),
    ("gdn_l2norm_domain", "a wave reduction over half the wave", "rows-keep-direction"),
    ("gdn_chunk_solve_domain", "(I - L)^-1", "inverse"),
    ("gdn_chunk_l_domain", "beta on v only", "scaled-by-two"),
    ("gdn_chunk_l_domain", "head maps swapped", "heads-within-groups"),
    ("gdn_recurrent_domain", "state dropped at a chunk boundary", "handed-on"),
    ("gdn_recurrent_domain", "state dropped at a chunk boundary", "padded"),
    ("gdn_recurrent_domain", "initial state transposed", "columns-reversed"),
    ("gdn_recurrent_domain", "head maps swapped", "heads-within-groups"),
    ("gdn_recurrent_domain", "a state carried over between sequences", "sequences-reversed"),
    ("ggml_gated_delta_net_domain", "head maps swapped", "heads-within-groups"),
    ("gdn_backward_domain", "dg without the part through the error", "gate-products"),
    ("gdn_backward_domain", "dfinal transposed", "rows-reversed"),
    ("gdn_conv_backward_domain", "weights from the last to the first", "weight-products"),
    ("gdr_prepare_lens_domain", "ends, not lengths", "lengths-sum-to-all"),
    ("gdr_cu_seqlens_from_lens_domain", "the sum before each length", "offsets-differ-by-lengths"),
    ("gdr_prepare_chunk_offsets_domain", "nothing carried beyond 256 sequences", "offsets-never-fall"),
];

#[test]
fn wrong_kernels_break_laws() {
    for (id, bug, law) in BREAKS {
        let test = REGISTRY.tests().find(|test| test.id == *id);
        let test = test.expect("the test");
        let mut cases = 0..test.cases.len();
        let breaks = |case| broken(&tried(test, case, Some(bug))).contains(law);
        assert!(cases.any(breaks), "{id}: {bug} keeps {law}");
    }
}

/// The axis of tokens is split into chunks and rows in some cases.
#[test]
fn right_kernels_keep_the_law_of_inverses() {
    for id in ["solve_tril_tk BT=64", "chunk_tk solve_tril (in-place)"] {
        let test = REGISTRY.tests().find(|test| test.id == id);
        let test = test.expect("the test");
        for case in 0..test.cases.len() {
            let report = tried(test, case, None);
            assert_eq!(broken(&report), Vec::<&str>::new(), "{}", report.id);
            let mut laws = report.relations.iter();
            assert!(
                laws.any(|law| law.name == "inverse" && law.verdict == Verdict::Pass),
                "{}",
                report.id
            );
        }
    }
}

/// The reference has each value head read the key head that the wrong kernel reads.
fn other_heads(t: &mut Instance<'_>) -> DeviceResult {
    let mut convention = read_convention(t);
    convention.head_map = convention.head_map.other();
    let p = problem(t, convention)?;
    let [o, last] = p.results(t)?;
    p.check(t, o, last)
}

/// The reference solves (I + A) X = B, as the wrong kernel does.
fn other_sign(t: &mut Instance<'_>) -> DeviceResult {
    let (n, k) = (t.dim("n"), t.dim("k"));
    let full = t.draw("full", table(n, n), Normal(0.15));
    let a = t.upload("A", table(n, n), operators::tril(t.values(full), n, -1))?;
    let b = t.input("B", table(n, k), Normal(1.0))?;
    let x = t.output("X", table(n, k))?;
    let references = references!(t, |a, b| {
        operators::solve_tri(&operators::neg(a), b, n, k)
    });
    t.check(x, references)
}

/// The body of a contract.
type Run = &'static Mathematics;

/// Cases in which a law must find a mistake.
const ENOUGH: usize = 3;

/// A law must find a mistake that kernel and reference share, which every other part of the judgement accepts.
#[test]
fn a_mistake_that_the_reference_shares_is_found() {
    let shared: [(_, _, Run, _); 2] = [
        (
            "gdn_recurrent_domain",
            "head maps swapped",
            &other_heads,
            "heads-within-groups",
        ),
        (
            "solve_tri_domain",
            "solves (I + A) X = B",
            &other_sign,
            "solves",
        ),
    ];
    for (id, bug, run, law) in shared {
        let of = REGISTRY.tests().find(|test| test.id == id);
        let test = agreeing(of.expect("the test"), run);
        let mut found = 0;
        for case in 0..test.cases.len() {
            let report = tried(&test, case, Some(bug));
            let passes =
                |output: &crate::report::model::OutputReport| output.verdict == Verdict::Pass;
            assert!(report.outputs.iter().all(passes), "{report:?}");
            assert_eq!(report.error, None);
            let breaks = broken(&report).contains(&law);
            assert_eq!(report.verdict == Verdict::Fail, !broken(&report).is_empty());
            found += usize::from(breaks);
            if found == ENOUGH {
                break;
            }
        }
        assert_eq!(found, ENOUGH, "{id}: cases that break {law}");
    }
}
