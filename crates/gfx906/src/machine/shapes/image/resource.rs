//! Image resources and samplers: scalar registers that describe an image and its sampling.

use super::super::super::wave::Wave;
use crate::isa::fields::{self, Field, ReservedValue};
use crate::isa::{Code, Inst, Role};
use crate::semantics::{BufferFormat, Clamp};

/// Source of each component: 0, 1, or a component of the element.
pub type Select = [u32; 4];

/// An image resource: eight scalar registers.
pub struct Image {
    base: u64,
    /// Format of a texel in memory.
    pub format: BufferFormat,
    /// Order of the loaded components.
    pub select: Select,
    /// Size of the image: texels of a row, rows, and planes or array elements.
    pub extent: [u32; 3],
    /// Number of array elements before the first visible one.
    first: u32,
    /// Distance between rows in texels.
    pitch: u32,
    /// Number of coordinates within an array element.
    pub sides: usize,
    /// True if the image is an array.
    pub array: bool,
}

/// Returns `count` bits of a word from `low` on.
fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & (u32::MAX >> (32 - count))
}

/// Returns the value of a field if it can be used.
fn checked(field: &Field, value: u32) -> Result<u32, ReservedValue> {
    field.check(value).map(|()| value)
}

impl Image {
    /// Reads the image resource of an instruction.
    pub fn read(w: &Wave, i: &Inst) -> Result<Image, ReservedValue> {
        let code = i.by_role(Role::Sbase);
        let d: [u32; 8] = std::array::from_fn(|n| w.scalar32(Code(code.0 + n as u16), 0));
        let kind = checked(&fields::IMAGE_TYPE, bits(d[3], 28, 4))?;
        let format = checked(&fields::IMAGE_FORMAT, bits(d[1], 20, 10))?;
        checked(&fields::IMAGE_TILING, bits(d[3], 20, 5))?;
        checked(&fields::IMAGE_LEVELS, bits(d[3], 12, 8))?;
        checked(&fields::IMAGE_COMPRESSION, bits(d[6], 21, 1))?;
        let select = [0, 3, 6, 9].map(|low| bits(d[3], low, 3));
        for select in select {
            checked(&fields::IMAGE_SELECT, select)?;
        }
        let (sides, array) = match kind {
            8 => (1, false),
            9 => (2, false),
            12 => (1, true),
            13 => (2, true),
            _ => (3, false),
        };
        let first = if array { bits(d[5], 0, 13) } else { 0 };
        let height = if sides > 1 { bits(d[2], 14, 14) + 1 } else { 1 };
        // The field of an array is the number of its last element.
        let depth = if array || sides > 2 {
            (bits(d[4], 0, 13) + 1).saturating_sub(first)
        } else {
            1
        };
        Ok(Image {
            base: u64::from(d[0]) << 8 | u64::from(bits(d[1], 0, 8)) << 40,
            format: BufferFormat::new(format & 63, format >> 6),
            select,
            extent: [bits(d[2], 0, 14) + 1, height, depth],
            first,
            pitch: bits(d[4], 13, 16) + 1,
            sides,
            array,
        })
    }

    /// Returns the address of a texel.
    pub fn address(&self, [x, y, z]: [u32; 3]) -> u64 {
        let plane = u64::from(self.first + z);
        let row = plane * u64::from(self.extent[1]) + u64::from(y);
        let texel = row * u64::from(self.pitch) + u64::from(x);
        self.base.wrapping_add(texel * self.format.bytes())
    }

    /// Returns the components in the resource's order.
    pub fn ordered(&self, components: [u32; 4]) -> [u32; 4] {
        self.select.map(|from| match from {
            1 => self.format.one(),
            4..=7 => components[from as usize - 4],
            _ => 0,
        })
    }
}

/// A sampler: four scalar registers.
pub struct Sampler {
    /// Treatment of coordinates beyond the image, per axis.
    pub clamps: [Clamp; 3],
    /// True if coordinates count texels, false if 1.0 is the size of the image.
    pub unnormalised: bool,
    /// True if the nearest texel is found by truncation alone.
    pub truncates: bool,
    /// True where neighbours are interpolated, per axis.
    pub mixes: [bool; 3],
    /// Components of the border colour.
    pub border: [u32; 4],
}

impl Sampler {
    /// Reads the sampler of an instruction on an image.
    pub fn read(w: &Wave, i: &Inst, image: &Image) -> Result<Sampler, ReservedValue> {
        let code = i.by_role(Role::Ssamp);
        let d: [u32; 4] = std::array::from_fn(|n| w.scalar32(Code(code.0 + n as u16), 0));
        let mut clamps = [Clamp::Last; 3];
        for (n, clamp) in clamps.iter_mut().enumerate() {
            let field = checked(&fields::CLAMP, bits(d[0], 3 * n as u32, 3))?;
            *clamp = Clamp::new(field).unwrap_or(Clamp::Last);
        }
        let filter = checked(&fields::XY_FILTER, bits(d[2], 20, 4))?;
        let along_z = checked(&fields::Z_FILTER, bits(d[2], 24, 2))?;
        let border = checked(&fields::BORDER, bits(d[3], 30, 2))?;
        let mixes = |side: usize| match (side, along_z) {
            (2, 1) => false,
            (2, 2) => true,
            _ => filter != 0,
        };
        // Array elements are not neighbours, so only the axes of the image are interpolated.
        let mixes = [0, 1, 2].map(|side| side < image.sides && mixes(side));
        if mixes.contains(&true) && image.format.is_integer() {
            return Err(ReservedValue {
                field: fields::XY_FILTER.name,
                value: filter,
                reason: "integers have no mean",
            });
        }
        let (zero, one) = (0, image.format.one());
        Ok(Sampler {
            clamps,
            unnormalised: bits(d[0], 15, 1) != 0,
            truncates: bits(d[0], 27, 1) != 0,
            mixes,
            border: match border {
                0 => [zero; 4],
                1 => [zero, zero, zero, one],
                _ => [one; 4],
            },
        })
    }
}
