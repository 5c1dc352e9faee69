//! Copies of vectors and matrices between host and device, each as a copy of rows.

use crate::hip::{Address, copy_rows, wait};
use crate::status::{BlasResult, Status};

fn to_size(n: i32) -> BlasResult<usize> {
    usize::try_from(n).map_err(|_| Status::InvalidSize)
}

/// Vector or matrix in memory: the address of the first element, and the distance in elements from one element or column to the next.
type StridedAddress = (Address, i32);

fn copy_strided(
    width: usize,
    height: usize,
    bytes: usize,
    from: StridedAddress,
    to: StridedAddress,
    stream: Address,
) -> BlasResult {
    let with_pitch = |(at, step): StridedAddress| Ok((at, to_size(step)? * bytes));
    let (from, to) = (with_pitch(from)?, with_pitch(to)?);
    if width == 0 || height == 0 {
        return Ok(());
    }
    if from.0 == 0 || to.0 == 0 {
        return Err(Status::InvalidPointer);
    }
    if from.1 < width * bytes || to.1 < width * bytes {
        return Err(Status::InvalidSize);
    }
    copy_rows(to, from, width * bytes, height, stream)
}

/// Copies a vector. The direction follows from the addresses. Without a stream, the function waits for the copy.
pub fn vector(
    n: i32,
    bytes: i32,
    from: StridedAddress,
    to: StridedAddress,
    stream: Option<Address>,
) -> BlasResult {
    matrix(1, n, bytes, from, to, stream)
}

/// Copies a matrix. The direction follows from the addresses. Without a stream, the function waits for the copy.
pub fn matrix(
    rows: i32,
    cols: i32,
    bytes: i32,
    from: StridedAddress,
    to: StridedAddress,
    stream: Option<Address>,
) -> BlasResult {
    let (rows, cols, bytes) = (to_size(rows)?, to_size(cols)?, to_size(bytes)?);
    copy_strided(rows, cols, bytes, from, to, stream.unwrap_or(0))?;
    match stream {
        Some(_) => Ok(()),
        None => wait(0),
    }
}
