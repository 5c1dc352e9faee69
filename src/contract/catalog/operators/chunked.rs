//! Shared parts of the chunk operators: sizes, inputs, and results of earlier steps, which are the reference's own.

use deltanet_reference::gdr::chunk_delta_h::chunk_delta_h;
use deltanet_reference::gdr::kkt::{cumsum, kkt};
use deltanet_reference::gdr::solve_tril::solve_tril;
use deltanet_reference::gdr::wy::recompute_w_u;
use deltanet_reference::rule::chunk::States;
use deltanet_reference::rule::{GateKind, HeadMap, Sizes};

use crate::contract::catalog::rule::problem::chunk_gates::GatedChunks;
use crate::contract::catalog::rule::problem::{
    self, KEYS, STRENGTHS, scalars, strengths, tokens, unit_rows,
};
use crate::contract::catalog::sizes;
use crate::contract::{Buffer, Choice, DeviceResult, Factor, Function, Instance, Rule, axes};
use crate::tensor::Axis;
use crate::tensor::Distribution::Normal;

/// Sequences, tokens of each, query/key heads, heads, key channels, value channels, tokens of a chunk.
const DIMS: &[&str] = &["B", "T", "Hg", "H", "K", "V", "BT"];
/// Decay of states, as in phases 9 and 10. `absent`: the kernel gets no gates. `mixed`: gates of either sign, for
/// operators that define the result of a positive exponent.
pub const GATES: (&str, &[&str]) = (
    "gates",
    &["absent", "none", "slow", "model", "fast", "spikes", "mixed"],
);
/// The largest tensors.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "H", "K"],
    &["B", "T", "H", "V"],
    &["B", "T", "H", "BT"],
    &["B", "T", "H", "K", "V"],
];

/// A contract of a chunk operator.
pub const OPERATOR: Function = Function {
    dims: DIMS,
    words: &[GATES],
    largest: LARGEST,
    ..Function::EMPTY
};

/// Test sizes: one token, one token less than a chunk, a last chunk of one token, chunks that are no power of two, and long ones.
pub const SIZES: [Factor; 5] = [
    sizes::TWO_SEQUENCES,
    Factor::Together(
        &["T", "BT"],
        &[
            &[1, 64],
            &[63, 64],
            &[129, 64],
            &[96, 48],
            &[7, 3],
            &[130, 128],
            &[140, 256],
        ],
    ),
    Factor::Together(&["Hg", "H"], sizes::GROUPS),
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];
/// Sizes with mostly several chunks, because the state before a single chunk is the initial state.
pub const SEVERAL_CHUNKS: [Factor; 5] = [
    SIZES[0],
    Factor::Together(
        &["T", "BT"],
        &[
            &[1, 64],
            &[2, 1],
            &[191, 64],
            &[96, 48],
            &[7, 3],
            &[130, 128],
            &[258, 256],
        ],
    ),
    SIZES[2],
    SIZES[3],
    SIZES[4],
];
/// Sizes for sums in chunks of up to four waves. Channels matter little here.
pub const SUMS: [Factor; 5] = [
    SIZES[0],
    Factor::Together(
        &["T", "BT"],
        &[
            &[1, 64],
            &[63, 64],
            &[65, 64],
            &[96, 48],
            &[7, 3],
            &[200, 128],
            &[300, 256],
        ],
    ),
    SIZES[2],
    Factor::One("K", &[1, 16]),
    Factor::One("V", &[1, 16]),
];
/// Sizes for the operator that computes sums and products in one launch.
pub const SUMS_BESIDE_PRODUCTS: [Factor; 5] = [SUMS[0], SIZES[1], SUMS[2], SUMS[3], SUMS[4]];
/// Sizes for solves, which have chunks of 16, 32 and 64 tokens.
pub const SOLVED: [Factor; 5] = [
    sizes::TWO_SEQUENCES,
    Factor::Together(
        &["T", "BT"],
        &[&[1, 64], &[63, 64], &[65, 64], &[32, 16], &[70, 32]],
    ),
    Factor::Together(&["Hg", "H"], sizes::GROUPS),
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];
/// Classes of keys and write strengths.
pub const VALUES: &[Choice] = &[KEYS, STRENGTHS];
/// The exclusion of cases without gates, for operators that always take gates.
pub const GATED: Rule = Rule {
    of: &[GATES.0],
    says: "gates are not absent: the operator takes them",
    breaks: &|case| case.word(GATES.0) == Some("absent"),
};
/// The exclusion of gates that are all 0 or absent, whose sums are zeros.
pub const SUMMED: Rule = Rule {
    of: &[GATES.0],
    says: "gates are there: zeros alone would be right for sums of none",
    breaks: &|case| matches!(case.word(GATES.0), Some("absent" | "none")),
};
/// Cases of one token, whose sums, products and states are right without being computed.
pub const ONE_TOKEN: Rule = Rule {
    of: &["T"],
    says: "T = 1: the sum of one gate is that gate, below the diagonal of one token there is nothing, and the state before it is the first",
    breaks: &|case| case.get("T") == Some(1),
};
/// A case of a chunk operator, with the drawn inputs of the whole pipeline.
#[derive(Clone, Copy)]
pub struct Chunks {
    /// Sizes: `key_heads` is Hg, `value_heads` is H.
    pub sizes: Sizes,
    /// Tokens of a chunk.
    pub bt: usize,
    /// Chunks of a sequence.
    pub count: usize,
    /// Keys of unit length.
    pub k: Buffer,
    /// Write strengths.
    pub beta: Buffer,
    /// Log gates, not summed.
    pub g: Buffer,
    /// True if the kernel gets gates.
    pub gated: bool,
}

