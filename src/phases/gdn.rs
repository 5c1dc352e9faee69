//! What the tests of the gated delta rule share: sizes, inputs in the regimes that models have, and the mistakes that
//! kernels make.

use std::rc::Rc;

use deltanet_reference::rule::{
    Convention, Gate, GateKind, HeadMap, Inputs, Order, Outputs, Scale, Sizes, StateLayout,
    producers, recurrence,
};

use crate::tensor::Distribution::{Normal, Uniform};
use crate::trial::{Arg, Buffer, Grid, Mistake, Outcome, Trial, axes, int, null};
use crate::verdict::Axis;

/// Sequences, tokens, query/key heads, value heads, key channels, value channels.
pub const DIMS: &[&str] = &["B", "T", "H", "HV", "K", "V"];
/// How fast states decay: not at all, by about 1 % a token, as a fresh Qwen3-Next does, as llama.cpp's test does, slowly with
/// rare tokens that forget everything (one in 250: the f32 sum of a chunk's gates loses as many digits as it holds spikes, and an honest
/// chunk pipeline must pass at every seed).
pub const GATES: (&str, &[&str]) = ("gates", &["none", "slow", "model", "fast", "spikes"]);
/// Which query/key head a value head reads.
pub const MAP: (&str, &[&str]) = ("map", &["block", "tiled"]);
/// The state before the first token.
pub const STATE: (&str, &[&str]) = ("state", &["zero", "random"]);
/// The layout of states.
pub const LAYOUT: (&str, &[&str]) = ("layout", &["key-major", "value-major"]);

/// Inputs of a call of the rule, on the device.
pub struct Problem {
    /// Sizes.
    pub sizes: Sizes,
    /// What is meant by the rule.
    pub convention: Convention,
    /// Queries.
    pub q: Buffer,
    /// Keys.
    pub k: Buffer,
    /// Values.
    pub v: Buffer,
    /// Gates.
    pub g: Buffer,
    /// Write strengths.
    pub beta: Buffer,
    /// The state before the first token, which references always have.
    pub initial: Buffer,
    /// Whether the kernel is handed it: zeros are a null pointer.
    given: bool,
}

/// The sizes of a case.
pub fn sizes(t: &Trial<'_>) -> Sizes {
    Sizes {
        // A function without this dimension has one sequence.
        sequences: t.dim("B").max(1),
        tokens: t.dim("T"),
        key_heads: t.dim("H"),
        value_heads: t.dim("HV"),
        key_size: t.dim("K"),
        value_size: t.dim("V"),
        gate_kind: GateKind::PerHead,
    }
}

/// The head map that a case names.
pub fn head_map(t: &Trial<'_>) -> HeadMap {
    match t.word(MAP.0) {
        "tiled" => HeadMap::Tiled,
        _ => HeadMap::Block,
    }
}

/// The state layout that a case names.
pub fn layout(t: &Trial<'_>) -> StateLayout {
    match t.word(LAYOUT.0) {
        "value-major" => StateLayout::ValueMajor,
        _ => StateLayout::KeyMajor,
    }
}

/// Axes of `[B, T, heads, channels]`.
pub fn tokens(sizes: Sizes, heads: usize, channels: usize) -> Vec<Axis> {
    axes([
        ("sequence", sizes.sequences),
        ("token", sizes.tokens),
        ("head", heads),
        ("channel", channels),
    ])
}

/// Axes of `[B, T, HV]`.
pub fn scalars(sizes: Sizes) -> Vec<Axis> {
    axes([
        ("sequence", sizes.sequences),
        ("token", sizes.tokens),
        ("head", sizes.value_heads),
    ])
}

/// Axes of the states in a layout.
pub fn states(sizes: Sizes, layout: StateLayout) -> Vec<Axis> {
    let [_, _, rows, columns] = sizes.state_shape(layout);
    let (row, column) = match layout {
        StateLayout::KeyMajor => ("key channel", "value channel"),
        StateLayout::ValueMajor => ("value channel", "key channel"),
    };
    axes([
        ("sequence", sizes.sequences),
        ("head", sizes.value_heads),
        (row, rows),
        (column, columns),
    ])
}

