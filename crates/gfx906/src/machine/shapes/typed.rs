//! Typed buffer instructions: elements of a format, component by component.
//!
//! The tbuffer instructions have a format field. The buffer_*_format_* instructions take the format, and the order of loaded components,
//! from the resource.

use super::super::env::Env;
use super::super::registers::LANES;
use super::super::trap::StepResult;
use super::super::trap::Stop;
use super::super::wave::Wave;
use super::addresses::each;
use super::mubuf;
use crate::isa::fields;
use crate::isa::{Code, Encoding, Inst, Role};
use crate::semantics::BufferFormat;

/// Form of components in VGPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One component per register.
    Full,
    /// Two components per register, one per half.
    Half,
    /// One component in the high half.
    High,
}

/// Source of each component: 0, 1, or a component of the element.
type Select = [u32; 4];

/// Returns the format and the component order of an instruction.
fn format(w: &Wave, i: &Inst) -> Result<(BufferFormat, Select), Stop> {
    if i.encoding == Encoding::Mtbuf {
        let field = u32::from(i.modifiers.format);
        return Ok((BufferFormat::new(field & 15, field >> 4), [4, 5, 6, 7]));
    }
    let word = w.scalar32(Code(i.by_role(Role::Sbase).0 + 3), 0);
    // If the lane's number is added, the data format field belongs to the stride.
    let data = if word >> 23 & 1 != 0 { 0 } else { word >> 15 };
    let select = [0, 3, 6, 9].map(|shift| word >> shift & 7);
    if word >> 23 & 1 == 0 {
        fields::RESOURCE_FORMAT.check(data & 15 | (word >> 12 & 7) << 4)?;
    }
    for select in select {
        fields::RESOURCE_SELECT.check(select)?;
    }
    Ok((BufferFormat::new(data, word >> 12), select))
}

/// Returns the size of an element in bytes, or `None` if the format cannot be used.
pub fn bytes(w: &Wave, i: &Inst) -> Option<u64> {
    Some(format(w, i).ok()?.0.bytes())
}

/// Returns the dwords of each lane's element, which are 0 beyond the resource.
pub fn elements(
    w: &Wave,
    e: &mut Env<'_>,
    i: &Inst,
    bytes: u64,
) -> Result<[[u32; 4]; LANES], Stop> {
    let mut raw = [[0; 4]; LANES];
    let (_, inside) = mubuf::addresses(w, i, 0, bytes);
    for k in 0..bytes.div_ceil(4) {
        let part = (bytes - 4 * k).min(4);
        let (addresses, _) = mubuf::addresses(w, i, k, part);
        for l in each(w.exec() & inside) {
            let lane = Some(l as u32);
            let region = e.access(lane, addresses[l], part, false)?;
            let value = region.read32(region.offset(addresses[l]));
            raw[l][k as usize] = value & (u32::MAX >> (32 - 8 * part));
        }
    }
    Ok(raw)
}

/// Returns the first component that each lane loads.
pub fn first_components(w: &Wave, e: &mut Env<'_>, i: &Inst) -> Result<[u32; LANES], Stop> {
    let (format, select) = format(w, i)?;
    let raw = elements(w, e, i, format.bytes())?;
    Ok(raw.map(|raw| ordered(format, select, raw)[0]))
}

fn ordered(format: BufferFormat, select: Select, raw: [u32; 4]) -> [u32; 4] {
    let components = format.load(raw);
    select.map(|from| match from {
        1 => format.one(),
        4..=7 => components[from as usize - 4],
        _ => 0,
    })
}

/// Loads the first `count` components.
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, count: usize, width: Width) -> StepResult {
    let (format, select) = format(w, i)?;
    let raw = elements(w, e, i, format.bytes())?;
    let first = mubuf::data(i);
    for l in each(w.exec()) {
        let values = ordered(format, select, raw[l]);
        for (n, &value) in values.iter().enumerate().take(count) {
            let register = match width {
                Width::Full => &mut w.v[(first + n) & 255][l],
                Width::Half | Width::High => &mut w.v[(first + n / 2) & 255][l],
            };
            let half = format.to_half(value);
            *register = match width {
                Width::Full => value,
                Width::High => *register & 0xffff | half << 16,
                Width::Half if n % 2 == 1 => *register & 0xffff | half << 16,
                // One component alone leaves the high half, the third of three clears it.
                Width::Half if count == 1 => *register & 0xffff_0000 | half,
                Width::Half => half,
            };
        }
    }
    Ok(())
}

/// Stores an element of `count` components; those that the format has beyond are 0.
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, count: usize, width: Width) -> StepResult {
    let (format, _) = format(w, i)?;
    let bytes = format.bytes();
    let first = mubuf::data(i);
    let (_, inside) = mubuf::addresses(w, i, 0, bytes);
    let raw: [[u32; 4]; LANES] = std::array::from_fn(|l| {
        let component = |n: usize| {
            let half = w.v[(first + n / 2) & 255][l];
            match width {
                _ if n >= count => 0,
                Width::Full => w.v[(first + n) & 255][l],
                Width::High => format.from_half(half >> 16),
                Width::Half => format.from_half(half >> (16 * (n % 2))),
            }
        };
        format.store(std::array::from_fn(component))
    });
    for k in 0..bytes.div_ceil(4) {
        let part = (bytes - 4 * k).min(4);
        let (addresses, _) = mubuf::addresses(w, i, k, part);
        for l in each(w.exec() & inside) {
            let lane = Some(l as u32);
            let region = e.access(lane, addresses[l], part, true)?;
            region.write(region.offset(addresses[l]), part, raw[l][k as usize]);
        }
    }
    Ok(())
}
