//! Words of a texture or surface: the resources that the card's image instructions read, and the facts that AMD's device library reads.

use super::descriptors::TextureDesc;
use crate::boundary::Address;
use crate::objects::array::Channel;

/// Dwords of an object: image resource, facts for the device library, sampler.
pub const WORDS: usize = 20;

/// Index of the sampler.
const SAMPLER: usize = 12;

/// Alignment of images and of their rows.
pub const ALIGN: usize = 256;

/// Dimensions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDimensions {
    /// One row.
    Row,
    /// Rows.
    Plane,
    /// Planes of rows.
    Cube,
    /// Layers of one row.
    Rows,
    /// Layers of rows.
    Planes,
}

/// Image in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// Address of the first element.
    pub base: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Dimensions.
    pub shape: ImageDimensions,
    /// Elements of a row, rows, planes or layers. Unused dimensions are 1.
    pub sides: [usize; 3],
    /// Type of the elements.
    pub channel: Channel,
    /// True if elements are read as fractions of the greatest value.
    pub fractions: bool,
}

/// Format of an element, in the card's numbers and in the device library's.
struct Format {
    data: u32,
    number: u32,
    select: u32,
    kind: u32,
    order: u32,
}

impl Format {
    fn of(channel: Channel, fractions: bool) -> Format {
        let place = match channel.bits[0] {
            8 => 0,
            16 => 1,
            _ => 2,
        };
        let count = match channel.components() {
            Some(4) => 2,
            Some(2) => 1,
            _ => 0,
        };
        const FLOAT: u32 = 2;
        let signed = channel.format == 0;
        // First numbers of types in the device library: signed and unsigned fractions, signed and unsigned integers, floats.
        let (number, kind) = match (channel.format, fractions && place < 2) {
            (FLOAT, _) => (7, 13 + place),
            (_, true) => (u32::from(signed), if signed { place } else { 2 + place }),
            (_, false) => (
                4 + u32::from(signed),
                if signed { 8 + place } else { 11 + place },
            ),
        };
        Format {
            data: [[1, 3, 10], [2, 5, 12], [4, 11, 14]][place as usize][count],
            number,
            // Missing components read as 0, 0 and 1.
            select: [0x204, 0x22c, 0xfac][count],
            kind,
            order: [1, 3, 8][count],
        }
    }
}

impl Image {
    /// Returns the words of an object with this image, and with a sampler for a texture.
    pub fn words(&self, sampler: Option<[u32; 4]>) -> [u32; WORDS] {
        let format = Format::of(self.channel, self.fractions);
        let [width, height, depth] = self.sides.map(|side| side as u32 - 1);
        let pitch = (self.pitch / self.channel.bytes()) as u32 - 1;
        let kind = match self.shape {
            ImageDimensions::Row => 8,
            ImageDimensions::Plane => 9,
            ImageDimensions::Cube => 10,
            ImageDimensions::Rows => 12,
            ImageDimensions::Planes => 13,
        };
        let mut words = [0; WORDS];
        words[..5].copy_from_slice(&[
            (self.base >> 8) as u32,
            (self.base >> 40) as u32 & 0xff | format.data << 20 | format.number << 26,
            width | height << 14,
            format.select | kind << 28,
            depth | pitch << 13,
        ]);
        self.describe(&format, &mut words);
        if let Some(sampler) = sampler {
            words[SAMPLER..SAMPLER + 4].copy_from_slice(&sampler);
        }
        words
    }

    /// Returns the words of an object over linear memory, which kernels read through a buffer resource.
    pub fn linear(&self) -> [u32; WORDS] {
        let format = Format::of(self.channel, self.fractions);
        let mut words = [0; WORDS];
        words[..4].copy_from_slice(&[
            self.base as u32,
            (self.base >> 32) as u32 & 0xffff | (self.channel.bytes() as u32) << 16,
            self.sides[0] as u32,
            format.select | format.number << 12 | format.data << 15,
        ]);
        self.describe(&format, &mut words);
        words
    }

