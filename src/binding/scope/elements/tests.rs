//! Tests of formulas whose result is a tensor.

use super::*;
use crate::binding::formula::parse;
use crate::binding::{NamedFormula, TensorAxis};
use crate::contract::catalog::functions;
use crate::contract::{self, Values};
use crate::tensor::ElementKind;

fn tensor(name: &str, kind: ElementKind, lengths: &[usize], numbers: Numbers) -> TensorShape {
    let axes = lengths.iter().map(|&length| TensorAxis {
        name: "axis".into(),
        symbol: String::new(),
        length,
    });
    TensorShape {
        numbers,
        ..TensorShape::plain(name, kind, axes.collect())
    }
}

fn known(numbers: &[f64]) -> Numbers {
    Numbers::Known(numbers.into())
}

/// Lengths of the axes, and the elements.
type Elements = (Vec<usize>, Vec<i128>);

/// Evaluates a formula at N = 3, with offsets of sequences of 5, 0 and 20 tokens.
fn found(text: &str) -> Result<Option<Elements>, String> {
    let mut functions = functions();
    let function = functions.find(|function| function.name == "gdn_packed");
    let function = function.expect("it is there");
    let values = vec![("N".to_owned(), contract::Value::Number(3))];
    let values = Values::new(values);
    let shapes = [
        tensor("cu", ElementKind::I32, &[4], known(&[0.0, 5.0, 5.0, 25.0])),
        tensor(
            "table",
            ElementKind::I32,
            &[2, 2],
            known(&[7.0, 6.0, 5.0, 4.0]),
        ),
        tensor("slots", ElementKind::I32, &[3], Numbers::Undrawn),
        tensor("q", ElementKind::F32, &[3], Numbers::None),
        tensor("done", ElementKind::I32, &[3], Numbers::None),
    ];
    let formula = |text| parse(text).expect("a formula");
    let lens = formula("diff(cu)");
    let circle = formula("circle + 1");
    let lets = [("lens", &lens), ("circle", &circle)];
    let lets = lets.map(|(name, formula)| NamedFormula { name, formula });
    let scope = Scope::new(function, &values, &shapes, &lets);
    let elements = scope.elements(&formula(text));
    let elements = elements.map_err(|trouble| trouble.title)?;
    Ok(elements.map(|elements| {
        let values = elements.values.iter();
        let values = values.map(|value| value.integer().expect("a whole number"));
        (elements.lengths, values.collect())
    }))
}

#[test]
fn index_tensors_follow_from_offsets() {
    for (text, lengths, values) in [
        ("cu", vec![4], vec![0, 5, 5, 25]),
        ("diff(cu)", vec![3], vec![5, 0, 20]),
        ("prefix_sum(lens)", vec![4], vec![0, 5, 5, 25]),
        ("ceil(lens / 16)", vec![3], vec![1, 0, 2]),
        ("prefix_sum(ceil(lens / 16))", vec![4], vec![0, 1, 1, 3]),
        ("chunk_indices(cu, 16)", vec![3, 2], vec![0, 0, 2, 0, 2, 1]),
        ("iota(N) * 2 + 1", vec![3], vec![1, 3, 5]),
        ("lens > 0 ? iota(N) : -1", vec![3], vec![0, -1, 2]),
        ("lens > 0 && lens < 10", vec![3], vec![1, 0, 0]),
        ("!lens", vec![3], vec![0, 1, 0]),
        ("-lens % 3", vec![3], vec![-2, 0, -2]),
        ("min(lens, 7)", vec![3], vec![5, 0, 7]),
        ("max(lens) - lens", vec![3], vec![15, 20, 0]),
        ("min(cu) + sum(lens)", vec![], vec![25]),
        ("repeat(iota(N), ceil(lens / 16))", vec![3], vec![0, 2, 2]),
        ("cu[iota(N) + 1]", vec![3], vec![5, 5, 25]),
        ("cu[N]", vec![], vec![25]),
        ("table[iota(2), 1]", vec![2], vec![6, 4]),
        ("table * 2", vec![2, 2], vec![14, 12, 10, 8]),
        ("count(cu) * 2", vec![], vec![8]),
        ("N == 3 ? cu : nothing", vec![4], vec![0, 5, 5, 25]),
    ] {
        assert_eq!(found(text), Ok(Some((lengths, values))), "{text}");
    }
}

