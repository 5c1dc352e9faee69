//! Inputs of a case over packed sequences, and the results of the rule on them.

use deltanet_reference::Real;
use deltanet_reference::rule::packed::{PackedCall, PackedChunks, Rounding, StateType, packed};
use deltanet_reference::rule::{HeadMap, Layout, Order, Sizes, StateLayout};

use super::{LENGTHS, LINES, START};
use crate::contract::catalog::operators::sequences::bounds;
use crate::contract::catalog::rule::problem::{
    gates_of, head_map, layout, log_gates, states, strengths, tokens, unit_rows,
};
use crate::contract::catalog::values;
use crate::contract::{Buffer, DeviceResult, Instance, axes};
use crate::tensor::Distribution::Normal;
use crate::tensor::{Axis, Data, ElementKind};

/// The tensors of a case, as buffers or as numbers.
#[derive(Clone)]
pub struct Tensors<B> {
    pub q: B,
    pub k: B,
    pub v: B,
    pub g: B,
    pub beta: B,
    /// The states before the sequences, or those of the pool.
    pub states: B,
}

impl Tensors<Buffer> {
    fn read<R>(&self, get: impl Fn(Buffer) -> Vec<R>) -> Tensors<Vec<R>> {
        Tensors {
            q: get(self.q),
            k: get(self.k),
            v: get(self.v),
            g: get(self.g),
            beta: get(self.beta),
            states: get(self.states),
        }
    }

    /// Returns the values in f32.
    pub fn golden(&self, t: &Instance<'_>) -> Tensors<Vec<f32>> {
        self.read(|buffer| t.values(buffer).to_vec())
    }

    /// Returns the values in f64.
    pub fn oracle(&self, t: &Instance<'_>) -> Tensors<Vec<f64>> {
        self.read(|buffer| t.wide(buffer))
    }
}

/// The parameters of a case that are not float tensors.
#[derive(Clone)]
pub struct Choices {
    /// The first token of each sequence, and the number of tokens.
    pub bounds: Vec<usize>,
    /// Sizes of one sequence of all tokens.
    pub sizes: Sizes,
    pub head_map: HeadMap,
    pub order: Order,
    pub state: StateLayout,
    pub kept: (StateType, Rounding),
    /// Householder steps of a token.
    pub steps: usize,
    pub scale: f64,
    /// The line that each sequence begins with; none for zeros.
    pub starts: Vec<Option<usize>>,
    /// The lines that each sequence writes, by token; a sequence may have fewer lines than tokens, which then are the last tokens'.
    pub lines: Vec<Vec<Option<usize>>>,
    /// True if the states after the call stand apart from those before it. Those of a sequence that begins with zeros then are zeros until it
    /// has a token.
    pub apart: bool,
    /// Tokens whose outputs are judged: those of paddings come last.
    pub judged: usize,
    /// The tokens of a chunk, if the contract computes by chunks.
    pub chunk: Option<usize>,
}

impl Choices {
    /// Reads the sizes and choices of a case, with sequences that begin with lines of their own numbers and write them after their last token.
    pub fn new(t: &Instance<'_>) -> Choices {
        let count = t.dim("N");
        let lengths = t.chosen(LENGTHS.0).unwrap_or("same");
        let bounds = t.bounds();
        let bounds = bounds.unwrap_or_else(|| bounds_of(lengths, count, t.dim("T")));
        let all = bounds[count];
        let starts = has_initial(t, count).into_iter().enumerate();
        let starts = starts.map(|(n, begins)| begins.then_some(n));
        let key_size = t.dim("K");
        let scale: f32 = t.scale().factor(key_size);
        Choices {
            sizes: Sizes {
                sequences: 1,
                tokens: all,
                key_heads: t.dim("H"),
                value_heads: t.dim("HV"),
                key_size,
                value_size: if t.has("V") { t.dim("V") } else { 1 },
                gate_kind: gates_of(t),
            },
            head_map: head_map(t),
            order: Order::DecayFirst,
            state: layout(t),
            kept: (StateType::Whole, Rounding::Launch),
            steps: if t.has("R") { t.dim("R") } else { 1 },
            scale: scale.into(),
            starts: starts.collect(),
            lines: (0..count).map(|n| vec![Some(n)]).collect(),
            apart: true,
            judged: all,
            chunk: t.has("C").then(|| t.dim("C")),
            bounds,
        }
    }

