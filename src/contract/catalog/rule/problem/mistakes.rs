//! The mistakes that kernels of the rule make. A report names a mistake whose outputs fit the kernel's.

mod sequences;
mod terms;

use std::sync::Arc;

use deltanet_reference::rule::{
    Convention, Gate, Inputs, Norm, Order, Outputs, Readout, Scale, Sizes, recurrence,
};

use Effect::{Changed, Computed, OfToken};
use terms::OneToken;

use super::Problem;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::gates::{Arguments, Wrong};
use crate::contract::catalog::rule::chunked::{self, Rows, Terms};
use crate::contract::{Instance, Mistake};

pub use sequences::SequenceCalls;

/// A call of the rule in f64.
pub struct Call {
    /// The inputs.
    pub inputs: CallInputs,
    /// The variant of the rule.
    pub convention: Convention,
    /// The sizes.
    pub sizes: Sizes,
    /// True if there is an initial state.
    pub given: bool,
    /// The tokens of a chunk, if the contract computes by chunks.
    pub chunk: Option<usize>,
}

/// The inputs of a call.
#[derive(Clone, Default)]
pub struct CallInputs {
    pub q: Vec<f64>,
    pub k: Vec<f64>,
    pub v: Vec<f64>,
    pub g: Vec<f64>,
    pub beta: Vec<f64>,
    pub state: Vec<f64>,
}

impl Problem {
    /// Returns the mistakes that show in this case, as they show in the output and in the final state.
    pub fn mistakes(&self, t: &Instance<'_>) -> [Vec<Mistake>; 2] {
        let call = Call {
            inputs: CallInputs {
                q: t.wide(self.q),
                k: t.wide(self.k),
                v: t.wide(self.v),
                g: t.wide(self.g),
                beta: t.wide(self.beta),
                state: t.wide(self.initial),
            },
            convention: self.convention,
            sizes: self.sizes,
            given: self.given,
            chunk: t.has("C").then(|| t.dim("C")),
        };
        call.mistakes(Vec::new())
    }
}

