//! Pitched memory: rows and planes whose rows start `pitch` bytes apart.

use super::copy::DEFAULT;
use super::{array, device};
use crate::boundary::{Address, Out};
use crate::error::{HipError, HipResult};
use crate::generation::generation;
pub use crate::objects::copy3d::{Copy3d, Extent, PitchedPointer};
use crate::objects::memory_type::MemoryType;
use crate::objects::work::{Copy, CopyForm, Fill, Rows, Size};

/// Alignment of rows.
pub const PITCH: usize = 256;

/// One side of `hip_Memcpy2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Side2d {
    x: usize,
    y: usize,
    kind: u32,
    host: Address,
    device: Address,
    array: Address,
    pitch: usize,
}

/// `hip_Memcpy2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Copy2d {
    from: Side2d,
    to: Side2d,
    width: usize,
    height: usize,
}

pub fn malloc(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize) -> HipResult {
    pitch.required()?;
    out.put(0)?;
    if width == 0 || height == 0 {
        return pitch.put(0);
    }
    let row = width.checked_next_multiple_of(PITCH);
    let row = row.ok_or(HipError::InvalidValue)?;
    let bytes = row.checked_mul(height).ok_or(HipError::OutOfMemory)?;
    out.put(device::allocate("hipMallocPitch", bytes)?)?;
    pitch.put(row)
}

pub fn malloc_driver(
    out: Out<Address>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> HipResult {
    if width == 0 || height == 0 || ![4, 8, 16].contains(&element) {
        return Err(HipError::InvalidValue);
    }
    malloc(out, pitch, width, height)
}

pub fn malloc_3d(out: Out<PitchedPointer>, extent: Extent) -> HipResult {
    out.required()?;
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return out.put(PitchedPointer::default());
    }
    let row = extent.width.checked_next_multiple_of(PITCH);
    let bytes = row
        .and_then(|row| row.checked_mul(extent.height))
        .and_then(|plane| plane.checked_mul(extent.depth));
    let (Some(pitch), Some(bytes)) = (row, bytes) else {
        return Err(HipError::OutOfMemory);
    };
    out.put(PitchedPointer {
        pointer: device::allocate("hipMalloc3D", bytes)?,
        pitch,
        width: extent.width,
        height: extent.height,
    })
}

/// One side of a copy of rows: address of the first byte, and bytes from row to row.
pub type Side = (Address, usize);

/// Returns a copy of rows, which may be empty.
pub fn plane(to: Side, from: Side, width: usize, height: usize, direction: u32) -> HipResult<Copy> {
    let rows = |side: Side| Rows {
        start: side.0,
        pitch: side.1,
        plane: 0,
    };
    let size = Size {
        width,
        height,
        depth: 1,
    };
    check_rows(Copy {
        to: rows(to),
        from: rows(from),
        size,
        direction,
        form: CopyForm::Planes,
        asked: None,
        staged: None,
    })
}

/// Checks that both sides have an address and that no row is wider than its pitch.
fn check_rows(copy: Copy) -> HipResult<Copy> {
    if copy.size.is_empty() {
        return Ok(copy);
    }
    if copy.to.start == 0 || copy.from.start == 0 {
        return Err(HipError::InvalidValue);
    }
    if copy.size.width > copy.to.pitch || copy.size.width > copy.from.pitch {
        return Err(HipError::InvalidPitchValue);
    }
    Ok(copy)
}

/// Returns one side of a copy of planes: an array, or pitched memory. Positions in an array count elements, positions in memory count
/// bytes.
fn side(
    array: Address,
    memory: &PitchedPointer,
    [x, y, z]: [usize; 3],
    size: &Size,
) -> HipResult<Rows> {
    let (base, pitch, rows, x) = if array == 0 {
        let ends = |at: usize, count: usize| at.saturating_add(count);
        let beside = ends(x, size.width) > memory.pitch;
        let below = size.depth > 1 && memory.height > 0 && ends(y, size.height) > memory.height;
        if !size.is_empty() && (beside || below) {
            return Err(HipError::InvalidValue);
        }
        (memory.pointer, memory.pitch, memory.height, x)
    } else {
        let array = array::get(array)?;
        let x = x.checked_mul(array.channel.bytes());
        let x = x.ok_or(HipError::InvalidValue)?;
        if !array.holds([x, y, z], [size.width, size.height, size.depth]) {
            return Err(HipError::InvalidValue);
        }
        (array.base, array.pitch, array.rows(), x)
    };
    let start = || {
        let plane = pitch.checked_mul(rows)?;
        let at = plane.checked_mul(z)?;
        let at = at.checked_add(pitch.checked_mul(y)?)?.checked_add(x)?;
        Some((base.checked_add(at as u64)?, plane))
    };
    let (start, plane) = start().ok_or(HipError::InvalidValue)?;
    Ok(Rows {
        start,
        pitch,
        plane,
    })
}

/// Returns the bytes of a unit of width: of an element of the array that takes part, or 1 if both sides are plain memory.
pub fn element(from_array: Address, to_array: Address) -> HipResult<usize> {
    match [from_array, to_array].into_iter().find(|&array| array != 0) {
        Some(array) => Ok(array::get(array)?.channel.bytes()),
        None => Ok(1),
    }
}

