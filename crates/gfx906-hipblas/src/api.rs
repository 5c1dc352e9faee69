//! Table of every function that the library exports.
//!
//! Numbers of constants and the order of arguments are hipBLAS's. `hipblasGemmEx` and its variants take the types of hipBLAS 1 and 2
//! (`hipblasDatatype_t`) as well as the types of `HIPBLAS_V2` and hipBLAS 3 (`hipDataType`, `hipblasComputeType_t`). The numbers of the two
//! do not overlap.

use std::ffi::c_char;

use crate::hip::Address;
use crate::kinds::{ElementType, F16, F32, F64, Kinds};
use crate::product::{BatchLayout, Gemm};
use crate::solve::{Systems, Trsm};
use crate::status::{enter, name};
use crate::{handle, level1, product, solve, transfer};

macro_rules! functions {
    ($($name:ident($($arg:ident: $type:ty),*) = $body:expr;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.\n\n# Safety\nEvery pointer is null, or valid for the accesses that hipBLAS documents.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
                enter(stringify!($name), || $body)
            }
        )*
    };
}

/// `hipblasStatusToString`.
#[unsafe(no_mangle)]
pub extern "C" fn hipblasStatusToString(status: u32) -> *const c_char {
    name(status).as_ptr()
}

fn gemm_call(
    ops: [u32; 2],
    sizes: [i32; 3],
    factors: [Address; 2],
    at: [Address; 3],
    leading: [i32; 3],
) -> Gemm {
    Gemm {
        ops,
        sizes,
        factors,
        at,
        leading,
    }
}

fn trsm_call(side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32) -> Trsm {
    Trsm {
        side,
        fill,
        op,
        diagonal,
        sizes: [m, n],
    }
}

