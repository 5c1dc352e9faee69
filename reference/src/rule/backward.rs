use super::recurrence::{read, write};
use super::{Convention, Gate, GateKind, Inputs, Norm, Order, Readout, Sizes};
use crate::{Real, shape};

/// The gradients of a loss by the results of the rule.
#[derive(Clone, Copy, Debug)]
pub struct OutputGradients<'a, R> {
    /// The gradient by the output, [`Sizes::value_shape`].
    pub output: &'a [R],
    /// The gradient by the states after the last token, [`Sizes::state_shape`].
    pub state: &'a [R],
}

/// The gradients of a loss by the inputs of the rule.
#[derive(Clone, Debug, PartialEq)]
pub struct InputGradients<R> {
    /// The gradient by the queries, [`Sizes::key_shape`]: a sum over the value heads that read the key head.
    pub q: Vec<R>,
    /// The gradient by the keys, [`Sizes::key_shape`]: a sum over the value heads that read the key head.
    pub k: Vec<R>,
    /// The gradient by the values, [`Sizes::value_shape`].
    pub v: Vec<R>,
    /// The gradient by the log gates, [`Sizes::gate_shape`].
    pub g: Vec<R>,
    /// The gradient by the write strengths, [`Sizes::beta_shape`].
    pub beta: Vec<R>,
    /// The gradient by the states before the first token, [`Sizes::state_shape`].
    pub state: Vec<R>,
}

/// A mistake of backward kernels: one term of the gradients differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackwardDeparture {
    /// The gradient by q lacks the scale of the output.
    QueriesUnscaled,
    /// The gradient by q reads the state before the token is written.
    QueriesBeforeWrite,
    /// The gradient by k lacks the part of the write.
    KeysWithoutWrite,
    /// The gradient by k lacks the part of the read, through the error.
    KeysWithoutRead,
    /// The gradient by g lacks the part of the decay through the error.
    GatesWithoutError,
    /// The gradient by the state lacks the part through the error, and with it the gradient by g.
    StatesWithoutError,
    /// The gradient by beta multiplies the value and not the error.
    StrengthsByValue,
    /// The gradient by v lacks the write strength.
    ValuesWithoutStrength,
    /// The gradient by the initial state lacks the decay of the first token.
    InitialUndecayed,
    /// The gradients by q and k are those of the last value head that reads the key head, and no sum.
    OneHeadOfGroup,
    /// The gradient by the state is dropped at every boundary of this number of tokens.
    DroppedEvery(usize),
}

/// Computes the gradients of the gated delta rule, token by token from the last to the first, for every head of every sequence.
///
/// The forward rule is [`super::recurrence`] with log gates and the decay first: `D_t = e^(g_t) S_(t-1)`, `e_t = v_t - D_t^T k_t`,
/// `d_t = beta_t e_t`, `S_t = D_t + k_t d_t^T`, `o_t = scale S_t^T q_t`. All states are kept. A is the gradient by the state, which
/// begins as the gradient by the final state:
///
/// ```text
/// A[i][j]    <- A[i][j] + scale q_t[i] do_t[j]             the gradient by S_t
/// dq_t[i]     = scale sum_j S_t[i][j] do_t[j]
/// dd[j]       = sum_i A[i][j] k_t[i]                       the gradient by d_t
/// de[j]       = beta_t dd[j]                               the gradient by e_t
/// dv_t[j]     = de[j]
/// dbeta_t     = sum_j dd[j] e_t[j]
/// dk_t[i]     = sum_j (A[i][j] d_t[j] - D_t[i][j] de[j])   the write, and the read through the error
/// A[i][j]    <- A[i][j] - k_t[i] de[j]                     the gradient by D_t
/// dg_t[i]     = sum_j A[i][j] D_t[i][j]                    of one gate for the head: the sum over i
/// A[i][j]    <- e^(g_t[i]) A[i][j]                         the gradient by S_(t-1)
/// ```
///
/// The gradient by the initial state is A before the first token. In `f32` sums run from 0 upwards, and each product is fused.
///
/// # Panics
/// A tensor does not have its shape, or the convention is not of log gates, the decay first, q unchanged and read by the query.
#[must_use]
pub fn backward<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    inputs: Inputs<'_, R>,
    gradients: OutputGradients<'_, R>,
) -> InputGradients<R> {
    backward_with_departure(convention, sizes, inputs, gradients, None)
}

