//! Texels that the lanes of an instruction reach.

use super::super::super::registers::{LANES, Lanes};
use super::super::super::wave::Wave;
use super::super::addresses::Addresses;
use super::resource::{Image, Sampler};
use crate::isa::fields::ReservedValue;
use crate::isa::{Flags, Inst, Properties, Role};
use crate::semantics::{nearest_texel, neighbour_texels};
use half::f16;

/// Meaning of the address VGPRs of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressForm {
    /// The VGPRs hold the texel's numbers.
    Texel,
    /// The VGPRs hold the texel's numbers, followed by a level of detail.
    Level,
    /// The VGPRs hold coordinates for a sampler, followed by values of the opcode.
    Sample,
    /// A bias precedes the coordinates for a sampler.
    Biased,
    /// Two gradients precede the coordinates for a sampler.
    Gradient,
}

impl AddressForm {
    /// Returns the meaning for an instruction.
    pub fn of(i: &Inst) -> AddressForm {
        if i.has(Properties::MIP) {
            AddressForm::Level
        } else if !i.row.has_role(Role::Ssamp) {
            AddressForm::Texel
        } else if i.has(Properties::GRADIENTS) {
            AddressForm::Gradient
        } else if i.has(Properties::BIAS) {
            AddressForm::Biased
        } else {
            AddressForm::Sample
        }
    }
}

/// One texel of each lane.
pub struct Tap {
    /// Lanes whose texel is within the image.
    pub inside: u64,
    /// Address of the texel.
    pub at: Addresses,
    /// Weight of the texel in an interpolation.
    pub weight: [f64; LANES],
}

/// Texels of each lane.
pub struct LaneTexels {
    /// One tap, or the neighbours of an interpolation.
    pub taps: Vec<Tap>,
    /// True if neighbours are interpolated.
    pub mixes: bool,
    /// Components of texels beyond the image.
    pub border: [u32; 4],
}

/// VGPRs with coordinates.
struct Coordinates<'a> {
    w: &'a Wave,
    first: usize,
    halves: bool,
}

impl Coordinates<'_> {
    /// Returns the bits of a coordinate, a dword or a half.
    fn get(&self, n: usize, lane: usize) -> u32 {
        let register = |n: usize| -> &Lanes { &self.w.v[(self.first + n) & 255] };
        match self.halves {
            true => register(n / 2)[lane] >> (16 * (n & 1)) & 0xffff,
            false => register(n)[lane],
        }
    }

    /// Returns a coordinate that is a float.
    fn float(&self, n: usize, lane: usize) -> f64 {
        let bits = self.get(n, lane);
        match self.halves {
            true => f16::from_bits(bits as u16).to_f64(),
            false => f64::from(f32::from_bits(bits)),
        }
    }
}

/// Finds the texels of each lane.
pub fn taps(
    w: &Wave,
    i: &Inst,
    image: &Image,
    how: AddressForm,
) -> Result<LaneTexels, ReservedValue> {
    let flags = i.modifiers.flags;
    let coordinates = Coordinates {
        w,
        first: i.by_role(Role::Addr).as_vgpr().map_or(0, usize::from),
        halves: flags.has(Flags::A16),
    };
    // The DA bit declares that the address has an array element. The image itself need not be an array.
    let named = flags.has(Flags::DA) && image.sides < 3;
    match how {
        AddressForm::Texel | AddressForm::Level => Ok(numbered(image, &coordinates, named, how)),
        AddressForm::Sample => sampled(w, i, image, &coordinates, named, 0),
        AddressForm::Biased => sampled(w, i, image, &coordinates, named, 1),
        AddressForm::Gradient => sampled(w, i, image, &coordinates, named, 2 * image.sides),
    }
}

/// Finds texels by their numbers. Texels beyond the image are zeros.
fn numbered(image: &Image, c: &Coordinates<'_>, named: bool, how: AddressForm) -> LaneTexels {
    let mut tap = Tap {
        inside: 0,
        at: [0; LANES],
        weight: [1.0; LANES],
    };
    for l in 0..LANES {
        let mut texel = [0; 3];
        for (side, number) in texel.iter_mut().enumerate().take(image.sides) {
            *number = c.get(side, l);
        }
        if named && image.array {
            texel[2] = c.get(image.sides, l);
        }
        let level = match how {
            AddressForm::Level => c.get(image.sides + usize::from(named), l),
            _ => 0,
        };
        let within = texel.iter().zip(image.extent).all(|(&n, size)| n < size);
        if within && level == 0 {
            tap.inside |= 1 << l;
            tap.at[l] = image.address(texel);
        }
    }
    LaneTexels {
        taps: vec![tap],
        mixes: false,
        border: [0; 4],
    }
}

/// Finds texels through a sampler.
fn sampled(
    w: &Wave,
    i: &Inst,
    image: &Image,
    c: &Coordinates<'_>,
    named: bool,
    before: usize,
) -> Result<LaneTexels, ReservedValue> {
    let sampler = Sampler::read(w, i, image)?;
    let unnormalised = sampler.unnormalised || i.modifiers.flags.has(Flags::UNORM);
    let mixed: Vec<usize> = (0..3).filter(|&side| sampler.mixes[side]).collect();
    // Bit n of a tap's index selects the second of the two neighbours along axis n.
    let mut taps: Vec<Tap> = (0..1 << mixed.len())
        .map(|_| Tap {
            inside: 0,
            at: [0; LANES],
            weight: [1.0; LANES],
        })
        .collect();
    for l in 0..LANES {
        let mut firsts = [(0, 0); 3];
        for (side, first) in firsts.iter_mut().enumerate().take(image.sides) {
            let scale = match unnormalised {
                true => 1.0,
                false => f64::from(image.extent[side]),
            };
            let coordinate = c.float(before + side, l) * scale;
            *first = match sampler.mixes[side] {
                true => neighbour_texels(coordinate),
                false => (nearest_texel(coordinate, sampler.truncates), 0),
            };
        }
        let element = match named && image.array {
            true => c.float(before + image.sides, l).round_ties_even() as u32,
            false => 0,
        };
        for (number, tap) in taps.iter_mut().enumerate() {
            let mut texel = Some([0, 0, element.min(image.extent[2].saturating_sub(1))]);
            let mut weight = 1.0;
            for side in 0..image.sides {
                let (first, of_second) = firsts[side];
                let at = mixed.iter().position(|&n| n == side);
                let second = at.is_some_and(|at| number >> at & 1 != 0);
                if at.is_some() {
                    let part = if second { of_second } else { 256 - of_second };
                    weight *= f64::from(part) / 256.0;
                }
                let clamp = sampler.clamps[side];
                let found = clamp.texel(first + i64::from(second), image.extent[side]);
                texel = texel.zip(found).map(|(mut texel, found)| {
                    texel[side] = found;
                    texel
                });
            }
            tap.weight[l] = weight;
            // A neighbour with weight 0 is not read.
            match texel.filter(|_| weight != 0.0) {
                Some(texel) if image.extent[2] != 0 => {
                    tap.inside |= 1 << l;
                    tap.at[l] = image.address(texel);
                }
                _ => {}
            }
        }
    }
    Ok(LaneTexels {
        taps,
        mixes: !mixed.is_empty(),
        border: sampler.border,
    })
}
