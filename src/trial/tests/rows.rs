//! Tests of tensors whose row pitch is larger than the row: kernels must not write the padding between rows.

use super::types::{LIKE, ran_by};
use super::*;
use crate::binding::parse_for;
use crate::contract::{DeviceResult, Function, Instance, table};
use crate::report::model::{GuardSide, TrialReport};
use crate::tensor::Distribution::Uniform;
use crate::tensor::ElementKind::F32;

static ROWS: Function = Function {
    name: "rows",
    run: &rows,
    outputs: &["y"],
    ..LIKE
};

/// Three rows in the middle of a matrix of 6 x 5.
fn rows(t: &mut Instance<'_>) -> DeviceResult {
    let x = t.input_as(F32, "x", table(6, 5), Uniform(0.5, 2.0))?;
    let y = t.output_as(F32, "y", table(3, 5))?;
    let expected = t.values(x)[10..25].to_vec();
    t.check_exact(y, expected)
}

/// Copies `bytes` bytes of each row into rows of `pitch` elements.
fn copied(bytes: u32, pitch: u32, repeat: u16) -> TrialReport {
    let text = format!(
        r#"
schema = 1
[[binding]]
contract = "rows"
symbol = "kernel_mul"
grid = [1]
block = [256]
layout = {{ y = {{ axes = "row column", pitch = "{pitch}" }} }}
for = "t in 0..3"
args = ["x[t + 2]", "x", "y[t]", "i32 {bytes}"]
"#
    );
    let bindings = parse_for("rows.toml", &text, &[&ROWS]).expect("a good one");
    ran_by(&bindings[0], &ROWS, FakeBehaviour::Copy, repeat, None)
}

/// A kernel whose rows are longer than those of its output passed: only the guards around a buffer were looked at.
#[test]
fn what_is_written_between_rows_is_told() {
    let right = copied(20, 8, 2);
    assert_eq!(right.verdict, Verdict::Pass, "{right:?}");
    let stray = copied(24, 8, 1);
    assert_eq!(stray.verdict, Verdict::Fail);
    assert_eq!(stray.outputs[0].verdict, Verdict::Pass);
    // Element 5 of each row of 8. Copies of f32 from 0.5 to 2 differ from poison in every byte but by chance.
    let Some(Problem::GuardOverwritten {
        buffer,
        side: GuardSide::Between,
        offset,
        count,
        size,
    }) = &stray.problem
    else {
        panic!("{:?}", stray.problem);
    };
    assert_eq!((buffer.as_str(), *size), ("y", 3 * 8 * 4));
    assert!(
        (20..24).contains(offset) && *count <= 3 * 4 && *count >= 3,
        "{offset} {count}"
    );
}

/// Rows without anything between them are a plain tensor, and beyond the last there is the guard.
#[test]
fn behind_the_last_row_is_the_guard() {
    assert_eq!(copied(20, 5, 1).verdict, Verdict::Pass);
    let stray = copied(24, 5, 1);
    assert!(
        matches!(
            stray.problem,
            Some(Problem::GuardOverwritten {
                side: GuardSide::After,
                offset: 60..64,
                ..
            })
        ),
        "{:?}",
        stray.problem
    );
}
