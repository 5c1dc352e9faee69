//! Numbers of launches and the formulas that give them.

use super::*;

fn terms() -> Terms<'static> {
    Terms::new(
        vec![
            ("B", 2),
            ("T", 100),
            ("H", 4),
            ("HV", 8),
            ("K", 64),
            ("C", 1),
        ],
        &[],
    )
}

fn argument(value: i64) -> String {
    terms().argument(value).formula
}

#[test]
fn arguments_are_the_simplest_formula() {
    for (value, formula) in [
        (100, "T"),
        (1, "C"),
        (0, "0"),
        (800, "T * HV"),
        (12_800, "B * T * K"),
        (101, "T + 1"),
        (99, "T - 1"),
        (25, "T / H"),
    ] {
        assert_eq!(argument(value), formula, "{value}");
    }
    let literal = terms().argument(7919);
    assert!(
        literal.literal && literal.formula == "7919" && literal.uses.is_empty(),
        "{literal:?}"
    );
    // A flag is no remainder of a size, and stands without a question.
    let flag = Terms::new(vec![("T", 100)], &[]).argument(1);
    assert_eq!((flag.formula.as_str(), flag.literal), ("1", false));
}

#[test]
fn what_does_as_well_is_named() {
    let same = Terms::new(vec![("M", 64), ("N", 64), ("K", 32)], &[]);
    let guess = same.argument(64);
    assert_eq!(
        (guess.formula.as_str(), guess.others),
        ("M", vec!["N".to_owned()])
    );
    assert_eq!(guess.uses, ["M"]);
}

#[test]
fn grids_are_sizes_and_tiles() {
    let groups = |value, block| terms().groups(value, block);
    for (value, block, formula) in [
        (100, [64, 64], "T"),
        (8, [64, 64], "HV"),
        (4, [32, 32], "H"),
        // Tiles of the block before others.
        (50, [256, 256], "ceil(B * K * T / 256)"),
        (7, [16, 256], "ceil(T / 16)"),
        (200, [64, 64], "B * T"),
    ] {
        let guess = groups(value, block);
        let given = guess
            .others
            .iter()
            .chain([&guess.formula])
            .any(|found| same(found, formula));
        assert!(given, "{value}: {guess:?}");
    }
    // Of a small case the tile cannot be seen.
    let small = Terms::new(vec![("n", 100)], &[]).groups(1, [256, 256]);
    assert_eq!(
        (small.formula.as_str(), &small.others[..]),
        ("1", &["ceil(n / 256)".to_owned()][..])
    );
    // Four elements to a work-item.
    assert_eq!(
        Terms::new(vec![("n", 3000)], &[])
            .groups(6, [128, 128])
            .formula,
        "ceil(n / 512)"
    );
}

/// The same letters: products are of any order.
fn same(a: &str, b: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}

/// One size by another only where the contract divides them so itself.
#[test]
fn quotients_of_sizes_are_axes() {
    let sizes = || vec![("T", 100), ("C", 32), ("n", 1)];
    let axes = ["ceil(T / C)".to_owned()];
    assert_eq!(
        Terms::new(sizes(), &axes).groups(4, [256, 256]).formula,
        "ceil(T / C)"
    );
    assert_eq!(
        Terms::new(sizes(), &[]).groups(4, [256, 256]).formula,
        "ceil(T / 32)"
    );
    assert_eq!(
        Terms::new(sizes(), &axes).argument(4).formula,
        "ceil(T / C)"
    );
}

#[test]
fn floats_are_scales_of_a_size() {
    let float = |value: f32| terms().float(value);
    assert_eq!(float(0.125).formula, "1 / sqrt(K)");
    // As a host computes it in f32, perhaps a place off.
    let near = f32::from_bits((1.0f32 / 8f32.sqrt()).to_bits() + 1);
    assert_eq!(float(near).formula, "1 / sqrt(HV)");
    let other = float(0.3);
    assert!(other.literal && other.formula == "0.3");
}

#[test]
fn dynamic_lds_is_elements_of_four_bytes_first() {
    let bytes = |value| terms().bytes(value, [64, 1, 1]).formula;
    assert_eq!(bytes(400), "4 * T");
    assert_eq!(bytes(4 * 100 * 64), "4 * T * K");
    assert_eq!(bytes(1234), "1234");
}
