//! Rows and planes: memory whose rows start `pitch` bytes apart.

use super::copy::{copy_now, place};
use super::{device, set};
use crate::boundary::{Address, In, Out};
use crate::calls::stream;
use crate::error::{HipError, Outcome};

/// Rows start at multiples of this.
const PITCH: usize = 128;

/// `hipPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pitched {
    /// The first byte.
    pub pointer: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Elements of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
}

/// `hipExtent`; the width is in bytes where no array is concerned.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// `hipMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Copy3d {
    from_array: Address,
    from_at: [usize; 3],
    from: Pitched,
    to_array: Address,
    to_at: [usize; 3],
    to: Pitched,
    extent: Extent,
    direction: u32,
}

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

pub fn malloc(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize) -> Outcome {
    pitch.required()?;
    out.put(0)?;
    if width == 0 || height == 0 {
        return pitch.put(0);
    }
    let row = width.checked_next_multiple_of(PITCH);
    let bytes = row.and_then(|row| row.checked_mul(height));
    let (Some(row), Some(bytes)) = (row, bytes) else {
        return Err(HipError::OutOfMemory);
    };
    out.put(device::allocate("hipMallocPitch", bytes)?)?;
    pitch.put(row)
}

pub fn malloc_driver(
    out: Out<Address>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> Outcome {
    if width == 0 || height == 0 || ![4, 8, 16].contains(&element) {
        return Err(HipError::InvalidValue);
    }
    malloc(out, pitch, width, height)
}

pub fn malloc_3d(out: Out<Pitched>, extent: Extent) -> Outcome {
    out.required()?;
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return out.put(Pitched::default());
    }
    let row = extent.width.checked_next_multiple_of(PITCH);
    let bytes = row
        .and_then(|row| row.checked_mul(extent.height))
        .and_then(|plane| plane.checked_mul(extent.depth));
    let (Some(pitch), Some(bytes)) = (row, bytes) else {
        return Err(HipError::OutOfMemory);
    };
    out.put(Pitched {
        pointer: device::allocate("hipMalloc3D", bytes)?,
        pitch,
        width: extent.width,
        height: extent.height,
    })
}

/// One side of a copy of rows: first byte, bytes from row to row.
type Side = (Address, usize);

fn copy_rows(to: Side, from: Side, width: usize, height: usize, direction: u32) -> Outcome {
    if width == 0 || height == 0 {
        return Ok(());
    }
    if to.0 == 0 || from.0 == 0 {
        return Err(HipError::InvalidValue);
    }
    if width > to.1 || width > from.1 {
        return Err(HipError::InvalidPitchValue);
    }
    for (address, pitch) in [to, from] {
        let all = pitch
            .checked_mul(height - 1)
            .and_then(|n| n.checked_add(width));
        place(address, all.ok_or(HipError::InvalidValue)? as u64)?;
    }
    for row in 0..height {
        let at = |side: Side| side.0 + (row * side.1) as u64;
        copy_now(at(to), at(from), width, direction)?;
    }
    Ok(())
}

pub fn copy_2d(
    to: Address,
    to_pitch: usize,
    from: Address,
    from_pitch: usize,
    width: usize,
    height: usize,
    direction: u32,
) -> Outcome {
    copy_rows((to, to_pitch), (from, from_pitch), width, height, direction)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn copy_2d_async(
    to: Address,
    to_pitch: usize,
    from: Address,
    from_pitch: usize,
    width: usize,
    height: usize,
    direction: u32,
    stream: Address,
) -> Outcome {
    stream::check(stream)?;
    copy_2d(to, to_pitch, from, from_pitch, width, height, direction)
}

/// Copies planes; arrays of textures do not exist here.
pub fn copy_3d(parameters: In<Copy3d>) -> Outcome {
    let p = parameters.get()?;
    if p.from_array != 0 || p.to_array != 0 {
        return Err(HipError::NotSupported);
    }
    let Extent {
        width,
        height,
        depth,
    } = p.extent;
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    let plane = |side: &Pitched, [x, y, z]: [usize; 3], n: usize| {
        let row = side.height.checked_mul(z.checked_add(n)?)?.checked_add(y)?;
        let at = side.pitch.checked_mul(row)?.checked_add(x)?;
        side.pointer.checked_add(at as u64)
    };
    for n in 0..depth {
        let to = plane(&p.to, p.to_at, n).ok_or(HipError::InvalidValue)?;
        let from = plane(&p.from, p.from_at, n).ok_or(HipError::InvalidValue)?;
        let (to, from) = ((to, p.to.pitch), (from, p.from.pitch));
        copy_rows(to, from, width, height, p.direction)?;
    }
    Ok(())
}

pub fn copy_3d_async(parameters: In<Copy3d>, stream: Address) -> Outcome {
    stream::check(stream)?;
    copy_3d(parameters)
}

impl Side2d {
    /// Where it starts: kinds are host, device, array, unified.
    fn side(&self) -> Outcome<Side> {
        let base = match self.kind {
            0 => self.host,
            1 | 3 => self.device,
            2 => return Err(HipError::NotSupported),
            _ => return Err(HipError::InvalidValue),
        };
        let row = self.y.checked_mul(self.pitch);
        let at = row.and_then(|row| row.checked_add(self.x));
        let at = at.and_then(|at| base.checked_add(at as u64));
        Ok((
            at.filter(|_| base != 0).ok_or(HipError::InvalidValue)?,
            self.pitch,
        ))
    }
}

pub fn copy_parameters(parameters: In<Copy2d>) -> Outcome {
    const DEFAULT: u32 = 4;
    let p = parameters.get()?;
    copy_rows(p.to.side()?, p.from.side()?, p.width, p.height, DEFAULT)
}

pub fn copy_parameters_async(parameters: In<Copy2d>, stream: Address) -> Outcome {
    stream::check(stream)?;
    copy_parameters(parameters)
}

pub fn set_3d(to: Pitched, value: i32, extent: Extent) -> Outcome {
    let plane = to.pitch.checked_mul(to.height);
    let plane = plane.ok_or(HipError::InvalidValue)?;
    if extent.width == 0 || extent.height == 0 {
        return Ok(());
    }
    for n in 0..extent.depth {
        let at = plane
            .checked_mul(n)
            .and_then(|at| to.pointer.checked_add(at as u64));
        let at = at.ok_or(HipError::InvalidValue)?;
        set::rows(at, to.pitch, value, extent.width, extent.height)?;
    }
    Ok(())
}

pub fn set_3d_async(to: Pitched, value: i32, extent: Extent, stream: Address) -> Outcome {
    stream::check(stream)?;
    set_3d(to, value, extent)
}
