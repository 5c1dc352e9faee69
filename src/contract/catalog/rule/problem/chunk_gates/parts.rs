//! Mistakes in the gates of the chunk pipeline's steps: a term of the formula decays by the gates of other tokens, or does not decay.

use std::ops::Range;
use std::sync::Arc;

use crate::contract::Mistake;

/// The name of the mistakes.
const NAME: &str = "chunk-gates";

/// The most products of a step for which mistakes are computed: a list has ten mistakes and more.
const MOST_PRODUCTS: usize = 1 << 23;

/// A token whose G a term may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The row's or column's own token.
    Own,
    /// The token after it, or the chunk's last.
    Next,
    /// The token before it, as if 0 stood before the chunk's first token: an exclusive sum.
    Previous,
    /// The chunk's first token.
    First,
    /// The chunk's last token.
    Last,
    /// The token before the chunk's last.
    BeforeLast,
}

/// One part of an exponent: G of a token, added or taken off, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Nothing,
    Plus(Of),
    Minus(Of),
}

use Of::{BeforeLast, First, Last, Next, Own, Previous};
use Part::{Minus, Nothing, Plus};

/// Wrong exponents of products of a row i with a column j, which decay by `e^(G_i - G_j)`: the part of the row, and what is taken off for the column.
const OF_PRODUCTS: [[Part; 2]; 12] = [
    [Nothing, Nothing],
    [Plus(Own), Nothing],
    [Nothing, Plus(Own)],
    [Minus(Own), Minus(Own)],
    [Plus(Last), Plus(Own)],
    [Plus(Last), Nothing],
    [Plus(Own), Plus(First)],
    [Plus(Own), Plus(Next)],
    [Plus(Own), Plus(Previous)],
    [Plus(Next), Plus(Own)],
    [Plus(Previous), Plus(Own)],
    [Plus(First), Plus(Own)],
];

/// Wrong exponents of a row, which decays by `e^(G_i)`.
const OF_ROWS: [[Part; 2]; 8] = [
    [Nothing, Nothing],
    [Plus(Last), Nothing],
    [Plus(First), Nothing],
    [Plus(Next), Nothing],
    [Plus(Previous), Nothing],
    [Minus(Own), Nothing],
    [Plus(Last), Plus(Own)],
    [Plus(Own), Plus(Last)],
];

/// Wrong exponents of a state, which decays by `e^(G_last)` over a chunk.
const OF_STATES: [Part; 3] = [Nothing, Plus(First), Plus(BeforeLast)];

/// Wrong exponents of keys on their way into a state, which decay by `e^(G_last - G_i)`.
const OF_KEYS: [[Part; 2]; 9] = [
    [Nothing, Nothing],
    [Plus(Own), Nothing],
    [Nothing, Plus(Own)],
    [Plus(Last), Nothing],
    [Plus(Own), Plus(Last)],
    [Plus(Last), Plus(Next)],
    [Plus(Last), Plus(Previous)],
    [Plus(BeforeLast), Plus(Own)],
    [Plus(First), Plus(Own)],
];

/// G of the tokens of chunks, with the numbers of one token side by side.
pub struct ChunkGates {
    sums: Vec<f64>,
    /// Numbers of a token: its heads, times the channels of gates per key channel.
    width: usize,
    /// Channels of gates per key channel, or 1.
    channels: usize,
    chunks: Vec<Range<usize>>,
}

/// A step with the G of rows, and that of columns, which is taken off.
type Products = dyn Fn([&[f64]; 2]) -> Vec<f64> + Send + Sync;

/// A step with the G of the state, and the exponents of keys.
type States = dyn Fn([&[f64]; 2]) -> Vec<f64> + Send + Sync;

impl ChunkGates {
    /// Makes the gates of chunks of at most `chunk` tokens in sequences that follow one another. `sums` are G, `[tok, ...]`. Returns none if a step with `work`
    /// products for each pair of tokens of a chunk is too much work.
    pub fn new(
        bounds: &[usize],
        chunk: usize,
        (sums, channels): (Vec<f64>, usize),
        work: usize,
    ) -> Option<Arc<ChunkGates>> {
        let tokens = *bounds.last()?;
        if tokens == 0 || tokens * chunk * work > MOST_PRODUCTS {
            return None;
        }
        let sequences = bounds.windows(2);
        let chunks = sequences.flat_map(|ends| {
            let (first, end) = (ends[0], ends[1]);
            (first..end)
                .step_by(chunk)
                .map(move |start| start..(start + chunk).min(end))
        });
        Some(Arc::new(ChunkGates {
            width: sums.len() / tokens,
            channels,
            chunks: chunks.collect(),
            sums,
        }))
    }

    /// Returns G as it is.
    pub fn right(&self) -> &[f64] {
        &self.sums
    }

