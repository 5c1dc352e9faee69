//! Arguments of recorded launches as bindings have them.

use gfx906::code_object::ArgKind;

use super::*;
use crate::commands::bind::tensors::Candidate;
use crate::contract::{Value, Values};

fn arg(name: Option<&str>, type_name: Option<&str>, size: usize) -> Arg {
    Arg {
        name: name.map(Into::into),
        type_name: type_name.map(Into::into),
        offset: 0,
        size: u32::try_from(size).expect("small"),
        kind: ArgKind::ByValue,
    }
}

/// Each of these values of one launch, as written, with the comment.
fn written(values: &[(&str, &[u8])]) -> Vec<String> {
    let sizes = [("T", 100), ("H", 4), ("HV", 8), ("K", 64), ("V", 64)];
    let case = Case {
        values: Values::new(
            sizes
                .iter()
                .map(|(name, number)| ((*name).into(), Value::Number(*number)))
                .collect(),
        ),
        candidates: Vec::<Candidate>::new(),
        assumed: Vec::new(),
    };
    let recorded = RecordedLaunch {
        code_object: "x.co".into(),
        kernel: "k".into(),
        grid: [1; 3],
        block: [64, 1, 1],
        dynamic_lds: 0,
        args: Vec::new(),
        regions: Vec::new(),
    };
    let mut arguments = Arguments::new(&case, &recorded, &[], sizes.to_vec(), Vec::new());
    let mut out = Vec::new();
    for (name, bytes) in values {
        let (name, type_name) = name.split_once(':').unwrap_or((name, ""));
        let arg = arg(
            Some(name),
            Some(type_name).filter(|name| !name.is_empty()),
            bytes.len(),
        );
        let one = arguments.write(&arg, &Argument::Bytes(bytes.to_vec()));
        let comment = one
            .comment
            .map_or_else(String::new, |comment| format!(" # {comment}"));
        out.push(one.text + &comment);
    }
    out
}

#[test]
fn numbers_are_formulas_of_their_type() {
    let found = written(&[
        ("tokens", &100i32.to_le_bytes()),
        ("v:unsigned int", &64u32.to_le_bytes()),
        ("x", &64i32.to_le_bytes()),
        ("stride", &(8i64 * 64).to_le_bytes()),
        ("scale", &0.125f32.to_le_bytes()),
        ("scale:double", &0.3f64.to_le_bytes()),
        ("minus", &(-1i32).to_le_bytes()),
        ("flag", &[1]),
        ("odd", &7919i32.to_le_bytes()),
    ]);
    assert_eq!(
        found,
        [
            "\"i32 T\"",
            "\"u32 V\"",
            // V is taken.
            "\"i32 K\" # or \"V\"",
            "\"i64 HV * K\" # or \"HV * V\"",
            "\"f32 1 / sqrt(K)\" # or \"1 / sqrt(V)\" or \"1 / HV\"",
            "\"f64 0.3\" # ? as recorded: no formula of the sizes was found",
            "\"i32 -1\" # ? as recorded: no formula of the sizes was found",
            "\"i8 1\"",
            "\"i32 7919\" # ? as recorded: no formula of the sizes was found",
        ]
    );
}

#[test]
fn other_bytes_are_divisors_or_themselves() {
    let divisor = crate::binding::fast_division(8).expect("a divisor");
    let found = written(&[
        ("by", &divisor),
        ("pair", &[1, 0, 0, 0, 0xef, 0x1e, 0, 0, 3, 0, 0, 0]),
        (
            "strides",
            &[[0, 1, 0, 0, 0, 0, 0, 0], [64, 0, 0, 0, 0, 0, 0, 0]].concat(),
        ),
        ("not a number", &[0, 0, 192, 255]),
    ]);
    assert_eq!(
        found,
        [
            "\"fastdiv(HV)\" # or of K / HV, V / HV",
            "\"raw 01000000ef1e000003000000\" # ? as recorded",
            "[\"i64 H * K\", \"i64 K\"] # ? members by their numbers",
            "\"i32 -4194304\" # ? as recorded: no formula of the sizes was found",
        ]
    );
}

/// A literal gives the same bits when it is read back.
#[test]
fn literals_keep_their_bits() {
    for value in [0.1f32, 1e-7, 3.0, 1.5e20, f32::MIN_POSITIVE] {
        let text = literal(f64::from(value));
        assert_eq!(
            text.parse::<f64>().expect("a number") as f32,
            value,
            "{text}"
        );
    }
    assert_eq!(literal(0.1), "0.1");
    assert_eq!(literal(1.0 / 3.0).parse(), Ok(1.0 / 3.0));
}
