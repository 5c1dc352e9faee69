//! Tests of every function against sums in f64, over sizes, transposes, leading dimensions, and factors on the host and on the device.
//!
//! The bound of the error has two parts: k + 4 roundings of the sum's type, relative to the sum of the absolute products, and one rounding
//! of the result's type.

use gfx906_hip as _;
use gfx906_hipblas::api::*;
use half::{bf16, f16};

#[path = "blas/device.rs"]
mod device;
use device::*;

const N: u32 = 111;
const T: u32 = 112;

/// Returns a column-major matrix of small random numbers, with NaN between the columns.
fn matrix<E: Element>(random: &mut Random, rows: i32, cols: i32, leading: i32) -> Vec<E> {
    let (leading, rows) = (leading as usize, rows as usize);
    (0..leading * (cols as usize).max(1))
        .map(|n| match n % leading < rows {
            true => E::from_f64_value(random.unit()),
            false => E::from_f64_value(f64::NAN),
        })
        .collect()
}

/// Returns op(A)(i, j).
fn at<E: Element>(a: &[E], op: u32, leading: i32, i: i32, j: i32) -> f64 {
    let (row, col) = if op == N { (i, j) } else { (j, i) };
    a[(row + col * leading) as usize].wide()
}

/// Returns a product in f64, and the sum of its absolute values.
fn sum<E: Element>(a: &[E], b: &[E], call: &Call, i: i32, j: i32) -> (f64, f64) {
    (0..call.k).fold((0.0, 0.0), |(sum, size), k| {
        let p =
            at(a, call.ops[0], call.leading[0], i, k) * at(b, call.ops[1], call.leading[1], k, j);
        (sum + p, size + p.abs())
    })
}

#[derive(Clone, Copy, Debug)]
struct Call {
    ops: [u32; 2],
    m: i32,
    n: i32,
    k: i32,
    leading: [i32; 3],
    alpha: f64,
    beta: f64,
}

impl Call {
    fn random(random: &mut Random, most: u64) -> Call {
        let ops = [
            [N, T, 113][random.below(3) as usize],
            [N, T][random.below(2) as usize],
        ];
        let mut side = || 1 + random.below(most) as i32;
        let (m, n, k) = (side(), side(), side());
        let rows = [
            if ops[0] == N { m } else { k },
            if ops[1] == N { k } else { n },
            m,
        ];
        let leading = rows.map(|rows| rows + random.below(3) as i32);
        let alpha = [1.0, -0.5, 2.0, 0.0][random.below(4) as usize];
        let beta = [0.0, 1.0, 0.25][random.below(3) as usize];
        Call {
            ops,
            m,
            n,
            k,
            leading,
            alpha,
            beta,
        }
    }

    fn inputs<E: Element>(&self, random: &mut Random) -> [Vec<E>; 2] {
        let stored = |op: u32, rows, cols| if op == N { (rows, cols) } else { (cols, rows) };
        let a = stored(self.ops[0], self.m, self.k);
        let b = stored(self.ops[1], self.k, self.n);
        [
            matrix(random, a.0, a.1, self.leading[0]),
            matrix(random, b.0, b.1, self.leading[1]),
        ]
    }

    /// Checks a product's result in c, and that nothing between its columns was written.
    fn check<E: Element, C: Element>(
        &self,
        sums: f64,
        a: &[E],
        b: &[E],
        before: &[C],
        after: &[C],
    ) {
        for j in 0..self.n {
            for i in 0..self.leading[2] {
                let n = (i + j * self.leading[2]) as usize;
                let found = after[n].wide();
                if i >= self.m {
                    assert!(found.is_nan(), "{self:?}: written between columns");
                    continue;
                }
                let (value, size) = sum(a, b, self, i, j);
                let (value, size) = (self.alpha * value, self.alpha.abs() * size);
                let old = if self.beta == 0.0 {
                    0.0
                } else {
                    self.beta * before[n].wide()
                };
                let bound = (self.k + 4) as f64 * sums * (size + old.abs())
                    + C::EPSILON * (value + old).abs();
                let off = (found - value - old).abs();
                assert!(
                    off <= bound,
                    "{self:?}: c({i}, {j}) is {found}, not {}, bound {bound}",
                    value + old
                );
            }
        }
    }

    /// Returns c before the product. If beta is 0, it is full of NaN, because the product must not read it.
    fn result<C: Element>(&self, random: &mut Random) -> Vec<C> {
        let mut c = matrix(random, self.m, self.n, self.leading[2]);
        if self.beta == 0.0 {
            c.fill(C::from_f64_value(f64::NAN));
        }
        c
    }
}