impl Call {
    /// Returns the mistakes of a token or a state that show in this call.
    pub fn known(&self) -> impl Iterator<Item = &'static KnownMistake> {
        let mistakes = MISTAKES.iter().chain(terms::MISTAKES);
        mistakes.filter(|mistake| (mistake.applies)(self))
    }

    /// Returns the mistakes that show in this call, as they show in the output and in the states. `states` holds the right states after the
    /// last token and after those before it, one after another. It may be empty: then there is the one after the last token.
    pub fn mistakes(self, states: Vec<f64>) -> [Vec<Mistake>; 2] {
        self.mistakes_from(None, states)
    }

    /// Returns the same, and the mistakes in the gates and write strengths that follow from their arguments.
    pub fn mistakes_from(
        self,
        arguments: Option<Arguments>,
        states: Vec<f64>,
    ) -> [Vec<Mistake>; 2] {
        let shared = Arc::new((self, states));
        let mut pairs: Vec<[Mistake; 2]> = shared
            .0
            .known()
            .map(|known| {
                let shared = Arc::clone(&shared);
                Mistake::pair(known.name, known.explanation, move || {
                    shared.0.both(&known.effect, &shared.1)
                })
            })
            .collect();
        let wrong = arguments.iter().flat_map(wrong_arguments);
        pairs.extend(wrong.map(|(name, explanation, change)| {
            let shared = Arc::clone(&shared);
            Mistake::pair(name, explanation, move || {
                let call = shared.0.with(&*change);
                call.both(&Changed(|_, _| ()), &shared.1)
            })
        }));
        let (mut in_output, mut in_states): (Vec<Mistake>, Vec<Mistake>) =
            pairs.into_iter().map(Into::into).unzip();
        if !shared.1.is_empty() && shared.0.sizes.tokens > 1 {
            let shared = Arc::clone(&shared);
            let explanation = "the snapshots are in the order of the tokens: the first is the state after the first token, not after the last";
            in_states.push(Mistake::new("snapshots-reversed", explanation, move || {
                shared.0.by_tokens(&shared.1)
            }));
        }
        if let Some(chunk) = shared.0.chunk {
            let (output, states) = chunked::mistakes(move |terms| shared.0.by_chunks(chunk, terms));
            in_output.extend(output);
            in_states.extend(states);
        }
        [in_output, in_states]
    }

    /// Returns the call with other inputs.
    fn with(&self, change: impl FnOnce(&mut CallInputs)) -> Call {
        let mut inputs = self.inputs.clone();
        change(&mut inputs);
        Call { inputs, ..*self }
    }

    /// Computes the output and the states of the chunked form with a mistake.
    fn by_chunks(&self, chunk: usize, terms: Terms) -> (Vec<f64>, Vec<f64>) {
        let (sizes, convention, inputs) = (self.sizes, self.convention, &self.inputs);
        let k = convention.norm.rows(&inputs.k, sizes.key_size);
        let q = match convention.readout {
            Readout::Query => convention.norm.rows(&inputs.q, sizes.key_size),
            Readout::Key => k.clone(),
        };
        let bounds: Vec<usize> = (0..=sizes.sequences).map(|n| n * sizes.tokens).collect();
        let g: Vec<f64> = inputs.g.iter().map(|&g| convention.gate.log(g)).collect();
        let rows = Rows {
            bounds: &bounds,
            sizes,
            inputs: Inputs {
                q: &q,
                k: &k,
                g: &g,
                ..inputs.inputs()
            },
            head_map: convention.head_map,
            chunk,
            scale: convention.scale.factor(sizes.key_size),
            layout: convention.state,
        };
        rows.compute(terms)
    }

    /// Computes the states after the first tokens, in the order of the tokens. A state without a token is the right one.
    fn by_tokens(&self, right: &[f64]) -> Vec<f64> {
        let mut states = right.to_vec();
        let slots = states.chunks_exact_mut(self.inputs.state.len().max(1));
        for (slot, tokens) in slots.zip(1..=self.sizes.tokens) {
            slot.copy_from_slice(&self.right(tokens).state);
        }
        states
    }

    /// Computes the first tokens.
    fn right(&self, tokens: usize) -> Outputs<f64> {
        self.compute(&Changed(|_, _| ()), tokens)
    }

    /// Computes the first tokens with a mistake.
    fn compute(&self, effect: &Effect, tokens: usize) -> Outputs<f64> {
        let sizes = Sizes {
            tokens,
            ..self.sizes
        };
        let inputs = match tokens == self.sizes.tokens {
            true => self.inputs.clone(),
            false => {
                let state = self.inputs.state.clone();
                self.inputs
                    .part(state, |tensor| slice(tensor, self.sizes, 0..tokens))
            }
        };
        effect.compute(inputs, self.convention, sizes)
    }

    /// Computes the output and the states with a mistake. A state without a token is the right one.
    fn both(&self, effect: &Effect, right: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let whole = self.compute(effect, self.sizes.tokens);
        let length = self.inputs.state.len();
        let count = (right.len() / length.max(1)).max(1);
        let mut states = right.to_vec();
        states.resize(count * length, 0.0);
        let slots = states.chunks_exact_mut(length.max(1));
        let tokens = (1..=self.sizes.tokens).rev();
        for (slot, tokens) in slots.zip(tokens) {
            match tokens == self.sizes.tokens {
                true => slot.copy_from_slice(&whole.state),
                false => slot.copy_from_slice(&self.compute(effect, tokens).state),
            }
        }
        (whole.output, states)
    }
}

impl CallInputs {
    /// Returns the tokens of one sequence, from tensors of `tokens` tokens, and the state in its line, or zeros.
    pub fn of_sequence(
        [q, k, v, g, beta]: [&[f64]; 5],
        tokens: usize,
        range: std::ops::Range<usize>,
        (states, line, start): (&[f64], usize, Option<usize>),
    ) -> CallInputs {
        let part = |values: &[f64]| {
            let width = values.len() / tokens.max(1);
            values[range.start * width..range.end * width].to_vec()
        };
        CallInputs {
            q: part(q),
            k: part(k),
            v: part(v),
            g: part(g),
            beta: part(beta),
            state: match start {
                Some(at) => states[at * line..(at + 1) * line].to_vec(),
                None => vec![0.0; line],
            },
        }
    }