/// Nothing is claimed of values that a case draws later.
#[test]
fn values_that_are_not_drawn_are_left_open() {
    for text in [
        "slots",
        "slots + 1",
        "prefix_sum(slots)",
        "iota(sum(slots))",
        "cu[slots]",
    ] {
        assert_eq!(found(text), Ok(None), "{text}");
    }
}

#[test]
fn what_has_no_elements_is_refused() {
    for (text, title) in [
        ("q + 1", "`q` is of f32"),
        ("diff(done)", "`done` has no values before the first launch"),
        ("cu + lens", "a tensor [3] does not fit a tensor [4]"),
        (
            "prefix_sum(3)",
            "`prefix_sum` takes a tensor of one axis, this is a number",
        ),
        ("iota(cu)", "`iota` takes one number, this is a tensor [4]"),
        (
            "diff(table)",
            "`diff` takes a tensor of one axis, this is a tensor [2, 2]",
        ),
        ("diff(cu, 2)", "`diff` is called with 2 arguments"),
        ("differ(cu)", "unknown function `differ`"),
        ("cut", "unknown name `cut`"),
        ("cu[4]", "index 4 of `cu`, which has 4 there"),
        ("cu[-1]", "index -1 of `cu`, which has 4 there"),
        (
            "table[1]",
            "`table` is a tensor [2, 2], these are 1 indices",
        ),
        (
            "circle",
            "`circle`: `circle` is defined by itself: circle -> circle",
        ),
        ("cu / lens[1]", "division by 0"),
        ("chunk_indices(cu, 0)", "`chunk_indices` with chunks of 0"),
        ("chunk_indices(-cu, 16)", "sequence 0 has -5 tokens"),
        ("repeat(cu, lens)", "`repeat` of 4 elements by 3 counts"),
        ("repeat(lens, -lens)", "`repeat` by a count of -5"),
        ("iota(9999999)", "`iota` of 9999999 elements"),
        ("iota(-1)", "`iota` of -1 elements"),
        ("max(repeat(cu, cu * 0))", "`max` of no elements"),
        (
            "prefix_sum(lens / 3)",
            "5/3 is not whole: round it with ceil(x) or floor(x)",
        ),
        ("gate + 1", "head is a word, a number is due"),
    ] {
        assert_eq!(found(text), Err(title.to_owned()), "{text}");
    }
}

/// Names of `let` that each use the one before twice: every name is evaluated once, and a row of names that is too long is refused.
#[test]
fn names_that_use_one_another_are_evaluated_once() {
    let mut functions = functions();
    let function = functions.next().expect("a contract");
    let values = Values::new(vec![("n".to_owned(), contract::Value::Number(1))]);
    let formula = |text: &str| parse(text).expect("a formula");
    let names: Vec<String> = (0..300).map(|number| format!("a{number}")).collect();
    let chained = names.iter().map(|name| format!("({name} + {name}) % 7"));
    let formulas: Vec<Formula> = [formula("3")]
        .into_iter()
        .chain(chained.map(|text| formula(&text)))
        .collect();
    let lets: Vec<NamedFormula<'_>> = names
        .iter()
        .zip(&formulas)
        .map(|(name, formula)| NamedFormula { name, formula })
        .collect();
    let scope = Scope::new(function, &values, &[], &lets);
    // Powers of 2 have a period of 3 modulo 7.
    let value = scope.value(&formula("a60")).expect("a number");
    assert_eq!(value.integer(), Ok(3));
    let elements = scope.elements(&formula("a61")).expect("a number");
    assert_eq!(elements.expect("known").values[0].integer(), Ok(6));
    let trouble = scope.value(&formula("a299")).expect_err("too long a row");
    assert_eq!(
        trouble.title,
        "`a299`: `a298`: `a297`: more than 200 names of `let` use one another in a row"
    );
}
