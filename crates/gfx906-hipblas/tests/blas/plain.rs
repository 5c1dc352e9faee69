//! Tests of levels 1 and 2, of the functions of level 3 besides gemm and trsm, and of invalid calls.

use super::*;

/// Returns the indices of a vector's elements at a distance of `step`, in the vector's order.
fn strided(n: i32, step: i32) -> Vec<usize> {
    let first = if step < 0 { (1 - n) * step } else { 0 };
    (0..n).map(|i| (first + i * step) as usize).collect()
}

fn vector(random: &mut Random, n: i32, step: i32) -> Vec<f64> {
    (0..1 + (n - 1).max(0) * step.abs())
        .map(|_| random.unit())
        .collect()
}

#[test]
fn vectors_are_scaled_added_copied_and_swapped() {
    let (mut random, blas) = (Random(3), Blas::new());
    for (n, incx, incy) in [(1, 1, 1), (300, 1, 1), (70, 2, -3), (257, -1, 2)] {
        let (x, y) = (vector(&mut random, n, incx), vector(&mut random, n, incy));
        let (xs, ys) = (strided(n, incx), strided(n, incy));
        let fresh = || (Device::copy_of(&x), Device::copy_of(&y));
        let alpha = -1.25f64;
        let at = &raw const alpha as u64;
        let (dx, dy) = fresh();
        assert_eq!(
            call!(hipblasDaxpy(blas.0, n, at, dx.at, incx, dy.at, incy)),
            0
        );
        let mut wanted = y.clone();
        xs.iter()
            .zip(&ys)
            .for_each(|(&i, &j)| wanted[j] = alpha.mul_add(x[i], wanted[j]));
        assert_eq!(dy.read_back(), wanted);
        let (dx, dy) = fresh();
        assert_eq!(call!(hipblasDswap(blas.0, n, dx.at, incx, dy.at, incy)), 0);
        let (mut a, mut b) = (x.clone(), y.clone());
        xs.iter()
            .zip(&ys)
            .for_each(|(&i, &j)| std::mem::swap(&mut a[i], &mut b[j]));
        assert_eq!((dx.read_back(), dy.read_back()), (a, b));
        let (dx, dy) = fresh();
        assert_eq!(call!(hipblasDcopy(blas.0, n, dx.at, incx, dy.at, incy)), 0);
        let mut wanted = y.clone();
        xs.iter().zip(&ys).for_each(|(&i, &j)| wanted[j] = x[i]);
        assert_eq!(dy.read_back(), wanted);
        if incx > 0 {
            assert_eq!(call!(hipblasDscal(blas.0, n, at, dx.at, incx)), 0);
            let mut wanted = x.clone();
            xs.iter().for_each(|&i| wanted[i] *= alpha);
            assert_eq!(dx.read_back(), wanted);
        }
    }
}

