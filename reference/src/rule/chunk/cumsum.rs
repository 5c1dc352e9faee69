use crate::rule::{Gate, Sizes};
use crate::{Real, shape};

/// G: the sum of the log gates from the first token of the chunk to this one.
///
/// `g` and the result are `[B, T, HV]`. The sums are had as a wave has them, by doubling distance: every token adds
/// what the token 1, 2, 4, .. before it has so far. That also rounds less than a sum from the left does, which matters
/// after a steep gate: G is then large, and only differences of it are used.
#[must_use]
pub fn cumsum<R: Real>(sizes: Sizes, chunk: usize, gate: Gate, g: &[R]) -> Vec<R> {
    sizes.check_chunk("cumsum", chunk);
    shape::expect("cumsum", "g", g.len(), &sizes.beta_shape());
    let mut sums = vec![R::ZERO; g.len()];
    for place in sizes.places(chunk) {
        let gates = sizes.chunk_scalars(&place, g);
        let logs = gates.into_iter().map(|g| gate.log(g)).collect();
        for (i, &sum) in scan(logs).iter().enumerate() {
            sums[sizes.chunk_row(&place, i, 1)].fill(sum);
        }
    }
    sums
}

/// Inclusive sums, by doubling distance.
fn scan<R: Real>(mut sums: Vec<R>) -> Vec<R> {
    let mut distance = 1;
    while distance < sums.len() {
        // from the end, so that what stands before is still that of the last round
        for i in (distance..sums.len()).rev() {
            sums[i] = sums[i] + sums[i - distance];
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
            scan(vec![1.0f32, -3.0, 0.5, 2.0, 4.0]),
            [1.0, -2.0, -1.5, 0.5, 4.5]
        );
        assert!(scan::<f32>(vec![]).is_empty());
    }

    #[test]
    fn neighbours_are_added_first() {
        // from the left, each 1 would be lost in 2^24
        assert_eq!(scan(vec![16_777_216.0f32, 1.0, 1.0])[2], 16_777_218.0);
    }

    #[test]
    fn equal_gates_after_a_steep_one_do_not_drift() {
        let mut gates = vec![-0.01f32; 64];
        gates[..2].fill(-30.0);
        let sums = scan(gates);
        let left = f64::from(sums[63] - sums[2]);
        assert!((left + 61.0 * f64::from(0.01f32)).abs() < 2e-5, "{left}");
    }
}
