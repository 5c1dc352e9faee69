use gfx906::machine::Poison;

use super::super::accepted_trivially;
use super::*;
use crate::report::model::{UnwrittenSource, UnwrittenStorage};
use crate::tensor::poison;

/// An output and its references that agree, to be spoilt by a test.
#[derive(Clone)]
pub(super) struct Sample {
    pub axes: Vec<Axis>,
    pub tolerance: Tolerance,
    pub got: Vec<f32>,
    pub golden: Vec<f32>,
    pub oracle: Vec<f64>,
}

impl Sample {
    pub fn new(golden: Vec<f32>, tolerance: f64, ceiling: f64) -> Sample {
        Sample {
            axes: vec![Axis::new("element", golden.len())],
            tolerance: Tolerance::absolute(tolerance, ceiling),
            got: golden.clone(),
            oracle: golden.iter().map(|&v| f64::from(v)).collect(),
            golden,
        }
    }

    fn case(&self) -> OutputCase<'_, f32> {
        OutputCase {
            name: "out",
            axes: &self.axes,
            tolerance: &self.tolerance,
            got: &self.got,
            golden: &self.golden,
            oracle: &self.oracle,
            inputs: &[],
            alternatives: Some(&[]),
            owner: None,
        }
    }

    fn judge(&self) -> OutputReport {
        judge_output(&self.case()).expect("the sample can be judged")
    }

    pub fn problem(&self) -> Option<Problem> {
        let report = self.judge();
        let verdict = if report.problem.is_some() {
            Verdict::Fail
        } else {
            Verdict::Pass
        };
        assert_eq!(report.verdict, verdict);
        report.problem
    }
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|at| at as f32 * 0.37 - 5.11).collect()
}

#[test]
fn poison_comes_before_nan_and_nan_before_a_mismatch() {
    let mut sample = Sample::new(ramp(8), 1e-3, 1e-2);
    assert_eq!(sample.problem(), None);
    sample.got[1] += 1.0;
    assert!(matches!(
        sample.problem(),
        Some(Problem::Mismatch { count: 1, .. })
    ));
    sample.got[5] = f32::NAN;
    assert!(matches!(
        sample.problem(),
        Some(Problem::NonFinite {
            nan: 1,
            inf: 0,
            from_poison: 0,
            ..
        })
    ));
    sample.got[7] = poison::element();
    let Some(Problem::PoisonLeft {
        count,
        total,
        wrong_besides,
        index,
        pattern,
        ..
    }) = sample.problem()
    else {
        panic!("poison was not noticed");
    };
    assert_eq!((count, total, wrong_besides, index), (1, 8, 2, vec![7]));
    assert_eq!(pattern.as_deref(), Some("one element: element 7"));
}

#[test]
fn a_nan_computed_from_poison_says_so() {
    let mut sample = Sample::new(ramp(4), 1e-3, 1e-2);
    sample.got[2] = f32::from_bits(poison::POISON | 1 << 22);
    assert!(matches!(
        sample.problem(),
        Some(Problem::NonFinite {
            nan: 1,
            from_poison: 1,
            ..
        })
    ));
}

/// A kernel that reads LDS, a register or stack memory that nobody wrote leaves a NaN among floats, and a wrong number among integers.
#[test]
fn what_nobody_wrote_is_told_of_floats_and_of_integers() {
    let told = |problem: Option<Problem>| match problem {
        Some(Problem::NonFinite { unwritten, .. } | Problem::Mismatch { unwritten, .. }) => {
            unwritten
        }
        other => panic!("{other:?}"),
    };
    let places = [
        (Poison::Register, UnwrittenStorage::Register),
        (Poison::Lds, UnwrittenStorage::Lds),
        (Poison::Scratch, UnwrittenStorage::Scratch),
    ];
    for (poison, what) in places {
        let mut sample = Sample::new(ramp(4), 1e-3, 1e-2);
        sample.got[2] = f32::from_bits(poison.word());
        sample.got[3] = f32::from_bits(poison.word() | 1 << 22);
        assert_eq!(told(sample.problem()), [UnwrittenSource { what, count: 2 }]);
        let (golden, oracle) = ([1, 2, 3], [1.0, 2.0, 3.0]);
        let exact = Tolerance::absolute(0.0, 0.0);
        let got = [1, poison.word() as i32, 4];
        let report = places::judged(&got, &golden, &oracle, &exact);
        assert_eq!(told(report.problem), [UnwrittenSource { what, count: 1 }]);
    }
}

