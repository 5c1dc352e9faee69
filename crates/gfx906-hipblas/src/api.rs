//! Table of every function that works, with its names in hipBLAS and in rocBLAS.
//!
//! Numbers of constants and the order of arguments are those of both libraries, which agree. `hipblasGemmEx` and its variants take the types of hipBLAS 1 and 2
//! (`hipblasDatatype_t`) as well as the types of `HIPBLAS_V2` and hipBLAS 3 (`hipDataType`, `hipblasComputeType_t`). The numbers of the two
//! do not overlap.

use std::ffi::c_char;

use crate::hip::{Address, store_host_value};
use crate::kinds::{C32, C64, ElementType, F16, F32, F64, Kinds};
use crate::product::{BatchLayout, Geam, Gemm};
use crate::solve::{Systems, Trsm};
use crate::status::{BlasResult, enter, name, not_supported, rocblas_name};
use crate::{handle, level1, product, solve, transfer};

macro_rules! function {
    ($name:ident ($($arg:ident: $type:ty),*) $body:expr) => {
        #[doc = concat!("`", stringify!($name), "`.\n\n# Safety\nEvery pointer is null, or valid for the accesses that the library documents.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
            enter(stringify!($name), || $body)
        }
    };
}

macro_rules! functions {
    ($([$($name:ident),+] $arguments:tt = $body:expr;)*) => {
        $($(function!($name $arguments $body);)+)*
    };
}

/// `hipblasStatusToString`.
#[unsafe(no_mangle)]
pub extern "C" fn hipblasStatusToString(status: u32) -> *const c_char {
    name(status).as_ptr()
}

/// `rocblas_status_to_string`.
#[unsafe(no_mangle)]
pub extern "C" fn rocblas_status_to_string(status: u32) -> *const c_char {
    rocblas_name(status).as_ptr()
}

/// `rocblas_initialize`: does nothing, because the kernels are loaded at their first use.
#[unsafe(no_mangle)]
pub extern "C" fn rocblas_initialize() {}

fn gemm_call(
    ops: [u32; 2],
    sizes: [i32; 3],
    factors: [Address; 2],
    [a, b, c]: [Address; 3],
    [lda, ldb, ldc]: [i32; 3],
) -> Gemm {
    Gemm {
        ops,
        sizes,
        factors,
        at: [a, b, c, c],
        leading: [lda, ldb, ldc, ldc],
    }
}

fn geam_call(
    ops: [u32; 2],
    sizes: [i32; 2],
    factors: [Address; 2],
    at: [Address; 3],
    leading: [i32; 3],
) -> Geam {
    Geam {
        ops,
        sizes,
        factors,
        at,
        leading,
    }
}