    /// Returns the sequences' layout for the references.
    pub fn layout(&self) -> Layout<'_> {
        Layout {
            bounds: &self.bounds,
            key_heads: self.sizes.key_heads,
            value_heads: self.sizes.value_heads,
            key_size: self.sizes.key_size,
            value_size: self.sizes.value_size,
        }
    }

    /// Returns the chunks of the sequences.
    pub fn chunks(&self, chunk: usize) -> PackedChunks<'_> {
        PackedChunks {
            layout: self.layout(),
            gate_kind: self.sizes.gate_kind,
            head_map: self.head_map,
            chunk,
        }
    }

    /// Returns the number of elements of a line of states.
    pub fn line(&self) -> usize {
        self.sizes.value_heads * self.sizes.key_size * self.sizes.value_size
    }

    /// Returns the axes of `[tok, HV, width]`.
    pub fn rows(&self, width: usize) -> Vec<Axis> {
        axes([
            ("token", self.sizes.tokens),
            ("head", self.sizes.value_heads),
            ("channel", width),
        ])
    }

    /// Returns the axes of `count` states.
    pub fn states(&self, of: &str, count: usize) -> Vec<Axis> {
        let mut axes = states(self.sizes, self.state);
        axes[0] = Axis {
            name: of.into(),
            length: count,
        };
        axes
    }

    /// Draws the tensors of a case but for the states, and hands the kernels the bounds of the sequences.
    pub fn draw(&self, t: &mut Instance<'_>, states: Buffer) -> DeviceResult<Tensors<Buffer>> {
        let rows = Sizes {
            tokens: self.sizes.tokens * self.steps,
            ..self.sizes
        };
        let q = unit_rows(t, "q", self.sizes, self.sizes.key_size)?;
        let k = unit_rows(t, "k", rows, self.sizes.key_size)?;
        let class = t.chosen(values::NAME).unwrap_or(values::ORDINARY);
        let of_v = tokens(rows, self.sizes.value_heads, self.sizes.value_size);
        let v = values::input_of(t, class, ("v", of_v), Normal(1.0))?;
        let g = log_gates(t, self.sizes)?;
        let beta = strengths(t, rows)?;
        t.scalar("scale", self.scale as f32);
        integers(
            t,
            "cu_seqlens",
            axes([("bound", self.bounds.len())]),
            &self.bounds,
        )?;
        Ok(Tensors {
            q,
            k,
            v,
            g,
            beta,
            states,
        })
    }

    /// Draws the state before each sequence, `[N, HV, K, V]`, and hands the kernels the flags.
    pub fn initial(&self, t: &mut Instance<'_>) -> DeviceResult<Buffer> {
        let axes = self.states("sequence", self.starts.len());
        if t.word(START.0) == "none" {
            return Ok(t.draw("initial", axes, Normal(0.0)));
        }
        self.flags(t)?;
        let class = t.chosen(values::NAME).unwrap_or(values::ORDINARY);
        values::input_of(t, class, ("initial", axes), Normal(0.1))
    }

    /// Hands the kernels the flags of sequences that begin with a state.
    pub fn flags(&self, t: &mut Instance<'_>) -> DeviceResult {
        let flags = has_initial(t, self.starts.len()).into_iter();
        let flags: Vec<i32> = flags.map(i32::from).collect();
        t.upload("has_initial", axes([("sequence", flags.len())]), flags)?;
        Ok(())
    }

    /// Draws the states of a pool as they are before the call, and adds the pool as an output in place.
    pub fn pool(&self, t: &mut Instance<'_>, lines: usize) -> DeviceResult<[Buffer; 2]> {
        let kind = match self.kept.0 {
            StateType::Whole => ElementKind::F32,
            StateType::Bf16 => ElementKind::Bf16,
            StateType::F16 => ElementKind::F16,
        };
        let class = t.chosen(values::NAME).unwrap_or(values::ORDINARY);
        let shape = self.states("line", lines);
        let drawn = ("states before", shape.clone());
        let before = values::draw_as(t, (class, kind), drawn, Normal(0.1));
        let pool = Data::from(t.values(before).to_vec()).to(kind);
        let pool = t.update("states", shape, pool)?;
        Ok([before, pool])
    }
}

