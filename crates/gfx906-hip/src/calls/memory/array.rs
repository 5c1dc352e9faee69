//! Creation, queries and destruction of arrays, and copies to and from their rows.

use super::copy::{self, DEFAULT, NULL, Waiting};
use super::pitched::{self, Extent, Side};
use super::{device, free};
use crate::boundary::{Address, In, Out};
use crate::calls::stream;
use crate::card::MOST_SIDES;
use crate::error::{HipError, HipResult};
use crate::objects::array::{Array, Channel, LAYERED};
use crate::objects::texture::words::ALIGN;
use crate::objects::work::Copy;
use crate::runtime::state;

/// `HIP_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Descriptor {
    width: usize,
    height: usize,
    format: u32,
    components: u32,
}

/// `HIP_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Descriptor3d {
    sides: [usize; 3],
    format: u32,
    components: u32,
    flags: u32,
}

/// Flag for surface loads and stores, which only changes the layout on a card.
const PLAIN: u32 = 2;
/// Flag for gathers of texels.
const GATHER: u32 = 8;

/// Returns the array of a handle.
pub fn get(handle: Address) -> HipResult<Array> {
    let array = state().memory.arrays.get(handle).copied();
    array.ok_or(HipError::InvalidHandle)
}

/// Makes an array of these sides and stores its handle.
pub fn make(out: Out<Address>, channel: Channel, sides: [usize; 3], flags: u32) -> HipResult {
    out.required()?;
    let [width, height, depth] = sides;
    /// Cubes, which AMD's runtime refuses, and flags that do not exist.
    const INVALID: u32 = !(PLAIN | LAYERED | GATHER);
    let layered = flags & LAYERED != 0;
    let odd = height == 0 && depth != 0 && !layered || layered && depth == 0;
    if channel.components().is_none() || width == 0 || odd || flags & INVALID != 0 {
        return Err(HipError::InvalidValue);
    }
    let gathers = flags & GATHER != 0;
    let is_plane = height != 0 && depth == 0;
    let fits = sides
        .iter()
        .zip(MOST_SIDES)
        .all(|(side, most)| *side <= most);
    if !fits || gathers && !is_plane {
        return Err(HipError::InvalidValue);
    }
    // Gathers are not supported.
    if gathers {
        return Err(HipError::NotSupported);
    }
    // The greatest image has 2^45 bytes.
    let pitch = (width * channel.bytes()).next_multiple_of(ALIGN);
    let bytes = pitch * height.max(1) * depth.max(1);
    let base = device::allocate("hipMallocArray", bytes)?;
    let handle = state().memory.arrays.insert(Array {
        base,
        pitch,
        sides,
        channel,
        flags,
    });
    out.put(handle)
}

pub fn malloc_3d(out: Out<Address>, channel: In<Channel>, extent: Extent, flags: u32) -> HipResult {
    let sides = [extent.width, extent.height, extent.depth];
    make(out, channel.get()?, sides, flags)
}

pub fn create(out: Out<Address>, wanted: In<Descriptor>) -> HipResult {
    let wanted = wanted.get()?;
    let channel = Channel::from_array_format(wanted.format, wanted.components);
    let sides = [wanted.width, wanted.height, 0];
    make(out, channel.ok_or(HipError::InvalidValue)?, sides, 0)
}

pub fn create_3d(out: Out<Address>, wanted: In<Descriptor3d>) -> HipResult {
    let wanted = wanted.get()?;
    let channel = Channel::from_array_format(wanted.format, wanted.components);
    let channel = channel.ok_or(HipError::InvalidValue)?;
    make(out, channel, wanted.sides, wanted.flags)
}

pub fn destroy(handle: Address) -> HipResult {
    if handle == 0 {
        return Err(HipError::InvalidValue);
    }
    let array = state().memory.arrays.remove(handle);
    free::free(array.ok_or(HipError::ContextIsDestroyed)?.base)
}

pub fn channel_of(out: Out<Channel>, handle: Address) -> HipResult {
    out.required()?;
    out.put(get(handle)?.channel)
}

pub fn info(
    channel: Out<Channel>,
    extent: Out<Extent>,
    flags: Out<u32>,
    handle: Address,
) -> HipResult {
    let array = get(handle)?;
    channel.put_unless_null(array.channel)?;
    if !extent.is_null() {
        let [width, height, depth] = array.sides;
        extent.put(Extent {
            width,
            height,
            depth,
        })?;
    }
    flags.put_unless_null(array.flags)
}

pub fn descriptor(out: Out<Descriptor>, handle: Address) -> HipResult {
    out.required()?;
    let array = get(handle)?;
    out.put(Descriptor {
        width: array.sides[0],
        height: array.sides[1],
        format: array.channel.array_format().ok_or(HipError::InvalidValue)?,
        components: array.channel.components().ok_or(HipError::InvalidValue)?,
    })
}

