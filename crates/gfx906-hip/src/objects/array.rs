//! Arrays: rows of elements in device memory, which programs reach by copies, textures and surfaces.

use crate::boundary::Address;
use crate::handles::{Handles, Tag};

/// Table of all arrays.
pub struct Arrays(Handles<Array>);

impl Default for Arrays {
    fn default() -> Arrays {
        Arrays(Handles::new(Tag::Array))
    }
}

impl std::ops::Deref for Arrays {
    type Target = Handles<Array>;

    fn deref(&self) -> &Handles<Array> {
        &self.0
    }
}

impl std::ops::DerefMut for Arrays {
    fn deref_mut(&mut self) -> &mut Handles<Array> {
        &mut self.0
    }
}

/// `hipChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Bits of the four components.
    pub bits: [i32; 4],
    /// Kind of component: signed, unsigned, float, none.
    pub format: u32,
}

/// Formats of components: number in `hipArray_Format`, bits, number in `hipChannelFormatKind`.
const FORMATS: &[(u32, i32, u32)] = &[
    (0x01, 8, 1),
    (0x02, 16, 1),
    (0x03, 32, 1),
    (0x08, 8, 0),
    (0x09, 16, 0),
    (0x0a, 32, 0),
    (0x10, 16, 2),
    (0x20, 32, 2),
];

impl Channel {
    /// Returns the channel of `components` components of a `hipArray_Format`.
    pub fn from_array_format(format: u32, components: u32) -> Option<Channel> {
        let (_, bits, kind) = FORMATS.iter().find(|row| row.0 == format)?;
        if ![1, 2, 4].contains(&components) {
            return None;
        }
        let has = |n: u32| if n < components { *bits } else { 0 };
        Some(Channel {
            bits: [0, 1, 2, 3].map(has),
            format: *kind,
        })
    }

    /// Returns the number of components: 1, 2 or 4 equal ones of a format that arrays have. Returns none for other channels.
    pub fn components(&self) -> Option<u32> {
        let count = self.bits.iter().take_while(|bits| **bits > 0).count();
        let alike = self.bits[..count].iter().all(|bits| *bits == self.bits[0]);
        let rest = self.bits[count..].iter().all(|bits| *bits == 0);
        let is_supported = [1, 2, 4].contains(&count) && self.array_format().is_some();
        (alike && rest && is_supported).then_some(count as u32)
    }

    /// Returns the channel's number in `hipArray_Format`.
    pub fn array_format(&self) -> Option<u32> {
        let same = |row: &&(u32, i32, u32)| (row.1, row.2) == (self.bits[0], self.format);
        FORMATS.iter().find(same).map(|row| row.0)
    }

    /// Returns the bytes of an element.
    pub fn bytes(&self) -> usize {
        self.bits.iter().map(|bits| *bits as usize).sum::<usize>() / 8
    }
}

/// Flag of an array whose planes are layers, each an image of its own.
pub const LAYERED: u32 = 1;

/// Array in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Array {
    /// Address of the first byte.
    pub base: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Elements of a row, rows, planes. Rows or planes are 0 for an array of fewer dimensions.
    pub sides: [usize; 3],
    /// Type of the elements.
    pub channel: Channel,
    /// Flags of the array's creation.
    pub flags: u32,
}

impl Array {
    /// Returns the bytes of a row.
    pub fn row(&self) -> usize {
        self.sides[0] * self.channel.bytes()
    }

    /// Returns the rows of a plane.
    pub fn rows(&self) -> usize {
        self.sides[1].max(1)
    }

    /// Returns the number of planes.
    pub fn planes(&self) -> usize {
        self.sides[2].max(1)
    }

    /// Returns true if a box at a position lies within the array. Both count bytes of a row, rows and planes.
    pub fn holds(&self, at: [usize; 3], extent: [usize; 3]) -> bool {
        let within =
            |n: usize, size: usize| at[n].checked_add(extent[n]).is_some_and(|end| end <= size);
        within(0, self.row()) && within(1, self.rows()) && within(2, self.planes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_formats_and_components() {
        let float4 = Channel::from_array_format(0x20, 4).expect("known");
        assert_eq!((float4.bits, float4.format), ([32; 4], 2));
        assert_eq!((float4.bytes(), float4.components()), (16, Some(4)));
        assert_eq!(float4.array_format(), Some(0x20));
        assert_eq!(Channel::from_array_format(0x20, 3), None);
        assert_eq!(Channel::from_array_format(0x05, 1), None);
        let odd = Channel {
            bits: [8, 16, 0, 0],
            format: 0,
        };
        assert_eq!(odd.components(), None);
    }

    #[test]
    fn channels_without_a_format_have_no_components() {
        let channel = |bits, format| Channel {
            bits: [bits; 4],
            format,
        };
        const SIGNED: u32 = 0;
        const FLOAT: u32 = 2;
        const NONE: u32 = 3;
        assert_eq!(channel(8, SIGNED).components(), Some(4));
        for (bits, format) in [
            (8, FLOAT),
            (16, NONE),
            (32, 0xbeef),
            (24, SIGNED),
            (-8, SIGNED),
        ] {
            assert_eq!(channel(bits, format).components(), None, "{bits} {format}");
        }
    }
}