    fn inputs(&self) -> Inputs<'_, f64> {
        Inputs {
            q: &self.q,
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
            state: &self.state,
        }
    }

    /// A part of the tokens, after a state.
    fn part(&self, state: Vec<f64>, part: impl Fn(&[f64]) -> Vec<f64>) -> CallInputs {
        CallInputs {
            q: part(&self.q),
            k: part(&self.k),
            v: part(&self.v),
            g: part(&self.g),
            beta: part(&self.beta),
            state,
        }
    }
}

/// A change of gates or write strengths.
type InputsChange = Box<dyn Fn(&mut CallInputs) + Send + Sync>;

/// Returns the mistakes in the gates and write strengths: name, explanation and the change of both.
fn wrong_arguments(arguments: &Arguments) -> Vec<Wrong<InputsChange>> {
    let gates = arguments.gates().map(|(name, explanation, gates)| {
        let change: InputsChange = Box::new(move |inputs| inputs.g = gates());
        (name, explanation, change)
    });
    let strengths = arguments.strengths().map(|(name, explanation, strengths)| {
        let change: InputsChange = Box::new(move |inputs| inputs.beta = strengths());
        (name, explanation, change)
    });
    let to_base_2: InputsChange = Box::new(|inputs| {
        let gates = inputs.g.iter_mut();
        gates.for_each(|g| *g *= std::f64::consts::LN_2);
    });
    let base = (
        "gate-exp2",
        "the factor on the state is 2^g, not e^g: log2(e) is missing",
        to_base_2,
    );
    gates.chain(strengths).chain([base]).collect()
}

/// A mistake that kernels of the rule make.
pub struct KnownMistake {
    pub name: &'static str,
    pub explanation: &'static str,
    applies: fn(&Call) -> bool,
    effect: Effect,
}

impl KnownMistake {
    /// Computes the first tokens of a call with the mistake.
    pub fn compute(&self, call: &Call, tokens: usize) -> Outputs<f64> {
        call.compute(&self.effect, tokens)
    }
}

/// The way to the results of a mistake.
enum Effect {
    /// The rule itself, with other inputs or in another convention.
    Changed(fn(&mut CallInputs, &mut Convention)),
    /// A computation of its own.
    Computed(fn(&CallInputs, Convention, Sizes) -> Outputs<f64>),
    /// A computation of each token.
    OfToken(fn(&OneToken) -> Outputs<f64>),
}

impl Effect {
    fn compute(
        &self,
        mut wide: CallInputs,
        mut convention: Convention,
        sizes: Sizes,
    ) -> Outputs<f64> {
        match self {
            Changed(change) => {
                change(&mut wide, &mut convention);
                recurrence(&convention, sizes, wide.inputs())
            }
            Computed(compute) => compute(&wide, convention, sizes),
            OfToken(compute) => terms::by_tokens(&wide, convention, sizes, compute),
        }
    }
}

