use crate::rule::{Gate, Sizes};
use crate::{Real, shape};

/// Returns G: the sum of the log gates from the first token of the chunk to each token.
///
/// `g` and the result are `[B, T, HV]`. G is always `f64`: steep gates take G below -1000 within a chunk, and the rule uses only differences
/// of G, which `f32` would give with errors of up to 6e-5. The order of the sums is that of a scan in a wave: in each round every token adds the
/// sum of the token 1, 2, 4, .. before it.
#[must_use]
pub fn cumsum<R: Real>(sizes: Sizes, chunk: usize, gate: Gate, g: &[R]) -> Vec<f64> {
    sizes.check_chunk("cumsum", chunk);
    shape::expect("cumsum", "g", g.len(), &sizes.beta_shape());
    let mut sums = vec![0.0; g.len()];
    for index in sizes.chunk_indices(chunk) {
        let gates = sizes.chunk_scalars(&index, g);
        let logs = gates.into_iter().map(|g| gate.log(g.to_f64())).collect();
        for (i, &sum) in scan(logs).iter().enumerate() {
            sums[sizes.chunk_row(&index, i, 1)].fill(sum);
        }
    }
    sums
}

/// Computes inclusive sums by a scan with doubling distance.
fn scan(mut sums: Vec<f64>) -> Vec<f64> {
    let mut distance = 1;
    while distance < sums.len() {
        // The loop runs from the end, so that the earlier elements still have the values of the round before.
        for i in (distance..sums.len()).rev() {
            sums[i] += sums[i - distance];
        }
        distance *= 2;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            scan(vec![1.0, -3.0, 0.5, 2.0, 4.0]),
            [1.0, -2.0, -1.5, 0.5, 4.5]
        );
        assert!(scan(vec![]).is_empty());
    }

    #[test]
    fn neighbours_are_added_first() {
        // A sum from the left would lose each 1 in 2^53.
        let large = 2f64.powi(53);
        assert_eq!(scan(vec![large, 1.0, 1.0])[2], large + 2.0);
    }

    #[test]
    fn what_follows_a_steep_gate_is_not_lost() {
        let mut gates = vec![-0.01; 64];
        gates[..60].fill(-20.0);
        let sums = scan(gates);
        let left = sums[63] - sums[60];
        assert!((left + 3.0 * 0.01).abs() < 1e-12, "{left}");
    }
}
