//! Image instructions: texels of a format at coordinates, read directly or through a sampler.
//!
//! Images are rows of texels with one level of detail. Levels, gradients and biases, which select a level, therefore have no effect.

mod place;
mod resource;

use super::super::env::Env;
use super::super::trap::{StepResult, Stop};
use super::super::wave::Wave;
use super::addresses::each;
use crate::isa::{Flags, Inst, Role};
pub use place::AddressForm;
use place::{Tap, taps};
use resource::Image;

/// Returns the bytes of a texel and the texels of each lane, for observers. Returns nothing where the resource cannot be used.
pub fn reached(w: &Wave, i: &Inst) -> (u64, Vec<Tap>) {
    let how = AddressForm::of(i);
    let found = Image::read(w, i)
        .and_then(|image| Ok((image.format.bytes(), taps(w, i, &image, how)?.taps)));
    found.unwrap_or_default()
}

/// Returns the first VGPR of the data.
fn data(i: &Inst) -> usize {
    let code = i.operands[0].as_vgpr();
    code.map_or(0, usize::from)
}

/// Returns, for each component that an instruction moves, its number, its register, and its half if the data is packed.
fn components(i: &Inst) -> impl Iterator<Item = (usize, usize, Option<u32>)> + use<> {
    let (dmask, first) = (i.modifiers.dmask, data(i));
    let packed = i.modifiers.flags.has(Flags::D16);
    let set = (0..4).filter(move |n| dmask >> n & 1 != 0);
    set.enumerate().map(move |(place, component)| match packed {
        true => (
            component,
            (first + place / 2) & 255,
            Some(16 * (place as u32 & 1)),
        ),
        false => (component, (first + place) & 255, None),
    })
}

/// Reads the raw dwords of a lane's texel at an address.
fn texel(e: &mut Env<'_>, bytes: u64, lane: usize, at: u64) -> Result<[u32; 4], Stop> {
    let region = e.access(Some(lane as u32), at, bytes, false)?;
    let mut raw = [0; 4];
    for (k, dword) in raw.iter_mut().enumerate().take(bytes.div_ceil(4) as usize) {
        let part = (bytes - 4 * k as u64).min(4);
        let value = region.read32(region.offset(at + 4 * k as u64));
        *dword = value & (u32::MAX >> (32 - 8 * part));
    }
    Ok(raw)
}

/// Loads or samples texels.
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, how: AddressForm) -> StepResult {
    let image = Image::read(w, i)?;
    let looked = taps(w, i, &image, how)?;
    let bytes = image.format.bytes();
    for l in each(w.exec()) {
        let mut mean = [0f64; 4];
        let mut values = looked.border;
        for tap in &looked.taps {
            values = match tap.inside >> l & 1 != 0 {
                true => image.format.load(texel(e, bytes, l, tap.at[l])?),
                false => looked.border,
            };
            if looked.mixes && tap.weight[l] != 0.0 {
                let parts = mean.iter_mut().zip(values);
                parts.for_each(|(sum, x)| *sum += tap.weight[l] * f64::from(f32::from_bits(x)));
            }
        }
        if looked.mixes {
            values = mean.map(|sum| (sum as f32).to_bits());
        }
        let values = image.ordered(values);
        for (component, register, half) in components(i) {
            let value = values[component];
            let register = &mut w.v[register][l];
            match half.map(|shift| (shift, image.format.to_half(value))) {
                None => *register = value,
                Some((0, half)) => *register = half,
                Some((shift, half)) => *register = *register & 0xffff | half << shift,
            }
        }
    }
    Ok(())
}

/// Stores texels. Components that the instruction lacks are 0, and texels beyond the image are dropped.
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, how: AddressForm) -> StepResult {
    let image = Image::read(w, i)?;
    let looked = taps(w, i, &image, how)?;
    let bytes = image.format.bytes();
    for tap in &looked.taps {
        for l in each(w.exec() & tap.inside) {
            let mut values = [0; 4];
            for (component, register, half) in components(i) {
                let value = w.v[register][l];
                values[component] = match half {
                    Some(shift) => image.format.from_half(value >> shift & 0xffff),
                    None => value,
                };
            }
            let raw = image.format.store(values);
            let at = tap.at[l];
            let region = e.access(Some(l as u32), at, bytes, true)?;
            for k in 0..bytes.div_ceil(4) {
                let part = (bytes - 4 * k).min(4);
                region.write(region.offset(at + 4 * k), part, raw[k as usize]);
            }
        }
    }
    Ok(())
}

/// Writes the sizes of a level and the number of levels to registers. A level that does not exist has size 0.
pub fn extent(w: &mut Wave, i: &Inst) -> StepResult {
    let image = Image::read(w, i)?;
    let level = i.by_role(Role::Addr).as_vgpr().map_or(0, usize::from);
    let levels = w.v[level];
    for l in each(w.exec()) {
        let [width, height, depth] = match levels[l] {
            0 => image.extent,
            _ => [0; 3],
        };
        for (component, register, _) in components(i) {
            w.v[register][l] = [width, height, depth, 1][component];
        }
    }
    Ok(())
}