    fn describe(&self, format: &Format, words: &mut [u32; WORDS]) {
        words[8..11].copy_from_slice(&[format.kind, format.order, self.sides[0] as u32]);
    }

    /// Returns true if the elements can be filtered linearly.
    pub fn has_means(&self) -> bool {
        Format::of(self.channel, self.fractions).number & 4 == 0 || self.channel.format == 2
    }
}

const WRAP: u32 = 0;
const CLAMP: u32 = 1;
const MIRROR: u32 = 2;
const BORDER: u32 = 3;

/// Returns the words of a sampler, or none for an unknown mode. With coordinates that count elements, repeating modes clamp to the last
/// element, as in HIP. The border is zero whatever its colour, as in AMD's runtime.
pub fn sampler(desc: &TextureDesc) -> Option<[u32; 4]> {
    let unnormalised = desc.normalised == 0;
    let mut word = u32::from(unnormalised) << 15;
    for (n, mode) in desc.address.into_iter().enumerate() {
        let clamp = match mode {
            WRAP | MIRROR if unnormalised => 2,
            WRAP => 0,
            MIRROR => 1,
            CLAMP => 2,
            BORDER => 6,
            _ => return None,
        };
        word |= clamp << (3 * n);
    }
    let filter = match desc.filter {
        0 => 0,
        1 => 5 << 20,
        _ => return None,
    };
    Some([word, 0xfff << 12, filter, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(format: u32, components: u32) -> Image {
        Image {
            base: 0x7f12_3456_7800,
            pitch: 512,
            shape: ImageDimensions::Plane,
            sides: [17, 9, 1],
            channel: Channel::from_array_format(format, components).expect("known"),
            fractions: false,
        }
    }

    #[test]
    fn the_words_of_a_plane_of_floats() {
        let words = image(0x20, 1).words(Some([1, 2, 3, 4]));
        assert_eq!(words[0], 0x1234_5678);
        assert_eq!(words[1], 0x7f | 4 << 20 | 7 << 26);
        assert_eq!(words[2], 16 | 8 << 14);
        assert_eq!(words[3], 4 | 1 << 9 | 9 << 28, "x, 0, 0, 1");
        assert_eq!(words[4], 127 << 13);
        assert_eq!(words[8..11], [15, 1, 17]);
        assert_eq!(words[12..16], [1, 2, 3, 4]);
    }

    #[test]
    fn elements_have_their_numbers() {
        let numbers = |format, components, fractions| {
            let image = Image {
                fractions,
                ..image(format, components)
            };
            let words = image.words(None);
            (words[1] >> 20 & 63, words[1] >> 26 & 15, words[8], words[9])
        };
        assert_eq!(numbers(0x01, 4, false), (10, 4, 11, 8));
        assert_eq!(numbers(0x01, 4, true), (10, 0, 2, 8));
        assert_eq!(numbers(0x08, 2, true), (3, 1, 0, 3));
        assert_eq!(numbers(0x09, 1, false), (2, 5, 9, 1));
        assert_eq!(numbers(0x02, 2, true), (5, 0, 3, 3));
        // Elements of 32 bits have no fractions.
        assert_eq!(numbers(0x03, 1, true), (4, 4, 13, 1));
        assert_eq!(numbers(0x0a, 4, true), (14, 5, 10, 8));
        assert_eq!(numbers(0x10, 2, false), (5, 7, 14, 3));
    }

    #[test]
    fn modes_of_samplers() {
        let desc = TextureDesc {
            address: [WRAP, MIRROR, BORDER],
            filter: 1,
            normalised: 1,
            ..TextureDesc::default()
        };
        assert_eq!(
            sampler(&desc),
            Some([1 << 3 | 6 << 6, 0xff_f000, 5 << 20, 0])
        );
        let unnormalised = TextureDesc {
            normalised: 0,
            ..desc
        };
        let word = sampler(&unnormalised).expect("modes")[0];
        assert_eq!(word, 2 | 2 << 3 | 6 << 6 | 1 << 15);
        let none = TextureDesc {
            address: [4, 0, 0],
            ..desc
        };
        assert_eq!(sampler(&none), None);
    }
}