const MISTAKES: &[KnownMistake] = &[
    KnownMistake {
        name: "head-map",
        explanation: "value heads read the query/key heads of the other map (block hv / (HV / H), tiled hv % H)",
        applies: |p| p.sizes.key_heads > 1 && p.sizes.key_heads < p.sizes.value_heads,
        effect: Changed(|_, convention| {
            convention.head_map = convention.head_map.other();
        }),
    },
    KnownMistake {
        name: "scale-missing",
        explanation: "the output lacks its scale of 1/sqrt(K)",
        applies: |_| true,
        effect: Changed(|_, convention| convention.scale = Scale::One),
    },
    KnownMistake {
        name: "norm-missing",
        explanation: "q and k are not divided by their norms",
        applies: |p| p.convention.norm != Norm::None,
        effect: Changed(|_, convention| convention.norm = Norm::None),
    },
    KnownMistake {
        name: "norm-missing",
        explanation: "k is divided by its norm, and q is not",
        applies: |p| p.convention.norm != Norm::None && p.convention.readout == Readout::Query,
        effect: Computed(|wide, convention, sizes| normed(wide, convention, sizes, [false, true])),
    },
    KnownMistake {
        name: "norm-missing",
        explanation: "q is divided by its norm, and k is not",
        applies: |p| p.convention.norm != Norm::None && p.convention.readout == Readout::Query,
        effect: Computed(|wide, convention, sizes| normed(wide, convention, sizes, [true, false])),
    },
    KnownMistake {
        name: "norm-of-mean",
        explanation: "q and k are divided by the root of the mean of squares, as in an RMS norm, and not by that of their sum",
        applies: |p| p.convention.norm != Norm::None && p.sizes.key_size > 1,
        effect: Computed(|wide, convention, sizes| {
            let root = (sizes.key_size as f64).sqrt();
            let scaled = |values: Vec<f64>| values.into_iter().map(|x| x * root).collect();
            let rows = |values: &[f64]| scaled(convention.norm.rows(values, sizes.key_size));
            with_rows(wide, convention, sizes, [rows(&wide.q), rows(&wide.k)])
        }),
    },
    KnownMistake {
        name: "norm-of-part",
        explanation: "the norms of q and k have the first 64 channels alone, as sums of one wave have",
        applies: |p| p.convention.norm != Norm::None && p.sizes.key_size > 64,
        effect: Computed(|wide, convention, sizes| {
            normed_by(wide, convention, sizes, |channel| channel < 64)
        }),
    },
    KnownMistake {
        name: "norm-of-part",
        explanation: "the norms of q and k have the channels of half a wave alone: 32 of every 64",
        applies: |p| p.convention.norm != Norm::None && p.sizes.key_size > 32,
        effect: Computed(|wide, convention, sizes| {
            normed_by(wide, convention, sizes, |channel| channel % 64 < 32)
        }),
    },
    KnownMistake {
        name: "norm-epsilon",
        explanation: "the epsilon of the norm is added to the sum of squares",
        applies: |p| !matches!(p.convention.norm, Norm::None | Norm::RootOfSumPlus(_)),
        effect: Changed(|_, convention| {
            convention.norm = Norm::RootOfSumPlus(convention.norm.epsilon());
        }),
    },
    KnownMistake {
        name: "norm-epsilon",
        explanation: "the epsilon of the norm is its lower bound",
        applies: |p| !matches!(p.convention.norm, Norm::None | Norm::MaxWith(_)),
        effect: Changed(|_, convention| {
            convention.norm = Norm::MaxWith(convention.norm.epsilon());
        }),
    },
    KnownMistake {
        name: "norm-epsilon",
        explanation: "the epsilon of the norm is added to the mean of squares",
        applies: |p| !matches!(p.convention.norm, Norm::None | Norm::RootOfMeanPlus(_)),
        effect: Changed(|_, convention| {
            convention.norm = Norm::RootOfMeanPlus(convention.norm.epsilon());
        }),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "q and k are exchanged",
        applies: |p| !p.inputs.q.is_empty(),
        effect: Changed(|wide, _| std::mem::swap(&mut wide.q, &mut wide.k)),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "the gates and beta are exchanged",
        applies: |p| p.inputs.g.len() == p.inputs.beta.len(),
        effect: Changed(|wide, _| std::mem::swap(&mut wide.g, &mut wide.beta)),
    },
    KnownMistake {
        name: "undecayed-error",
        explanation: "the error is taken from the state before its decay",
        applies: |p| p.convention.order != Order::ErrorFirst,
        effect: Changed(|_, convention| convention.order = Order::ErrorFirst),
    },
    KnownMistake {
        name: "decayed-error",
        explanation: "the error is taken from the decayed state",
        applies: |p| p.convention.order == Order::ErrorFirst,
        effect: Changed(|_, convention| convention.order = Order::DecayFirst),
    },
    KnownMistake {
        name: "decay-twice",
        explanation: "the state is decayed twice a token",
        applies: |_| true,
        effect: Changed(|wide, convention| {
            let twice = |g: f64| match convention.gate {
                Gate::Factor => g * g,
                _ => 2.0 * g,
            };
            wide.g.iter_mut().for_each(|g| *g = twice(*g));
        }),
    },
    KnownMistake {
        name: "gate-of-next-token",
        explanation: "a token has the gate of the token after it in its sequence",
        applies: |p| p.sizes.tokens > 1,
        effect: Computed(|wide, convention, sizes| {
            gates_of(wide, convention, sizes, |token| {
                (token + 1).min(sizes.tokens - 1)
            })
        }),
    },
    KnownMistake {
        name: "gate-of-token-before",
        explanation: "a token has the gate of the token before it in its sequence",
        applies: |p| p.sizes.tokens > 1,
        effect: Computed(|wide, convention, sizes| {
            gates_of(wide, convention, sizes, |token| token.saturating_sub(1))
        }),
    },
    KnownMistake {
        name: "gate-sign",
        explanation: "the gate has the wrong sign: states grow where they should decay",
        applies: |p| p.convention.gate != Gate::Factor,
        effect: Changed(|_, convention| {
            convention.gate = match convention.gate {
                Gate::Log => Gate::NegatedLog,
                _ => Gate::Log,
            };
        }),
    },
    KnownMistake {
        name: "factor-as-log",
        explanation: "the gate is the factor itself, and its exponential is taken",
        applies: |p| p.convention.gate == Gate::Factor,
        effect: Changed(|_, convention| convention.gate = Gate::Log),
    },
    KnownMistake {
        name: "log-as-factor",
        explanation: "the gate is taken as the factor itself: its exponential is missing",
        applies: |p| p.convention.gate != Gate::Factor,
        effect: Changed(|wide, convention| {
            if convention.gate == Gate::NegatedLog {
                wide.g.iter_mut().for_each(|g| *g = -*g);
            }
            convention.gate = Gate::Factor;
        }),
    },
    KnownMistake {
        name: "beta-on-v-only",
        explanation: "beta scales the value and not the error",
        applies: |_| true,
        effect: Changed(|wide, _| {
            let channels = wide.v.len() / wide.beta.len();
            let rows = wide.v.chunks_exact_mut(channels).zip(&mut wide.beta);
            for (row, beta) in rows {
                row.iter_mut().for_each(|x| *x *= *beta);
                *beta = 1.0;
            }
        }),
    },
    KnownMistake {
        name: "initial-transposed",
        explanation: "the initial state is read in the other layout ([K][V] for [V][K])",
        applies: |p| p.given,
        effect: Computed(initial_transposed),
    },
    KnownMistake {
        name: "initial-ignored",
        explanation: "the initial state is taken as zeros",
        applies: |p| p.given,
        effect: Changed(|wide, _| wide.state.fill(0.0)),
    },
    KnownMistake {
        name: "state-dropped",
        explanation: "the state is dropped at every boundary of 64 tokens",
        applies: |p| p.sizes.tokens > 64,
        effect: Computed(state_dropped),
    },
    KnownMistake {
        name: "state-shared",
        explanation: "a sequence begins with the state that the one before it left",
        applies: |p| p.sizes.sequences > 1,
        effect: Computed(state_shared),
    },
];

