use super::Filter;
use crate::{Real, shape};

/// The tokens of whole sequences, which follow one another.
#[derive(Clone, Copy, Debug)]
pub struct PrefillBatch<'a, R> {
    /// `[dim, tokens]`.
    pub x: &'a [R],
    /// First token of each sequence, and the number of tokens: `[N + 1]`.
    pub starts: &'a [i32],
}

/// `y_t = act(bias + sum_j w[j] x[t-W+1+j])`, with zeros before each sequence: q and k `[tokens, kd]`, v `[tokens, vd]`
/// (`gdr_causal_conv1d_fwd_f32`).
#[must_use]
pub fn prefill<R: Real>(filter: &Filter<'_, R>, batch: &PrefillBatch<'_, R>) -> [Vec<R>; 3] {
    let to_index = |start: &i32| usize::try_from(*start).unwrap_or(0);
    let starts: Vec<usize> = batch.starts.iter().map(to_index).collect();
    let tokens = starts.last().copied().unwrap_or(0);
    shape::expect(
        "conv prefill",
        "x",
        batch.x.len(),
        &[filter.features(), tokens],
    );
    let mut qkv = filter
        .parts()
        .map(|features| vec![R::ZERO; tokens * features]);
    for feature in 0..filter.features() {
        let x = &batch.x[feature * tokens..][..tokens];
        let (part, of_part) = filter.part(feature);
        for sequence in starts.windows(2) {
            for t in sequence[0]..sequence[1] {
                let oldest = (t + 1).saturating_sub(filter.width).max(sequence[0]);
                qkv[part][t * filter.parts()[part] + of_part] =
                    filter.apply(feature, &x[oldest..=t]);
            }
        }
    }
    qkv
}

#[cfg(test)]
mod tests {
    use super::super::{UpdateBatch, update};
    use super::*;

    #[test]
    fn by_hand() {
        // q sums three tokens, k takes the previous token, and v doubles the token; the sequences have 3, 0 and 2 tokens.
        let filter = Filter {
            key_features: 1,
            value_features: 1,
            width: 3,
            weights: &[1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0f64],
            bias: Some(&[0.0, 0.25, 0.0]),
            silu: false,
        };
        let x = [
            [1.0, 2.0, 4.0, 8.0, 16.0],
            [1.0, 2.0, 3.0, 4.0, 5.0],
            [1.0, 1.0, 1.0, 2.0, 3.0],
        ];
        let got = prefill(
            &filter,
            &PrefillBatch {
                x: x.as_flattened(),
                starts: &[0, 3, 3, 5],
            },
        );
        assert_eq!(
            got,
            [
                [1.0, 3.0, 7.0, 8.0, 24.0],
                [0.25, 1.25, 2.25, 0.25, 4.25],
                [2.0, 2.0, 2.0, 4.0, 6.0],
            ]
        );
    }

    /// Checks a prefill against decode steps from a state of zeros. bf16 represents every result exactly.
    #[test]
    fn a_prefill_is_decoding_from_nothing() {
        let weights: Vec<f64> = (0..12).map(|i| f64::from(i % 3) - 1.0).collect();
        let filter = Filter {
            key_features: 1,
            value_features: 1,
            width: 4,
            weights: &weights,
            bias: None,
            silu: false,
        };
        let tokens = 7;
        let x: Vec<f64> = (0..3 * tokens).map(|i| ((i * 5) % 7) as f64).collect();
        let starts = [0, 7];
        let whole = prefill(
            &filter,
            &PrefillBatch {
                x: &x,
                starts: &starts,
            },
        );
        let step = UpdateBatch {
            x: &x,
            tokens,
            state: &[0.0; 9],
            lines: &[0],
        };
        let none = || vec![0.0; tokens];
        assert_eq!(update(&filter, &step, [none(), none(), none()]).qkv, whole);
    }
}