impl Copy3d {
    /// Returns a copy whose direction follows from the addresses. Each side is an array and a position, or memory and an offset.
    pub fn between(
        (from_array, from_at, from): (Address, [usize; 3], PitchedPointer),
        (to_array, to_at, to): (Address, [usize; 3], PitchedPointer),
        extent: Extent,
    ) -> Copy3d {
        Copy3d {
            from_array,
            from_at,
            from,
            to_array,
            to_at,
            to,
            extent,
            direction: DEFAULT,
        }
    }
}

/// Checks that each side is either an array or memory, that two arrays have elements of one size, and that pitches are ones of rows.
fn check_sides(p: &Copy3d) -> HipResult {
    const MOST_PITCH: usize = i32::MAX as usize;
    let sides = [(p.from_array, &p.from), (p.to_array, &p.to)];
    if sides
        .iter()
        .any(|(array, memory)| (*array == 0) == (memory.pointer == 0))
    {
        return Err(HipError::InvalidValue);
    }
    if p.from_array != 0 && p.to_array != 0 && element(p.from_array, 0)? != element(p.to_array, 0)?
    {
        return Err(HipError::InvalidValue);
    }
    if sides.iter().any(|(_, memory)| memory.pitch < memory.width) {
        return Err(HipError::InvalidPitchValue);
    }
    if sides.iter().any(|(_, memory)| memory.pitch >= MOST_PITCH) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

/// Returns a copy of planes. The extent's width counts elements if an array takes part, otherwise bytes.
pub fn planes(p: &Copy3d) -> HipResult<Copy> {
    check_sides(p)?;
    let mut size = size_of(p.extent);
    let width = size.width.checked_mul(element(p.from_array, p.to_array)?);
    size.width = width.ok_or(HipError::InvalidValue)?;
    check_rows(Copy {
        to: side(p.to_array, &p.to, p.to_at, &size)?,
        from: side(p.from_array, &p.from, p.from_at, &size)?,
        size,
        direction: p.direction,
        form: CopyForm::Planes,
        asked: Some(Box::new(*p)),
        staged: None,
    })
}

/// Describes a copy for a program that queries a node's parameters: those that it gave, or ones whose pointers include the positions.
pub fn parameters(copy: &Copy) -> Copy3d {
    if let Some(asked) = &copy.asked {
        return **asked;
    }
    let side = |rows: &Rows| PitchedPointer {
        pointer: rows.start,
        pitch: rows.pitch,
        width: copy.size.width,
        height: rows
            .plane
            .checked_div(rows.pitch)
            .unwrap_or(copy.size.height),
    };
    Copy3d {
        from: side(&copy.from),
        to: side(&copy.to),
        extent: Extent {
            width: copy.size.width,
            height: copy.size.height,
            depth: copy.size.depth,
        },
        direction: copy.direction,
        ..Copy3d::default()
    }
}

fn size_of(extent: Extent) -> Size {
    Size {
        width: extent.width,
        height: extent.height,
        depth: extent.depth,
    }
}

impl Side2d {
    /// Returns the address of the first byte and the pitch. The copy must lie within the array, if the side is one.
    fn side(&self, width: usize, height: usize) -> HipResult<Side> {
        let base = match MemoryType::from_number(self.kind, generation()) {
            Some(MemoryType::Array) if self.array == 0 => return Err(HipError::InvalidValue),
            Some(MemoryType::Array) => {
                return array::corner((self.array, self.x, self.y), width, height);
            }
            Some(MemoryType::Host) => self.host,
            Some(MemoryType::Device | MemoryType::Unified | MemoryType::Managed) => self.device,
            Some(MemoryType::Unregistered) | None => return Err(HipError::InvalidValue),
        };
        // A pitch of 0 stands for adjacent rows.
        let pitch = if self.pitch == 0 { width } else { self.pitch };
        let row = self.y.checked_mul(pitch);
        let at = row.and_then(|row| row.checked_add(self.x));
        let at = at.and_then(|at| base.checked_add(at as u64));
        Ok((
            at.filter(|_| base != 0).ok_or(HipError::InvalidValue)?,
            pitch,
        ))
    }
}

/// Returns the copy of rows that parameters describe. The driver's functions have no error code of their own for pitches.
pub fn of_parameters(p: &Copy2d) -> HipResult<Copy> {
    let to = p.to.side(p.width, p.height)?;
    let from = p.from.side(p.width, p.height)?;
    plane(to, from, p.width, p.height, DEFAULT).map_err(|error| match error {
        HipError::InvalidPitchValue => HipError::InvalidValue,
        error => error,
    })
}

/// Returns a fill of planes.
pub fn fill(to: PitchedPointer, value: i32, extent: Extent) -> HipResult<Fill> {
    let plane = to.pitch.checked_mul(to.height);
    let plane = plane.ok_or(HipError::InvalidValue)?;
    let size = size_of(extent);
    if size.width > to.pitch && !size.is_empty() {
        return Err(HipError::InvalidValue);
    }
    Ok(Fill {
        to: Rows {
            start: to.pointer,
            pitch: to.pitch,
            plane,
        },
        size,
        value: value as u32,
        element: 1,
    })
}