/// Computes the rule with the norms of q and of k, where they are asked for.
fn normed(
    wide: &CallInputs,
    convention: Convention,
    sizes: Sizes,
    [q, k]: [bool; 2],
) -> Outputs<f64> {
    let rows = |values: &[f64], is_normed| match is_normed {
        true => convention.norm.rows(values, sizes.key_size),
        false => values.to_vec(),
    };
    with_rows(
        wide,
        convention,
        sizes,
        [rows(&wide.q, q), rows(&wide.k, k)],
    )
}

/// Computes the rule with norms that have a part of the channels.
fn normed_by(
    wide: &CallInputs,
    convention: Convention,
    sizes: Sizes,
    has: fn(usize) -> bool,
) -> Outputs<f64> {
    let rows = |values: &[f64]| -> Vec<f64> {
        let part = values.iter().enumerate();
        let part = part.map(|(at, x)| if has(at % sizes.key_size) { *x } else { 0.0 });
        let part: Vec<f64> = part.collect();
        let normed = convention.norm.rows(&part, sizes.key_size);
        let rows = values.chunks_exact(sizes.key_size);
        let rows = rows.zip(part.chunks_exact(sizes.key_size));
        let rows = rows.zip(normed.chunks_exact(sizes.key_size));
        rows.flat_map(|((row, part), normed)| {
            // A row's factor is that of its largest channel in the part.
            let largest = (0..part.len()).max_by(|&i, &j| part[i].abs().total_cmp(&part[j].abs()));
            let factor = largest.map_or(0.0, |at| normed[at] / part[at]);
            row.iter().map(move |x| x * factor)
        })
        .collect()
    };
    with_rows(wide, convention, sizes, [rows(&wide.q), rows(&wide.k)])
}