/// Rows of unit length, as models make of q and k.
pub fn unit_rows(t: &mut Trial<'_>, name: &str, sizes: Sizes, channels: usize) -> Outcome<Buffer> {
    let axes = tokens(sizes, sizes.key_heads, channels);
    let raw = t.draw(
        &format!("{name} before its norm"),
        axes.clone(),
        Normal(1.0),
    );
    let mut values = t.values(raw).to_vec();
    for row in values.chunks_exact_mut(channels) {
        let norm = row
            .iter()
            .map(|x| f64::from(*x).powi(2))
            .sum::<f64>()
            .sqrt();
        row.iter_mut()
            .for_each(|x| *x = (f64::from(*x) / norm) as f32);
    }
    t.upload(name, axes, values)
}

/// The log gates of the regime that a case names.
pub fn log_gates(t: &mut Trial<'_>, sizes: Sizes) -> Outcome<Buffer> {
    let axes = scalars(sizes);
    let noise = t.draw("gate noise", axes.clone(), Normal(1.0));
    let share = t.draw("gate share", axes.clone(), Uniform(0.0, 1.0));
    let heads = t.draw(
        "A",
        crate::trial::elements(sizes.value_heads),
        Uniform(0.01, 16.0),
    );
    let values = gates(
        t.word(GATES.0),
        t.values(noise),
        t.values(share),
        t.values(heads),
    );
    t.upload("g", axes, values)
}

/// Log gates `[.., HV]` of a regime of [`GATES`], of numbers N(0,1) and U[0,1) of the same shape and the `[HV]` strengths A.
pub fn gates(regime: &str, noise: &[f32], share: &[f32], a: &[f32]) -> Vec<f32> {
    let slow = |x: &f32| -0.01 * x.abs();
    match regime {
        "slow" => noise.iter().map(slow).collect(),
        "model" => {
            let a_log: Vec<f32> = a.iter().map(|a| a.ln()).collect();
            producers::log_gates(noise, &a_log, &vec![1.0; a.len()])
        }
        "fast" => share.iter().map(|x| -20.0 + x * (20.0 - 1e-4)).collect(),
        "spikes" => {
            let spiky = |(x, share): (&f32, &f32)| if *share < 0.004 { -30.0 } else { slow(x) };
            noise.iter().zip(share).map(spiky).collect()
        }
        _ => vec![0.0; noise.len()],
    }
}

/// Write strengths: the sigmoid of normal numbers.
pub fn strengths(t: &mut Trial<'_>, sizes: Sizes) -> Outcome<Buffer> {
    let raw = t.draw("b", scalars(sizes), Normal(1.0));
    let sigmoid = |x: &f32| (1.0 / (1.0 + (-f64::from(*x)).exp())) as f32;
    let values = t.values(raw).iter().map(sigmoid).collect();
    t.upload("beta", scalars(sizes), values)
}

/// All inputs of a case.
pub fn problem(t: &mut Trial<'_>, convention: Convention) -> Outcome<Problem> {
    let sizes = sizes(t);
    let q = unit_rows(t, "q", sizes, sizes.key_size)?;
    let k = unit_rows(t, "k", sizes, sizes.key_size)?;
    let v = t.input(
        "v",
        tokens(sizes, sizes.value_heads, sizes.value_size),
        Normal(1.0),
    )?;
    let g = log_gates(t, sizes)?;
    let beta = strengths(t, sizes)?;
    let given = t.word(STATE.0) != "zero";
    let axes = states(sizes, convention.state);
    let initial = if given {
        t.input("initial", axes, Normal(0.1))?
    } else {
        t.draw("initial", axes, Normal(0.0))
    };
    Ok(Problem {
        sizes,
        convention,
        q,
        k,
        v,
        g,
        beta,
        initial,
        given,
    })
}

impl Problem {
    /// The initial state as an argument.
    pub fn initial(&self) -> Arg {
        if self.given {
            self.initial.read()
        } else {
            null()
        }
    }

    /// The factor on the output.
    pub fn scale(&self) -> f32 {
        self.convention.scale.factor(self.sizes.key_size)
    }

    /// B, T, H, HV, K and V as arguments.
    pub fn sizes(&self) -> [Arg; 6] {
        let s = &self.sizes;
        [
            s.sequences,
            s.tokens,
            s.key_heads,
            s.value_heads,
            s.key_size,
            s.value_size,
        ]
        .map(int)
    }

    /// What the rule gives, in f32 and in f64.
    pub fn references(&self, t: &Trial<'_>) -> (Outputs<f32>, Outputs<f64>) {
        let Problem {
            q,
            k,
            v,
            g,
            beta,
            initial,
            ..
        } = *self;
        crate::references!(t, |q, k, v, g, beta, initial| {
            let inputs = Inputs {
                q,
                k,
                v,
                g,
                beta,
                state: initial,
            };
            recurrence(&self.convention, self.sizes, inputs)
        })
    }

