//! The causal convolution of each channel over the tokens of packed sequences, with histories in lines of a cache, and its gradients.

use crate::operators::sigmoid;
use crate::{Real, shape};

use super::op::silu;

/// Parameters of the convolution, and the sequences' places.
#[derive(Clone, Copy, Debug)]
pub struct PackedConv<'a, R> {
    /// Number of channels, D.
    pub channels: usize,
    /// Number of weights of a channel, W.
    pub width: usize,
    /// `[D, W]`; the last weight is that of the newest element.
    pub weights: &'a [R],
    /// Bias `[D]`, or none.
    pub bias: Option<&'a [R]>,
    /// True if SiLU follows.
    pub silu: bool,
    /// First token of each sequence, and the number of tokens, `[N + 1]`.
    pub bounds: &'a [usize],
}

/// The cache's line of each sequence.
#[derive(Clone, Copy, Debug)]
pub struct HistoryLines<'a> {
    /// Line of the history before the sequence, `[N]`. A sequence of line -1 is padding: nothing of it is read or written.
    pub read: &'a [i32],
    /// Line that the history after the sequence is written to, or -1 if it is not kept, `[N]`. No line occurs twice, and no sequence
    /// reads a line that another one writes.
    pub written: &'a [i32],
    /// 0 if the history before the sequence is zeros, whatever the line holds, `[N]`.
    pub has_initial: &'a [i32],
}

/// Results of the convolution.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedConvResults<R> {
    /// Outputs `[tokens, D]`. Sequences of padding keep the earlier content.
    pub y: Vec<R>,
    /// The cache `[lines, D, W - 1]` after the call.
    pub cache: Vec<R>,
}

/// A mistake of the convolution's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedConvDeparture {
    /// A sequence shorter than the history leaves the elements of the old history at their places.
    ShortNotShifted,
    /// The first tokens of a sequence look back into the sequence before it.
    HistoryAcross,
}

impl<R: Real> PackedConv<'_, R> {
    #[track_caller]
    fn check(&self) {
        let (weights, channels) = (self.weights.len(), self.channels);
        shape::expect("packed conv", "weights", weights, &[channels, self.width]);
        if let Some(bias) = self.bias {
            shape::expect("packed conv", "bias", bias.len(), &[channels]);
        }
    }

    fn sequences(&self) -> usize {
        self.bounds.len() - 1
    }

    fn tokens(&self) -> usize {
        self.bounds.last().copied().unwrap_or(0)
    }

    fn weights(&self, channel: usize) -> &[R] {
        &self.weights[channel * self.width..][..self.width]
    }

    /// Returns a channel's history and tokens of a sequence, one after another.
    fn elements(&self, history: &[R], x: &[R], sequence: usize, channel: usize) -> Vec<R> {
        let tokens = self.bounds[sequence]..self.bounds[sequence + 1];
        let own = tokens.map(|token| x[token * self.channels + channel]);
        history.iter().copied().chain(own).collect()
    }

    /// Returns the sum of a window, to which the activation is applied.
    fn sum(&self, channel: usize, window: &[R]) -> R {
        let bias = self.bias.map_or(R::ZERO, |bias| bias[channel]);
        let terms = self.weights(channel).iter().zip(window);
        terms.fold(bias, |sum, (&w, &x)| w.mul_add(x, sum))
    }
}

/// Computes `y_t = act(bias + sum_j w[j] s[t+j])`, where s is the sequence's history of W - 1 elements and then its tokens x. The last
/// W - 1 elements of s are the history after the sequence. A sequence may have fewer tokens than that, or none.
///
/// `before` is the earlier content of y, `[tokens, D]`. x is `[tokens, D]`, the cache `[lines, D, W - 1]` with the newest element last.
#[must_use]
pub fn packed_conv<R: Real>(
    conv: &PackedConv<'_, R>,
    x: &[R],
    cache: &[R],
    lines: &HistoryLines<'_>,
    before: &[R],
) -> PackedConvResults<R> {
    packed_conv_with_departure(conv, x, cache, lines, before, None)
}