    /// Returns one part of an exponent for each token.
    fn part(&self, part: Part) -> Vec<f64> {
        let (of, sign) = match part {
            Nothing => return vec![0.0; self.sums.len()],
            Plus(of) => (of, 1.0),
            Minus(of) => (of, -1.0),
        };
        let mut all = Vec::with_capacity(self.sums.len());
        for chunk in &self.chunks {
            let last = chunk.end - 1;
            for token in chunk.clone() {
                let from = match of {
                    Own => Some(token),
                    Next => Some(last.min(token + 1)),
                    Previous => (token > chunk.start).then(|| token - 1),
                    First => Some(chunk.start),
                    Last => Some(last),
                    BeforeLast => (last > chunk.start).then(|| last - 1),
                };
                match from {
                    Some(from) => {
                        let row = &self.sums[from * self.width..][..self.width];
                        all.extend(row.iter().map(|x| sign * x));
                    }
                    None => all.extend(std::iter::repeat_n(0.0, self.width)),
                }
            }
        }
        all
    }

    /// Returns the mistakes in products of rows and columns, which `what` names.
    pub fn of_products(
        self: &Arc<Self>,
        what: &str,
        compute: impl Fn([&[f64]; 2]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Vec<Mistake> {
        let right = [Plus(Own), Plus(Own)];
        self.of_pairs(&OF_PRODUCTS, (what, right, ["i", "j"]), Arc::new(compute))
    }

    /// Returns the mistakes in rows that decay from the chunk's start, which `what` names. `token` is a row's token in the formula.
    pub fn of_rows(
        self: &Arc<Self>,
        what: &str,
        token: &str,
        compute: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Vec<Mistake> {
        let right = [Plus(Own), Nothing];
        let compute = move |[to, from]: [&[f64]; 2]| compute(&less(to, from));
        self.of_pairs(&OF_ROWS, (what, right, [token; 2]), Arc::new(compute))
    }

    /// Returns the mistakes in the way of states from chunk to chunk.
    pub fn of_states(
        self: &Arc<Self>,
        compute: impl Fn([&[f64]; 2]) -> Vec<f64> + Send + Sync + 'static,
    ) -> Vec<Mistake> {
        let compute: Arc<States> = Arc::new(compute);
        let of_keys = Arc::clone(&compute);
        let gates = Arc::clone(self);
        let keys = move |[to, from]: [&[f64]; 2]| of_keys([gates.right(), &less(to, from)]);
        let right = [Plus(Last), Plus(Own)];
        let words = ("k, on its way into the state,", right, ["i", "i"]);
        let mut found = self.of_pairs(&OF_KEYS, words, Arc::new(keys));
        for wrong in OF_STATES {
            let (gates, compute) = (Arc::clone(self), Arc::clone(&compute));
            let text = told(
                "the state",
                ([wrong, Nothing], [Plus(Last), Nothing]),
                ["i"; 2],
            );
            found.push(Mistake::new(NAME, text, move || {
                compute([&gates.part(wrong), &gates.to_end(Plus(Last))])
            }));
        }
        let (gates, of_state) = (Arc::clone(self), Arc::clone(&compute));
        let text = "the state decays by e^(G_last) twice";
        found.push(Mistake::new(NAME, text, move || {
            let last = twice(&gates.part(Plus(Last)));
            of_state([&last, &gates.to_end(Plus(Last))])
        }));
        let (gates, of_both) = (Arc::clone(self), Arc::clone(&compute));
        let text = "G_last is that of the token before a chunk's last";
        found.push(Mistake::new(NAME, text, move || {
            let last = Plus(BeforeLast);
            of_both([&gates.part(last), &gates.to_end(last)])
        }));
        if self.channels > 1 {
            let gates = Arc::clone(self);
            let text = "the state decays by G_last of the first key channel in all channels";
            found.push(Mistake::new(NAME, text, move || {
                compute([&gates.of_first_channel(), &gates.to_end(Plus(Last))])
            }));
        }
        found
    }

    /// Returns the exponents of keys that decay to a token, of which the formula has the chunk's last.
    fn to_end(&self, to: Part) -> Vec<f64> {
        less(&self.part(to), self.right())
    }

    /// Returns G of the first key channel for all channels.
    fn of_first_channel(&self) -> Vec<f64> {
        let rows = self.sums.chunks_exact(self.channels);
        let row = |row: &[f64]| std::iter::repeat_n(row[0], self.channels);
        rows.flat_map(row).collect()
    }

    fn of_pairs(
        self: &Arc<Self>,
        wrong: &[[Part; 2]],
        (what, right, names): (&str, [Part; 2], [&str; 2]),
        compute: Arc<Products>,
    ) -> Vec<Mistake> {
        let mistake = |&wrong: &[Part; 2]| {
            let (gates, compute) = (Arc::clone(self), Arc::clone(&compute));
            Mistake::new(NAME, told(what, (wrong, right), names), move || {
                let [to, from] = wrong.map(|part| gates.part(part));
                compute([&to, &from])
            })
        };
        let mut found: Vec<Mistake> = wrong.iter().map(mistake).collect();
        let (gates, compute) = (Arc::clone(self), Arc::clone(&compute));
        let text = format!("{what} decays by {} twice", exponential(right, names));
        found.push(Mistake::new(NAME, text, move || {
            let [to, from] = right.map(|part| twice(&gates.part(part)));
            compute([&to, &from])
        }));
        found
    }
}

/// Returns each number twice as large.
fn twice(values: &[f64]) -> Vec<f64> {
    values.iter().map(|x| 2.0 * x).collect()
}

/// Returns differences.
fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Returns a wrong exponent in words.
fn told(what: &str, (wrong, right): ([Part; 2], [Part; 2]), names: [&str; 2]) -> String {
    let right = exponential(right, names);
    match wrong {
        [Nothing, Nothing] => format!("{what} does not decay, and is to decay by {right}"),
        wrong => format!(
            "{what} decays by {}, not by {right}",
            exponential(wrong, names)
        ),
    }
}

/// Returns the exponential of a difference: `e^(G_i - G_j)`.
fn exponential([to, from]: [Part; 2], [i, j]: [&str; 2]) -> String {
    let minus = match from {
        Nothing => Nothing,
        Plus(of) => Minus(of),
        Minus(of) => Plus(of),
    };
    let name = |of: Of, token: &str| match of {
        Own => format!("G_{token}"),
        Next => format!("G_({token}+1)"),
        Previous => format!("G_({token}-1)"),
        First => "G_first".into(),
        Last => "G_last".into(),
        BeforeLast => "G_(last-1)".into(),
    };
    let mut text = String::new();
    // What is added comes first.
    let mut parts = [(to, i), (minus, j)];
    parts.sort_by_key(|(part, _)| matches!(part, Minus(_)));
    for (part, token) in parts {
        text += &match (part, text.is_empty()) {
            (Nothing, _) => String::new(),
            (Plus(of), true) => name(of, token),
            (Plus(of), false) => format!(" + {}", name(of, token)),
            (Minus(of), true) => format!("-{}", name(of, token)),
            (Minus(of), false) => format!(" - {}", name(of, token)),
        };
    }
    format!("e^({text})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sequences of three tokens and one, in chunks of two, with two heads.
    fn gates() -> Arc<ChunkGates> {
        let sums = vec![-1.0, -10.0, -2.0, -20.0, -4.0, -40.0, -8.0, -80.0];
        ChunkGates::new(&[0, 3, 4], 2, (sums, 1), 1).expect("little work")
    }

    #[test]
    fn parts_are_of_tokens_of_the_same_chunk() {
        let of = |part| gates().part(part);
        assert_eq!(of(Nothing), [0.0; 8]);
        assert_eq!(of(Plus(Own)), *gates().right());
        assert_eq!(
            of(Plus(Last)),
            [-2.0, -20.0, -2.0, -20.0, -4.0, -40.0, -8.0, -80.0]
        );
        assert_eq!(of(Plus(Next)), of(Plus(Last)));
        assert_eq!(
            of(Minus(First)),
            [1.0, 10.0, 1.0, 10.0, 4.0, 40.0, 8.0, 80.0]
        );
        assert_eq!(
            of(Plus(Previous)),
            [0.0, 0.0, -1.0, -10.0, 0.0, 0.0, 0.0, 0.0]
        );
        assert_eq!(
            of(Plus(BeforeLast)),
            [-1.0, -10.0, -1.0, -10.0, 0.0, 0.0, 0.0, 0.0]
        );
    }

    #[test]
    fn each_wrong_exponent_is_another_and_has_its_words() {
        let mut texts = Vec::new();
        let products = gates().of_products("A", |[to, from]| [to, from].concat());
        texts.extend(products.iter().map(|one| one.explanation.to_string()));
        assert!(texts.contains(&"A decays by e^(G_i), not by e^(G_i - G_j)".to_owned()));
        assert!(texts.contains(&"A decays by e^(G_j - G_i), not by e^(G_i - G_j)".to_owned()));
        assert!(texts.contains(&"A does not decay, and is to decay by e^(G_i - G_j)".to_owned()));
        let rows = gates().of_rows("q h", "i", <[f64]>::to_vec);
        texts.extend(rows.iter().map(|one| one.explanation.to_string()));
        let states = gates().of_states(|all| all.concat());
        texts.extend(states.iter().map(|one| one.explanation.to_string()));
        assert!(texts.contains(&"the state decays by e^(G_first), not by e^(G_last)".to_owned()));
        let count = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), count);
        let right = [gates().right(), gates().right()].concat();
        assert!(products.iter().all(|one| one.values() != right));
        let right = [gates().right(), &gates().to_end(Plus(Last))].concat();
        assert!(states.iter().all(|one| one.values() != right));
    }

    #[test]
    fn too_much_work_has_no_mistakes() {
        assert!(ChunkGates::new(&[0, 1 << 12], 64, (vec![0.0; 1 << 12], 1), 256).is_none());
        assert!(ChunkGates::new(&[0, 0], 64, (Vec::new(), 1), 1).is_none());
    }
}
