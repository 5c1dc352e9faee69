//! Tests of complex products, of sums of matrices, of integers, and of rocBLAS's names. Elements are multiples of 1/64 and factors multiples
//! of 1/2, so that every sum is exact and results must be equal.

use std::ffi::CStr;

use super::*;

const C: u32 = 113;

/// Complex number.
type Pair = [f64; 2];

fn times(a: Pair, b: Pair) -> Pair {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn plus(a: Pair, b: Pair) -> Pair {
    [a[0] + b[0], a[1] + b[1]]
}

/// Column-major matrix of complex numbers. Its columns lie one after another.
#[derive(Clone)]
struct Complexes {
    rows: i32,
    values: Vec<Pair>,
}

impl Complexes {
    fn random(random: &mut Random, rows: i32, cols: i32) -> Complexes {
        let values = (0..rows * cols).map(|_| [random.unit(), random.unit()]);
        Complexes {
            rows,
            values: values.collect(),
        }
    }

    /// Returns a random matrix A whose op(A) has these rows and columns.
    fn stored(random: &mut Random, op: u32, rows: i32, cols: i32) -> Complexes {
        match op {
            N => Complexes::random(random, rows, cols),
            _ => Complexes::random(random, cols, rows),
        }
    }

    /// Returns op(A)(i, j).
    fn at(&self, op: u32, i: i32, j: i32) -> Pair {
        let (row, col) = if op == N { (i, j) } else { (j, i) };
        let [re, im] = self.values[(row + col * self.rows) as usize];
        [re, if op == C { -im } else { im }]
    }

    fn on_device<R: Element>(&self) -> Device<[R; 2]> {
        let values: Vec<[R; 2]> = self
            .values
            .iter()
            .map(|value| value.map(R::from_f64_value))
            .collect();
        Device::copy_of(&values)
    }
}

fn read<R: Element>(device: &Device<[R; 2]>) -> Vec<Pair> {
    let values = device.read_back();
    values.into_iter().map(|value| value.map(R::wide)).collect()
}

type Product = unsafe extern "C" fn(
    u64,
    u32,
    u32,
    i32,
    i32,
    i32,
    u64,
    u64,
    i32,
    u64,
    i32,
    u64,
    u64,
    i32,
) -> u32;
type Sum =
    unsafe extern "C" fn(u64, u32, u32, i32, i32, u64, u64, i32, u64, u64, i32, u64, i32) -> u32;

fn products_and_sums<R: Element>(gemm: Product, geam: Sum) {
    let (mut random, blas) = (Random(11), Blas::new());
    let (alpha, beta) = ([1.5, -0.5], [0.5, 1.0]);
    let factors = [alpha.map(R::from_f64_value), beta.map(R::from_f64_value)];
    let on_device = Device::copy_of(&factors);
    let ops = [N, T, C];
    for round in 0..18 {
        let (op_a, op_b) = (ops[round % 3], ops[round / 3 % 3]);
        // Results with few columns and large ones have kernels of their own.
        let (m, n, k) = match round < 9 {
            true => (70, 66, 17),
            false => (3, 21, 30),
        };
        blas.factors_on_device(round % 2 == 1);
        let at = match round % 2 {
            1 => on_device.at,
            _ => factors.as_ptr() as u64,
        };
        let (alpha_at, beta_at) = (at, at + size_of::<[R; 2]>() as u64);
        let a = Complexes::stored(&mut random, op_a, m, k);
        let b = Complexes::stored(&mut random, op_b, k, n);
        let c = Complexes::random(&mut random, m, n);
        let (da, db, dc) = (a.on_device::<R>(), b.on_device::<R>(), c.on_device::<R>());
        // SAFETY: every matrix has the size in the call.
        let status = unsafe {
            gemm(
                blas.0, op_a, op_b, m, n, k, alpha_at, da.at, a.rows, db.at, b.rows, beta_at,
                dc.at, m,
            )
        };
        assert_eq!(status, 0);
        let found = read(&dc);
        for (index, found) in found.into_iter().enumerate() {
            let (i, j) = (index as i32 % m, index as i32 / m);
            let sum = (0..k).fold([0.0; 2], |sum, l| {
                plus(sum, times(a.at(op_a, i, l), b.at(op_b, l, j)))
            });
            let wanted = plus(times(alpha, sum), times(beta, c.at(N, i, j)));
            assert_eq!(found, wanted, "product {op_a} {op_b}, ({i}, {j})");
        }

        let a = Complexes::stored(&mut random, op_a, m, n);
        let b = Complexes::stored(&mut random, op_b, m, n);
        let (da, db) = (a.on_device::<R>(), b.on_device::<R>());
        // SAFETY: every matrix has the size in the call.
        let status = unsafe {
            geam(
                blas.0, op_a, op_b, m, n, alpha_at, da.at, a.rows, beta_at, db.at, b.rows, dc.at, m,
            )
        };
        assert_eq!(status, 0);
        for (index, found) in read(&dc).into_iter().enumerate() {
            let (i, j) = (index as i32 % m, index as i32 / m);
            let wanted = plus(
                times(alpha, a.at(op_a, i, j)),
                times(beta, b.at(op_b, i, j)),
            );
            assert_eq!(found, wanted, "sum {op_a} {op_b}, ({i}, {j})");
        }
    }
}

#[test]
fn complex_products_and_sums() {
    products_and_sums::<f32>(hipblasCgemm, hipblasCgeam);
    products_and_sums::<f64>(rocblas_zgemm, rocblas_zgeam);
}

#[test]
fn sums_of_batches_do_not_read_a_matrix_whose_factor_is_zero() {
    let blas = Blas::new();
    let (m, n, count) = (5, 70, 3);
    let size = (m * n) as usize;
    let a: Vec<f32> = (0..size * 3).map(|i| i as f32).collect();
    let (da, dc) = (
        Device::copy_of(&a),
        Device::copy_of(&vec![f32::NAN; size * 3]),
    );
    let factors = [2.0f32, 0.0];
    let (alpha, beta) = (factors.as_ptr() as u64, factors.as_ptr() as u64 + 4);
    let step = size as i64;
    let status = call!(rocblas_sgeam_strided_batched(
        blas.0, N, N, m, n, alpha, da.at, m, step, beta, 0, m, step, dc.at, m, step, count
    ));
    assert_eq!(status, 0);
    let doubled: Vec<f32> = a.iter().map(|value| value * 2.0).collect();
    assert_eq!(dc.read_back(), doubled);
    // A sum may replace one of its matrices.
    let lists: Vec<u64> = (0..3).map(|z| dc.at + z * size as u64 * 4).collect();
    let lists = Device::copy_of(&lists);
    let status = call!(hipblasSgeamBatched(
        blas.0, N, N, m, n, alpha, lists.at, m, alpha, lists.at, m, lists.at, m, count
    ));
    assert_eq!(status, 0);
    let wanted: Vec<f32> = a.iter().map(|value| value * 8.0).collect();
    assert_eq!(dc.read_back(), wanted);
}

#[test]
fn rocblas_stores_products_in_a_place_of_their_own() {
    let (mut random, blas) = (Random(12), Blas::new());
    for (m, n, k) in [(66, 70, 9), (4, 30, 5), (30, 4, 5)] {
        let count = 2;
        let numbers = |random: &mut Random, count: i32| -> Vec<i8> {
            (0..count).map(|_| random.below(256) as u8 as i8).collect()
        };
        let (a, b) = (
            numbers(&mut random, m * k * count),
            numbers(&mut random, k * n * count),
        );
        let c: Vec<i32> = (0..m * n * count).collect();
        let (da, db, dc, dd) = (
            Device::copy_of(&a),
            Device::copy_of(&b),
            Device::copy_of(&c),
            Device::copy_of(&vec![0i32; c.len()]),
        );
        let factors = [3i32, -2];
        let (alpha, beta) = (factors.as_ptr() as u64, factors.as_ptr() as u64 + 4);
        let (a_step, b_step, c_step) = (i64::from(m * k), i64::from(k * n), i64::from(m * n));
        let status = call!(rocblas_gemm_strided_batched_ex(
            blas.0, N, N, m, n, k, alpha, da.at, 160, m, a_step, db.at, 160, k, b_step, beta,
            dc.at, 162, m, c_step, dd.at, 162, m, c_step, count, 162, 0, 0, 0
        ));
        assert_eq!(status, 0);
        assert_eq!(dc.read_back(), c, "c is only read");
        for (index, found) in dd.read_back().into_iter().enumerate() {
            let index = index as i32;
            let (i, j, z) = (index % m, index / m % n, index / m / n);
            let sum: i32 = (0..k)
                .map(|l| {
                    let p = a[(i + l * m + z * m * k) as usize];
                    let q = b[(l + j * k + z * k * n) as usize];
                    i32::from(p) * i32::from(q)
                })
                .sum();
            assert_eq!(found, 3 * sum - 2 * c[index as usize], "({i}, {j}) of {z}");
        }
    }
}

#[test]
fn rocblas_has_its_own_numbers_of_statuses() {
    let blas = Blas::new();
    let (factor, matrix) = (1.0f32, Device::copy_of(&[1.0f32; 16]));
    let (f, x) = (&raw const factor as u64, matrix.at);
    let gemm = |handle, op, m, c| {
        call!(rocblas_sgemm(
            handle, op, N, m, 4, 4, f, x, 4, x, 4, f, c, 4
        ))
    };
    assert_eq!(gemm(blas.0, N, 4, x), 0);
    assert_eq!(gemm(0, N, 4, x), 1);
    assert_eq!(gemm(blas.0, N, 4, 0), 3, "a null pointer");
    assert_eq!(gemm(blas.0, N, -1, x), 4, "a negative size");
    assert_eq!(gemm(blas.0, 7, 4, x), 11, "no operation");
    let types = |c_type, d_type, flags| {
        call!(rocblas_gemm_ex(
            blas.0, N, N, 4, 4, 4, f, x, 151, 4, x, 151, 4, f, x, c_type, 4, x, d_type, 4, 151, 0,
            0, flags
        ))
    };
    assert_eq!(types(151, 151, 0), 0);
    assert_eq!(types(151, 150, 0), 2, "c and d of two types");
    assert_eq!(types(151, 151, 1), 2, "packed integers");
    let name = rocblas_status_to_string(2);
    // SAFETY: the name is a static text with a NUL at its end.
    let name = unsafe { CStr::from_ptr(name) };
    assert_eq!(name, c"rocblas_status_not_implemented");

    let (mut len, mut text) = (0usize, [1u8; 32]);
    let (len_at, text_at) = (&raw mut len as u64, text.as_mut_ptr() as u64);
    assert_eq!(call!(rocblas_get_version_string_size(len_at)), 0);
    assert_eq!(call!(rocblas_get_version_string(text_at, len - 1)), 4);
    assert_eq!(call!(rocblas_get_version_string(text_at, len)), 0);
    let version = CStr::from_bytes_until_nul(&text).expect("a NUL");
    assert_eq!(version.count_bytes() + 1, len);
    assert!(version.to_string_lossy().starts_with("4."), "{version:?}");
}
