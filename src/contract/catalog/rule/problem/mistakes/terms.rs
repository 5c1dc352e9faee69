//! Mistakes in one term of a token: of what is read, written or kept.
//!
//! The results of a token are linear in its terms, so the wrong ones are sums of right results with other inputs. With `beta` 0 a token
//! only decays the state; after a state of zeros it only writes its value.

use deltanet_reference::rule::{
    Convention, Gate, Order, Outputs, Readout, Scale, Sizes, recurrence,
};

use super::Effect::OfToken;
use super::{CallInputs, KnownMistake, slice};
use crate::tensor::ElementKind;

pub(super) const MISTAKES: &[KnownMistake] = &[
    KnownMistake {
        name: "prediction-missing",
        explanation: "the value is written as it is: what the state holds for the key is not subtracted",
        applies: |_| true,
        effect: OfToken(|token| sum(&[(1.0, &token.decayed()), (1.0, &token.written(None))])),
    },
    KnownMistake {
        name: "prediction-sign",
        explanation: "what the state holds for the key is added to the value, and not subtracted",
        applies: |_| true,
        effect: OfToken(|token| {
            let (right, written) = (token.right(), token.written(None));
            sum(&[(2.0, &token.decayed()), (2.0, &written), (-1.0, &right)])
        }),
    },
    KnownMistake {
        name: "beta-on-prediction-only",
        explanation: "beta scales what the state holds for the key, and not the value",
        applies: |_| true,
        effect: OfToken(|token| {
            let (right, written) = (token.right(), token.written(None));
            sum(&[
                (1.0, &right),
                (1.0, &token.written(Some(1.0))),
                (-1.0, &written),
            ])
        }),
    },
    KnownMistake {
        name: "decay-not-kept",
        explanation: "the state is decayed where it is read, and kept as it was",
        applies: |_| true,
        effect: OfToken(|token| {
            let (right, decayed) = (token.right(), token.decayed());
            sum(&[(1.0, &right), (1.0, &token.unchanged()), (-1.0, &decayed)])
        }),
    },
    KnownMistake {
        name: "decay-after-update",
        explanation: "the state is decayed after its update: what the token writes decays at once",
        applies: |_| true,
        effect: OfToken(|token| {
            let (right, decayed) = (token.right(), token.decayed());
            let written = sum(&[(1.0, &right), (-1.0, &decayed)]);
            sum(&[(1.0, &decayed), (1.0, &token.decayed_from(written.state))])
        }),
    },
    KnownMistake {
        name: "decay-last",
        explanation: "the decay comes last: the error is taken from the state before it, and what the token writes decays at once",
        applies: |_| true,
        effect: OfToken(|token| token.decayed_from(token.open().state)),
    },
    KnownMistake {
        name: "decay-after-token",
        explanation: "the decay comes last, after the output: a token is added to and read from the state before its decay",
        applies: |_| true,
        effect: OfToken(|token| {
            let Outputs { output, state } = token.open();
            let state = token.decayed_from(state).state;
            Outputs { output, state }
        }),
    },
    KnownMistake {
        name: "output-before-update",
        explanation: "the output is read before the token is written to the state",
        applies: |_| true,
        effect: OfToken(|token| Outputs {
            output: token.decayed().output,
            state: token.right().state,
        }),
    },
    KnownMistake {
        name: "output-before-token",
        explanation: "the output is read from the state before the token: neither decayed nor written",
        applies: |_| true,
        effect: OfToken(|token| Outputs {
            output: token.unchanged().output,
            state: token.right().state,
        }),
    },
    KnownMistake {
        name: "decay-before-read",
        explanation: "the output is read from the new state decayed once more",
        applies: |_| true,
        effect: OfToken(|token| {
            let state = token.right().state;
            Outputs {
                output: token.decayed_from(state.clone()).output,
                state,
            }
        }),
    },
    KnownMistake {
        name: "state-rounded",
        explanation: "the state is rounded to bf16 after each token",
        applies: |_| true,
        effect: OfToken(|token| token.kept_in(ElementKind::Bf16)),
    },
    KnownMistake {
        name: "state-rounded",
        explanation: "the state is rounded to f16 after each token",
        applies: |_| true,
        effect: OfToken(|token| token.kept_in(ElementKind::F16)),
    },
    KnownMistake {
        name: "update-rounded",
        explanation: "beta (v - S^T k), what the token writes, is rounded to bf16",
        applies: |_| true,
        effect: OfToken(|token| token.written_in(ElementKind::Bf16)),
    },
    KnownMistake {
        name: "update-rounded",
        explanation: "beta (v - S^T k), what the token writes, is rounded to f16",
        applies: |_| true,
        effect: OfToken(|token| token.written_in(ElementKind::F16)),
    },
];

/// One token of all sequences and heads, after a state.
pub(super) struct OneToken {
    wide: CallInputs,
    convention: Convention,
    sizes: Sizes,
}