#[test]
fn an_infinity_must_be_the_references() {
    let mut sample = Sample::new(vec![f32::INFINITY, 1.0], 1e-3, 1e-2);
    assert_eq!(sample.problem(), None);
    sample.got[0] = f32::NEG_INFINITY;
    assert!(matches!(
        sample.problem(),
        Some(Problem::NonFinite { nan: 0, inf: 1, .. })
    ));
    sample.got[0] = f32::MAX;
    assert!(matches!(sample.problem(), Some(Problem::Mismatch { .. })));
    let mut sample = Sample::new(vec![1.0, 2.0], 1e-3, 1e-2);
    sample.got[1] = f32::INFINITY;
    let Some(Problem::NonFinite { inf: 1, first, .. }) = sample.problem() else {
        panic!("an infinity was not noticed");
    };
    assert_eq!(
        (first.index, first.got, first.want),
        (vec![1], f64::INFINITY, 2.0)
    );
}

#[test]
fn both_references_have_a_say() {
    let mut sample = Sample::new(ramp(8), 1e-3, 1e-2);
    sample.oracle[3] += 2e-3;
    let Some(Problem::Mismatch { against, worst, .. }) = sample.problem() else {
        panic!("the oracle was not asked");
    };
    assert_eq!((against, worst.index), (Reference::Oracle, vec![3]));
    let mut sample = Sample::new(ramp(8), 1e-3, 1e-2);
    sample.golden[3] += 2e-3;
    assert!(matches!(
        sample.problem(),
        Some(Problem::Mismatch {
            against: Reference::Golden,
            ..
        })
    ));
}

#[test]
fn an_exact_output_equals_the_golden_bits_and_its_oracle_lies_within_the_ceiling() {
    let mut sample = Sample::new(vec![0.1, 0.0, 3.0], 0.0, 1e-4);
    sample.oracle[0] += 0.9e-4;
    assert_eq!(sample.problem(), None);
    sample.oracle[0] += 0.9e-4;
    assert!(matches!(
        sample.problem(),
        Some(Problem::Mismatch {
            against: Reference::Oracle,
            ..
        })
    ));

    // A ceiling of 0 requires that the oracle rounds to the output; the sign of zero is not compared.
    let mut sample = Sample::new(vec![0.1, -0.0, 3.0], 0.0, 0.0);
    sample.oracle = vec![0.1, 0.0, 3.0];
    assert_eq!(sample.problem(), None);
    sample.oracle[2] = f64::from(3f32.next_up());
    assert!(matches!(
        sample.problem(),
        Some(Problem::Mismatch {
            against: Reference::Oracle,
            ..
        })
    ));
}

#[test]
fn the_sign_of_zero_counts_unless_the_test_says_otherwise() {
    let mut sample = Sample::new(vec![0.0, 1.0], 0.0, 0.0);
    sample.got[0] = -0.0;
    assert!(matches!(
        sample.problem(),
        Some(Problem::Mismatch {
            against: Reference::Golden,
            count: 1,
            ..
        })
    ));
    sample.tolerance.zero_signs_equal = true;
    assert_eq!(sample.problem(), None);
    // The exception does not excuse any other element.
    sample.got[1] = 1f32.next_up();
    assert!(sample.problem().is_some());
}

#[test]
fn a_relative_rms_limit_catches_what_each_element_may_hide() {
    let mut sample = Sample::new(vec![1e-3; 100], 1e-3, 1e-2);
    for value in &mut sample.got {
        *value *= 1.5;
    }
    assert_eq!(sample.problem(), None);
    sample.tolerance.relative_rms = Some(1e-5);
    let Some(Problem::RelativeRms {
        against: Reference::Golden,
        found,
        allowed,
    }) = sample.problem()
    else {
        panic!("the limit was not looked at");
    };
    assert!((found - 0.5).abs() < 1e-6 && allowed == 1e-5);
    sample.golden = sample.got.clone();
    assert!(matches!(
        sample.problem(),
        Some(Problem::RelativeRms {
            against: Reference::Oracle,
            ..
        })
    ));
}