    /// The mistakes that kernels of the rule make, as seen in the output and in the final state.
    pub fn mistakes(&self, t: &Trial<'_>) -> [Vec<Mistake>; 2] {
        let wide = Rc::new(Wide {
            q: t.wide(self.q),
            k: t.wide(self.k),
            v: t.wide(self.v),
            g: t.wide(self.g),
            beta: t.wide(self.beta),
            state: t.wide(self.initial),
        });
        let part = |state: bool| {
            let mistakes = MISTAKES.iter().filter(|mistake| (mistake.applies)(self));
            let known = mistakes.map(|known| {
                let (wide, convention, sizes) = (Rc::clone(&wide), self.convention, self.sizes);
                Mistake {
                    name: known.name,
                    explanation: known.explanation,
                    values: Box::new(move || {
                        let outputs = (known.compute)(&wide, convention, sizes);
                        if state { outputs.state } else { outputs.output }
                    }),
                }
            });
            known.collect()
        };
        [part(false), part(true)]
    }

    /// Compares what a kernel left in `output` and `state`.
    pub fn check(&self, t: &mut Trial<'_>, output: Buffer, state: Buffer) -> Outcome {
        let (golden, oracle) = self.references(t);
        let [in_output, in_state] = self.mistakes(t);
        t.check_or(output, (golden.output, oracle.output), in_output)?;
        t.check_or(state, (golden.state, oracle.state), in_state)
    }
}

/// The inputs in f64.
struct Wide {
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
    beta: Vec<f64>,
    state: Vec<f64>,
}

impl Wide {
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
}

/// A mistake that kernels of the rule make.
struct Known {
    name: &'static str,
    explanation: &'static str,
    applies: fn(&Problem) -> bool,
    compute: fn(&Wide, Convention, Sizes) -> Outputs<f64>,
}

const MISTAKES: &[Known] = &[
    Known {
        name: "head-map",
        explanation: "value heads read the query/key heads of the other map (block hv / (HV / H), tiled hv % H)",
        applies: |p| p.sizes.key_heads > 1 && p.sizes.key_heads < p.sizes.value_heads,
        compute: |wide, convention, sizes| {
            let head_map = match convention.head_map {
                HeadMap::Block => HeadMap::Tiled,
                HeadMap::Tiled => HeadMap::Block,
            };
            recurrence(
                &Convention {
                    head_map,
                    ..convention
                },
                sizes,
                wide.inputs(),
            )
        },
    },
    Known {
        name: "scale-missing",
        explanation: "the output lacks its scale of 1/sqrt(K)",
        applies: |_| true,
        compute: |wide, convention, sizes| {
            recurrence(
                &Convention {
                    scale: Scale::One,
                    ..convention
                },
                sizes,
                wide.inputs(),
            )
        },
    },
    Known {
        name: "undecayed-error",
        explanation: "the error is taken from the state before its decay",
        applies: |_| true,
        compute: |wide, convention, sizes| {
            recurrence(
                &Convention {
                    order: Order::ErrorFirst,
                    ..convention
                },
                sizes,
                wide.inputs(),
            )
        },
    },
    Known {
        name: "gate-sign",
        explanation: "the gate has the wrong sign: states grow where they should decay",
        applies: |_| true,
        compute: |wide, convention, sizes| {
            let gate = match convention.gate {
                Gate::Log => Gate::NegatedLog,
                _ => Gate::Log,
            };
            recurrence(&Convention { gate, ..convention }, sizes, wide.inputs())
        },
    },
    Known {
        name: "beta-on-v-only",
        explanation: "beta scales the value and not the error",
        applies: |_| true,
        compute: |wide, convention, sizes| {
            let v = wide.v.chunks_exact(sizes.value_size).zip(&wide.beta);
            let v: Vec<f64> = v
                .flat_map(|(row, beta)| row.iter().map(move |x| beta * x))
                .collect();
            let beta = vec![1.0; wide.beta.len()];
            recurrence(
                &convention,
                sizes,
                Inputs {
                    v: &v,
                    beta: &beta,
                    ..wide.inputs()
                },
            )
        },
    },
    Known {
        name: "initial-transposed",
        explanation: "the initial state is read in the other layout ([K][V] for [V][K])",
        applies: |p| p.given,
        compute: |wide, convention, sizes| {
            let state = match convention.state {
                StateLayout::KeyMajor => StateLayout::ValueMajor,
                StateLayout::ValueMajor => StateLayout::KeyMajor,
            };
            let other = recurrence(
                &Convention {
                    state,
                    ..convention
                },
                sizes,
                wide.inputs(),
            );
            // Only the reading is wrong: the final state is in the layout asked for.
            let state = transposed(&other.state, sizes.state_shape(state));
            Outputs { state, ..other }
        },
    },
    Known {
        name: "initial-ignored",
        explanation: "the initial state is taken as zeros",
        applies: |p| p.given,
        compute: |wide, convention, sizes| {
            let state = vec![0.0; wide.state.len()];
            recurrence(
                &convention,
                sizes,
                Inputs {
                    state: &state,
                    ..wide.inputs()
                },
            )
        },
    },
    Known {
        name: "state-dropped",
        explanation: "the state is dropped at every boundary of 64 tokens",
        applies: |p| p.sizes.tokens > 64,
        compute: state_dropped,
    },
    Known {
        name: "state-shared",
        explanation: "a sequence begins with the state that the one before it left",
        applies: |p| p.sizes.sequences > 1,
        compute: state_shared,
    },
];

