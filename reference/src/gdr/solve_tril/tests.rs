use super::*;
use crate::gdr::common::by_hand;
use crate::operators::gemm_nn;

/// Returns products of a chunk's unit keys, with other numbers on the diagonal and above it.
fn lower(bt: usize) -> Vec<f64> {
    let element = |at: usize| {
        let (row, column) = (at / bt, at % bt);
        if column < row {
            0.3 * ((at as f64) * 12.9898).sin()
        } else {
            f64::NAN
        }
    };
    (0..bt * bt).map(element).collect()
}

#[test]
fn it_is_the_inverse() {
    for bt in [16, 32, 64] {
        let a = lower(bt);
        let inverse = solve_tril(by_hand(bt), bt, &a);
        let with_identity = |at: usize| match (at / bt).cmp(&(at % bt)) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => a[at],
        };
        let matrix: Vec<f64> = (0..bt * bt).map(with_identity).collect();
        let product = gemm_nn(&matrix, &inverse, bt, bt, bt);
        for (at, x) in product.iter().enumerate() {
            let want = if at / bt == at % bt { 1.0 } else { 0.0 };
            assert!((x - want).abs() < 1e-13, "{bt}: {x} at {at}");
        }
    }
}

#[test]
fn a_short_chunk_is_a_smaller_matrix() {
    // three tokens in chunks of two: [1 0; -a 1], and one row of the second matrix
    let inverse = solve_tril(by_hand(3), 2, &[9.0f32, 9.0, 0.25, 9.0, 9.0, 9.0]);
    assert_eq!(inverse, [1.0, 0.0, -0.25, 1.0, 1.0, 0.0]);
}