#[test]
fn the_first_bad_chunk_is_named_before_the_first_bad_row() {
    let mut sample = Sample::new(ramp(24), 1e-3, 1e-2);
    sample.axes = vec![
        Axis::new("chunk", 3),
        Axis::new("row", 4),
        Axis::new("column", 2),
    ];
    for at in [13, 17, 20] {
        sample.got[at] += 1.0;
    }
    let Some(Problem::Mismatch { first_bad, .. }) = sample.problem() else {
        panic!("no mismatch")
    };
    assert_eq!(
        first_bad,
        Some(FirstBad {
            axis: "chunk".into(),
            index: 1
        })
    );
}

#[test]
fn the_owner_of_the_worst_element_is_asked_by_its_index() {
    let mut sample = Sample::new(ramp(6), 1e-3, 1e-2);
    sample.axes = vec![Axis::new("row", 2), Axis::new("column", 3)];
    sample.got[4] += 1.0;
    sample.got[2] += 0.5;
    let owner = |index: &[usize]| {
        Some(Owner {
            launch: 0,
            work_group: [index[1] as u32, index[0] as u32, 0],
            work_item: [7, 0, 0],
        })
    };
    let report = judge_output(&OutputCase {
        owner: Some(&owner),
        ..sample.case()
    })
    .expect("usable");
    let Some(Problem::Mismatch { worst, .. }) = report.problem else {
        panic!("no mismatch")
    };
    assert_eq!(
        worst.owner,
        Some(Owner {
            launch: 0,
            work_group: [1, 1, 0],
            work_item: [7, 0, 0]
        })
    );
}

#[test]
fn what_cannot_be_judged_is_an_error_and_no_pass() {
    let good = Sample::new(ramp(4), 1e-3, 1e-2);
    let says = |sample: &Sample| {
        judge_output(&sample.case())
            .expect_err("must not be judged")
            .to_string()
    };

    let mut sample = good.clone();
    sample.golden[2] = f32::NAN;
    assert!(says(&sample).starts_with("the golden reference of output `out` is NaN at [2]"));
    let mut sample = good.clone();
    sample.oracle[3] = f64::NAN;
    sample.got[3] = f32::NAN;
    assert!(says(&sample).starts_with("the oracle of output `out` is NaN at [3]"));
    let mut sample = good.clone();
    sample.got.pop();
    assert!(says(&sample).contains("axes for 4 elements but its device buffer has 3"));
    let mut sample = good.clone();
    sample.oracle.push(0.0);
    assert!(says(&sample).contains("its oracle has 5"));
    let mut sample = good.clone();
    sample.axes[0].length = 0;
    assert!(says(&sample).contains("no elements"));
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        let mut sample = good.clone();
        sample.tolerance.absolute = bad;
        assert!(says(&sample).contains("tolerance"));
        let mut sample = good.clone();
        sample.tolerance.relative_rms = Some(bad);
        assert!(says(&sample).contains("tolerance"));
    }
}

#[test]
fn integers_and_halves_are_judged_alike() {
    let axes = [Axis::new("element", 2)];
    let tolerance = Tolerance::absolute(0.0, 0.0);
    let case = OutputCase {
        name: "mask",
        axes: &axes,
        tolerance: &tolerance,
        got: &[1i32, -2],
        golden: &[1, -2],
        oracle: &[1.0, -2.0],
        inputs: &[],
        alternatives: Some(&[]),
        owner: None,
    };
    assert_eq!(judge_output(&case).expect("usable").verdict, Verdict::Pass);
    let wrong = OutputCase {
        got: &[1i32, 2],
        ..case
    };
    assert_eq!(judge_output(&wrong).expect("usable").verdict, Verdict::Fail);

    let half = |value: f64| half::f16::from_f64(value);
    let tolerance = Tolerance::absolute(1e-3, 1e-3);
    let report = judge_output(&OutputCase {
        name: "h",
        axes: &axes,
        tolerance: &tolerance,
        got: &[half(0.1), half(1.0)],
        golden: &[half(0.1), half(1.001)],
        oracle: &[0.1, 1.001],
        inputs: &[],
        alternatives: Some(&[]),
        owner: None,
    })
    .expect("usable");
    assert_eq!(
        (
            report.verdict,
            report.element.as_str(),
            report.golden.max_ulp
        ),
        (Verdict::Pass, "f16", Some(1))
    );
}