pub fn descriptor_3d(out: Out<Descriptor3d>, handle: Address) -> HipResult {
    out.required()?;
    let array = get(handle)?;
    out.put(Descriptor3d {
        sides: array.sides,
        format: array.channel.array_format().ok_or(HipError::InvalidValue)?,
        components: array.channel.components().ok_or(HipError::InvalidValue)?,
        flags: array.flags,
    })
}

/// Position in the first plane of an array: the array, the byte in a row, the row.
type Position = (Address, usize, usize);

/// Returns the address of a position in an array, and the bytes from row to row. A rectangle from there on must lie within the array.
pub fn corner((handle, x, y): Position, width: usize, height: usize) -> HipResult<Side> {
    let array = get(handle)?;
    if !array.holds([x, y, 0], [width, height, 1]) {
        return Err(HipError::InvalidValue);
    }
    Ok((array.base + (y * array.pitch + x) as u64, array.pitch))
}

/// Returns a copy of a rectangle into an array.
pub fn plane_to(
    to: Position,
    from: Side,
    width: usize,
    height: usize,
    direction: u32,
) -> HipResult<Copy> {
    let to = corner(to, width, height)?;
    pitched::plane(to, from, width, height, direction)
}

/// Returns a copy of a rectangle out of an array.
pub fn plane_from(
    to: Side,
    from: Position,
    width: usize,
    height: usize,
    direction: u32,
) -> HipResult<Copy> {
    let from = corner(from, width, height)?;
    pitched::plane(to, from, width, height, direction)
}

/// Returns a copy of a rectangle from an array to an array.
pub fn plane_between(
    to: Position,
    from: Position,
    width: usize,
    height: usize,
    direction: u32,
) -> HipResult<Copy> {
    let from = corner(from, width, height)?;
    plane_to(to, from, width, height, direction)
}

/// Copies `bytes` bytes between plain memory and an array, row after row from a position on. `copy` gets the address in the array, the
/// offset in plain memory, and the number of bytes.
fn rows(
    handle: Address,
    x: usize,
    y: usize,
    bytes: usize,
    copy: impl Fn(Address, u64, usize) -> HipResult,
) -> HipResult {
    let array = get(handle).map_err(|error| match handle {
        0 => HipError::InvalidValue,
        _ => error,
    })?;
    let row = array.row();
    let start = y.checked_mul(row).and_then(|start| start.checked_add(x));
    let end = start.and_then(|start| start.checked_add(bytes));
    let (Some(start), Some(end)) = (start, end) else {
        return Err(HipError::InvalidValue);
    };
    // A position beyond the end of its row is in one of the next rows.
    if end > row * array.rows() {
        return Err(HipError::InvalidValue);
    }
    let mut at = start;
    while at < end {
        let count = (row - at % row).min(end - at);
        let place = array.base + (at / row * array.pitch + at % row) as u64;
        copy(place, (at - start) as u64, count)?;
        at += count;
    }
    Ok(())
}

pub fn copy_to(
    to: Address,
    x: usize,
    y: usize,
    from: Address,
    bytes: usize,
    direction: u32,
) -> HipResult {
    rows(to, x, y, bytes, |place, offset, count| {
        copy::submit(
            copy::row(place, from + offset, count, direction),
            NULL,
            Waiting::Always,
        )
    })
}

/// Copies from an array to plain memory, behind the earlier work of a stream, and waits for the end.
pub fn copy_from(
    stream: Address,
    to: Address,
    from: Address,
    x: usize,
    y: usize,
    bytes: usize,
    direction: u32,
) -> HipResult {
    rows(from, x, y, bytes, |place, offset, count| {
        copy::submit(
            copy::row(to + offset, place, count, direction),
            stream,
            Waiting::Always,
        )
    })
}

/// Copies plain memory to an array. The copy waits for the stream's earlier work and is done when the call returns.
pub fn copy_in_async(
    to: Address,
    offset: usize,
    from: Address,
    bytes: usize,
    stream: Address,
) -> HipResult {
    stream::synchronize(stream)?;
    copy_to(to, offset, 0, from, bytes, DEFAULT)
}

/// Copies an array to plain memory. The copy waits for the stream's earlier work and is done when the call returns.
pub fn copy_out_async(
    to: Address,
    from: Address,
    offset: usize,
    bytes: usize,
    stream: Address,
) -> HipResult {
    stream::synchronize(stream)?;
    copy_from(NULL, to, from, offset, 0, bytes, DEFAULT)
}

/// Copies from an array to an array.
pub fn copy_over(
    to: Address,
    to_offset: usize,
    from: Address,
    from_offset: usize,
    bytes: usize,
) -> HipResult {
    rows(to, to_offset, 0, bytes, |place, offset, count| {
        copy_from(
            NULL,
            place,
            from,
            from_offset + offset as usize,
            0,
            count,
            DEFAULT,
        )
    })
}
