//! Element formats of typed buffers: the layout of an element's components in memory, and their values as f32 or integers.

use super::convert::{normalised, toward_zero};
use super::half_format::{narrow, widen};
use half::f16;

/// A data format (number and widths of the components) and a number format (meaning of the bits), as gfx9 numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferFormat {
    data: u8,
    number: NumberFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberFormat {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Reserved,
    Float,
}

impl BufferFormat {
    /// Reads the format from the fields of a resource or an instruction.
    pub fn new(data: u32, number: u32) -> BufferFormat {
        let number = match number & 7 {
            0 => NumberFormat::Unorm,
            1 => NumberFormat::Snorm,
            2 => NumberFormat::Uscaled,
            3 => NumberFormat::Sscaled,
            4 => NumberFormat::Uint,
            5 => NumberFormat::Sint,
            6 => NumberFormat::Reserved,
            _ => NumberFormat::Float,
        };
        BufferFormat {
            data: (data & 15) as u8,
            number,
        }
    }

    /// Widths of the components, from the lowest bit of the element on.
    fn widths(self) -> &'static [u32] {
        match self.data {
            1 => &[8],
            2 => &[16],
            3 => &[8, 8],
            4 => &[32],
            5 => &[16, 16],
            6 => &[11, 11, 10],
            7 => &[10, 11, 11],
            8 => &[2, 10, 10, 10],
            9 => &[10, 10, 10, 2],
            10 => &[8, 8, 8, 8],
            11 => &[32, 32],
            12 => &[16, 16, 16, 16],
            13 => &[32, 32, 32],
            14 => &[32, 32, 32, 32],
            _ => &[],
        }
    }

    /// Bytes of an element; 0 for an invalid format.
    pub fn bytes(self) -> u64 {
        u64::from(self.widths().iter().sum::<u32>() / 8)
    }

    /// Returns true if components are integers rather than floats.
    pub fn is_integer(self) -> bool {
        matches!(self.number, NumberFormat::Uint | NumberFormat::Sint)
    }

    /// Returns the number one as a component.
    pub fn one(self) -> u32 {
        if self.is_integer() {
            1
        } else {
            1.0f32.to_bits()
        }
    }

    /// Returns an element's components as f32 bits or integers. Missing components are 0, and a missing fourth one is 1.
    pub fn load(self, raw: [u32; 4]) -> [u32; 4] {
        let mut components = [0, 0, 0, self.one()];
        let raw = raw
            .iter()
            .rev()
            .fold(0u128, |all, &dword| all << 32 | u128::from(dword));
        let mut at = 0;
        for (component, &width) in components.iter_mut().zip(self.widths()) {
            let bits = (raw >> at) as u32 & mask(width);
            *component = self.number.load(bits, width);
            at += width;
        }
        components
    }

    /// Returns the element with these components.
    pub fn store(self, components: [u32; 4]) -> [u32; 4] {
        let mut raw = 0u128;
        let mut at = 0;
        for (component, &width) in components.into_iter().zip(self.widths()) {
            raw |= u128::from(self.number.store(component, width) & mask(width)) << at;
            at += width;
        }
        std::array::from_fn(|n| (raw >> (32 * n)) as u32)
    }

    /// Converts a component of 32 bits to the 16 bits of a D16 instruction.
    pub fn to_half(self, component: u32) -> u32 {
        if self.is_integer() {
            component & 0xffff
        } else {
            u32::from(narrow(f32::from_bits(component)).to_bits())
        }
    }

    /// Converts the 16 bits of a D16 instruction to a component of 32 bits.
    pub fn from_half(self, half: u32) -> u32 {
        match self.number {
            NumberFormat::Uint => half & 0xffff,
            NumberFormat::Sint => half as i16 as i32 as u32,
            _ => widen(f16::from_bits(half as u16)).to_bits(),
        }
    }
}