impl OneToken {
    fn run(&self, change: impl FnOnce(&mut CallInputs)) -> Outputs<f64> {
        let mut wide = self.wide.clone();
        change(&mut wide);
        recurrence(&self.convention, self.sizes, wide.inputs())
    }

    /// Returns the right results.
    fn right(&self) -> Outputs<f64> {
        self.run(|_| ())
    }

    /// Returns the decayed state, and the output from it.
    fn decayed(&self) -> Outputs<f64> {
        self.run(|wide| wide.beta.fill(0.0))
    }

    /// Returns another state decayed, and the output from it.
    fn decayed_from(&self, state: Vec<f64>) -> Outputs<f64> {
        self.run(|wide| {
            wide.beta.fill(0.0);
            wide.state = state;
        })
    }

    /// Returns the gate that does not decay.
    fn open_gate(&self) -> f64 {
        match self.convention.gate {
            Gate::Factor => 1.0,
            Gate::Log | Gate::NegatedLog => 0.0,
        }
    }

    /// Returns the results without a decay.
    fn open(&self) -> Outputs<f64> {
        self.run(|wide| wide.g.fill(self.open_gate()))
    }

    /// Returns the state as it was, and the output from it.
    fn unchanged(&self) -> Outputs<f64> {
        self.run(|wide| {
            wide.beta.fill(0.0);
            wide.g.fill(self.open_gate());
        })
    }

    /// Returns the right output, and the state rounded to a type.
    fn kept_in(&self, kind: ElementKind) -> Outputs<f64> {
        let Outputs { output, state } = self.right();
        let state = state.into_iter().map(|x| kind.rounded(x)).collect();
        Outputs { output, state }
    }

    /// Returns the results of an update `beta (v - S^T k)` that is rounded to a type.
    fn written_in(&self, kind: ElementKind) -> Outputs<f64> {
        let predicted = self.prediction();
        self.run(|wide| {
            let channels = wide.v.len() / wide.beta.len();
            let rows = wide.v.chunks_mut(channels).zip(&wide.beta);
            let rows = rows.zip(predicted.chunks(channels));
            for ((row, beta), predicted) in rows.filter(|((_, beta), _)| **beta != 0.0) {
                for (v, predicted) in row.iter_mut().zip(predicted) {
                    *v = predicted + kind.rounded(beta * (*v - predicted)) / beta;
                }
            }
        })
    }

    /// Returns what the state holds for the key, in the layout of the values.
    fn prediction(&self) -> Vec<f64> {
        let mut wide = self.wide.clone();
        wide.beta.fill(0.0);
        if self.convention.order == Order::ErrorFirst {
            wide.g.fill(self.open_gate());
        }
        if self.convention.readout == Readout::Query {
            wide.q = wide.k.clone();
        }
        let convention = Convention {
            scale: Scale::One,
            ..self.convention
        };
        recurrence(&convention, self.sizes, wide.inputs()).output
    }

    /// Returns what the token writes to a state of zeros, and the output from it. `beta` stands for the token's own, if it is given.
    fn written(&self, beta: Option<f64>) -> Outputs<f64> {
        self.run(|wide| {
            wide.state.fill(0.0);
            if let Some(beta) = beta {
                wide.beta.fill(beta);
            }
        })
    }
}

/// Runs all tokens, each by a function of its own.
pub(super) fn by_tokens(
    wide: &CallInputs,
    convention: Convention,
    sizes: Sizes,
    run: impl Fn(&OneToken) -> Outputs<f64>,
) -> Outputs<f64> {
    let mut output = vec![0.0; wide.v.len()];
    let mut state = wide.state.clone();
    let width = sizes.value_heads * sizes.value_size;
    for at in 0..sizes.tokens {
        let token = OneToken {
            wide: wide.part(state, |tensor| slice(tensor, sizes, at..at + 1)),
            convention,
            sizes: Sizes { tokens: 1, ..sizes },
        };
        let left = run(&token);
        for (sequence, row) in left.output.chunks_exact(width).enumerate() {
            output[(sequence * sizes.tokens + at) * width..][..width].copy_from_slice(row);
        }
        state = left.state;
    }
    Outputs { output, state }
}