impl Chunks {
    /// Draws the case's keys, write strengths and gates.
    pub fn new(t: &mut Instance<'_>) -> DeviceResult<Chunks> {
        let sizes = Sizes {
            sequences: t.dim("B"),
            tokens: t.dim("T"),
            key_heads: t.dim("Hg"),
            value_heads: t.dim("H"),
            key_size: t.dim("K"),
            value_size: t.dim("V"),
            gate_kind: GateKind::PerHead,
        };
        let k = unit_rows(t, "k", sizes, sizes.key_size)?;
        let beta = strengths(t, sizes)?;
        let g = if t.word(GATES.0) == "mixed" {
            t.input("g", scalars(sizes), Normal(0.05))?
        } else {
            problem::log_gates(t, sizes)?
        };
        let bt = t.dim("BT");
        Ok(Chunks {
            sizes,
            bt,
            count: sizes.tokens.div_ceil(bt),
            k,
            beta,
            g,
            gated: t.word(GATES.0) != "absent",
        })
    }

    /// Draws queries of unit length.
    pub fn queries(&self, t: &mut Instance<'_>) -> DeviceResult<Buffer> {
        unit_rows(t, "q", self.sizes, self.sizes.key_size)
    }

    /// Draws values from N(0, 1).
    pub fn values(&self, t: &mut Instance<'_>) -> DeviceResult<Buffer> {
        t.input("v", self.rows(self.sizes.value_size), Normal(1.0))
    }

    /// Computes and uploads the cumulated gates, if the kernel takes gates.
    pub fn sums(&self, t: &mut Instance<'_>) -> DeviceResult<Option<Buffer>> {
        let sums = || cumsum(self.sizes, self.bt, t.values(self.g));
        let sums = self.gated.then(sums);
        sums.map(|sums| t.upload("g_cumsum", scalars(self.sizes), sums))
            .transpose()
    }

    /// Computes the matrix L of each chunk.
    pub fn l(&self, t: &Instance<'_>, sums: Option<Buffer>) -> Vec<f32> {
        let sums = sums.map(|sums| t.values(sums));
        kkt(
            self.sizes,
            self.bt,
            t.values(self.k),
            t.values(self.beta),
            sums,
        )
    }

    /// Computes and uploads `(I + L)^-1` of each chunk.
    pub fn inverse(&self, t: &mut Instance<'_>, sums: Option<Buffer>) -> DeviceResult<Buffer> {
        let inverse = solve_tril(self.sizes, self.bt, &self.l(t, sums));
        t.upload("Ai", self.rows(self.bt), inverse)
    }

