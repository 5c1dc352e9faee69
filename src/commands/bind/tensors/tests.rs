//! Regions of recorded launches and the tensors that they are taken for.

use super::*;
use crate::binding::describe;
use crate::commands::contracts;
use crate::contract::Value;

/// The tensors of a contract at these sizes; its words are the first of each choice.
fn tensors(contract: &str, sizes: &[(&str, i64)]) -> (Vec<Candidate>, Values) {
    let function = contracts::find(contract, &[]).expect("a contract");
    let numbers = sizes
        .iter()
        .map(|(name, number)| ((*name).to_owned(), Value::Number(*number)));
    let words = function
        .words
        .iter()
        .map(|(name, words)| ((*name).to_owned(), Value::Word(words[0])));
    let values = Values::new(numbers.chain(words).collect());
    let described = describe(function, &[&values], &[]).expect("its tensors");
    let candidates = Candidate::of(function, described.tensors());
    (candidates, values)
}

fn region(size: u64, changed: bool) -> Region {
    Region {
        buffer: "alloc1".into(),
        offset: 0,
        size,
        changed: Some(changed),
    }
}

/// Names of what each region is, `?` for nothing.
fn taken(
    contract: &str,
    sizes: &[(&str, i64)],
    regions: &[Region],
    names: &[Option<&str>],
) -> Vec<String> {
    let (candidates, values) = tensors(contract, sizes);
    let taken = Tensors::at(&candidates, &values).take(regions, names);
    let shown = taken.iter().map(|taken| match taken {
        RegionUse::Unknown => "?".to_owned(),
        RegionUse::Outputs => "all".to_owned(),
        RegionUse::Tensor {
            tensor,
            fit,
            others,
        } => {
            let others = others
                .iter()
                .map(|other| format!("|{}", candidates[*other].name));
            let fit = match fit {
                Fit::Exact => "",
                Fit::Half => " half",
                Fit::Within(_) => " within",
            };
            format!(
                "{}{}{fit}",
                candidates[*tensor].name,
                others.collect::<String>()
            )
        }
    });
    shown.collect()
}

const GEMM: [(&str, i64); 3] = [("M", 100), ("N", 72), ("K", 40)];

#[test]
fn size_and_writing_tell_tensors_apart() {
    // C, B, A: bytes of f32.
    let regions = [
        region(28_800, true),
        region(11_520, false),
        region(16_000, false),
    ];
    assert_eq!(
        taken("gemm_nt", &GEMM, &regions, &[None; 3]),
        ["C", "B", "A"]
    );
    // Halves, and what an allocator rounded up.
    let regions = [
        region(8_000, false),
        region(12_288, false),
        region(28_800, true),
    ];
    assert_eq!(
        taken("gemm_nt", &GEMM, &regions, &[None; 3]),
        ["A half", "B within", "C"]
    );
    // What was written is no input.
    let regions = [region(16_000, true)];
    assert_eq!(taken("gemm_nt", &GEMM, &regions, &[None]), ["?"]);
}

#[test]
fn where_several_fit_the_order_decides_and_a_name_before_it() {
    let square = [("M", 64), ("N", 64), ("K", 64)];
    let regions = [
        region(16_384, false),
        region(16_384, false),
        region(16_384, true),
    ];
    assert_eq!(
        taken("gemm_nt", &square, &regions, &[None; 3]),
        ["A|B", "B|A", "C"]
    );
    let names = [Some("b"), Some("weights"), Some("c")];
    assert_eq!(taken("gemm_nt", &square, &regions, &names), ["B", "A", "C"]);
    // A name that the size contradicts says nothing.
    let regions = [
        region(11_520, false),
        region(16_000, false),
        region(28_800, true),
    ];
    assert_eq!(
        taken("gemm_nt", &GEMM, &regions, &[Some("A"), Some("B"), None]),
        ["B", "A", "C"]
    );
}

#[test]
fn outputs_may_stand_one_behind_the_other() {
    let sizes = [
        ("B", 1),
        ("T", 3),
        ("H", 1),
        ("HV", 2),
        ("K", 64),
        ("V", 32),
    ];
    let (outputs, state) = (3 * 2 * 32 * 4, 2 * 64 * 32 * 4);
    let regions = [region(outputs + state, true)];
    assert_eq!(taken("gdn_recurrent", &sizes, &regions, &[None]), ["all"]);
    let regions = [region(state, true), region(outputs, true)];
    assert_eq!(
        taken("gdn_recurrent", &sizes, &regions, &[None; 2]),
        ["final", "o"]
    );
}

/// An output that came to what was there before, zeros say, is one still.
#[test]
fn an_output_may_be_left_as_it_was() {
    let regions = [region(400, false), region(400, false), region(400, false)];
    assert_eq!(
        taken("mul", &[("n", 100)], &regions, &[None; 3]),
        ["a|b", "b|a", "out"]
    );
}