/// Computes the rule without norms of these q and k.
fn with_rows(
    wide: &CallInputs,
    mut convention: Convention,
    sizes: Sizes,
    [q, k]: [Vec<f64>; 2],
) -> Outputs<f64> {
    convention.norm = Norm::None;
    let changed = CallInputs {
        q,
        k,
        ..wide.clone()
    };
    recurrence(&convention, sizes, changed.inputs())
}

/// Computes the rule with gates of other tokens of the same sequence.
fn gates_of(
    wide: &CallInputs,
    convention: Convention,
    sizes: Sizes,
    from: impl Fn(usize) -> usize,
) -> Outputs<f64> {
    let tokens = (0..sizes.tokens).map(|token| slice(&wide.g, sizes, from(token)..from(token) + 1));
    let tokens: Vec<Vec<f64>> = tokens.collect();
    let width = wide.g.len() / (sizes.sequences * sizes.tokens);
    let rows = |sequence: usize| {
        tokens
            .iter()
            .map(move |rows| &rows[sequence * width..][..width])
    };
    let gates = (0..sizes.sequences).flat_map(rows).flatten().copied();
    let changed = CallInputs {
        g: gates.collect(),
        ..wide.clone()
    };
    recurrence(&convention, sizes, changed.inputs())
}

fn initial_transposed(wide: &CallInputs, mut convention: Convention, sizes: Sizes) -> Outputs<f64> {
    convention.state = convention.state.other();
    let other = recurrence(&convention, sizes, wide.inputs());
    // Only the initial state is read wrongly: the final state is in the case's layout.
    let [.., rows, columns] = sizes.state_shape(convention.state);
    let state = transposed(&other.state, [rows, columns]);
    Outputs { state, ..other }
}

/// Transposes the matrices of the last two axes.
pub fn transposed(values: &[f64], [rows, columns]: [usize; 2]) -> Vec<f64> {
    let matrices = values.chunks_exact(rows * columns);
    matrices
        .flat_map(|matrix| {
            (0..columns).flat_map(move |c| (0..rows).map(move |r| matrix[r * columns + c]))
        })
        .collect()
}

/// Returns a range of tokens of a tensor `[B, T, ...]`. A rule that reads the output with k has no q.
fn slice(values: &[f64], sizes: Sizes, range: std::ops::Range<usize>) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    let width = values.len() / (sizes.sequences * sizes.tokens);
    let sequences = values.chunks_exact(sizes.tokens * width);
    sequences
        .flat_map(|sequence| &sequence[range.start * width..range.end * width])
        .copied()
        .collect()
}

fn state_dropped(wide: &CallInputs, convention: Convention, sizes: Sizes) -> Outputs<f64> {
    let mut output = vec![0.0; wide.v.len()];
    let mut state = wide.state.clone();
    for start in (0..sizes.tokens).step_by(64) {
        let range = start..(start + 64).min(sizes.tokens);
        let piece = Sizes {
            tokens: range.len(),
            ..sizes
        };
        if start > 0 {
            state.fill(0.0);
        }
        let tokens = wide.part(state, |tensor| slice(tensor, sizes, range.clone()));
        let part = recurrence(&convention, piece, tokens.inputs());
        let width = sizes.value_heads * sizes.value_size;
        for (b, rows) in part.output.chunks_exact(range.len() * width).enumerate() {
            output[(b * sizes.tokens + start) * width..][..rows.len()].copy_from_slice(rows);
        }
        state = part.state;
    }
    Outputs { output, state }
}

fn state_shared(wide: &CallInputs, convention: Convention, sizes: Sizes) -> Outputs<f64> {
    let one = Sizes {
        sequences: 1,
        ..sizes
    };
    let mut all = Outputs {
        output: Vec::new(),
        state: Vec::new(),
    };
    let mut state: Vec<f64> = wide.state[..wide.state.len() / sizes.sequences].to_vec();
    for b in 0..sizes.sequences {
        let own = |values: &[f64]| {
            let length = values.len() / sizes.sequences;
            values[b * length..(b + 1) * length].to_vec()
        };
        let part = recurrence(&convention, one, wide.part(state, own).inputs());
        all.output.extend(&part.output);
        all.state.extend(&part.state);
        state = part.state;
    }
    all
}
