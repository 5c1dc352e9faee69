//! Mistakes in one term of a token: of what is read, written or kept.
//!
//! The results of a token are linear in its terms, so the wrong ones are sums of right results with other inputs. With `beta` 0 a token
//! only decays the state; after a state of zeros it only writes its value.

use deltanet_reference::rule::{Convention, Gate, Outputs, Sizes, recurrence};

use super::Effect::Computed;
use super::{KnownMistake, Wide, slice};

pub(super) const MISTAKES: &[KnownMistake] = &[
    KnownMistake {
        name: "prediction-missing",
        explanation: "the value is written as it is: what the state holds for the key is not subtracted",
        applies: |_| true,
        effect: Computed(|wide, convention, sizes| {
            by_tokens(wide, convention, sizes, |token| {
                sum(&[(1.0, &token.decayed()), (1.0, &token.written(None))])
            })
        }),
    },
    KnownMistake {
        name: "prediction-sign",
        explanation: "what the state holds for the key is added to the value, and not subtracted",
        applies: |_| true,
        effect: Computed(|wide, convention, sizes| {
            by_tokens(wide, convention, sizes, |token| {
                let (right, written) = (token.right(), token.written(None));
                sum(&[(2.0, &token.decayed()), (2.0, &written), (-1.0, &right)])
            })
        }),
    },
    KnownMistake {
        name: "beta-on-prediction-only",
        explanation: "beta scales what the state holds for the key, and not the value",
        applies: |_| true,
        effect: Computed(|wide, convention, sizes| {
            by_tokens(wide, convention, sizes, |token| {
                let (right, written) = (token.right(), token.written(None));
                sum(&[
                    (1.0, &right),
                    (1.0, &token.written(Some(1.0))),
                    (-1.0, &written),
                ])
            })
        }),
    },
    KnownMistake {
        name: "decay-not-kept",
        explanation: "the state is decayed where it is read, and kept as it was",
        applies: |_| true,
        effect: Computed(|wide, convention, sizes| {
            by_tokens(wide, convention, sizes, |token| {
                let (right, decayed) = (token.right(), token.decayed());
                sum(&[(1.0, &right), (1.0, &token.unchanged()), (-1.0, &decayed)])
            })
        }),
    },
    KnownMistake {
        name: "decay-after-update",
        explanation: "the state is decayed after its update: what the token writes decays at once",
        applies: |_| true,
        effect: Computed(|wide, convention, sizes| {
            by_tokens(wide, convention, sizes, |token| {
                let (right, decayed) = (token.right(), token.decayed());
                let written = sum(&[(1.0, &right), (-1.0, &decayed)]);
                sum(&[(1.0, &decayed), (1.0, &token.decayed_from(written.state))])
            })
        }),
    },
    KnownMistake {
        name: "output-before-update",
        explanation: "the output is read before the token is written to the state",
        applies: |_| true,
        effect: Computed(|wide, convention, sizes| {
            by_tokens(wide, convention, sizes, |token| Outputs {
                output: token.decayed().output,
                state: token.right().state,
            })
        }),
    },
];

/// One token of all sequences and heads, after a state.
struct OneToken {
    wide: Wide,
    convention: Convention,
    sizes: Sizes,
}

impl OneToken {
    fn run(&self, change: impl FnOnce(&mut Wide)) -> Outputs<f64> {
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

    /// Returns the state as it was, and the output from it.
    fn unchanged(&self) -> Outputs<f64> {
        let open = match self.convention.gate {
            Gate::Factor => 1.0,
            Gate::Log | Gate::NegatedLog => 0.0,
        };
        self.run(|wide| {
            wide.beta.fill(0.0);
            wide.g.fill(open);
        })
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
fn by_tokens(
    wide: &Wide,
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