#[rustfmt::skip]
functions! {
    // Handles.
    hipblasCreate(out: Address) = handle::create(out);
    hipblasDestroy(handle: Address) = handle::destroy(handle);
    hipblasSetStream(handle: Address, stream: Address) = handle::set_stream(handle, stream);
    hipblasGetStream(handle: Address, out: Address) = handle::get_stream(handle, out);
    hipblasSetPointerMode(handle: Address, mode: u32) = handle::set_pointer_mode(handle, mode);
    hipblasGetPointerMode(handle: Address, out: Address) = handle::get_pointer_mode(handle, out);
    hipblasSetAtomicsMode(handle: Address, mode: u32) = handle::set_atomics_mode(handle, mode);
    hipblasGetAtomicsMode(handle: Address, out: Address) = handle::get_atomics_mode(handle, out);
    hipblasSetMathMode(handle: Address, mode: u32) = handle::set_math_mode(handle, mode);
    hipblasGetMathMode(handle: Address, out: Address) = handle::get_math_mode(handle, out);
    hipblasSetWorkspace(handle: Address, _place: Address, _bytes: usize) = handle::set_workspace(handle);

    // Copies between host and device.
    hipblasSetVector(n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32) = transfer::vector(n, bytes, (x, incx), (y, incy), None);
    hipblasGetVector(n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32) = transfer::vector(n, bytes, (x, incx), (y, incy), None);
    hipblasSetMatrix(rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), None);
    hipblasGetMatrix(rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), None);
    hipblasSetVectorAsync(n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32, stream: Address) = transfer::vector(n, bytes, (x, incx), (y, incy), Some(stream));
    hipblasGetVectorAsync(n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32, stream: Address) = transfer::vector(n, bytes, (x, incx), (y, incy), Some(stream));
    hipblasSetMatrixAsync(rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32, stream: Address) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), Some(stream));
    hipblasGetMatrixAsync(rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32, stream: Address) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), Some(stream));

    // f32.
    hipblasSaxpy(handle: Address, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "axpy", ElementType::F32, n, alpha, (x, incx), Some((y, incy)));
    hipblasSscal(handle: Address, n: i32, alpha: Address, x: Address, incx: i32) = level1::map_elements(handle, "scal", ElementType::F32, n, alpha, (x, incx), None);
    hipblasScopy(handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "copy", ElementType::F32, n, 0, (x, incx), Some((y, incy)));
    hipblasSswap(handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "swap", ElementType::F32, n, 0, (x, incx), Some((y, incy)));
    hipblasSdot(handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32, result: Address) = level1::reduce(handle, "dot", ElementType::F32, n, (x, incx), Some((y, incy)), result);
    hipblasSnrm2(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "nrm2", ElementType::F32, n, (x, incx), None, result);
    hipblasSasum(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "asum", ElementType::F32, n, (x, incx), None, result);
    hipblasIsamax(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amax", ElementType::F32, n, (x, incx), None, result);
    hipblasIsamin(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amin", ElementType::F32, n, (x, incx), None, result);
    hipblasSgemv(handle: Address, op: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::gemv(handle, ElementType::F32, op, m, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    hipblasSsymv(handle: Address, fill: u32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::symv(handle, ElementType::F32, fill, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    hipblasSger(handle: Address, m: i32, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32, a: Address, lda: i32) = product::ger(handle, ElementType::F32, m, n, alpha, (x, incx), (y, incy), (a, lda));
    hipblasSsyr(handle: Address, fill: u32, n: i32, alpha: Address, x: Address, incx: i32, a: Address, lda: i32) = product::syr(handle, ElementType::F32, fill, n, alpha, (x, incx), (a, lda));
    hipblasStrsv(handle: Address, fill: u32, op: u32, diagonal: u32, n: i32, a: Address, lda: i32, x: Address, incx: i32) = solve::trsv(handle, ElementType::F32, fill, op, diagonal, n, (a, lda), (x, incx));
    hipblasSsymm(handle: Address, side: u32, fill: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::symm(handle, ElementType::F32, side, fill, m, n, [alpha, beta], (a, lda), (b, ldb), (c, ldc));
    hipblasSsyrk(handle: Address, fill: u32, op: u32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, beta: Address, c: Address, ldc: i32) = product::syrk(handle, ElementType::F32, fill, op, n, k, [alpha, beta], (a, lda), (c, ldc));
    hipblasStrsm(handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32) = solve::trsm(handle, ElementType::F32, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Single);
    hipblasStrsmBatched(handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, count: i32) = solve::trsm(handle, ElementType::F32, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Pointers(count));

    // f64.
    hipblasDaxpy(handle: Address, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "axpy", ElementType::F64, n, alpha, (x, incx), Some((y, incy)));
    hipblasDscal(handle: Address, n: i32, alpha: Address, x: Address, incx: i32) = level1::map_elements(handle, "scal", ElementType::F64, n, alpha, (x, incx), None);
    hipblasDcopy(handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "copy", ElementType::F64, n, 0, (x, incx), Some((y, incy)));
    hipblasDswap(handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "swap", ElementType::F64, n, 0, (x, incx), Some((y, incy)));
    hipblasDdot(handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32, result: Address) = level1::reduce(handle, "dot", ElementType::F64, n, (x, incx), Some((y, incy)), result);
    hipblasDnrm2(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "nrm2", ElementType::F64, n, (x, incx), None, result);
    hipblasDasum(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "asum", ElementType::F64, n, (x, incx), None, result);
    hipblasIdamax(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amax", ElementType::F64, n, (x, incx), None, result);
    hipblasIdamin(handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amin", ElementType::F64, n, (x, incx), None, result);
    hipblasDgemv(handle: Address, op: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::gemv(handle, ElementType::F64, op, m, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    hipblasDsymv(handle: Address, fill: u32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::symv(handle, ElementType::F64, fill, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    hipblasDger(handle: Address, m: i32, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32, a: Address, lda: i32) = product::ger(handle, ElementType::F64, m, n, alpha, (x, incx), (y, incy), (a, lda));
    hipblasDsyr(handle: Address, fill: u32, n: i32, alpha: Address, x: Address, incx: i32, a: Address, lda: i32) = product::syr(handle, ElementType::F64, fill, n, alpha, (x, incx), (a, lda));
    hipblasDtrsv(handle: Address, fill: u32, op: u32, diagonal: u32, n: i32, a: Address, lda: i32, x: Address, incx: i32) = solve::trsv(handle, ElementType::F64, fill, op, diagonal, n, (a, lda), (x, incx));
    hipblasDsymm(handle: Address, side: u32, fill: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::symm(handle, ElementType::F64, side, fill, m, n, [alpha, beta], (a, lda), (b, ldb), (c, ldc));
    hipblasDsyrk(handle: Address, fill: u32, op: u32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, beta: Address, c: Address, ldc: i32) = product::syrk(handle, ElementType::F64, fill, op, n, k, [alpha, beta], (a, lda), (c, ldc));
    hipblasDtrsm(handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32) = solve::trsm(handle, ElementType::F64, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Single);
    hipblasDtrsmBatched(handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, count: i32) = solve::trsm(handle, ElementType::F64, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Pointers(count));

    // Products.
    hipblasHgemm(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, F16, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    hipblasHgemmBatched(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, F16, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    hipblasHgemmStridedBatched(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, F16, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Strided([a_step, b_step, c_step], count));
    hipblasSgemm(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, F32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    hipblasSgemmBatched(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, F32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    hipblasSgemmStridedBatched(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, F32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Strided([a_step, b_step, c_step], count));
    hipblasDgemm(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, F64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    hipblasDgemmBatched(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, F64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    hipblasDgemmStridedBatched(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, F64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Strided([a_step, b_step, c_step], count));
    hipblasGemmEx(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    hipblasGemmBatchedEx(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    hipblasGemmStridedBatchedEx(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, a_step: i64, b: Address, b_type: u32, ldb: i32, b_step: i64, beta: Address, c: Address, c_type: u32, ldc: i32, c_step: i64, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmStridedBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Strided([a_step, b_step, c_step], count));
    hipblasGemmEx_v2(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    hipblasGemmBatchedEx_v2(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    hipblasGemmStridedBatchedEx_v2(handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, a_step: i64, b: Address, b_type: u32, ldb: i32, b_step: i64, beta: Address, c: Address, c_type: u32, ldc: i32, c_step: i64, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmStridedBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Strided([a_step, b_step, c_step], count));
}