/// Computes [`backward`] with a mistake.
///
/// # Panics
/// As [`backward`] does.
#[must_use]
pub fn backward_with_departure<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    inputs: Inputs<'_, R>,
    gradients: OutputGradients<'_, R>,
    departure: Option<BackwardDeparture>,
) -> InputGradients<R> {
    inputs.check("backward", convention, sizes);
    assert!(
        convention.order == Order::DecayFirst
            && convention.gate == Gate::Log
            && convention.norm == Norm::None
            && convention.readout == Readout::Query,
        "backward: the convention is {convention:?}: log gates, the decay first, no norm and queries are possible"
    );
    let (output, states) = (gradients.output.len(), sizes.state_shape(convention.state));
    shape::expect("backward", "output", output, &sizes.value_shape());
    shape::expect("backward", "state", gradients.state.len(), &states);
    let mut result = InputGradients {
        q: vec![R::ZERO; inputs.q.len()],
        k: vec![R::ZERO; inputs.k.len()],
        v: vec![R::ZERO; inputs.v.len()],
        g: vec![R::ZERO; inputs.g.len()],
        beta: vec![R::ZERO; inputs.beta.len()],
        state: vec![R::ZERO; inputs.state.len()],
    };
    for (sequence, value_head) in sizes.heads() {
        let head = Head {
            sequence,
            value_head,
            key_head: convention.key_head(value_head, sizes),
            sizes,
            inputs,
            scale: convention.scale.factor(sizes.key_size),
        };
        let place = sizes.head_state(sequence, value_head);
        let initial = convention.state.load(&inputs.state[place.clone()], sizes);
        let last = convention
            .state
            .load(&gradients.state[place.clone()], sizes);
        let first = head.add_gradients(initial, last, gradients.output, departure, &mut result);
        result.state[place].copy_from_slice(&convention.state.store(&first, sizes));
    }
    result
}

/// A value head of a sequence.
struct Head<'a, R> {
    sequence: usize,
    value_head: usize,
    key_head: usize,
    sizes: Sizes,
    inputs: Inputs<'a, R>,
    scale: R,
}

/// States and errors of the forward pass.
struct ForwardPass<R> {
    /// The state before the first token and after each token.
    states: Vec<Vec<R>>,
    /// The decayed state of each token.
    decayed: Vec<Vec<R>>,
    /// The error of each token.
    errors: Vec<Vec<R>>,
}

