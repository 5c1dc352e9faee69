//! Batches of copies, and copies between devices, although there is only one.

use super::copy::{self, DEFAULT, Waiting};
use super::pitched::{self, Copy3d, Extent, PitchedPointer};
use super::pool::Location;
use crate::boundary::{Address, In, Out};
use crate::calls::submit;
use crate::card;
use crate::error::{HipError, HipResult};
use crate::objects::work::Copy;

/// `hipMemcpyAttributes`. Locations and flags are hints and change nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    order: u32,
    places: [Location; 2],
    flags: u32,
}

/// `hipMemcpy3DOperand`: a kind and its parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Operand {
    kind: u32,
    words: [u64; 4],
}

/// `hipMemcpy3DBatchOp`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    from: Operand,
    to: Operand,
    extent: Extent,
    order: u32,
    flags: u32,
}

/// `hipMemcpy3DPeerParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PeerCopy {
    from_array: Address,
    from_at: [usize; 3],
    from: PitchedPointer,
    from_device: i32,
    to_array: Address,
    to_at: [usize; 3],
    to: PitchedPointer,
    to_device: i32,
    extent: Extent,
}

/// Returns whether a call waits, from the order in which sources are read (`hipMemcpySrcAccessOrder`). A source that may be read at any
/// time is read in the stream's turn.
fn wait_of(order: u32) -> HipResult<Waiting> {
    const IN_TURN: u32 = 1;
    const DURING_CALL: u32 = 2;
    const ANY: u32 = 3;
    match order {
        IN_TURN | ANY => Ok(Waiting::LikeHip),
        DURING_CALL => Ok(Waiting::Always),
        _ => Err(HipError::InvalidValue),
    }
}

/// Checks all copies, then submits them to a stream. `failed` gets the index of the copy that cannot be done, or `usize::MAX` if the stream
/// is to blame.
fn submit_all(
    count: usize,
    failed: Out<usize>,
    stream: Address,
    nth: impl Fn(usize) -> HipResult<(Copy, Waiting)>,
) -> HipResult {
    let blame = |index: usize, error: HipError| {
        if !failed.is_null() {
            // The pointer was checked before.
            let _ = failed.put(index);
        }
        error
    };
    submit::check(stream).map_err(|error| blame(usize::MAX, error))?;
    let checked = |index: usize| {
        let (copy, wait) = nth(index)?;
        if !copy.size.is_empty() {
            copy::check(&copy)?;
        }
        Ok((copy, wait))
    };
    let copies: Vec<(Copy, Waiting)> = (0..count)
        .map(|index| checked(index).map_err(|error| blame(index, error)))
        .collect::<HipResult<_>>()?;
    for (index, (copy, wait)) in copies.into_iter().enumerate() {
        copy::submit(copy, stream, wait).map_err(|error| blame(index, error))?;
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn rows(
    to: In<Address>,
    from: In<Address>,
    sizes: In<usize>,
    count: usize,
    attributes: In<Attributes>,
    firsts: In<usize>,
    attribute_count: usize,
    failed: Out<usize>,
    stream: Address,
) -> HipResult {
    let missing = to.is_null() || from.is_null() || sizes.is_null() || count == 0;
    if missing || attribute_count > count || attributes.is_null() != (attribute_count == 0) {
        return Err(HipError::InvalidValue);
    }
    // An attribute holds from the copy that its index names up to the next attribute's copy.
    let mut starts = Vec::new();
    for n in 0..attribute_count {
        let first = firsts.nth(n)?;
        let rises = starts.last().map_or(first == 0, |&(last, _)| first > last);
        if !rises || first >= count {
            return Err(HipError::InvalidValue);
        }
        starts.push((first, wait_of(attributes.nth(n)?.order)?));
    }
    submit_all(count, failed, stream, |index| {
        let held = starts.partition_point(|&(first, _)| first <= index);
        let wait = held
            .checked_sub(1)
            .map_or(Waiting::LikeHip, |n| starts[n].1);
        let row = copy::row(to.nth(index)?, from.nth(index)?, sizes.nth(index)?, DEFAULT);
        Ok((row, wait))
    })
}

impl Operand {
    /// Returns the array, the position in it, and the memory. Either the array or the memory is null.
    fn side(
        &self,
        element: usize,
        extent: &Extent,
    ) -> HipResult<(Address, [usize; 3], PitchedPointer)> {
        const POINTER: u32 = 1;
        const ARRAY: u32 = 2;
        let [base, a, b, c] = self.words;
        let [a, b, c] = [a, b, c].map(|word| word as usize);
        let or = |given: usize, otherwise: usize| if given == 0 { otherwise } else { given };
        match self.kind {
            POINTER => {
                let pitch = or(a, extent.width).checked_mul(element);
                let memory = PitchedPointer {
                    pointer: base,
                    pitch: pitch.ok_or(HipError::InvalidValue)?,
                    width: extent.width,
                    height: or(b, extent.height),
                };
                Ok((0, [0; 3], memory))
            }
            ARRAY if base != 0 => Ok((base, [a, b, c], PitchedPointer::default())),
            _ => Err(HipError::InvalidValue),
        }
    }

    /// Returns the array's handle, or 0 for plain memory.
    fn array(&self) -> Address {
        if self.kind == 2 { self.words[0] } else { 0 }
    }
}

impl Operation {
    fn copy(&self) -> HipResult<(Copy, Waiting)> {
        let element = pitched::element(self.from.array(), self.to.array())?;
        let from = self.from.side(element, &self.extent)?;
        let to = self.to.side(element, &self.extent)?;
        let copy = pitched::planes(&Copy3d::between(from, to, self.extent))?;
        Ok((copy, wait_of(self.order)?))
    }
}

pub fn planes(
    count: usize,
    operations: In<Operation>,
    failed: Out<usize>,
    flags: u64,
    stream: Address,
) -> HipResult {
    if count == 0 || operations.is_null() || flags != 0 {
        return Err(HipError::InvalidValue);
    }
    submit_all(count, failed, stream, |index| operations.nth(index)?.copy())
}

fn of_peers(p: &PeerCopy) -> HipResult<Copy> {
    card::check(p.from_device)?;
    card::check(p.to_device)?;
    let from = (p.from_array, p.from_at, p.from);
    let to = (p.to_array, p.to_at, p.to);
    pitched::planes(&Copy3d::between(from, to, p.extent))
}

pub fn peers(parameters: In<PeerCopy>, stream: Address, wait: Waiting) -> HipResult {
    submit::check(stream)?;
    copy::submit(of_peers(&parameters.get()?)?, stream, wait)
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// The expected layout is the C compiler's, for the header of 7.1.
    #[test]
    fn layouts_are_the_headers() {
        assert_eq!(size_of::<Attributes>(), 24);
        assert_eq!(size_of::<Operand>(), 40);
        assert_eq!(size_of::<Operation>(), 112);
        assert_eq!(size_of::<PeerCopy>(), 168);
        assert_eq!(offset_of!(PeerCopy, extent), 144);
    }
}