/// Tests `hipblasGemmEx` over random calls. `types` has the numbers of types and of the compute type; alpha and beta have type S.
fn products<E: Element, C: Element, S: Element>(
    types: [u32; 3],
    compute: u32,
    sums: f64,
    calls: usize,
    most: u64,
) {
    let mut random = Random(0x5eed + u64::from(types[0]) * 77 + u64::from(types[2]));
    let blas = Blas::new();
    for round in 0..calls {
        let call = Call::random(&mut random, most);
        let [a, b] = call.inputs::<E>(&mut random);
        let before = call.result::<C>(&mut random);
        let (da, db, dc) = (
            Device::copy_of(&a),
            Device::copy_of(&b),
            Device::copy_of(&before),
        );
        let factors = [S::from_f64_value(call.alpha), S::from_f64_value(call.beta)];
        let on_device = Device::copy_of(&factors);
        let uses_device = round % 2 == 1;
        blas.factors_on_device(uses_device);
        let host = factors.as_ptr() as u64;
        let at = if uses_device { on_device.at } else { host };
        let (alpha, beta) = (at, at + size_of::<S>() as u64);
        let [op_a, op_b] = call.ops;
        let [lda, ldb, ldc] = call.leading;
        // SAFETY: every matrix has the size in the call.
        let status = unsafe {
            hipblasGemmEx(
                blas.0, op_a, op_b, call.m, call.n, call.k, alpha, da.at, types[0], lda, db.at,
                types[1], ldb, beta, dc.at, types[2], ldc, compute, 160,
            )
        };
        assert_eq!(status, 0, "{call:?}");
        call.check(sums, &a, &b, &before, &dc.read_back());
    }
}

const HALF: f64 = f32::EPSILON as f64 / 2.0;

#[test]
fn products_of_every_kind() {
    products::<f32, f32, f32>([151; 3], 151, HALF, 40, 90);
    products::<f32, f32, f32>([0; 3], 2, HALF, 20, 12);
    products::<f64, f64, f64>([152; 3], 152, f64::EPSILON / 2.0, 20, 80);
    products::<f16, f16, f16>([150; 3], 150, HALF, 20, 80);
    products::<f16, f16, f32>([2; 3], 2, HALF, 20, 80);
    products::<f16, f32, f32>([150, 150, 151], 151, HALF, 20, 80);
    products::<bf16, bf16, f32>([168; 3], 151, HALF, 20, 80);
    products::<bf16, f32, f32>([14, 14, 0], 2, HALF, 20, 80);
}

#[test]
fn batches_apart_and_by_pointers() {
    let (mut random, blas) = (Random(99), Blas::new());
    for _ in 0..10 {
        let call = Call::random(&mut random, 40);
        let count = 1 + random.below(4) as usize;
        let inputs: Vec<[Vec<f32>; 2]> = (0..count).map(|_| call.inputs(&mut random)).collect();
        let [a, b] = [0, 1].map(|side| {
            inputs
                .iter()
                .map(|pair| pair[side].clone())
                .collect::<Vec<_>>()
        });
        let before: Vec<Vec<f32>> = (0..count).map(|_| call.result(&mut random)).collect();
        let (da, db) = (Device::copy_of(&a.concat()), Device::copy_of(&b.concat()));
        let dc = [
            Device::copy_of(&before.concat()),
            Device::copy_of(&before.concat()),
        ];
        let steps = [a[0].len(), b[0].len(), before[0].len()].map(|n| n as i64);
        let list = |at: u64, step: i64| {
            let pointers: Vec<u64> = (0..count as u64)
                .map(|n| at + n * step as u64 * 4)
                .collect();
            Device::copy_of(&pointers)
        };
        let lists = [
            list(da.at, steps[0]),
            list(db.at, steps[1]),
            list(dc[1].at, steps[2]),
        ];
        let factors = [call.alpha as f32, call.beta as f32];
        let alpha = factors.as_ptr() as u64;
        let (beta, [op_a, op_b], [lda, ldb, ldc]) = (alpha + 4, call.ops, call.leading);
        let n = count as i32;
        // SAFETY: every matrix has the size in the call.
        let status = unsafe {
            [
                hipblasSgemmStridedBatched(
                    blas.0, op_a, op_b, call.m, call.n, call.k, alpha, da.at, lda, steps[0], db.at,
                    ldb, steps[1], beta, dc[0].at, ldc, steps[2], n,
                ),
                hipblasSgemmBatched(
                    blas.0,
                    op_a,
                    op_b,
                    call.m,
                    call.n,
                    call.k,
                    alpha,
                    lists[0].at,
                    lda,
                    lists[1].at,
                    ldb,
                    beta,
                    lists[2].at,
                    ldc,
                    n,
                ),
            ]
        };
        assert_eq!(status, [0, 0]);
        for dc in dc {
            let after: Vec<f32> = dc.read_back();
            for (z, after) in after.chunks(steps[2] as usize).enumerate() {
                call.check(HALF, &a[z], &b[z], &before[z], after);
            }
        }
    }
}

