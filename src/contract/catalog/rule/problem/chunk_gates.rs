//! Mistakes in the gates and masks of the chunk pipeline's steps, as they show in the outputs of each step.

mod parts;

use std::sync::Arc;

use deltanet_reference::rule::chunk::Uw;
use deltanet_reference::rule::packed::{Layout, MatrixPart, PackedChunks, PackedStates};
use deltanet_reference::rule::{HeadMap, Sizes, StateLayout};

use crate::contract::{Buffer, Instance, Mistake};
use parts::ChunkGates;

/// The chunks of a case.
#[derive(Clone)]
pub struct GatedChunks {
    /// Start of each sequence, and the end of the last. All tokens follow one another.
    pub bounds: Vec<usize>,
    /// Sizes. Sequences and tokens are not read.
    pub sizes: Sizes,
    /// Map from value heads to query/key heads.
    pub head_map: HeadMap,
    /// Tokens of a chunk.
    pub chunk: usize,
}

impl GatedChunks {
    /// Returns the chunks of sequences of one length.
    pub fn of_equal(sizes: Sizes, head_map: HeadMap, chunk: usize) -> GatedChunks {
        GatedChunks {
            bounds: (0..=sizes.sequences).map(|n| n * sizes.tokens).collect(),
            sizes,
            head_map,
            chunk,
        }
    }

