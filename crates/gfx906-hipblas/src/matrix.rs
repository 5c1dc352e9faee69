//! Matrices and vectors: checks of the caller's description, and the form in which kernels take them.

use crate::hip::Address;
use crate::status::{BlasResult, Status};

/// Matrix: its first element and the distances between elements, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Address of the first element. For a batch of pointers, the address of the list.
    pub at: Address,
    /// Distance from row to row.
    pub row: i64,
    /// Distance from column to column.
    pub col: i64,
    /// True if kernels conjugate the elements that they read.
    pub conjugate: bool,
}

impl Matrix {
    /// Returns the transposed matrix.
    pub fn transposed(self) -> Matrix {
        Matrix {
            row: self.col,
            col: self.row,
            ..self
        }
    }

    /// Returns a matrix whose columns have `leading` elements, the first `rows` of which belong to the matrix.
    pub fn columns(at: Address, rows: i32, leading: i32) -> BlasResult<Matrix> {
        if leading < rows.max(1) {
            return Err(Status::InvalidSize);
        }
        Ok(Matrix {
            at,
            row: 1,
            col: leading.into(),
            conjugate: false,
        })
    }

    /// Returns op(A) of `rows` rows and `cols` columns, from the stored matrix A.
    pub fn with_op(op: Op, at: Address, rows: i32, cols: i32, leading: i32) -> BlasResult<Matrix> {
        if op == Op::None {
            return Matrix::columns(at, rows, leading);
        }
        Ok(Matrix {
            conjugate: op == Op::ConjugateTranspose,
            ..Matrix::columns(at, cols, leading)?.transposed()
        })
    }

    /// Returns a vector as a column. With a negative step the column begins at the vector's end, as BLAS demands.
    pub fn vector(at: Address, n: i32, step: i32, bytes: usize) -> BlasResult<Matrix> {
        if step == 0 {
            return Err(Status::InvalidSize);
        }
        let step = i64::from(step);
        let first = if step < 0 {
            (1 - i64::from(n.max(1))) * step * bytes as i64
        } else {
            0
        };
        Ok(Matrix {
            at: at.wrapping_add_signed(first),
            row: step,
            col: 0,
            conjugate: false,
        })
    }
}

/// Operation on a stored matrix. For real elements, the conjugate transpose is the transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Matrix as stored.
    None,
    /// Transpose.
    Transpose,
    /// Transpose of the conjugated matrix.
    ConjugateTranspose,
}

impl Op {
    /// Returns the operation of a `hipblasOperation_t`.
    pub fn from_number(number: u32) -> BlasResult<Op> {
        match number {
            111 => Ok(Op::None),
            112 => Ok(Op::Transpose),
            113 => Ok(Op::ConjugateTranspose),
            _ => Err(Status::InvalidEnum),
        }
    }
}

/// Returns true for the lower triangle of `hipblasFillMode_t`.
pub fn is_lower(number: u32) -> BlasResult<bool> {
    match number {
        121 => Ok(false),
        122 => Ok(true),
        _ => Err(Status::InvalidEnum),
    }
}

/// Returns true for a unit diagonal of `hipblasDiagType_t`.
pub fn is_unit(number: u32) -> BlasResult<bool> {
    match number {
        131 => Ok(false),
        132 => Ok(true),
        _ => Err(Status::InvalidEnum),
    }
}

/// Returns true for the right side of `hipblasSideMode_t`.
pub fn is_right(number: u32) -> BlasResult<bool> {
    match number {
        141 => Ok(false),
        142 => Ok(true),
        _ => Err(Status::InvalidEnum),
    }
}

/// Fails if a size is negative. Returns true if no size is 0.
pub fn check_sizes(sizes: &[i32]) -> BlasResult<bool> {
    if sizes.iter().any(|size| *size < 0) {
        return Err(Status::InvalidSize);
    }
    Ok(sizes.iter().all(|size| *size > 0))
}

/// Fails if a pointer is null.
pub fn check_pointers(pointers: &[Address]) -> BlasResult {
    if pointers.contains(&0) {
        return Err(Status::InvalidPointer);
    }
    Ok(())
}