/// Matrices of the last two axes, mirrored.
fn transposed(values: &[f64], [.., rows, columns]: [usize; 4]) -> Vec<f64> {
    let matrices = values.chunks_exact(rows * columns);
    matrices
        .flat_map(|matrix| {
            (0..columns).flat_map(move |c| (0..rows).map(move |r| matrix[r * columns + c]))
        })
        .collect()
}

/// The tokens of a range of a tensor `[B, T, ...]`.
fn slice(values: &[f64], sizes: Sizes, range: std::ops::Range<usize>) -> Vec<f64> {
    let width = values.len() / (sizes.sequences * sizes.tokens);
    let sequences = values.chunks_exact(sizes.tokens * width);
    sequences
        .flat_map(|sequence| &sequence[range.start * width..range.end * width])
        .copied()
        .collect()
}

fn state_dropped(wide: &Wide, convention: Convention, sizes: Sizes) -> Outputs<f64> {
    let mut output = vec![0.0; wide.v.len()];
    let mut state = wide.state.clone();
    for start in (0..sizes.tokens).step_by(64) {
        let range = start..(start + 64).min(sizes.tokens);
        let piece = Sizes {
            tokens: range.len(),
            ..sizes
        };
        let [q, k, v, g, beta] = [&wide.q, &wide.k, &wide.v, &wide.g, &wide.beta]
            .map(|tensor| slice(tensor, sizes, range.clone()));
        if start > 0 {
            state.fill(0.0);
        }
        let inputs = Inputs {
            q: &q,
            k: &k,
            v: &v,
            g: &g,
            beta: &beta,
            state: &state,
        };
        let part = recurrence(&convention, piece, inputs);
        let width = sizes.value_heads * sizes.value_size;
        for (b, rows) in part.output.chunks_exact(range.len() * width).enumerate() {
            output[(b * sizes.tokens + start) * width..][..rows.len()].copy_from_slice(rows);
        }
        state = part.state;
    }
    Outputs { output, state }
}

fn state_shared(wide: &Wide, convention: Convention, sizes: Sizes) -> Outputs<f64> {
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
        let [q, k, v, g, beta] = [&wide.q, &wide.k, &wide.v, &wide.g, &wide.beta].map(|x| own(x));
        let inputs = Inputs {
            q: &q,
            k: &k,
            v: &v,
            g: &g,
            beta: &beta,
            state: &state,
        };
        let part = recurrence(&convention, one, inputs);
        all.output.extend(&part.output);
        all.state.extend(&part.state);
        state = part.state;
    }
    all
}

/// `head_map`, 0 or 1 as the kernels count.
pub fn map_arg(map: HeadMap) -> Arg {
    int(i32::from(map == HeadMap::Tiled))
}

/// `state_layout`, 0 or 1 as the kernels count.
pub fn layout_arg(layout: StateLayout) -> Arg {
    int(i32::from(layout == StateLayout::ValueMajor))
}

/// The default scale of the output.
pub fn default_scale(sizes: Sizes) -> f32 {
    Scale::InverseSqrtKeySize.factor(sizes.key_size)
}

/// One work-group a chunk, value head and sequence.
pub fn chunk_grid(sizes: Sizes, chunks: usize, items: usize) -> Grid {
    Grid::of([chunks, sizes.value_heads, sizes.sequences], items)
}