fn mask(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

impl NumberFormat {
    /// Converts a component of `width` bits to an f32's bits or an integer.
    fn load(self, bits: u32, width: u32) -> u32 {
        let unsigned = f64::from(bits);
        let sign_extended = (bits << (32 - width)) as i32 >> (32 - width);
        let signed = f64::from(sign_extended);
        let float = |x: f64| (x as f32).to_bits();
        match self {
            NumberFormat::Unorm => float(unsigned / f64::from(mask(width))),
            NumberFormat::Snorm => float((signed / f64::from(mask(width - 1))).max(-1.0)),
            NumberFormat::Uscaled => float(unsigned),
            NumberFormat::Sscaled => float(signed),
            NumberFormat::Uint => bits,
            NumberFormat::Sint => sign_extended as u32,
            NumberFormat::Float => match width {
                32 => bits,
                16 => widen(f16::from_bits(bits as u16)).to_bits(),
                // These floats have no sign, and the exponent field of an f16.
                10 | 11 => widen(f16::from_bits((bits << (15 - width)) as u16)).to_bits(),
                _ => 0,
            },
            NumberFormat::Reserved => 0,
        }
    }

    /// Converts a component to `width` bits. The caller drops the bits above them.
    fn store(self, component: u32, width: u32) -> u32 {
        let x = f32::from_bits(component);
        let (most, half) = (f64::from(mask(width)), f64::from(mask(width - 1)));
        match self {
            NumberFormat::Unorm => normalised(x, most, 0.0) as u32,
            NumberFormat::Snorm => normalised(x, half, -half) as u32,
            NumberFormat::Uscaled => f64::from(x).clamp(0.0, most) as u32,
            NumberFormat::Sscaled => f64::from(x).clamp(-half - 1.0, half) as i64 as u32,
            NumberFormat::Uint | NumberFormat::Sint => component,
            NumberFormat::Float => match width {
                32 => component,
                16 => u32::from(narrow(x).to_bits()),
                10 | 11 if x.is_nan() => mask(width),
                10 | 11 if x < 0.0 => 0,
                10 | 11 if x.is_infinite() => 0x1f << (width - 5),
                10 | 11 => u32::from(toward_zero(x).to_bits()) >> (15 - width),
                _ => 0,
            },
            NumberFormat::Reserved => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(format: BufferFormat, raw: [u32; 4]) -> [f32; 4] {
        format.load(raw).map(f32::from_bits)
    }

    #[test]
    fn components_stand_from_the_lowest_bit_on_and_the_last_named_is_the_lowest() {
        let format = BufferFormat::new(9, 4);
        assert_eq!(
            format.load([1 | 2 << 10 | 3 << 20 | 3 << 30, 0, 0, 0]),
            [1, 2, 3, 3]
        );
        let format = BufferFormat::new(8, 4);
        assert_eq!(
            format.load([1 | 2 << 2 | 3 << 12 | 4 << 22, 0, 0, 0]),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn missing_components_are_zero_and_the_fourth_is_one() {
        assert_eq!(
            BufferFormat::new(3, 4).load([0x0201, 0, 0, 0]),
            [1, 2, 0, 1]
        );
        assert_eq!(
            floats(BufferFormat::new(1, 2), [7, 0, 0, 0]),
            [7.0, 0.0, 0.0, 1.0]
        );
    }

    #[test]
    fn normalised_components_reach_both_ends() {
        assert_eq!(
            floats(BufferFormat::new(10, 0), [0x80_00_ff, 0, 0, 0]),
            [1.0, 0.0, 128.0 / 255.0, 0.0]
        );
        let signed = floats(BufferFormat::new(10, 1), [0x7f_80_81_00, 0, 0, 0]);
        assert_eq!(
            signed,
            [0.0, -1.0, -1.0, 1.0],
            "the lowest number is -1 too"
        );
    }

    #[test]
    fn signs_extend() {
        assert_eq!(
            BufferFormat::new(5, 5).load([0xffff_8000, 0, 0, 0]),
            [-0x8000i32 as u32, !0, 0, 1]
        );
        assert_eq!(
            floats(BufferFormat::new(5, 3), [0xffff_0001, 0, 0, 0])[..2],
            [1.0, -1.0]
        );
    }

    #[test]
    fn small_floats_have_no_sign_and_round_toward_zero() {
        let format = BufferFormat::new(6, 7);
        let bits = 0x3c0 | 0x400 << 11 | 0x1e0 << 22;
        assert_eq!(floats(format, [bits, 0, 0, 0]), [1.0, 2.0, 1.0, 1.0]);
        let stored = format.store([1.0f32, 2.03, -1.0, 0.0].map(f32::to_bits));
        assert_eq!(stored[0], 0x3c0 | 0x400 << 11);
    }

    #[test]
    fn what_is_stored_saturates_where_it_is_normalised_or_scaled() {
        let store = |number, x: f32| BufferFormat::new(1, number).store([x.to_bits(), 0, 0, 0])[0];
        assert_eq!(
            [
                store(0, 2.0),
                store(0, -1.0),
                store(0, 0.5),
                store(0, f32::NAN)
            ],
            [255, 0, 128, 0]
        );
        assert_eq!(
            [store(1, 2.0), store(1, -1.0), store(1, -0.5)],
            [127, 0x81, 0xc0]
        );
        assert_eq!(
            [store(2, 300.0), store(2, 1.9), store(3, -300.0)],
            [255, 1, 0x80]
        );
    }

    #[test]
    fn every_format_gives_back_what_it_stores() {
        for data in 1..=14 {
            for number in [0, 1, 4, 5] {
                let format = BufferFormat::new(data, number);
                // 32-bit normalised components do not fit an f32.
                if number < 4 && format.widths().contains(&32) {
                    continue;
                }
                let raw: u128 = format.widths().iter().rev().fold(0, |raw, &w| raw << w | 1);
                let raw = std::array::from_fn(|n| (raw >> (32 * n)) as u32);
                assert_eq!(format.store(format.load(raw)), raw, "{format:?}");
            }
        }
    }
}