/// Computes [`packed_conv`] with a mistake.
#[must_use]
pub fn packed_conv_with_departure<R: Real>(
    conv: &PackedConv<'_, R>,
    x: &[R],
    cache: &[R],
    lines: &HistoryLines<'_>,
    before: &[R],
    departure: Option<PackedConvDeparture>,
) -> PackedConvResults<R> {
    conv.check();
    let (channels, past) = (conv.channels, conv.width - 1);
    shape::expect("packed conv", "x", x.len(), &[conv.tokens(), channels]);
    shape::expect("packed conv", "before", before.len(), &[x.len()]);
    for line in [lines.read, lines.written, lines.has_initial] {
        shape::expect("packed conv", "lines", line.len(), &[conv.sequences()]);
    }
    let mut results = PackedConvResults {
        y: before.to_vec(),
        cache: cache.to_vec(),
    };
    let row = |line: usize, channel: usize| {
        let first = (line * channels + channel) * past;
        first..first + past
    };
    for sequence in 0..conv.sequences() {
        let Ok(read) = usize::try_from(lines.read[sequence]) else {
            continue;
        };
        let first = conv.bounds[sequence];
        for channel in 0..channels {
            let mut history = match lines.has_initial[sequence] {
                0 => vec![R::ZERO; past],
                _ => cache[row(read, channel)].to_vec(),
            };
            if departure == Some(PackedConvDeparture::HistoryAcross) {
                for (at, element) in history.iter_mut().rev().enumerate() {
                    let place = first.checked_sub(at + 1);
                    *element = place.map_or(R::ZERO, |token| x[token * channels + channel]);
                }
            }
            let elements = conv.elements(&history, x, sequence, channel);
            for (t, window) in elements.windows(conv.width).enumerate() {
                let sum = conv.sum(channel, window);
                let y = if conv.silu { silu(sum) } else { sum };
                results.y[(first + t) * channels + channel] = y;
            }
            if let Ok(written) = usize::try_from(lines.written[sequence]) {
                let tokens = elements.len() - past;
                let kept = &mut results.cache[row(written, channel)];
                kept.copy_from_slice(&elements[tokens..]);
                if departure == Some(PackedConvDeparture::ShortNotShifted) && tokens < past {
                    kept[..past - tokens].copy_from_slice(&history[..past - tokens]);
                }
            }
        }
    }
    results
}

/// The gradients of a loss by the inputs of the convolution.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedConvGradients<R> {
    /// The gradient by x, `[tokens, D]`.
    pub x: Vec<R>,
    /// The gradient by the weights, `[D, W]`: a sum over all sequences.
    pub weights: Vec<R>,
    /// The gradient by the bias, `[D]`, also if there is none: a sum over all sequences.
    pub bias: Vec<R>,
    /// The gradient by the history before each sequence, `[N, D, W - 1]`.
    pub initial: Vec<R>,
}

/// A mistake of the convolution's backward kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedConvGradientDeparture {
    /// The gradient by the elements takes the weights from the last to the first.
    WeightsReversed,
    /// The activation's derivative is that of the sigmoid.
    SigmoidDerivative,
    /// The gradients by weights and bias are those of the last sequence, and no sum.
    OneSequence,
    /// The gradient by the bias lacks the activation's derivative.
    BiasWithoutActivation,
    /// A sequence shorter than the history passes nothing of the gradient by the final history on to the initial one.
    ShortNotPassedOn,
}

/// Computes the gradients of [`packed_conv`] from those by y, `[tokens, D]`, and by the history after each sequence, `[N, D, W - 1]`. The
/// history before each sequence is `initial`, `[N, D, W - 1]`.
///
/// With `p_t = bias + sum_j w[j] s[t+j]` and `a_t = dy_t act'(p_t)`:
///
/// ```text
/// ds[i]  = sum_j w[j] a[i-j]             and for the last W - 1 elements dfinal, too
/// dw[j]  = sum_t a_t s[t+j]              over all sequences
/// dbias  = sum_t a_t                     over all sequences
/// ```
///
/// `ds` is the gradient by the initial history, and then that by x.
#[must_use]
pub fn packed_conv_backward<R: Real>(
    conv: &PackedConv<'_, R>,
    x: &[R],
    initial: &[R],
    dy: &[R],
    dfinal: &[R],
) -> PackedConvGradients<R> {
    packed_conv_backward_with_departure(conv, x, initial, [dy, dfinal], None)
}