/// Returns the types of a product whose result has a type of its own, which must be the type of c.
fn types_with_d(name: &str, types: [u32; 4], compute: u32, flags: u32) -> BlasResult<Kinds> {
    const PACKED_INT8: u32 = 1;
    let [a, b, c, d] = types;
    if c != d || flags & PACKED_INT8 != 0 {
        return Err(not_supported(&format!(
            "{name} with c of type {c}, d of type {d} and flags {flags}"
        )));
    }
    Kinds::from_numbers(name, a, b, c, compute)
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
    [hipblasCreate, rocblas_create_handle](out: Address) = handle::create(out);
    [hipblasDestroy, rocblas_destroy_handle](handle: Address) = handle::destroy(handle);
    [hipblasSetStream, rocblas_set_stream](handle: Address, stream: Address) = handle::set_stream(handle, stream);
    [hipblasGetStream, rocblas_get_stream](handle: Address, out: Address) = handle::get_stream(handle, out);
    [hipblasSetPointerMode, rocblas_set_pointer_mode](handle: Address, mode: u32) = handle::set_pointer_mode(handle, mode);
    [hipblasGetPointerMode, rocblas_get_pointer_mode](handle: Address, out: Address) = handle::get_pointer_mode(handle, out);
    [hipblasSetAtomicsMode, rocblas_set_atomics_mode](handle: Address, mode: u32) = handle::set_atomics_mode(handle, mode);
    [hipblasGetAtomicsMode, rocblas_get_atomics_mode](handle: Address, out: Address) = handle::get_atomics_mode(handle, out);
    [hipblasSetMathMode, rocblas_set_math_mode](handle: Address, mode: u32) = handle::set_math_mode(handle, mode);
    [hipblasGetMathMode, rocblas_get_math_mode](handle: Address, out: Address) = handle::get_math_mode(handle, out);
    [hipblasSetWorkspace, rocblas_set_workspace](handle: Address, _place: Address, _bytes: usize) = handle::set_workspace(handle);

    // Copies between host and device.
    [hipblasSetVector, rocblas_set_vector](n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32) = transfer::vector(n, bytes, (x, incx), (y, incy), None);
    [hipblasGetVector, rocblas_get_vector](n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32) = transfer::vector(n, bytes, (x, incx), (y, incy), None);
    [hipblasSetMatrix, rocblas_set_matrix](rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), None);
    [hipblasGetMatrix, rocblas_get_matrix](rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), None);
    [hipblasSetVectorAsync, rocblas_set_vector_async](n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32, stream: Address) = transfer::vector(n, bytes, (x, incx), (y, incy), Some(stream));
    [hipblasGetVectorAsync, rocblas_get_vector_async](n: i32, bytes: i32, x: Address, incx: i32, y: Address, incy: i32, stream: Address) = transfer::vector(n, bytes, (x, incx), (y, incy), Some(stream));
    [hipblasSetMatrixAsync, rocblas_set_matrix_async](rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32, stream: Address) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), Some(stream));
    [hipblasGetMatrixAsync, rocblas_get_matrix_async](rows: i32, cols: i32, bytes: i32, a: Address, lda: i32, b: Address, ldb: i32, stream: Address) = transfer::matrix(rows, cols, bytes, (a, lda), (b, ldb), Some(stream));

    // f32.
    [hipblasSaxpy, rocblas_saxpy](handle: Address, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "axpy", ElementType::F32, n, alpha, (x, incx), Some((y, incy)));
    [hipblasSscal, rocblas_sscal](handle: Address, n: i32, alpha: Address, x: Address, incx: i32) = level1::map_elements(handle, "scal", ElementType::F32, n, alpha, (x, incx), None);
    [hipblasScopy, rocblas_scopy](handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "copy", ElementType::F32, n, 0, (x, incx), Some((y, incy)));
    [hipblasSswap, rocblas_sswap](handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "swap", ElementType::F32, n, 0, (x, incx), Some((y, incy)));
    [hipblasSdot, rocblas_sdot](handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32, result: Address) = level1::reduce(handle, "dot", ElementType::F32, n, (x, incx), Some((y, incy)), result);
    [hipblasSnrm2, rocblas_snrm2](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "nrm2", ElementType::F32, n, (x, incx), None, result);
    [hipblasSasum, rocblas_sasum](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "asum", ElementType::F32, n, (x, incx), None, result);
    [hipblasIsamax, rocblas_isamax](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amax", ElementType::F32, n, (x, incx), None, result);
    [hipblasIsamin, rocblas_isamin](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amin", ElementType::F32, n, (x, incx), None, result);
    [hipblasSgemv, rocblas_sgemv](handle: Address, op: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::gemv(handle, ElementType::F32, op, m, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    [hipblasSsymv, rocblas_ssymv](handle: Address, fill: u32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::symv(handle, ElementType::F32, fill, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    [hipblasSger, rocblas_sger](handle: Address, m: i32, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32, a: Address, lda: i32) = product::ger(handle, ElementType::F32, m, n, alpha, (x, incx), (y, incy), (a, lda));
    [hipblasSsyr, rocblas_ssyr](handle: Address, fill: u32, n: i32, alpha: Address, x: Address, incx: i32, a: Address, lda: i32) = product::syr(handle, ElementType::F32, fill, n, alpha, (x, incx), (a, lda));
    [hipblasStrsv, rocblas_strsv](handle: Address, fill: u32, op: u32, diagonal: u32, n: i32, a: Address, lda: i32, x: Address, incx: i32) = solve::trsv(handle, ElementType::F32, fill, op, diagonal, n, (a, lda), (x, incx));
    [hipblasSsymm, rocblas_ssymm](handle: Address, side: u32, fill: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::symm(handle, ElementType::F32, side, fill, m, n, [alpha, beta], (a, lda), (b, ldb), (c, ldc));
    [hipblasSsyrk, rocblas_ssyrk](handle: Address, fill: u32, op: u32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, beta: Address, c: Address, ldc: i32) = product::syrk(handle, ElementType::F32, fill, op, n, k, [alpha, beta], (a, lda), (c, ldc));
    [hipblasStrsm, rocblas_strsm](handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32) = solve::trsm(handle, ElementType::F32, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Single);
    [hipblasStrsmBatched, rocblas_strsm_batched](handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, count: i32) = solve::trsm(handle, ElementType::F32, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Pointers(count));

    // f64.
    [hipblasDaxpy, rocblas_daxpy](handle: Address, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "axpy", ElementType::F64, n, alpha, (x, incx), Some((y, incy)));
    [hipblasDscal, rocblas_dscal](handle: Address, n: i32, alpha: Address, x: Address, incx: i32) = level1::map_elements(handle, "scal", ElementType::F64, n, alpha, (x, incx), None);
    [hipblasDcopy, rocblas_dcopy](handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "copy", ElementType::F64, n, 0, (x, incx), Some((y, incy)));
    [hipblasDswap, rocblas_dswap](handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32) = level1::map_elements(handle, "swap", ElementType::F64, n, 0, (x, incx), Some((y, incy)));
    [hipblasDdot, rocblas_ddot](handle: Address, n: i32, x: Address, incx: i32, y: Address, incy: i32, result: Address) = level1::reduce(handle, "dot", ElementType::F64, n, (x, incx), Some((y, incy)), result);
    [hipblasDnrm2, rocblas_dnrm2](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "nrm2", ElementType::F64, n, (x, incx), None, result);
    [hipblasDasum, rocblas_dasum](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "asum", ElementType::F64, n, (x, incx), None, result);
    [hipblasIdamax, rocblas_idamax](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amax", ElementType::F64, n, (x, incx), None, result);
    [hipblasIdamin, rocblas_idamin](handle: Address, n: i32, x: Address, incx: i32, result: Address) = level1::reduce(handle, "amin", ElementType::F64, n, (x, incx), None, result);
    [hipblasDgemv, rocblas_dgemv](handle: Address, op: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::gemv(handle, ElementType::F64, op, m, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    [hipblasDsymv, rocblas_dsymv](handle: Address, fill: u32, n: i32, alpha: Address, a: Address, lda: i32, x: Address, incx: i32, beta: Address, y: Address, incy: i32) = product::symv(handle, ElementType::F64, fill, n, [alpha, beta], (a, lda), (x, incx), (y, incy));
    [hipblasDger, rocblas_dger](handle: Address, m: i32, n: i32, alpha: Address, x: Address, incx: i32, y: Address, incy: i32, a: Address, lda: i32) = product::ger(handle, ElementType::F64, m, n, alpha, (x, incx), (y, incy), (a, lda));
    [hipblasDsyr, rocblas_dsyr](handle: Address, fill: u32, n: i32, alpha: Address, x: Address, incx: i32, a: Address, lda: i32) = product::syr(handle, ElementType::F64, fill, n, alpha, (x, incx), (a, lda));
    [hipblasDtrsv, rocblas_dtrsv](handle: Address, fill: u32, op: u32, diagonal: u32, n: i32, a: Address, lda: i32, x: Address, incx: i32) = solve::trsv(handle, ElementType::F64, fill, op, diagonal, n, (a, lda), (x, incx));
    [hipblasDsymm, rocblas_dsymm](handle: Address, side: u32, fill: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::symm(handle, ElementType::F64, side, fill, m, n, [alpha, beta], (a, lda), (b, ldb), (c, ldc));
    [hipblasDsyrk, rocblas_dsyrk](handle: Address, fill: u32, op: u32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, beta: Address, c: Address, ldc: i32) = product::syrk(handle, ElementType::F64, fill, op, n, k, [alpha, beta], (a, lda), (c, ldc));
    [hipblasDtrsm, rocblas_dtrsm](handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32) = solve::trsm(handle, ElementType::F64, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Single);
    [hipblasDtrsmBatched, rocblas_dtrsm_batched](handle: Address, side: u32, fill: u32, op: u32, diagonal: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, count: i32) = solve::trsm(handle, ElementType::F64, &trsm_call(side, fill, op, diagonal, m, n), alpha, (a, lda), (b, ldb), Systems::Pointers(count));

    // Products.
    [hipblasHgemm, rocblas_hgemm](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, F16, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasHgemmBatched, rocblas_hgemm_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, F16, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasHgemmStridedBatched, rocblas_hgemm_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, F16, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasSgemm, rocblas_sgemm](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, F32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasSgemmBatched, rocblas_sgemm_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, F32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasSgemmStridedBatched, rocblas_sgemm_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, F32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasDgemm, rocblas_dgemm](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, F64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasDgemmBatched, rocblas_dgemm_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, F64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasDgemmStridedBatched, rocblas_dgemm_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, F64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasGemmEx](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasGemmBatchedEx](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasGemmStridedBatchedEx](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, a_step: i64, b: Address, b_type: u32, ldb: i32, b_step: i64, beta: Address, c: Address, c_type: u32, ldc: i32, c_step: i64, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmStridedBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasGemmEx_v2](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasGemmBatchedEx_v2](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasGemmStridedBatchedEx_v2](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, a_step: i64, b: Address, b_type: u32, ldb: i32, b_step: i64, beta: Address, c: Address, c_type: u32, ldc: i32, c_step: i64, count: i32, compute: u32, _algorithm: u32) = product::gemm(handle, Kinds::from_numbers("hipblasGemmStridedBatchedEx", a_type, b_type, c_type, compute)?, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasCgemm, hipblasCgemm_v2, rocblas_cgemm](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, C32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasCgemmBatched, hipblasCgemmBatched_v2, rocblas_cgemm_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, C32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasCgemmStridedBatched, hipblasCgemmStridedBatched_v2, rocblas_cgemm_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, C32, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasZgemm, hipblasZgemm_v2, rocblas_zgemm](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32) = product::gemm(handle, C64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasZgemmBatched, hipblasZgemmBatched_v2, rocblas_zgemm_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, b: Address, ldb: i32, beta: Address, c: Address, ldc: i32, count: i32) = product::gemm(handle, C64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasZgemmStridedBatched, hipblasZgemmStridedBatched_v2, rocblas_zgemm_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, lda: i32, a_step: i64, b: Address, ldb: i32, b_step: i64, beta: Address, c: Address, ldc: i32, c_step: i64, count: i32) = product::gemm(handle, C64, &gemm_call([op_a, op_b], [m, n, k], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));

    // Sums of matrices.
    [hipblasSgeam, rocblas_sgeam](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32) = product::geam(handle, F32, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasSgeamBatched, rocblas_sgeam_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32, count: i32) = product::geam(handle, F32, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasSgeamStridedBatched, rocblas_sgeam_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, a_step: i64, beta: Address, b: Address, ldb: i32, b_step: i64, c: Address, ldc: i32, c_step: i64, count: i32) = product::geam(handle, F32, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasDgeam, rocblas_dgeam](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32) = product::geam(handle, F64, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasDgeamBatched, rocblas_dgeam_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32, count: i32) = product::geam(handle, F64, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasDgeamStridedBatched, rocblas_dgeam_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, a_step: i64, beta: Address, b: Address, ldb: i32, b_step: i64, c: Address, ldc: i32, c_step: i64, count: i32) = product::geam(handle, F64, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasCgeam, hipblasCgeam_v2, rocblas_cgeam](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32) = product::geam(handle, C32, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasCgeamBatched, hipblasCgeamBatched_v2, rocblas_cgeam_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32, count: i32) = product::geam(handle, C32, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasCgeamStridedBatched, hipblasCgeamStridedBatched_v2, rocblas_cgeam_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, a_step: i64, beta: Address, b: Address, ldb: i32, b_step: i64, c: Address, ldc: i32, c_step: i64, count: i32) = product::geam(handle, C32, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));
    [hipblasZgeam, hipblasZgeam_v2, rocblas_zgeam](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32) = product::geam(handle, C64, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Single);
    [hipblasZgeamBatched, hipblasZgeamBatched_v2, rocblas_zgeam_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, beta: Address, b: Address, ldb: i32, c: Address, ldc: i32, count: i32) = product::geam(handle, C64, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::Pointers(count));
    [hipblasZgeamStridedBatched, hipblasZgeamStridedBatched_v2, rocblas_zgeam_strided_batched](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, alpha: Address, a: Address, lda: i32, a_step: i64, beta: Address, b: Address, ldb: i32, b_step: i64, c: Address, ldc: i32, c_step: i64, count: i32) = product::geam(handle, C64, &geam_call([op_a, op_b], [m, n], [alpha, beta], [a, b, c], [lda, ldb, ldc]), BatchLayout::in_place([a_step, b_step, c_step], count));

    // rocBLAS alone: products whose result has a place of its own, and the version.
    [rocblas_gemm_ex](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, d: Address, d_type: u32, ldd: i32, compute: u32, _algorithm: u32, _solution: i32, flags: u32) = product::gemm(handle, types_with_d("rocblas_gemm_ex", [a_type, b_type, c_type, d_type], compute, flags)?, &Gemm { ops: [op_a, op_b], sizes: [m, n, k], factors: [alpha, beta], at: [a, b, c, d], leading: [lda, ldb, ldc, ldd] }, BatchLayout::Single);
    [rocblas_gemm_batched_ex](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, b: Address, b_type: u32, ldb: i32, beta: Address, c: Address, c_type: u32, ldc: i32, d: Address, d_type: u32, ldd: i32, count: i32, compute: u32, _algorithm: u32, _solution: i32, flags: u32) = product::gemm(handle, types_with_d("rocblas_gemm_batched_ex", [a_type, b_type, c_type, d_type], compute, flags)?, &Gemm { ops: [op_a, op_b], sizes: [m, n, k], factors: [alpha, beta], at: [a, b, c, d], leading: [lda, ldb, ldc, ldd] }, BatchLayout::Pointers(count));
    [rocblas_gemm_strided_batched_ex](handle: Address, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: Address, a: Address, a_type: u32, lda: i32, a_step: i64, b: Address, b_type: u32, ldb: i32, b_step: i64, beta: Address, c: Address, c_type: u32, ldc: i32, c_step: i64, d: Address, d_type: u32, ldd: i32, d_step: i64, count: i32, compute: u32, _algorithm: u32, _solution: i32, flags: u32) = product::gemm(handle, types_with_d("rocblas_gemm_strided_batched_ex", [a_type, b_type, c_type, d_type], compute, flags)?, &Gemm { ops: [op_a, op_b], sizes: [m, n, k], factors: [alpha, beta], at: [a, b, c, d], leading: [lda, ldb, ldc, ldd] }, BatchLayout::Strided([a_step, b_step, c_step, d_step], count));
    [rocblas_get_version_string](out: Address, len: usize) = handle::version(out, len);
    [rocblas_get_version_string_size](out: Address) = store_host_value(out, handle::VERSION.len());
}