/// Hands the kernels whole numbers.
pub fn integers(
    t: &mut Instance<'_>,
    name: &str,
    axes: Vec<Axis>,
    numbers: &[usize],
) -> DeviceResult<Buffer> {
    let numbers = numbers
        .iter()
        .map(|&x| i32::try_from(x).unwrap_or(i32::MAX));
    t.upload(name, axes, numbers.collect::<Vec<i32>>())
}

/// Returns the start of each sequence of a word of [`LENGTHS`]; the sequences have `count * tokens` tokens together.
pub fn bounds_of(lengths: &str, count: usize, tokens: usize) -> Vec<usize> {
    match lengths {
        "same" => bounds("equal", count, tokens),
        lengths => bounds(lengths, count, tokens),
    }
}

/// Returns true if sequence n of a word of [`START`] begins with a state.
pub fn begins(start: &str, n: usize) -> bool {
    match start {
        "none" => false,
        "some" => n % 2 == 1,
        _ => true,
    }
}

/// Returns for each sequence whether it begins with a state.
fn has_initial(t: &Instance<'_>, count: usize) -> Vec<bool> {
    let start = t.chosen(START.0).unwrap_or("all");
    t.flags("has_initial", (0..count).map(|n| begins(start, n)))
}

/// Returns the lines of the sequences, and the lines of the pool. Paddings come last and have none.
pub fn lines_of(t: &Instance<'_>, sequences: usize) -> (Vec<Option<usize>>, usize) {
    let count = sequences + 1;
    let paddings = match t.word(LINES.0) {
        "padding" if sequences > 1 => sequences.div_ceil(4),
        _ => 0,
    };
    let line = |n: usize| match t.word(LINES.0) {
        "own" => n,
        // Line 0 belongs to none, so that a kernel that takes a padding for line 0 shows.
        _ => count - 1 - n,
    };
    let lines = (0..sequences).map(|n| (n + paddings < sequences).then(|| line(n)));
    (lines.collect(), count)
}

/// Computes the judged outputs and the states.
pub fn compute<R: Real>(x: &Tensors<Vec<R>>, by: &Choices) -> (Vec<R>, Vec<R>) {
    let call = PackedCall {
        layout: by.layout(),
        gate_kind: by.sizes.gate_kind,
        head_map: by.head_map,
        order: by.order,
        state: by.state,
        kept: by.kept,
        steps: by.steps,
        scale: R::from_f64(by.scale),
        q: &x.q,
        k: &x.k,
        v: &x.v,
        g: &x.g,
        beta: &x.beta,
    };
    let mut states = x.states.clone();
    let lines = states.chunks_exact_mut(by.line().max(1));
    for (line, start) in lines.zip(&by.starts) {
        if by.apart && start.is_none() {
            line.fill(R::ZERO);
        }
    }
    let mut output = packed(&call, &mut states, &by.starts, |n, token| {
        let lines = &by.lines[n];
        let tokens = by.bounds[n + 1] - by.bounds[n];
        let first = tokens.saturating_sub(lines.len());
        let place = token.checked_sub(first)?;
        lines.get(place).copied().flatten()
    });
    output.truncate(by.judged * by.sizes.value_heads * by.sizes.value_size);
    (output, states)
}
