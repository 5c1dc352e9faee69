use crate::rule::{Gate, Sizes};
use crate::{Real, operators, shape};

/// G: the sum of the log gates from the first token of the chunk to this one, from the left.
///
/// `g` and the result are `[B, T, HV]`.
#[must_use]
pub fn cumsum<R: Real>(sizes: Sizes, chunk: usize, gate: Gate, g: &[R]) -> Vec<R> {
    sizes.check_chunk("cumsum", chunk);
    shape::expect("cumsum", "g", g.len(), &sizes.beta_shape());
    let mut sums = vec![R::ZERO; g.len()];
    for place in sizes.places(chunk) {
        let logs: Vec<R> = sizes
            .chunk_scalars(&place, g)
            .into_iter()
            .map(|g| gate.log(g))
            .collect();
        for (i, &sum) in operators::cumsum(&logs).iter().enumerate() {
            sums[sizes.chunk_row(&place, i, 1)].fill(sum);
        }
    }
    sums
}