impl<R: Real> Head<'_, R> {
    fn key_row(&self, token: usize) -> std::ops::Range<usize> {
        self.sizes.key_row(self.sequence, token, self.key_head)
    }

    fn row(&self, token: usize, size: usize) -> std::ops::Range<usize> {
        self.sizes.row(self.sequence, token, self.value_head, size)
    }

    /// Returns the factor of a token on each row of the state.
    fn decays(&self, token: usize) -> Vec<R> {
        let gates = &self.inputs.g[self.row(token, self.sizes.gates())];
        let decays = gates.iter().map(|&g| g.exp());
        decays.cycle().take(self.sizes.key_size).collect()
    }

    fn forward(&self, initial: Vec<R>) -> ForwardPass<R> {
        let columns = self.sizes.value_size;
        let mut pass = ForwardPass {
            states: vec![initial],
            decayed: Vec::new(),
            errors: Vec::new(),
        };
        for token in 0..self.sizes.tokens {
            let decayed = rows_times(&pass.states[token], &self.decays(token), columns);
            let k = &self.inputs.k[self.key_row(token)];
            let seen = read(&decayed, k, columns);
            let v = &self.inputs.v[self.row(token, columns)];
            let error: Vec<R> = v.iter().zip(seen).map(|(&v, seen)| v - seen).collect();
            let beta = self.inputs.beta[self.row(token, 1).start];
            let d: Vec<R> = error.iter().map(|&e| beta * e).collect();
            let mut state = decayed.clone();
            write(&mut state, k, &d);
            pass.states.push(state);
            pass.decayed.push(decayed);
            pass.errors.push(error);
        }
        pass
    }

    /// Adds the head's gradients to the result, and returns that by the initial state.
    fn add_gradients(
        &self,
        initial: Vec<R>,
        last: Vec<R>,
        output: &[R],
        departure: Option<BackwardDeparture>,
        result: &mut InputGradients<R>,
    ) -> Vec<R> {
        use BackwardDeparture as D;
        let is = |wrong: BackwardDeparture| departure == Some(wrong);
        let columns = self.sizes.value_size;
        let pass = self.forward(initial);
        let mut a = last;
        for token in (0..self.sizes.tokens).rev() {
            if let Some(D::DroppedEvery(tokens)) = departure {
                let boundary = (token + 1).is_multiple_of(tokens);
                if boundary && token + 1 < self.sizes.tokens {
                    a.fill(R::ZERO);
                }
            }
            let (keys, values) = (self.key_row(token), self.row(token, columns));
            let (q, k) = (&self.inputs.q[keys.clone()], &self.inputs.k[keys.clone()]);
            let beta = self.inputs.beta[self.row(token, 1).start];
            let output = &output[values.clone()];
            let (decayed, error) = (&pass.decayed[token], &pass.errors[token]);
            let d: Vec<R> = error.iter().map(|&e| beta * e).collect();

            let scaled: Vec<R> = q.iter().map(|&q| self.scale * q).collect();
            write(&mut a, &scaled, output);
            let by_d = read(&a, k, columns);
            let by_error: Vec<R> = by_d.iter().map(|&x| beta * x).collect();
            let by_value = if is(D::ValuesWithoutStrength) {
                &by_d
            } else {
                &by_error
            };
            result.v[values.clone()].copy_from_slice(by_value);
            result.beta[self.row(token, 1).start] = match is(D::StrengthsByValue) {
                true => R::dot(&by_d, &self.inputs.v[values]),
                false => R::dot(&by_d, error),
            };
            if is(D::OneHeadOfGroup) {
                result.q[keys.clone()].fill(R::ZERO);
                result.k[keys.clone()].fill(R::ZERO);
            }
            let state = if is(D::QueriesBeforeWrite) {
                decayed
            } else {
                &pass.states[token + 1]
            };
            let scale = if is(D::QueriesUnscaled) {
                R::ONE
            } else {
                self.scale
            };
            let rows = state.chunks_exact(columns).zip(&mut result.q[keys.clone()]);
            for (row, dq) in rows {
                *dq = *dq + scale * R::dot(row, output);
            }
            let negated: Vec<R> = by_error.iter().map(|&x| -x).collect();
            let both = a.chunks_exact(columns).zip(decayed.chunks_exact(columns));
            for ((a, decayed), dk) in both.zip(&mut result.k[keys]) {
                let written = if is(D::KeysWithoutWrite) {
                    R::ZERO
                } else {
                    R::dot(a, &d)
                };
                let read = if is(D::KeysWithoutRead) {
                    R::ZERO
                } else {
                    R::dot(decayed, &negated)
                };
                *dk = *dk + (written + read);
            }
            let before_error = a.clone();
            if !is(D::StatesWithoutError) {
                write(&mut a, k, &negated);
            }
            let by_decayed = if is(D::GatesWithoutError) {
                &before_error
            } else {
                &a
            };
            let rows = by_decayed
                .chunks_exact(columns)
                .zip(decayed.chunks_exact(columns));
            let by_row = rows.map(|(a, decayed)| R::dot(a, decayed));
            let gates = &mut result.g[self.row(token, self.sizes.gates())];
            match self.sizes.gate_kind {
                GateKind::PerHead => gates[0] = by_row.fold(R::ZERO, |sum, row| sum + row),
                GateKind::PerKeyChannel => {
                    gates.iter_mut().zip(by_row).for_each(|(g, row)| *g = row);
                }
            }
            if token > 0 || !is(D::InitialUndecayed) {
                a = rows_times(&a, &self.decays(token), columns);
            }
        }
        a
    }
}