/// Computes [`packed_conv_backward`] with a mistake, from the gradients by y and by the final histories.
#[must_use]
pub fn packed_conv_backward_with_departure<R: Real>(
    conv: &PackedConv<'_, R>,
    x: &[R],
    initial: &[R],
    [dy, dfinal]: [&[R]; 2],
    departure: Option<PackedConvGradientDeparture>,
) -> PackedConvGradients<R> {
    use PackedConvGradientDeparture as D;
    conv.check();
    let (channels, width, past) = (conv.channels, conv.width, conv.width - 1);
    let histories = [conv.sequences(), channels, past];
    shape::expect("packed conv", "x", x.len(), &[conv.tokens(), channels]);
    shape::expect("packed conv", "dy", dy.len(), &[x.len()]);
    shape::expect("packed conv", "initial", initial.len(), &histories);
    shape::expect("packed conv", "dfinal", dfinal.len(), &histories);
    let mut gradients = PackedConvGradients {
        x: vec![R::ZERO; x.len()],
        weights: vec![R::ZERO; conv.weights.len()],
        bias: vec![R::ZERO; channels],
        initial: vec![R::ZERO; initial.len()],
    };
    for sequence in 0..conv.sequences() {
        let first = conv.bounds[sequence];
        if departure == Some(D::OneSequence) {
            gradients.weights.fill(R::ZERO);
            gradients.bias.fill(R::ZERO);
        }
        for channel in 0..channels {
            let row = (sequence * channels + channel) * past;
            let elements = conv.elements(&initial[row..row + past], x, sequence, channel);
            let tokens = elements.len() - past;
            let mut by_element = vec![R::ZERO; elements.len()];
            by_element[tokens..].copy_from_slice(&dfinal[row..row + past]);
            if departure == Some(D::ShortNotPassedOn) && tokens < past {
                by_element[tokens..past].fill(R::ZERO);
            }
            let mut weights = conv.weights(channel).to_vec();
            if departure == Some(D::WeightsReversed) {
                weights.reverse();
            }
            let mut by_weight = vec![R::ZERO; width];
            let mut by_bias = R::ZERO;
            for t in (0..tokens).rev() {
                let window = &elements[t..t + width];
                let dy = dy[(first + t) * channels + channel];
                let sum = conv.sum(channel, window);
                let slope = match departure {
                    _ if !conv.silu => R::ONE,
                    Some(D::SigmoidDerivative) => {
                        let s = sigmoid(&[sum])[0];
                        s * (R::ONE - s)
                    }
                    _ => silu_slope(sum),
                };
                let by_sum = dy * slope;
                by_bias = by_bias
                    + match departure {
                        Some(D::BiasWithoutActivation) => dy,
                        _ => by_sum,
                    };
                for j in 0..width {
                    by_element[t + j] = weights[j].mul_add(by_sum, by_element[t + j]);
                    by_weight[j] = by_sum.mul_add(window[j], by_weight[j]);
                }
            }
            gradients.initial[row..row + past].copy_from_slice(&by_element[..past]);
            for (t, by_x) in by_element[past..].iter().enumerate() {
                gradients.x[(first + t) * channels + channel] = *by_x;
            }
            gradients.bias[channel] = gradients.bias[channel] + by_bias;
            let total = &mut gradients.weights[channel * width..][..width];
            for (total, own) in total.iter_mut().zip(by_weight) {
                *total = *total + own;
            }
        }
    }
    gradients
}