    fn chunks(&self) -> PackedChunks<'_> {
        PackedChunks {
            layout: Layout {
                bounds: &self.bounds,
                key_heads: self.sizes.key_heads,
                value_heads: self.sizes.value_heads,
                key_size: self.sizes.key_size,
                value_size: self.sizes.value_size,
            },
            gate_kind: self.sizes.gate_kind,
            head_map: self.head_map,
            chunk: self.chunk,
        }
    }

    /// Returns the gates of a case that is computed, if the step is not too much work.
    fn gates(&self, t: &Instance<'_>, sums: Buffer) -> Option<Arc<ChunkGates>> {
        let Sizes {
            value_heads,
            key_size,
            value_size,
            ..
        } = self.sizes;
        let work = value_heads * (key_size + value_size);
        let sums = t.computes().then(|| t.wide(sums))?;
        let channels = self.chunks().layout.gates(self.sizes.gate_kind);
        ChunkGates::new(&self.bounds, self.chunk, (sums, channels), work)
    }

    /// Returns the mistakes in L of keys and write strengths. `what` names it.
    pub fn of_l(&self, t: &Instance<'_>, what: &str, [k, beta, sums]: [Buffer; 3]) -> Vec<Mistake> {
        let Some(gates) = self.gates(t, sums) else {
            return Vec::new();
        };
        let (of, [k, beta]) = (self.clone(), [k, beta].map(|buffer| t.wide(buffer)));
        let l = move |between: [&[f64]; 2], part| of.chunks().l_between((&k, &beta), between, part);
        of_matrix(&gates, (what, MatrixPart::Below), l)
    }

    /// Returns the mistakes in A of queries and keys.
    pub fn of_attention(
        &self,
        t: &Instance<'_>,
        [q, k, sums]: [Buffer; 3],
        scale: f64,
    ) -> Vec<Mistake> {
        let Some(gates) = self.gates(t, sums) else {
            return Vec::new();
        };
        let (of, [q, k]) = (self.clone(), [q, k].map(|buffer| t.wide(buffer)));
        let a = move |between: [&[f64]; 2], part| {
            let chunks = of.chunks();
            chunks.attention_between((&q, &k), between, scale, part)
        };
        of_matrix(&gates, ("A", MatrixPart::BelowAndDiagonal), a)
    }

    /// Returns the mistakes in w of keys, write strengths and Ai.
    pub fn of_w(&self, t: &Instance<'_>, [k, v, beta, inverse, sums]: [Buffer; 5]) -> Vec<Mistake> {
        let Some(gates) = self.gates(t, sums) else {
            return Vec::new();
        };
        let of = self.clone();
        let [k, v, beta, inverse] = [k, v, beta, inverse].map(|buffer| t.wide(buffer));
        gates.of_rows("k, in w,", "j", move |sums| {
            of.chunks().uw((&k, &v, &beta), sums, &inverse).w
        })
    }

    /// Returns the mistakes in outputs of queries, keys, corrected values and states.
    pub fn of_outputs(
        &self,
        t: &Instance<'_>,
        [q, k, vn, h, sums]: [Buffer; 5],
        scale: f64,
    ) -> Vec<Mistake> {
        let Some(gates) = self.gates(t, sums) else {
            return Vec::new();
        };
        let inputs = Arc::new((
            self.clone(),
            [q, k, vn, h, sums].map(|buffer| t.wide(buffer)),
        ));
        let own = Arc::clone(&inputs);
        let products = move |between: [&[f64]; 2], part| {
            let (of, [q, k, vn, h, sums]) = &*own;
            let chunks = of.chunks();
            let attention = chunks.attention_between((q, k), between, scale, part);
            chunks.outputs(q, (&attention, vn), sums, h, scale)
        };
        let part = MatrixPart::BelowAndDiagonal;
        let mut found = of_matrix(&gates, ("q k v_new", part), products);
        found.extend(gates.of_rows("q h", "i", move |row| {
            let (of, [q, k, vn, h, sums]) = &*inputs;
            let attention = of.chunks().attention(q, k, sums, scale);
            of.chunks().outputs(q, (&attention, vn), row, h, scale)
        }));
        found
    }

    /// Returns the mistakes in the states before chunks, in the corrected values and in the last states, of keys, u, w, and initial states, which are zeros
    /// if there are none.
    pub fn of_states(
        &self,
        t: &Instance<'_>,
        [k, u, w, sums]: [Buffer; 4],
        (initial, layout): (Vec<f64>, StateLayout),
    ) -> [Vec<Mistake>; 3] {
        let Some(gates) = self.gates(t, sums) else {
            return Default::default();
        };
        let k = t.wide(k);
        let uw = Uw {
            u: t.wide(u),
            w: t.wide(w),
        };
        let inputs = Arc::new((self.clone(), k, uw, initial));
        let parts: [fn(PackedStates<f64>) -> Vec<f64>; 3] =
            [|found| found.h, |found| found.vn, |found| found.last];
        parts.map(|part| {
            let inputs = Arc::clone(&inputs);
            gates.of_states(move |sums| {
                let (of, k, uw, initial) = &*inputs;
                part(of.chunks().states_by(k, uw, sums, (initial, layout)))
            })
        })
    }
}

/// Returns the mistakes in the gates of a matrix of products, and in its part that is not 0. `what` names it.
fn of_matrix(
    gates: &Arc<ChunkGates>,
    (what, part): (&str, MatrixPart),
    compute: impl Fn([&[f64]; 2], MatrixPart) -> Vec<f64> + Send + Sync + 'static,
) -> Vec<Mistake> {
    let compute = Arc::new(compute);
    let own = Arc::clone(&compute);
    let mut found = gates.of_products(what, move |between| own(between, part));
    let parts = [
        (
            MatrixPart::Below,
            "lacks its diagonal: a token is to count for itself",
        ),
        (
            MatrixPart::BelowAndDiagonal,
            "has its diagonal, where it is to be 0: a token counts for itself",
        ),
        (
            MatrixPart::Whole,
            "has no mask: later tokens of a chunk count, above the diagonal",
        ),
    ];
    for (wrong, words) in parts.into_iter().filter(|(wrong, _)| *wrong != part) {
        let (gates, compute) = (Arc::clone(gates), Arc::clone(&compute));
        found.push(Mistake::new(
            "chunk-mask",
            format!("{what} {words}"),
            move || compute([gates.right(), gates.right()], wrong),
        ));
    }
    found
}