/// Multiplies each row of a matrix by its factor.
fn rows_times<R: Real>(matrix: &[R], factors: &[R], columns: usize) -> Vec<R> {
    let rows = matrix.chunks_exact(columns).zip(factors);
    rows.flat_map(|(row, &factor)| row.iter().map(move |&x| factor * x))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{HeadMap, Scale, StateLayout, recurrence};

    /// The tensors of a call, and the gradients of its results.
    #[derive(Clone)]
    struct Call {
        convention: Convention,
        sizes: Sizes,
        /// q, k, v, g, beta and the initial state.
        inputs: [Vec<f64>; 6],
        output: Vec<f64>,
        state: Vec<f64>,
    }

    impl Call {
        fn inputs(&self) -> Inputs<'_, f64> {
            let [q, k, v, g, beta, state] = &self.inputs;
            Inputs {
                q,
                k,
                v,
                g,
                beta,
                state,
            }
        }

        /// Draws a call. Numbers lie in (-1, 1), gates in (-1, 0), strengths in (0, 1).
        fn draw(convention: Convention, sizes: Sizes) -> Call {
            let mut seed = 7u64;
            let mut draw = |count: usize, low: f64, high: f64| -> Vec<f64> {
                let mut number = || {
                    seed = seed
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 11) as f64 / (1u64 << 53) as f64
                };
                (0..count).map(|_| low + (high - low) * number()).collect()
            };
            let keys = sizes.key_shape().iter().product();
            let values = sizes.value_shape().iter().product();
            let states = sizes.state_shape(convention.state).iter().product();
            Call {
                convention,
                sizes,
                inputs: [
                    draw(keys, -1.0, 1.0),
                    draw(keys, -1.0, 1.0),
                    draw(values, -1.0, 1.0),
                    draw(sizes.gate_shape().iter().product(), -1.0, 0.0),
                    draw(sizes.beta_shape().iter().product(), 0.0, 1.0),
                    draw(states, -1.0, 1.0),
                ],
                output: draw(values, -1.0, 1.0),
                state: draw(states, -1.0, 1.0),
            }
        }

        /// The loss whose gradients by the results are those of the call.
        fn loss(&self) -> f64 {
            let results = recurrence(&self.convention, self.sizes, self.inputs());
            f64::dot(&results.output, &self.output) + f64::dot(&results.state, &self.state)
        }

        fn gradients(&self, departure: Option<BackwardDeparture>) -> [Vec<f64>; 6] {
            let gradients = OutputGradients {
                output: &self.output,
                state: &self.state,
            };
            let InputGradients {
                q,
                k,
                v,
                g,
                beta,
                state,
            } = backward_with_departure(
                &self.convention,
                self.sizes,
                self.inputs(),
                gradients,
                departure,
            );
            [q, k, v, g, beta, state]
        }
    }

    fn sizes([b, t, h, hv, k, v]: [usize; 6], gate_kind: GateKind) -> Sizes {
        Sizes {
            sequences: b,
            tokens: t,
            key_heads: h,
            value_heads: hv,
            key_size: k,
            value_size: v,
            gate_kind,
        }
    }

    const KINDS: [GateKind; 2] = [GateKind::PerHead, GateKind::PerKeyChannel];

    #[test]
    fn gradients_are_the_finite_differences_of_the_loss() {
        let shapes = [
            [1, 1, 1, 1, 1, 1],
            [2, 3, 2, 4, 3, 2],
            [1, 5, 1, 3, 4, 5],
            [1, 19, 2, 2, 2, 3],
            [3, 2, 2, 6, 1, 3],
        ];
        let conventions = [
            Convention::FLA,
            Convention::GGML,
            Convention {
                head_map: HeadMap::Tiled,
                scale: Scale::Factor(0.7),
                ..Convention::FLA
            },
            Convention {
                state: StateLayout::ValueMajor,
                ..Convention::FLA
            },
        ];
        for (shape, convention, kind) in shapes
            .into_iter()
            .flat_map(|shape| conventions.map(|convention| (shape, convention)))
            .flat_map(|(shape, convention)| KINDS.map(|kind| (shape, convention, kind)))
        {
            let call = Call::draw(convention, sizes(shape, kind));
            let gradients = call.gradients(None);
            for (tensor, gradient) in gradients.iter().enumerate() {
                let loss = |at: usize, step: f64| {
                    let mut moved = call.clone();
                    moved.inputs[tensor][at] += step;
                    moved.loss()
                };
                let what = format!("{shape:?} {convention:?} {kind:?}: input {tensor}");
                crate::differences::assert_gradient(gradient, loss, &what);
            }
        }
    }

    #[test]
    fn one_token_by_hand() {
        // D = 2 e^g = 1, e = 3 - 2 = 1, d = 1/2, S = 1 + 2/2 = 2, A = 2 + 3 = 5, dd = 10, de = 5
        for kind in KINDS {
            let call = Call {
                convention: Convention::FLA,
                sizes: sizes([1; 6], kind),
                inputs: [3.0, 2.0, 3.0, -(2f64.ln()), 0.5, 2.0].map(|x| vec![x]),
                output: vec![1.0],
                state: vec![2.0],
            };
            assert_eq!(
                call.gradients(None),
                [2.0, -2.5, 5.0, -5.0, 10.0, -2.5].map(|x| vec![x])
            );
        }
    }

    #[test]
    fn each_departure_changes_the_gradients_that_it_names() {
        use BackwardDeparture as D;
        let departures: [(D, &[usize]); 11] = [
            (D::QueriesUnscaled, &[0]),
            (D::QueriesBeforeWrite, &[0]),
            (D::KeysWithoutWrite, &[1]),
            (D::KeysWithoutRead, &[1]),
            (D::GatesWithoutError, &[3]),
            (D::StatesWithoutError, &[1, 2, 3, 4, 5]),
            (D::StrengthsByValue, &[4]),
            (D::ValuesWithoutStrength, &[2]),
            (D::InitialUndecayed, &[5]),
            (D::OneHeadOfGroup, &[0, 1]),
            (D::DroppedEvery(2), &[1, 2, 3, 4, 5]),
        ];
        for kind in KINDS {
            let call = Call::draw(Convention::FLA, sizes([2, 4, 2, 4, 3, 2], kind));
            let right = call.gradients(None);
            for (departure, named) in departures {
                let wrong = call.gradients(Some(departure));
                let changed: Vec<usize> = (0..6).filter(|&at| wrong[at] != right[at]).collect();
                assert_eq!(changed, named, "{departure:?}");
            }
        }
    }

    #[test]
    fn f32_is_close_to_f64() {
        let call = Call::draw(
            Convention::FLA,
            sizes([1, 40, 1, 2, 8, 6], GateKind::PerHead),
        );
        let wide = call.gradients(None);
        let narrow = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let [q, k, v, g, beta, state] = call.inputs.each_ref().map(|x| narrow(x));
        let found = backward(
            &call.convention,
            call.sizes,
            Inputs {
                q: &q,
                k: &k,
                v: &v,
                g: &g,
                beta: &beta,
                state: &state,
            },
            OutputGradients {
                output: &narrow(&call.output),
                state: &narrow(&call.state),
            },
        );
        for (found, wide) in [found.q, found.k, found.v, found.g, found.beta, found.state]
            .iter()
            .zip(&wide)
        {
            let largest = wide.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
            for (found, wide) in found.iter().zip(wide) {
                assert!(
                    (f64::from(*found) - wide).abs() < 1e-5 * largest,
                    "{found} {wide}"
                );
            }
        }
    }
}