#[test]
fn vectors_are_summed_and_searched() {
    let (mut random, blas) = (Random(4), Blas::new());
    for (n, incx, incy) in [(1, 1, 1), (1000, 1, 1), (77, 3, -2), (0, 1, 1)] {
        let (x, y) = (vector(&mut random, n, incx), vector(&mut random, n, incy));
        let (xs, ys) = (strided(n, incx), strided(n, incy));
        let (dx, dy) = (Device::copy_of(&x), Device::copy_of(&y));
        let mut found = [f64::NAN; 3];
        let mut indices = [-1i32; 2];
        let at = found.as_mut_ptr() as u64;
        let index = indices.as_mut_ptr() as u64;
        // SAFETY: the vectors have `n` elements at their distances, and results have room.
        let status = unsafe {
            [
                hipblasDdot(blas.0, n, dx.at, incx, dy.at, incy, at),
                hipblasDasum(blas.0, n, dx.at, incx, at + 8),
                hipblasDnrm2(blas.0, n, dx.at, incx, at + 16),
                hipblasIdamax(blas.0, n, dx.at, incx, index),
                hipblasIdamin(blas.0, n, dx.at, incx, index + 4),
            ]
        };
        assert_eq!(status, [0; 5]);
        let dot: f64 = xs.iter().zip(&ys).map(|(&i, &j)| x[i] * y[j]).sum();
        let sizes: Vec<f64> = xs.iter().map(|&i| x[i].abs()).collect();
        let asum: f64 = sizes.iter().sum();
        let norm = sizes.iter().map(|s| s * s).sum::<f64>().sqrt();
        for (found, wanted) in found.into_iter().zip([dot, asum, norm]) {
            assert!(
                (found - wanted).abs() <= 1e-12 * (1.0 + asum),
                "{found}, not {wanted}"
            );
        }
        let first = |best: f64| {
            sizes
                .iter()
                .position(|s| *s == best)
                .map_or(0, |at| at as i32 + 1)
        };
        let most = sizes.iter().copied().fold(0.0, f64::max);
        let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(indices, [first(most), first(least)]);
    }
    // The squares of this norm overflow, and its result is on the device.
    let huge = Device::copy_of(&[3e200f64, -4e200]);
    let result = Device::copy_of(&[0.0f64]);
    blas.factors_on_device(true);
    assert_eq!(call!(hipblasDnrm2(blas.0, 2, huge.at, 1, result.at)), 0);
    assert!((result.read_back()[0] / 5e200 - 1.0).abs() < 1e-14);
}