/// Returns a sum of results, each times a number.
fn sum(terms: &[(f64, &Outputs<f64>)]) -> Outputs<f64> {
    let of = |part: fn(&Outputs<f64>) -> &Vec<f64>| {
        let mut all = vec![0.0; terms.first().map_or(0, |(_, one)| part(one).len())];
        for (factor, one) in terms {
            for (sum, term) in all.iter_mut().zip(part(one)) {
                *sum += factor * term;
            }
        }
        all
    };
    Outputs {
        output: of(|one| &one.output),
        state: of(|one| &one.state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes {
        sequences: 2,
        tokens: 4,
        key_heads: 1,
        value_heads: 1,
        key_size: 3,
        value_size: 1,
        gate_kind: deltanet_reference::rule::GateKind::PerHead,
    };

    fn call() -> CallInputs {
        let values = |count: usize, by: f64| -> Vec<f64> {
            (0..count).map(|n| (by * (n as f64 + 1.0)).sin()).collect()
        };
        CallInputs {
            q: values(24, 1.1),
            k: values(24, 0.7),
            v: values(8, 2.3),
            g: values(8, 0.9).iter().map(|g| 0.5 + 0.4 * g).collect(),
            beta: values(8, 1.7).iter().map(|beta| 0.5 + 0.4 * beta).collect(),
            state: values(6, 0.3),
        }
    }

    /// Computes a wrong rule as a kernel would: `token` gets the state of a head, its decay, k, the factor `beta`, the value, and q. It
    /// returns the output.
    fn directly(token: impl Fn(&mut [f64], f64, &[f64], f64, f64, &[f64]) -> f64) -> Outputs<f64> {
        let x = call();
        let mut all = Outputs {
            output: Vec::new(),
            state: x.state.clone(),
        };
        for (b, state) in all.state.chunks_exact_mut(3).enumerate() {
            for t in 4 * b..4 * b + 4 {
                let (k, q) = (&x.k[3 * t..][..3], &x.q[3 * t..][..3]);
                let read = token(state, x.g[t], k, x.beta[t], x.v[t], q);
                all.output.push(read);
            }
        }
        all
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn each_mistake_is_the_wrong_rule_that_it_names() {
        let convention = Convention {
            gate: Gate::Factor,
            scale: deltanet_reference::rule::Scale::One,
            ..Convention::GGML
        };
        // Decays the state, writes what `error` makes of the value and the prediction, and reads the output.
        let usual = |error: fn(f64, f64, f64) -> f64| {
            directly(move |state, decay, k, beta, v, q| {
                state.iter_mut().for_each(|s| *s *= decay);
                let error = error(beta, v, dot(state, k));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                dot(state, q)
            })
        };
        let rounded_state = |kind: ElementKind| {
            directly(move |state, decay, k, beta, v, q| {
                state.iter_mut().for_each(|s| *s *= decay);
                let error = beta * (v - dot(state, k));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                let read = dot(state, q);
                state.iter_mut().for_each(|s| *s = kind.rounded(*s));
                read
            })
        };
        let expected = [
            usual(|beta, v, _| beta * v),
            usual(|beta, v, read| beta * (v + read)),
            usual(|beta, v, read| v - beta * read),
            directly(|state, decay, k, beta, v, q| {
                let error = beta * (v - decay * dot(state, k));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                dot(state, q)
            }),
            directly(|state, decay, k, beta, v, q| {
                let error = beta * (v - decay * dot(state, k));
                let pairs = state.iter_mut().zip(k);
                pairs.for_each(|(s, k)| *s = decay * (*s + error * k));
                dot(state, q)
            }),
            directly(|state, decay, k, beta, v, q| {
                let error = beta * (v - dot(state, k));
                let pairs = state.iter_mut().zip(k);
                pairs.for_each(|(s, k)| *s = decay * (*s + error * k));
                dot(state, q)
            }),
            directly(|state, decay, k, beta, v, q| {
                let error = beta * (v - dot(state, k));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                let read = dot(state, q);
                state.iter_mut().for_each(|s| *s *= decay);
                read
            }),
            directly(|state, decay, k, beta, v, q| {
                state.iter_mut().for_each(|s| *s *= decay);
                let (error, read) = (beta * (v - dot(state, k)), dot(state, q));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                read
            }),
            directly(|state, decay, k, beta, v, q| {
                let read = dot(state, q);
                state.iter_mut().for_each(|s| *s *= decay);
                let error = beta * (v - dot(state, k));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                read
            }),
            directly(|state, decay, k, beta, v, q| {
                state.iter_mut().for_each(|s| *s *= decay);
                let error = beta * (v - dot(state, k));
                state.iter_mut().zip(k).for_each(|(s, k)| *s += error * k);
                decay * dot(state, q)
            }),
            rounded_state(ElementKind::Bf16),
            rounded_state(ElementKind::F16),
            usual(|beta, v, read| ElementKind::Bf16.rounded(beta * (v - read))),
            usual(|beta, v, read| ElementKind::F16.rounded(beta * (v - read))),
        ];
        assert_eq!(MISTAKES.len(), expected.len());
        for (mistake, expected) in MISTAKES.iter().zip(expected) {
            let found = mistake.effect.compute(call(), convention, SIZES);
            let pairs = [
                (&found.output, &expected.output),
                (&found.state, &expected.state),
            ];
            for (found, expected) in pairs {
                for (found, expected) in found.iter().zip(expected) {
                    let name = mistake.name;
                    assert!(
                        (found - expected).abs() < 1e-12,
                        "{name}: {found} {expected}"
                    );
                }
            }
        }
    }
}
