//! Copies of planes as the driver API describes them (`HIP_MEMCPY3D`): each side names its kind of memory and counts in bytes.

use super::array;
use super::copy::DEFAULT;
use crate::boundary::{Address, Out, host_value};
use crate::calls::work::{MemoryPlace, place};
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::objects::memory_type::MemoryType;
use crate::objects::work::{Copy, CopyForm, Rows, Size};

/// One side of a copy. Its numbers have 32 bits in HIP 5 and 64 bits since.
#[repr(C)]
#[derive(Clone, Copy)]
struct Side<N> {
    at: [N; 3],
    level: N,
    kind: u32,
    host: Address,
    device: Address,
    array: Address,
    pitch: N,
    height: N,
}

/// `HIP_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Parameters<N> {
    from: Side<N>,
    to: Side<N>,
    /// Bytes, rows, planes.
    size: [N; 3],
}

impl Side<u32> {
    fn wide(self) -> Side<usize> {
        Side {
            at: self.at.map(|n| n as usize),
            level: self.level as usize,
            kind: self.kind,
            host: self.host,
            device: self.device,
            array: self.array,
            pitch: self.pitch as usize,
            height: self.height as usize,
        }
    }
}

impl Side<usize> {
    /// Describes rows for a program that queries a node's parameters. The addresses include the positions.
    fn of(rows: &Rows, size: &Size) -> HipResult<Side<usize>> {
        let on_host =
            size.span(rows).map(|span| place(rows.start, span)) == Some(Ok(MemoryPlace::Host));
        let (kind, host, device) = match on_host {
            true => (MemoryType::Host, rows.start, 0),
            false => (MemoryType::Device, 0, rows.start),
        };
        Ok(Side {
            at: [0; 3],
            level: 0,
            kind: kind.number(generation()),
            host,
            device,
            array: 0,
            pitch: rows.pitch,
            height: rows.plane.checked_div(rows.pitch).unwrap_or(size.height),
        })
    }

    /// Converts the numbers to 32 bits, if they fit.
    fn narrow(self) -> HipResult<Side<u32>> {
        Ok(Side {
            at: [0; 3],
            level: 0,
            kind: self.kind,
            host: self.host,
            device: self.device,
            array: self.array,
            pitch: narrow(self.pitch)?,
            height: narrow(self.height)?,
        })
    }

    /// Returns the rows of this side. They must lie within an array, if the side is one.
    fn rows(&self, size: &Size) -> HipResult<Rows> {
        let [x, y, z] = self.at;
        if self.level != 0 {
            return Err(HipError::InvalidValue);
        }
        let (base, pitch, rows) = match MemoryType::from_number(self.kind, generation()) {
            Some(MemoryType::Array) if self.array == 0 => return Err(HipError::InvalidValue),
            Some(MemoryType::Array) => {
                let array = array::get(self.array)?;
                if !array.holds(self.at, [size.width, size.height, size.depth]) {
                    return Err(HipError::InvalidValue);
                }
                (array.base, array.pitch, array.rows())
            }
            Some(MemoryType::Host) => (self.host, self.pitch, self.height),
            Some(MemoryType::Device | MemoryType::Unified | MemoryType::Managed) => {
                (self.device, self.pitch, self.height)
            }
            Some(MemoryType::Unregistered) | None => return Err(HipError::InvalidValue),
        };
        // A pitch of 0 stands for adjacent rows, and a height of 0 for adjacent planes.
        let pitch = if pitch == 0 { size.width } else { pitch };
        let rows = if rows == 0 { size.height } else { rows };
        let ends = |at: usize, count: usize| at.saturating_add(count);
        let beside = ends(x, size.width) > pitch && self.pitch != 0;
        let below = size.depth > 1 && ends(y, size.height) > rows && self.height != 0;
        if base == 0 || size.width > pitch || size.depth > 1 && size.height > rows {
            return Err(HipError::InvalidValue);
        }
        if beside || below {
            return Err(HipError::InvalidValue);
        }
        let place = || {
            let plane = pitch.checked_mul(rows)?;
            let at = plane.checked_mul(z)?;
            let at = at.checked_add(pitch.checked_mul(y)?)?.checked_add(x)?;
            Some((base.checked_add(at as u64)?, plane))
        };
        let (start, plane) = place().ok_or(HipError::InvalidValue)?;
        Ok(Rows {
            start,
            pitch,
            plane,
        })
    }
}

fn narrow(number: usize) -> HipResult<u32> {
    u32::try_from(number).map_err(|_| HipError::InvalidValue)
}

/// Stores the parameters of a copy.
pub fn put(out: Out<u8>, copy: &Copy) -> HipResult {
    let (from, to) = (
        Side::of(&copy.from, &copy.size)?,
        Side::of(&copy.to, &copy.size)?,
    );
    let size = [copy.size.width, copy.size.height, copy.size.depth];
    if generation() != Generation::Five {
        return out.cast().put(Parameters { from, to, size });
    }
    let [width, height, depth] = size;
    out.cast().put(Parameters {
        from: from.narrow()?,
        to: to.narrow()?,
        size: [narrow(width)?, narrow(height)?, narrow(depth)?],
    })
}

/// Reads a copy from its parameters.
pub fn planes(parameters: Address) -> HipResult<Copy> {
    let p = if generation() != Generation::Five {
        host_value::<Parameters<usize>>(parameters)?
    } else {
        let p = host_value::<Parameters<u32>>(parameters)?;
        Parameters {
            from: p.from.wide(),
            to: p.to.wide(),
            size: p.size.map(|n| n as usize),
        }
    };
    let [width, height, depth] = p.size;
    let size = Size {
        width,
        height,
        depth,
    };
    Ok(Copy {
        to: p.to.rows(&size)?,
        from: p.from.rows(&size)?,
        size,
        direction: DEFAULT,
        form: CopyForm::Planes,
        asked: None,
        staged: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected layouts are the C compiler's, for the headers of 5.2 and of 6.0 to 7.1.
    #[test]
    fn layouts_are_the_headers() {
        assert_eq!(size_of::<Parameters<u32>>(), 128);
        assert_eq!(size_of::<Parameters<usize>>(), 184);
        assert_eq!(std::mem::offset_of!(Parameters<u32>, size), 112);
    }
}