#[test]
fn matrices_meet_vectors() {
    let (mut random, blas) = (Random(5), Blas::new());
    for (m, n, op, incx, incy) in [(5, 9, N, 1, 1), (70, 3, T, 2, -1), (33, 40, N, -2, 3)] {
        let lda = m + 1;
        let a = matrix::<f64>(&mut random, m, n, lda);
        let (rows, cols) = if op == N { (m, n) } else { (n, m) };
        let (x, y) = (
            vector(&mut random, cols, incx),
            vector(&mut random, rows, incy),
        );
        let (xs, ys) = (strided(cols, incx), strided(rows, incy));
        let (da, dx, dy) = (
            Device::copy_of(&a),
            Device::copy_of(&x),
            Device::copy_of(&y),
        );
        let factors = [1.5f64, -0.5];
        let alpha = factors.as_ptr() as u64;
        // SAFETY: matrix and vectors have the sizes in the call.
        let status = unsafe {
            hipblasDgemv(
                blas.0,
                op,
                m,
                n,
                alpha,
                da.at,
                lda,
                dx.at,
                incx,
                alpha + 8,
                dy.at,
                incy,
            )
        };
        assert_eq!(status, 0);
        let after = dy.read_back();
        for i in 0..rows {
            let sum: f64 = (0..cols)
                .map(|k| at(&a, op, lda, i, k) * x[xs[k as usize]])
                .sum();
            let j = ys[i as usize];
            assert!((after[j] - (1.5 * sum - 0.5 * y[j])).abs() < 1e-12);
        }
        // The outer product needs vectors of the right lengths.
        let (u, v) = (vector(&mut random, m, incy), vector(&mut random, n, incx));
        let (us, vs) = (strided(m, incy), strided(n, incx));
        let (du, dv) = (Device::copy_of(&u), Device::copy_of(&v));
        assert_eq!(
            call!(hipblasDger(
                blas.0, m, n, alpha, du.at, incy, dv.at, incx, da.at, lda
            )),
            0
        );
        let after = da.read_back();
        for j in 0..n {
            for i in 0..m {
                let at = (i + j * lda) as usize;
                let wanted = a[at] + 1.5 * u[us[i as usize]] * v[vs[j as usize]];
                assert!((after[at] - wanted).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn triangles_are_read_and_written_alone() {
    let (mut random, blas) = (Random(6), Blas::new());
    for (m, n, fill, right) in [
        (5, 12, 121, false),
        (20, 70, 122, false),
        (12, 7, 121, true),
        (30, 33, 122, true),
    ] {
        let order = if right { n } else { m };
        let full = matrix::<f64>(&mut random, order, order, order);
        let in_triangle = |i: i32, j: i32| if fill == 121 { i <= j } else { i >= j };
        let symmetric = |i: i32, j: i32| {
            let (i, j) = if in_triangle(i, j) { (i, j) } else { (j, i) };
            full[(i + j * order) as usize]
        };
        let half: Vec<f64> = (0..order * order)
            .map(|n| {
                if in_triangle(n % order, n / order) {
                    full[n as usize]
                } else {
                    f64::NAN
                }
            })
            .collect();
        let b = matrix::<f64>(&mut random, m, n, m);
        let (da, db, dc) = (
            Device::copy_of(&half),
            Device::copy_of(&b),
            Device::copy_of(&vec![f64::NAN; (m * n) as usize]),
        );
        let factors = [2.0f64, 0.0];
        let alpha = factors.as_ptr() as u64;
        let side = if right { 142 } else { 141 };
        // SAFETY: matrix and vectors have the sizes in the call.
        let status = unsafe {
            hipblasDsymm(
                blas.0,
                side,
                fill,
                m,
                n,
                alpha,
                da.at,
                order,
                db.at,
                m,
                alpha + 8,
                dc.at,
                m,
            )
        };
        assert_eq!(status, 0);
        let after = dc.read_back();
        for j in 0..n {
            for i in 0..m {
                let sum: f64 = match right {
                    false => (0..m)
                        .map(|k| symmetric(i, k) * b[(k + j * m) as usize])
                        .sum(),
                    true => (0..n)
                        .map(|k| b[(i + k * m) as usize] * symmetric(k, j))
                        .sum(),
                };
                assert!((after[(i + j * m) as usize] - 2.0 * sum).abs() < 1e-12);
            }
        }
        // The result b * b' has m by m elements, of which one triangle is written.
        let dc = Device::copy_of(&vec![f64::NAN; (m * m) as usize]);
        let status = call!(hipblasDsyrk(
            blas.0,
            fill,
            N,
            m,
            n,
            alpha,
            db.at,
            m,
            alpha + 8,
            dc.at,
            m
        ));
        assert_eq!(status, 0);
        let after = dc.read_back();
        for j in 0..m {
            for i in 0..m {
                let found = after[(i + j * m) as usize];
                let sum: f64 = (0..n)
                    .map(|k| b[(i + k * m) as usize] * b[(j + k * m) as usize])
                    .sum();
                assert!(if in_triangle(i, j) {
                    (found - 2.0 * sum).abs() < 1e-12
                } else {
                    found.is_nan()
                });
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let blas = Blas::new();
    let (factor, matrix) = (1.0f32, Device::copy_of(&[1.0f32; 16]));
    let (f, x) = (&raw const factor as u64, matrix.at);
    let gemm = |handle, op, m, lda, alpha, c| {
        // SAFETY: the arrays have 16 elements, and no valid call exceeds them.
        call!(hipblasSgemm(
            handle, op, N, m, 4, 4, alpha, x, lda, x, 4, f, c, 4
        ))
    };
    assert_eq!(gemm(0, N, 4, 4, f, x), 1, "no handle");
    assert_eq!(gemm(blas.0, 7, 4, 4, f, x), 10, "no operation");
    assert_eq!(gemm(blas.0, N, -1, 4, f, x), 3);
    assert_eq!(gemm(blas.0, N, 4, 3, f, x), 3, "columns that overlap");
    assert_eq!(gemm(blas.0, N, 4, 4, 0, x), 3);
    assert_eq!(gemm(blas.0, N, 4, 4, f, 0), 3);
    assert_eq!(gemm(blas.0, N, 0, 4, f, 0), 0, "nothing to do");
    // SAFETY: no pointer is dereferenced.
    unsafe {
        assert_eq!(hipblasCreate(0), 9);
        assert_eq!(hipblasDestroy(12345), 1);
        assert_eq!(hipblasSetPointerMode(blas.0, 2), 10);
        let to_int8 = hipblasGemmEx(
            blas.0, N, N, 4, 4, 4, f, x, 160, 4, x, 160, 4, f, x, 160, 4, 162, 160,
        );
        assert_eq!(to_int8, 7);
    }
}
