//! Comparison of a repeated trial: the outputs must have the same bits.

use crate::report::model::Problem;
use crate::tensor::Axis;

use super::pattern;
use crate::tensor::{self, Element};

/// Compares an output of repetition `run` (2 is the second run) with the output of the first run.
pub fn judge_repeat<E: Element>(
    output: &str,
    axes: &[Axis],
    run: usize,
    first: &[E],
    this: &[E],
) -> Option<Problem> {
    let total = first.len().max(this.len());
    let bits = |values: &[E], at: usize| values.get(at).map(|value| value.bits());
    let differ: Vec<bool> = (0..total)
        .map(|at| bits(first, at) != bits(this, at))
        .collect();
    let at = differ.iter().position(|&bad| bad)?;
    let value = |values: &[E]| values.get(at).map_or(f64::NAN, |value| value.to_f64());
    Some(Problem::NotRepeatable {
        output: output.to_string(),
        run,
        count: differ.iter().filter(|&&bad| bad).count(),
        total,
        axes: axes.to_vec(),
        index: tensor::index(axes, at),
        first_run: value(first),
        this_run: value(this),
        pattern: pattern(axes, &differ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_not_values_are_compared() {
        let axes = [Axis::new("element", 3)];
        let nan = f32::NAN;
        assert_eq!(
            judge_repeat("o", &axes, 2, &[1.0f32, nan, 0.0], &[1.0, nan, 0.0]),
            None
        );
        let Some(Problem::NotRepeatable {
            count, index, run, ..
        }) = judge_repeat("o", &axes, 3, &[1.0f32, nan, 0.0], &[1.0, nan, -0.0])
        else {
            panic!("a sign of zero was not noticed");
        };
        assert_eq!((count, index, run), (1, vec![2], 3));
        assert!(judge_repeat("o", &axes, 2, &[1.0f32], &[1.0, 2.0]).is_some());
    }
}
