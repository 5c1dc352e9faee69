use super::Filter;
use crate::gdr::bf16;
use crate::{Real, shape};

/// The batch of a decode step, and the states of all running sequences.
#[derive(Clone, Copy, Debug)]
pub struct UpdateBatch<'a, R> {
    /// `[batch, dim, seqlen]`.
    pub x: &'a [R],
    /// New tokens of each row of the batch.
    pub tokens: usize,
    /// States: the last W - 1 elements of each feature, oldest first, `[lines, dim, W - 1]`.
    pub state: &'a [R],
    /// The state's line of each row of the batch, or -1 for padding, `[batch]`. No line occurs twice.
    pub lines: &'a [i32],
}

/// Results of a decode step.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateResults<R> {
    /// q and k `[batch, kd, seqlen]`, v `[batch, vd, seqlen]`. Rows of padding keep their earlier content.
    pub qkv: [Vec<R>; 3],
    /// States after the step, `[lines, dim, W - 1]`.
    pub state: Vec<R>,
}

/// Computes `y = act(bias + sum_j w[j] state[j] + w[W-1] x)` for each new token in turn, rounded to bf16. The state then holds the last
/// `W - 1` elements of state and x, which are bf16 numbers and need no rounding (`gdr_causal_conv1d_update_bf16`).
///
/// `before` is the earlier content of q, k and v: a row of padding reads nothing and writes nothing.
#[must_use]
pub fn update<R: Real>(
    filter: &Filter<'_, R>,
    step: &UpdateBatch<'_, R>,
    before: [Vec<R>; 3],
) -> UpdateResults<R> {
    let (features, tokens, history_length) = (filter.features(), step.tokens, filter.width - 1);
    shape::expect(
        "conv update",
        "x",
        step.x.len(),
        &[step.lines.len(), features, tokens],
    );
    let mut updated = UpdateResults {
        qkv: before,
        state: step.state.to_vec(),
    };
    for (row, &line) in step.lines.iter().enumerate() {
        let Ok(line) = usize::try_from(line) else {
            continue;
        };
        for feature in 0..features {
            let first = (line * features + feature) * history_length;
            let state = &mut updated.state[first..first + history_length];
            let x = &step.x[(row * features + feature) * tokens..][..tokens];
            let history = [&*state, x].concat();
            let (part, of_part) = filter.part(feature);
            let y = (row * filter.parts()[part] + of_part) * tokens;
            for (t, window) in history.windows(filter.width).enumerate() {
                updated.qkv[part][y + t] = bf16::round(filter.apply(feature, window));
            }
            state.copy_from_slice(&history[tokens..]);
        }
    }
    updated
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Filter<'_, f64> = Filter {
        key_features: 1,
        value_features: 1,
        width: 2,
        weights: &[1.0, 1.0, 1.0, 0.0, 0.0, 2.0],
        bias: None,
        silu: false,
    };

    #[test]
    fn by_hand() {
        // two rows on the lines 2 and 0 of three, padding between them
        let step = UpdateBatch {
            x: &[1.0, 2.0, 3.0, 9.0, 9.0, 9.0, 4.0, 5.0, 6.0],
            tokens: 1,
            state: &[10.0, 20.0, 30.0, 7.0, 7.0, 7.0, 40.0, 50.0, 60.0],
            lines: &[2, -1, 0],
        };
        let before = [vec![-1.0; 3], vec![-1.0; 3], vec![-1.0; 3]];
        let got = update(&PLAIN, &step, before);
        assert_eq!(
            got.qkv,
            [[41.0, -1.0, 14.0], [50.0, -1.0, 20.0], [6.0, -1.0, 12.0]]
        );
        assert_eq!(got.state, [4.0, 5.0, 6.0, 7.0, 7.0, 7.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn several_tokens_are_as_many_steps() {
        let weights: Vec<f64> = (0..12).map(|i| f64::from(i % 5) - 2.0).collect();
        let filter = Filter {
            width: 4,
            weights: &weights,
            silu: true,
            ..PLAIN
        };
        let state: Vec<f64> = (0..9).map(f64::from).collect();
        let x = [1.0, -1.0, 2.0, 0.5, 3.0, -2.0];
        let none = |n| [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let at_once = update(
            &filter,
            &UpdateBatch {
                x: &x,
                tokens: 2,
                state: &state,
                lines: &[0],
            },
            none(2),
        );
        let mut state = state;
        for t in 0..2 {
            let single_step = update(
                &filter,
                &UpdateBatch {
                    x: &[x[t], x[2 + t], x[4 + t]],
                    tokens: 1,
                    state: &state,
                    lines: &[0],
                },
                none(1),
            );
            for part in 0..3 {
                assert_eq!(single_step.qkv[part][0], at_once.qkv[part][t]);
            }
            state = single_step.state;
        }
        assert_eq!(state, at_once.state);
    }

    #[test]
    fn outputs_are_bf16() {
        let step = UpdateBatch {
            x: &[1.0f32, 1.0, 1.0],
            tokens: 1,
            state: &[2f32.powi(-9); 3],
            lines: &[0],
        };
        let filter = Filter {
            key_features: 1,
            value_features: 1,
            width: 2,
            weights: &[1.0, 1.0, 3.0, 1.0, 4.0, 1.0],
            bias: None,
            silu: false,
        };
        let got = update(&filter, &step, [vec![0.0], vec![0.0], vec![0.0]]);
        // A quarter of a bf16 step rounds down, three quarters round up, and a whole step stays.
        let next = 1.0 + 2f32.powi(-7);
        assert_eq!(got.qkv, [[1.0], [next], [next]]);
    }
}
