use super::*;
use crate::gdr::common::by_hand;
use crate::rule::chunk::l;
use crate::rule::{GateKind, Sizes};

#[test]
fn sums_start_again_with_each_chunk() {
    assert_eq!(
        cumsum(by_hand(5), 2, &[1.0f32, 2.0, 4.0, 8.0, 16.0]),
        [1.0, 3.0, 4.0, 12.0, 16.0]
    );
}

#[test]
fn a_later_sum_is_never_above_an_earlier_one() {
    // gates far below the resolution of their sum, in every position
    let gates: Vec<f32> = (0..64)
        .map(|i| if i % 7 == 3 { -40.0 } else { -1e-7 * i as f32 })
        .collect();
    let sums = cumsum(by_hand(64), 64, &gates);
    assert!(sums.is_sorted_by(|a, b| a >= b));
}

#[test]
fn products_by_hand() {
    // k = (1, 2, 3, 4), beta = (1, 1/2, 1/4, 1/8), e^G = (1, 1/2, 1/4 | 1)
    let (k, beta) = ([1.0f64, 2.0, 3.0, 4.0], [1.0, 0.5, 0.25, 0.125]);
    let plain = kkt(by_hand(4), 3, &k, &beta, None);
    #[rustfmt::skip]
    assert_eq!(plain, [0.0,  0.0, 0.0,
                       1.0,  0.0, 0.0,
                       0.75, 1.5, 0.0,
                       0.0,  0.0, 0.0]);
    let half = -(2f64.ln());
    let gated = kkt(
        by_hand(4),
        3,
        &k,
        &beta,
        Some(&[0.0, half, 2.0 * half, 0.0]),
    );
    let near = |a: f64, b: f64| (a - b).abs() < 1e-15;
    assert!(
        near(gated[3], 0.5) && near(gated[6], 0.1875) && near(gated[7], 0.75),
        "{gated:?}"
    );
}

#[test]
fn no_positive_exponent_is_used() {
    assert_eq!(
        (safe_exp(0.0f32), safe_exp(1e-3f32), safe_exp(f32::INFINITY)),
        (1.0, 0.0, 0.0)
    );
    let grown = kkt(
        by_hand(2),
        2,
        &[1.0f32, 1.0],
        &[1.0, 1.0],
        Some(&[0.0, 0.5]),
    );
    assert_eq!(grown, [0.0; 4]);
}

#[test]
fn it_is_the_rules_l() {
    let sizes = Sizes {
        sequences: 2,
        tokens: 7,
        key_heads: 2,
        value_heads: 4,
        key_size: 3,
        value_size: 1,
        gate_kind: GateKind::PerHead,
    };
    let numbers = |n, seed: f64| -> Vec<f64> {
        (0..n)
            .map(|i| ((f64::from(i) + seed) * 12.9898).sin())
            .collect()
    };
    let (k, beta) = (numbers(84, 0.1), numbers(56, 0.2));
    let g: Vec<f64> = numbers(56, 0.3).iter().map(|x| -x * x).collect();
    let (sums, a) = cumsum_kkt(sizes, 4, &g, &k, &beta);
    assert_eq!(sums, cumsum(sizes, 4, &g));
    assert_eq!(a, kkt(sizes, 4, &k, &beta, Some(&sums)));
    let want = l(sizes, 4, HeadMap::Block, &k, &beta, &sums);
    assert!(a.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-15));
}
