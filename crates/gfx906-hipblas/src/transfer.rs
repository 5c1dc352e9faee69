//! Copies of vectors and matrices between host and device. They are copies of rows.

use crate::hip::{Address, copy_rows, wait};
use crate::status::{BlasResult, Status};

fn size(n: i32) -> BlasResult<usize> {
    usize::try_from(n).map_err(|_| Status::InvalidValue)
}

/// Vector or matrix in memory: address of the first element, and elements from one to the next.
type StridedAddress = (Address, i32);

fn copy_strided(
    width: usize,
    height: usize,
    bytes: usize,
    from: StridedAddress,
    to: StridedAddress,
    stream: Address,
) -> BlasResult {
    let pitch = |place: StridedAddress| Ok((place.0, size(place.1)? * bytes));
    let (from, to) = (pitch(from)?, pitch(to)?);
    if width == 0 || height == 0 {
        return Ok(());
    }
    if from.0 == 0 || to.0 == 0 || from.1 < width * bytes || to.1 < width * bytes {
        return Err(Status::InvalidValue);
    }
    copy_rows(to, from, width * bytes, height, stream)
}

/// Copies a vector. The direction follows from the addresses. Without a stream, the call waits.
pub fn vector(
    n: i32,
    bytes: i32,
    from: StridedAddress,
    to: StridedAddress,
    stream: Option<Address>,
) -> BlasResult {
    matrix(1, n, bytes, from, to, stream)
}

/// Copies a matrix. The direction follows from the addresses. Without a stream, the call waits.
pub fn matrix(
    rows: i32,
    cols: i32,
    bytes: i32,
    from: StridedAddress,
    to: StridedAddress,
    stream: Option<Address>,
) -> BlasResult {
    let (rows, cols, bytes) = (size(rows)?, size(cols)?, size(bytes)?);
    copy_strided(rows, cols, bytes, from, to, stream.unwrap_or(0))?;
    match stream {
        Some(_) => Ok(()),
        None => wait(0),
    }
}
