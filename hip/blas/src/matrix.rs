//! Matrices and vectors as the caller names them, and as kernels reach them.

use crate::hip::Address;
use crate::status::{Outcome, Status};

/// Elements and the distances between them, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The first element; of a batch of pointers, where the pointers are.
    pub at: Address,
    /// From row to row.
    pub row: i64,
    /// From column to column.
    pub col: i64,
}

impl Matrix {
    /// The same with rows for columns.
    pub fn transposed(self) -> Matrix {
        Matrix {
            at: self.at,
            row: self.col,
            col: self.row,
        }
    }

    /// A matrix in columns of `leading` elements, of which `rows` are its own.
    pub fn columns(at: Address, rows: i32, leading: i32) -> Outcome<Matrix> {
        if leading < rows.max(1) {
            return Err(Status::InvalidValue);
        }
        Ok(Matrix {
            at,
            row: 1,
            col: leading.into(),
        })
    }

    /// op(A) of so many rows and columns, by the matrix that is stored.
    pub fn under(op: Op, at: Address, rows: i32, cols: i32, leading: i32) -> Outcome<Matrix> {
        match op {
            Op::None => Matrix::columns(at, rows, leading),
            Op::Transpose => Ok(Matrix::columns(at, cols, leading)?.transposed()),
        }
    }

    /// A vector as a column; one that is walked backwards begins at its end, as BLAS has it.
    pub fn vector(at: Address, n: i32, step: i32, bytes: usize) -> Outcome<Matrix> {
        if step == 0 {
            return Err(Status::InvalidValue);
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
        })
    }
}

/// Whether a matrix is meant as it is. Its conjugate is the same, as all here is real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// As it is.
    None,
    /// Its transpose.
    Transpose,
}

impl Op {
    /// By `hipblasOperation_t`.
    pub fn of(number: u32) -> Outcome<Op> {
        match number {
            111 => Ok(Op::None),
            112 | 113 => Ok(Op::Transpose),
            _ => Err(Status::InvalidEnum),
        }
    }
}

/// Whether the lower triangle is meant, by `hipblasFillMode_t`.
pub fn is_lower(number: u32) -> Outcome<bool> {
    match number {
        121 => Ok(false),
        122 => Ok(true),
        _ => Err(Status::InvalidEnum),
    }
}

/// Whether the diagonal is all ones, by `hipblasDiagType_t`.
pub fn is_unit(number: u32) -> Outcome<bool> {
    match number {
        131 => Ok(false),
        132 => Ok(true),
        _ => Err(Status::InvalidEnum),
    }
}

/// Whether the matrix stands on the right, by `hipblasSideMode_t`.
pub fn is_right(number: u32) -> Outcome<bool> {
    match number {
        141 => Ok(false),
        142 => Ok(true),
        _ => Err(Status::InvalidEnum),
    }
}

/// That none of some sizes is negative; whether none is 0.
pub fn sizes(sizes: &[i32]) -> Outcome<bool> {
    if sizes.iter().any(|size| *size < 0) {
        return Err(Status::InvalidValue);
    }
    Ok(sizes.iter().all(|size| *size > 0))
}

/// That pointers are there.
pub fn there(pointers: &[Address]) -> Outcome {
    if pointers.contains(&0) {
        return Err(Status::InvalidValue);
    }
    Ok(())
}
