//! Tests of the parsing and the evaluation of formulas.

use super::super::scope::Scope;
use super::super::value::Value;
use super::*;
use crate::contract;
use crate::contract::catalog::functions;

/// Evaluates a formula at M = 17, N = 33 and K = 64.
fn at(text: &str) -> Result<Value, Trouble> {
    let function = functions()
        .find(|function| function.name == "gemm_nt")
        .expect("it is there");
    let number = |name: &str, number| (name.to_owned(), contract::Value::Number(number));
    let values = contract::Values::new(vec![number("M", 17), number("N", 33), number("K", 64)]);
    let formula = parse(text)?;
    let scope = Scope::new(function, &values, &[], &[]);
    scope.number(&formula)
}

#[test]
fn precedence_is_that_of_c() {
    for (text, want) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 - 2 - 1", 4),
        ("64 / 4 / 4", 4),
        ("-2 + 5", 3),
        ("7 % 4 * 2", 6),
        ("1 + 1 == 2 && 3 < 2 || 1", 1),
        ("M > N ? 1 : M < N ? 2 : 3", 2),
        ("!0 + 1", 2),
        ("0x10 + 1_000", 1016),
        ("ceil(N / 16) * min(K, 100, 7)", 21),
        ("ceil(-1 / 2) + floor(-1 / 2)", -1),
    ] {
        let value = at(text).map(|value| value.integer());
        assert_eq!(value, Ok(Ok(want)), "{text}");
    }
}

/// A third three times is one; sizes never pass through floats.
#[test]
fn quotients_are_exact() {
    assert_eq!(at("N / 99 * 3"), Ok(Value::Fraction(1, 1)));
    assert_eq!(
        at("ceil(9007199254740993 / 1) - 9007199254740992"),
        Ok(Value::Fraction(1, 1))
    );
    assert_eq!(at("1 / 3 + 1 / 6"), Ok(Value::Fraction(1, 2)));
    assert_eq!(at("1 / sqrt(K)"), Ok(Value::Float(0.125)));
}

#[test]
fn what_has_no_value_is_told() {
    for (text, want) in [
        ("1 / 0", "division by 0"),
        ("1 % 0", "division by 0"),
        ("1 / (M - 17)", "division by 0"),
        (
            "170141183460469231731687303715884105727 + 1",
            "the result does not fit 127 bits",
        ),
        ("log(0)", "log(0) is -inf"),
        ("sqrt(-1)", "sqrt(-1) is NaN"),
        ("1e308 * 10.0", "the result is inf"),
        ("L", "unknown name `L`"),
        ("ceil()", "`)` where a number or a name is due"),
        ("1 +", "the formula ends where a number or a name is due"),
        ("1 2", "`2` where an operator or the end is due"),
        ("1 < 2 < 3", "comparisons in a row"),
        ("12ab", "`12ab` is no number"),
        ("'open", "this quote is open"),
        ("a ? 1", "the formula ends where `:` is due"),
    ] {
        assert_eq!(
            at(text).map_err(|trouble| trouble.title == want),
            Err(true),
            "{text}: {:?}",
            at(text)
        );
    }
    let deep = "(".repeat(5000);
    assert!(parse(&deep).is_err());
    assert!(parse(&"-".repeat(2000)).is_err());
}