/// Returns the derivative of SiLU, `s (1 + x (1 - s))` with the sigmoid s of x.
fn silu_slope<R: Real>(x: R) -> R {
    let s = sigmoid(&[x])[0];
    s * (R::ONE + x * (R::ONE - s))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A convolution of three channels: x, the weights, the bias, and the initial histories.
    #[derive(Clone)]
    struct Call {
        bounds: Vec<usize>,
        width: usize,
        biased: bool,
        silu: bool,
        inputs: [Vec<f64>; 4],
        dy: Vec<f64>,
        dfinal: Vec<f64>,
    }

    const CHANNELS: usize = 3;

    impl Call {
        fn draw(bounds: &[usize], width: usize, biased: bool, silu: bool) -> Call {
            let mut seed = 1.0f64;
            let mut draw = |count: usize| -> Vec<f64> {
                let mut number = || {
                    seed += 1.0;
                    (seed * seed * 0.7391).sin() * 2.0
                };
                (0..count).map(|_| number()).collect()
            };
            let tokens = bounds[bounds.len() - 1];
            let histories = (bounds.len() - 1) * CHANNELS * (width - 1);
            Call {
                bounds: bounds.to_vec(),
                width,
                biased,
                silu,
                inputs: [tokens * CHANNELS, CHANNELS * width, CHANNELS, histories].map(&mut draw),
                dy: draw(tokens * CHANNELS),
                dfinal: draw(histories),
            }
        }

        fn conv(&self) -> PackedConv<'_, f64> {
            PackedConv {
                channels: CHANNELS,
                width: self.width,
                weights: &self.inputs[1],
                bias: self.biased.then_some(&self.inputs[2]),
                silu: self.silu,
                bounds: &self.bounds,
            }
        }

        /// The loss whose gradients by the results are those of the call.
        fn loss(&self) -> f64 {
            let own: Vec<i32> = (0..).take(self.bounds.len() - 1).collect();
            let lines = HistoryLines {
                read: &own,
                written: &own,
                has_initial: &vec![1; own.len()],
            };
            let [x, _, _, cache] = &self.inputs;
            let before = vec![0.0; x.len()];
            let results = packed_conv(&self.conv(), x, cache, &lines, &before);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            dot(&results.y, &self.dy) + dot(&results.cache, &self.dfinal)
        }

        fn gradients(&self, departure: Option<PackedConvGradientDeparture>) -> [Vec<f64>; 4] {
            let [x, _, _, initial] = &self.inputs;
            let gradients = [&self.dy[..], &self.dfinal];
            let found =
                packed_conv_backward_with_departure(&self.conv(), x, initial, gradients, departure);
            [found.x, found.weights, found.bias, found.initial]
        }
    }

    #[test]
    fn gradients_are_the_finite_differences_of_the_loss() {
        let bounds: [&[usize]; 4] = [&[0, 7], &[0, 1, 3, 3, 8], &[0, 0, 2], &[0, 5, 6]];
        for (bounds, width) in bounds
            .iter()
            .flat_map(|bounds| [2, 3, 4, 6].map(|width| (bounds, width)))
        {
            for (biased, silu) in [(true, true), (false, true), (true, false)] {
                let call = Call::draw(bounds, width, biased, silu);
                for (tensor, gradient) in call.gradients(None).iter().enumerate() {
                    if tensor == 2 && !biased {
                        continue;
                    }
                    let loss = |at: usize, step: f64| {
                        let mut moved = call.clone();
                        moved.inputs[tensor][at] += step;
                        moved.loss()
                    };
                    let what = format!("{bounds:?} W {width}, input {tensor}");
                    crate::differences::assert_gradient(gradient, loss, &what);
                }
            }
        }
    }

    #[test]
    fn histories_by_hand() {
        // Sequences of 1, 0 and 3 tokens, and one of padding. The first one moves from line 3 to line 0, the second has zeros before it.
        let conv = PackedConv {
            channels: 1,
            width: 3,
            weights: &[100.0, 10.0, 1.0],
            bias: None,
            silu: false,
            bounds: &[0, 1, 1, 4, 5],
        };
        let lines = HistoryLines {
            read: &[3, 1, 2, -1],
            written: &[0, 1, -1, -1],
            has_initial: &[1, 0, 1, 1],
        };
        let cache = [9.0, 9.0, 8.0, 8.0, 6.0, 7.0, 1.0, 2.0];
        let x = [3.0, 1.0, 2.0, 3.0, 5.0];
        let found = packed_conv(&conv, &x, &cache, &lines, &[0.0, 0.0, 0.0, 0.0, -1.0]);
        assert_eq!(found.y, [123.0, 671.0, 712.0, 123.0, -1.0]);
        assert_eq!(found.cache, [2.0, 3.0, 0.0, 0.0, 6.0, 7.0, 1.0, 2.0]);
        let wrong = |departure| {
            let before = [0.0; 5];
            packed_conv_with_departure(&conv, &x, &cache, &lines, &before, Some(departure))
        };
        let stale = wrong(PackedConvDeparture::ShortNotShifted);
        assert_eq!(stale.cache[..2], [1.0, 3.0]);
        let across = wrong(PackedConvDeparture::HistoryAcross);
        assert_eq!(across.y, [3.0, 31.0, 312.0, 123.0, 0.0]);
    }

    #[test]
    fn gradients_by_hand() {
        // y_0 = 10 h + x_0, y_1 = 10 x_0 + x_1, the final history is x_1
        let conv = PackedConv {
            channels: 1,
            width: 2,
            weights: &[10.0, 1.0],
            bias: None,
            silu: false,
            bounds: &[0, 2],
        };
        let found = packed_conv_backward(&conv, &[5.0, 6.0], &[4.0], &[1.0, 2.0], &[3.0]);
        assert_eq!(found.initial, [10.0]);
        assert_eq!(found.x, [21.0, 5.0]);
        assert_eq!(found.weights, [14.0, 17.0]);
        assert_eq!(found.bias, [3.0]);
    }

    #[test]
    fn each_departure_changes_the_gradients_that_it_names() {
        use PackedConvGradientDeparture as D;
        let departures: [(D, &[usize]); 5] = [
            (D::WeightsReversed, &[0, 3]),
            (D::SigmoidDerivative, &[0, 1, 2, 3]),
            (D::OneSequence, &[1, 2]),
            (D::BiasWithoutActivation, &[2]),
            (D::ShortNotPassedOn, &[3]),
        ];
        let call = Call::draw(&[0, 1, 6], 4, true, true);
        let right = call.gradients(None);
        for (departure, named) in departures {
            let wrong = call.gradients(Some(departure));
            let changed: Vec<usize> = (0..4).filter(|&at| wrong[at] != right[at]).collect();
            assert_eq!(changed, named, "{departure:?}");
        }
    }
}