    /// Computes and uploads w and u.
    pub fn w_u(
        &self,
        t: &mut Instance<'_>,
        v: Buffer,
        sums: Option<Buffer>,
    ) -> DeviceResult<[Buffer; 2]> {
        let inverse = solve_tril(self.sizes, self.bt, &self.l(t, sums));
        let [k, v, beta] = [self.k, v, self.beta].map(|buffer| t.values(buffer));
        let sums = sums.map(|sums| t.values(sums));
        let found = recompute_w_u(self.sizes, self.bt, k, v, beta, sums, &inverse);
        let w = t.upload("w", self.rows(self.sizes.key_size), found.w)?;
        Ok([w, t.upload("u", self.rows(self.sizes.value_size), found.u)?])
    }

    /// Computes the states and the corrected values.
    pub fn states(
        &self,
        t: &Instance<'_>,
        [w, u]: [Buffer; 2],
        sums: Option<Buffer>,
        h0: Option<Buffer>,
    ) -> States<f32> {
        let [k, w, u] = [self.k, w, u].map(|buffer| t.values(buffer));
        let [sums, h0] = [sums, h0].map(|buffer| buffer.map(|buffer| t.values(buffer)));
        chunk_delta_h(self.sizes, self.bt, k, w, u, sums, h0)
    }

    /// Draws the initial state, if the case has one.
    pub fn initial(&self, t: &mut Instance<'_>) -> DeviceResult<Option<Buffer>> {
        let axes = self.last_axes();
        (t.word(problem::STATE.0) == "random")
            .then(|| t.input("h0", axes, Normal(0.1)))
            .transpose()
    }

    /// Returns the axes of `[B, T, H, width]`.
    pub fn rows(&self, width: usize) -> Vec<Axis> {
        tokens(self.sizes, self.sizes.value_heads, width)
    }

    /// Returns the axes of `[B, T, H, BT]`. If all chunks are whole, the token axis is split into chunks and rows.
    pub fn matrices(&self) -> Vec<Axis> {
        let (s, bt) = (self.sizes, self.bt);
        if !s.tokens.is_multiple_of(bt) {
            let [sequence, token, head] = [s.sequences, s.tokens, s.value_heads];
            return axes([
                ("sequence", sequence),
                ("token", token),
                ("head", head),
                ("column", bt),
            ]);
        }
        axes([
            ("sequence", s.sequences),
            ("chunk", self.count),
            ("row", bt),
            ("head", s.value_heads),
            ("column", bt),
        ])
    }

    /// Returns the axes of `[B, NT, H, K, V]`.
    pub fn state_axes(&self) -> Vec<Axis> {
        let s = self.sizes;
        axes([
            ("sequence", s.sequences),
            ("chunk", self.count),
            ("head", s.value_heads),
            ("key channel", s.key_size),
            ("value channel", s.value_size),
        ])
    }

    /// Returns the axes of `[B, H, K, V]`.
    pub fn last_axes(&self) -> Vec<Axis> {
        problem::states(self.sizes, deltanet_reference::rule::StateLayout::KeyMajor)
    }

    /// Returns the keys that each head reads under the other map, in which head h reads key head h % Hg, and sizes with a key head for
    /// each head.
    pub fn other_heads(&self, k: &[f64]) -> (Sizes, Vec<f64>) {
        let (s, size) = (self.sizes, self.sizes.key_size);
        let token = |k: &[f64]| -> Vec<f64> {
            let head = |h: usize| k[h % s.key_heads * size..][..size].to_vec();
            (0..s.value_heads).flat_map(head).collect()
        };
        let keys = k.chunks_exact(s.key_heads * size).flat_map(token).collect();
        let sizes = Sizes {
            key_heads: s.value_heads,
            ..s
        };
        (sizes, keys)
    }

    /// Returns true if several heads share a key head and there are several key heads.
    pub fn grouped(&self) -> bool {
        self.sizes.key_heads > 1 && self.sizes.key_heads < self.sizes.value_heads
    }

    /// Returns the chunks, for mistakes in their gates.
    pub fn gated_chunks(&self) -> GatedChunks {
        GatedChunks::of_equal(self.sizes, HeadMap::Block, self.bt)
    }
}

/// The explanation of a wrong head map.
pub const OTHER_HEADS: &str = "heads read the keys of the other map (h % Hg for h / (H / Hg))";