#[test]
fn a_loose_tolerance_is_found_out_by_trivial_outputs() {
    let input = ramp(8);
    let inputs = [NamedInput {
        name: "x",
        values: &input,
        converted: false,
    }];
    let loose = Sample::new(vec![0.02; 8], 0.15, 0.15);
    let case = OutputCase {
        inputs: &inputs,
        ..loose.case()
    };
    assert_eq!(accepted_trivially(&case), Ok(vec!["all zeros".into()]));
    let echo = Sample::new(input.clone(), 1e-3, 1e-2);
    let case = OutputCase {
        inputs: &inputs,
        ..echo.case()
    };
    assert_eq!(
        accepted_trivially(&case),
        Ok(vec!["the input `x` echoed".into()])
    );
    let sound = Sample::new(input.iter().map(|v| v * v + 1.0).collect(), 1e-3, 1e-2);
    let case = OutputCase {
        inputs: &inputs,
        ..sound.case()
    };
    assert_eq!(accepted_trivially(&case), Ok(vec![]));
    // An input of another size cannot be echoed, and is no error.
    let inputs = [NamedInput {
        name: "longer",
        values: &[0.0; 9],
        converted: false,
    }];
    let case = OutputCase {
        inputs: &inputs,
        ..sound.case()
    };
    assert_eq!(accepted_trivially(&case), Ok(vec![]));
}

/// A NaN does not hide other wrong elements. The report once said 1/561 where 561 elements were wrong.
#[test]
fn what_is_no_number_hides_no_other_wrong_element() {
    let mut sample = Sample::new(ramp(1024), 1e-3, 1e-2);
    sample.axes = vec![Axis::new("row", 32), Axis::new("column", 32)];
    for at in 256..817 {
        sample.got[at] += 1.0 + (at % 7) as f32;
    }
    sample.got[300] = f32::NAN;
    sample.got[400] = 500.0;
    let report = sample.judge();
    assert_eq!((report.golden.mismatched, report.golden.total), (561, 1024));
    assert!(report.golden.max_abs.is_nan());
    let Some(Problem::NonFinite {
        nan: 1,
        inf: 0,
        first,
        besides: Some(besides),
        pattern,
        ..
    }) = report.problem
    else {
        panic!("{:?}", report.problem);
    };
    assert_eq!(first.index, [9, 12]);
    assert_eq!(
        (besides.count, &besides.worst.index[..]),
        (560, &[12, 16][..])
    );
    assert_eq!(besides.against, Reference::Golden);
    assert!((besides.max_abs - 357.11).abs() < 1e-3, "{besides:?}");
    assert!(besides.relative_rms.is_finite() && besides.relative_rms > 0.0);
    assert_eq!(
        pattern.as_deref(),
        Some("rows 8..25 only (97 % of that box)")
    );
}

#[test]
fn elements_that_miss_only_the_oracle_are_told_beside_a_nan() {
    let mut sample = Sample::new(ramp(64), 1e-3, 1e-2);
    sample.got[5] = f32::NAN;
    let nothing = |problem| matches!(problem, Some(Problem::NonFinite { besides: None, .. }));
    assert!(nothing(sample.problem()));
    for value in &mut sample.oracle[40..50] {
        *value += 1.0;
    }
    let Some(Problem::NonFinite {
        besides: Some(besides),
        ..
    }) = sample.problem()
    else {
        panic!("the oracle was not asked");
    };
    assert_eq!((besides.against, besides.count), (Reference::Oracle, 10));
}
