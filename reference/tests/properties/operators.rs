//! Properties that hold between the operators, for all sizes and values.

use crate::common::{Random, distance};
use deltanet_reference::operators::*;
use deltanet_reference::widen;
use proptest::prelude::*;

/// Returns a strictly lower n x n matrix, small enough that its inverse is bounded.
fn strictly_lower(random: &mut Random, n: usize) -> Vec<f32> {
    tril(&random.fill(n * n, -0.5, 0.5), n, -1)
}

proptest! {
    #[test]
    fn transposing_twice_is_nothing(rows in 0usize..40, cols in 0usize..40, seed: u64) {
        let m = Random::new(seed).fill(rows * cols, -9.0, 9.0);
        prop_assert_eq!(transpose(&transpose(&m, rows, cols), cols, rows), m);
    }

    #[test]
    fn the_three_products_are_one(m in 1usize..24, n in 1usize..24, k in 1usize..40, seed: u64) {
        let mut random = Random::new(seed);
        let a = random.fill(m * k, -1.0, 1.0);
        let b = random.fill(k * n, -1.0, 1.0);
        let product = gemm_nn(&a, &b, m, n, k);
        prop_assert_eq!(&gemm_nt(&a, &transpose(&b, k, n), m, n, k), &product);
        prop_assert_eq!(&gemm_tn(&transpose(&a, m, k), &b, m, n, k), &product);
        // (A B)^T = B^T A^T holds to the bit, since a product is symmetric in its factors.
        let other = gemm_nn(&transpose(&b, k, n), &transpose(&a, m, k), n, m, k);
        prop_assert_eq!(&transpose(&other, n, m), &product);
    }

    #[test]
    fn the_identity_changes_nothing(n in 1usize..24, k in 1usize..24, seed: u64) {
        let m = Random::new(seed).fill(n * k, -1.0, 1.0);
        prop_assert_eq!(&gemm_nn(&eye(n), &m, n, k, n), &m);
        prop_assert_eq!(&solve_tri(&vec![0.0; n * n], &m, n, k), &m);
    }

    #[test]
    fn the_gemm_golden_is_close_to_the_oracle(k in 1usize..200, seed: u64) {
        let mut random = Random::new(seed);
        let a = random.fill(3 * k, -1.0, 1.0);
        let b = random.fill(2 * k, -1.0, 1.0);
        let golden = widen(&gemm_nt(&a, &b, 3, 2, k));
        let oracle = gemm_nt(&widen(&a), &widen(&b), 3, 2, k);
        // Each step has one rounding of at most half an ulp of a sum below k.
        let bound = (k * k) as f64 * 2f64.powi(-25) + 1e-30;
        prop_assert!(distance(&golden, &oracle) <= bound);
    }

    #[test]
    fn the_solution_solves(n in 1usize..65, k in 1usize..8, seed: u64) {
        let mut random = Random::new(seed);
        let a = widen(&strictly_lower(&mut random, n));
        let b = widen(&random.fill(n * k, -1.0, 1.0));
        let x = solve_tri(&a, &b, n, k);
        let left = sub(&x, &gemm_nn(&a, &x, n, k, n));
        let size = x.iter().fold(1.0f64, |max, x| max.max(x.abs()));
        prop_assert!(distance(&left, &b) <= 1e-13 * size * n as f64);
    }

    #[test]
    fn the_solve_golden_is_close_to_the_oracle(n in 1usize..33, seed: u64) {
        let mut random = Random::new(seed);
        let a = scale(&strictly_lower(&mut random, n), 0.25);
        let b = random.fill(n * 2, -1.0, 1.0);
        let golden = widen(&solve_tri(&a, &b, n, 2));
        let oracle = solve_tri(&widen(&a), &widen(&b), n, 2);
        let size = oracle.iter().fold(1.0f64, |max, x| max.max(x.abs()));
        prop_assert!(distance(&golden, &oracle) <= 1e-5 * size);
    }

    #[test]
    fn elementwise_goldens_are_close_to_the_oracle(x in -80.0f32..80.0) {
        let close = |golden: f32, oracle: f64| (f64::from(golden) - oracle).abs() <= 4.0 * f64::from(f32::EPSILON) * oracle.abs();
        prop_assert!(close(exp(&[x])[0], f64::from(x).exp()));
        prop_assert!(close(sigmoid(&[x])[0], sigmoid(&[f64::from(x)])[0]));
    }

    #[test]
    fn sigmoids_of_opposites_add_up_to_one(x in -30.0f64..30.0) {
        prop_assert!((sigmoid(&[x])[0] + sigmoid(&[-x])[0] - 1.0).abs() <= 1e-15);
    }

    #[test]
    fn the_cumulated_sum_ends_in_the_sum(values in prop::collection::vec(-100i32..100, 1..200)) {
        // whole numbers: exact
        let values: Vec<f32> = values.into_iter().map(|x| x as f32).collect();
        let sums = cumsum(&values);
        prop_assert_eq!(sums[values.len() - 1], values.iter().sum::<f32>());
        prop_assert_eq!(sums[0], values[0]);
        for i in 1..values.len() {
            prop_assert_eq!(sums[i] - sums[i - 1], values[i]);
        }
    }

    #[test]
    fn the_masks_agree(n in 1usize..40) {
        let ones = vec![1.0f32; n * n];
        prop_assert_eq!(&causal_mask::<f32>(n), &tril(&ones, n, -1));
        prop_assert_eq!(&eye::<f32>(n), &sub(&tril(&ones, n, 0), &tril(&ones, n, -1)));
        prop_assert_eq!(&apply_causal_identity(&ones, n), &tril(&ones, n, 0));
        prop_assert_eq!(&decay_mask(&vec![0.25f32; n]), &tril(&ones, n, 0));
    }

    #[test]
    fn decay_from_i_to_j_goes_by_way_of_any_token_between(n in 3usize..20, seed: u64) {
        let g = widen(&Random::new(seed).fill(n, -0.5, 0.0));
        let mask = decay_mask(&cumsum(&g));
        for i in 2..n {
            for j in 0..i {
                for between in j..=i {
                    let steps = mask[i * n + between] * mask[between * n + j];
                    prop_assert!((mask[i * n + j] - steps).abs() <= 1e-12 * steps);
                }
            }
        }
        // By the document's sign, the neighbour's factor is e^-g.
        prop_assert!((mask[n] - (-g[1]).exp()).abs() <= 1e-12);
    }
}