#[test]
fn triangular_systems_solve() {
    let (mut random, blas) = (Random(7), Blas::new());
    for round in 0..32u32 {
        let (right, lower, op, unit) = (
            round & 1 == 1,
            round & 2 != 0,
            [N, T][(round / 4 % 2) as usize],
            round & 8 != 0,
        );
        let (m, n) = (1 + random.below(20) as i32, 1 + random.below(70) as i32);
        let order = if right { n.min(20) } else { m };
        let n = if right { order } else { n };
        let (lda, ldb) = (order + 1, m + 2);
        // The matrix is well conditioned, and has NaN in the triangle that must not be read.
        let mut a = matrix::<f32>(&mut random, order, order, lda);
        for j in 0..order {
            for i in 0..order {
                let value = &mut a[(i + j * lda) as usize];
                *value = match i.cmp(&j) {
                    std::cmp::Ordering::Equal if unit => f32::NAN,
                    std::cmp::Ordering::Equal => 2.0,
                    side if lower == (side == std::cmp::Ordering::Greater) => *value / order as f32,
                    _ => f32::NAN,
                };
            }
        }
        let b = matrix::<f32>(&mut random, m, n, ldb);
        let (da, db) = (
            Device::copy_of(&a),
            [Device::copy_of(&b), Device::copy_of(&b)],
        );
        let lists = [Device::copy_of(&[da.at]), Device::copy_of(&[db[1].at])];
        let alpha = 1.5f32;
        let side = if right { 142 } else { 141 };
        let fill = if lower { 122 } else { 121 };
        let diagonal = if unit { 132 } else { 131 };
        let alpha_at = &raw const alpha as u64;
        // SAFETY: every matrix has the size in the call.
        let status = unsafe {
            [
                hipblasStrsm(
                    blas.0, side, fill, op, diagonal, m, n, alpha_at, da.at, lda, db[0].at, ldb,
                ),
                hipblasStrsmBatched(
                    blas.0,
                    side,
                    fill,
                    op,
                    diagonal,
                    m,
                    n,
                    alpha_at,
                    lists[0].at,
                    lda,
                    lists[1].at,
                    ldb,
                    1,
                ),
            ]
        };
        assert_eq!(status, [0, 0]);
        let x: Vec<f32> = db[0].read_back();
        let by_pointers: Vec<f32> = db[1].read_back();
        assert!(
            x.iter()
                .zip(&by_pointers)
                .all(|(p, q)| p.to_bits() == q.to_bits())
        );
        let entry = |i: i32, j: i32| {
            let (i, j) = if op == N { (i, j) } else { (j, i) };
            match i.cmp(&j) {
                std::cmp::Ordering::Equal if unit => 1.0,
                std::cmp::Ordering::Equal => 2.0,
                order if lower == (order == std::cmp::Ordering::Greater) => {
                    f64::from(a[(i + j * lda) as usize])
                }
                _ => 0.0,
            }
        };
        for j in 0..n {
            for i in 0..m {
                let value = |i: i32, j: i32| f64::from(x[(i + j * ldb) as usize]);
                let sum: f64 = match right {
                    false => (0..m).map(|k| entry(i, k) * value(k, j)).sum(),
                    true => (0..n).map(|k| value(i, k) * entry(k, j)).sum(),
                };
                let wanted = 1.5 * f64::from(b[(i + j * ldb) as usize]);
                let off = (sum - wanted).abs();
                assert!(
                    off <= 200.0 * HALF,
                    "round {round}, ({i}, {j}): {sum}, not {wanted}"
                );
            }
        }
    }
}

#[path = "blas/complex.rs"]
mod complex;
#[path = "blas/plain.rs"]
mod plain;
