//! The mistakes of the rule in calls of several sequences, whose states stand in the lines of one tensor.

use std::sync::Arc;

use super::{Call, CallInputs, wrong_arguments};
use crate::contract::Mistake;
use crate::contract::catalog::gates::Arguments;

/// Mistakes in the gates of single tokens. Later steps of a token have no gates.
const OF_ONE_STEP: [&str; 3] = [
    "log-as-factor",
    "gate-of-next-token",
    "gate-of-token-before",
];

/// A call of several sequences.
pub struct SequenceCalls {
    /// The sequences, each with its own tokens and the state that it begins with.
    pub calls: Vec<Call>,
    /// The lines that each sequence writes, by token; a sequence may have fewer lines than tokens, which then are the last tokens'.
    pub lines: Vec<Vec<Option<usize>>>,
    /// All lines before the call.
    pub states: Vec<f64>,
    /// The line that is kept of a state: rounded to the type of the lines, in their layout.
    pub kept: Arc<dyn Fn(Vec<f64>) -> Vec<f64> + Send + Sync>,
    /// Tokens of a call for a row of the output, which is that of the last of them. Several steps of a token are as many tokens.
    pub steps: usize,
    /// The elements of the output that are judged, the first ones.
    pub judged: usize,
}

impl SequenceCalls {
    /// Returns the mistakes that show, as they show in the output and in the states: those of the rule, and those in gates and write strengths that
    /// follow from their arguments. A mistake that shows in the longest sequence may show in all.
    pub fn mistakes(self, arguments: Option<&Arguments>) -> Vec<[Mistake; 2]> {
        let shared = Arc::new(self);
        let longest = shared.calls.iter().max_by_key(|call| call.sizes.tokens);
        let of_rule = longest.into_iter().flat_map(Call::known);
        let steps = shared.steps;
        let of_rule = of_rule.filter(move |known| steps == 1 || !OF_ONE_STEP.contains(&known.name));
        let of_rule = of_rule.map(|known| {
            let shared = Arc::clone(&shared);
            Mistake::pair(known.name, known.explanation, move || {
                shared.compute(|call, tokens| known.compute(call, tokens))
            })
        });
        let of_arguments = arguments.into_iter().flat_map(wrong_arguments);
        let of_arguments = of_arguments.map(|(name, explanation, change)| {
            let shared = Arc::clone(&shared);
            Mistake::pair(name, explanation, move || {
                let changed = shared.with(&*change);
                changed.right()
            })
        });
        of_rule.chain(of_arguments).collect()
    }

    /// Computes the output and the lines.
    pub fn right(&self) -> (Vec<f64>, Vec<f64>) {
        self.compute(Call::right)
    }

    /// Computes the output and the lines. `compute` computes the first tokens of a sequence.
    fn compute(
        &self,
        compute: impl Fn(&Call, usize) -> deltanet_reference::rule::Outputs<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let (mut states, mut output) = (self.states.clone(), Vec::new());
        for (call, lines) in self.calls.iter().zip(&self.lines) {
            let tokens = call.sizes.tokens;
            let first = tokens.saturating_sub(lines.len());
            for token in first..tokens {
                if let Some(at) = lines.get(token - first).copied().flatten() {
                    let line = (self.kept)(compute(call, token + 1).state);
                    states[at * line.len()..][..line.len()].copy_from_slice(&line);
                }
            }
            if tokens > 0 {
                let width = call.sizes.value_heads * call.sizes.value_size;
                let all = compute(call, tokens).output;
                let rows = all.chunks_exact(width).skip(self.steps - 1);
                output.extend(rows.step_by(self.steps).flatten());
            }
        }
        output.truncate(self.judged);
        (output, states)
    }

    /// Returns the sequences with other gates and write strengths, which `change` gets of all tokens.
    fn with(&self, change: &dyn Fn(&mut CallInputs)) -> SequenceCalls {
        let mut all = CallInputs::default();
        for call in &self.calls {
            all.g.extend(&call.inputs.g);
            all.beta.extend(&call.inputs.beta);
        }
        change(&mut all);
        let (mut g, mut beta) = (&all.g[..], &all.beta[..]);
        let calls = self.calls.iter().map(|call| {
            let split = |values: &mut &[f64], length: usize| -> Vec<f64> {
                let (own, rest) = values.split_at(length);
                *values = rest;
                own.to_vec()
            };
            let g = split(&mut g, call.inputs.g.len());
            let beta = split(&mut beta, call.inputs.beta.len());
            call.with(|inputs| (inputs.g, inputs.beta) = (g, beta))
        });
        SequenceCalls {
            calls: calls.collect(),
            lines: self.lines.clone(),
            states: self.states.clone(),
            kept: Arc::clone(&self.kept),
            steps: self.steps,
            judged: self.judged,
        }
    }
}
