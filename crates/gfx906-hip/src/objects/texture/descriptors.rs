//! Parameters of textures and surfaces in HIP's structures.

use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::objects::array::Channel;

/// `hipResourceDesc`: a kind, and words whose meaning depends on it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceDesc {
    kind: u32,
    words: [u64; 7],
}

/// `HIP_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverResourceDesc {
    kind: u32,
    words: [u64; 16],
    flags: u32,
}

/// Memory of a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Array.
    Array(Address),
    /// Linear memory.
    Linear {
        /// Address of the first element.
        base: Address,
        /// Type of the elements.
        channel: Channel,
        /// Size in bytes.
        bytes: usize,
    },
    /// Pitched memory.
    Pitched {
        /// Address of the first element.
        base: Address,
        /// Type of the elements.
        channel: Channel,
        /// Elements of a row, and rows.
        sides: [usize; 2],
        /// Bytes from row to row.
        pitch: usize,
    },
}

const ARRAY: u32 = 0;
const MIPMAPPED: u32 = 1;
const LINEAR: u32 = 2;
const PITCHED: u32 = 3;

impl ResourceDesc {
    /// Decodes the memory. Arrays of several levels of detail are not supported.
    pub fn resource(&self) -> HipResult<Resource> {
        let w = self.words;
        let channel = Channel {
            bits: [w[1], w[1] >> 32, w[2], w[2] >> 32].map(|bits| bits as i32),
            format: w[3] as u32,
        };
        Ok(match self.kind {
            ARRAY => Resource::Array(w[0]),
            MIPMAPPED => return Err(HipError::NotSupported),
            LINEAR => Resource::Linear {
                base: w[0],
                channel,
                bytes: w[4] as usize,
            },
            PITCHED => Resource::Pitched {
                base: w[0],
                channel,
                sides: [w[4] as usize, w[5] as usize],
                pitch: w[6] as usize,
            },
            _ => return Err(HipError::InvalidValue),
        })
    }

    fn set_channel(&mut self, channel: Channel) {
        let both = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
        let [x, y, z, w] = channel.bits;
        self.words[1..4].copy_from_slice(&[both(x, y), both(z, w), channel.format.into()]);
    }
}

impl DriverResourceDesc {
    /// Converts to the runtime API's structure.
    pub fn of_runtime(self) -> HipResult<ResourceDesc> {
        if self.flags != 0 {
            return Err(HipError::InvalidValue);
        }
        let w = self.words;
        let mut desc = ResourceDesc {
            kind: self.kind,
            words: [0; 7],
        };
        desc.words[0] = w[0];
        if [LINEAR, PITCHED].contains(&self.kind) {
            // Format of the array, and number of components.
            let channel = Channel::from_array_format(w[1] as u32, (w[1] >> 32) as u32);
            desc.set_channel(channel.ok_or(HipError::InvalidValue)?);
            desc.words[4..7].copy_from_slice(&w[2..5]);
        }
        Ok(desc)
    }

    /// Converts from the runtime API's structure.
    pub fn from_runtime(desc: &ResourceDesc) -> HipResult<DriverResourceDesc> {
        let mut words = [0; 16];
        words[0] = desc.words[0];
        if let Resource::Linear { channel, .. } | Resource::Pitched { channel, .. } =
            desc.resource()?
        {
            let format = channel.array_format().ok_or(HipError::InvalidValue)?;
            let count = channel.components().ok_or(HipError::InvalidValue)?;
            words[1] = u64::from(format) | u64::from(count) << 32;
            words[2..5].copy_from_slice(&desc.words[4..7]);
        }
        Ok(DriverResourceDesc {
            kind: desc.kind,
            words,
            flags: 0,
        })
    }
}

/// `hipTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDesc {
    /// Address modes for coordinates beyond each side.
    pub address: [u32; 3],
    /// Filter: the nearest element, or a mean of neighbours.
    pub filter: u32,
    /// Read mode: elements as they are, or as fractions of the greatest value.
    pub read: u32,
    /// 1 for colours in sRGB.
    pub srgb: i32,
    /// Border colour.
    pub border: [f32; 4],
    /// 1 for coordinates that count images instead of elements.
    pub normalised: i32,
    /// Ratio of anisotropy.
    pub anisotropy: u32,
    /// Filter between levels of detail.
    pub mip_filter: u32,
    /// Offset of the level of detail.
    pub mip_bias: f32,
    /// Least level of detail.
    pub mip_least: f32,
    /// Greatest level of detail.
    pub mip_most: f32,
}

/// `HIP_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverTextureDesc {
    address: [u32; 3],
    filter: u32,
    flags: u32,
    anisotropy: u32,
    mip_filter: u32,
    mip_bias: f32,
    mip_least: f32,
    mip_most: f32,
    border: [f32; 4],
    reserved: [i32; 12],
}

const AS_INTEGER: u32 = 1;
const NORMALISED: u32 = 2;
const SRGB: u32 = 16;

impl DriverTextureDesc {
    /// Converts to the runtime API's structure.
    pub fn of_runtime(self) -> TextureDesc {
        let has = |flag| i32::from(self.flags & flag != 0);
        TextureDesc {
            address: self.address,
            filter: self.filter,
            read: u32::from(self.flags & AS_INTEGER == 0),
            srgb: has(SRGB),
            border: self.border,
            normalised: has(NORMALISED),
            anisotropy: self.anisotropy,
            mip_filter: self.mip_filter,
            mip_bias: self.mip_bias,
            mip_least: self.mip_least,
            mip_most: self.mip_most,
        }
    }

    /// Converts from the runtime API's structure.
    pub fn from_runtime(desc: &TextureDesc) -> DriverTextureDesc {
        let flag = |flag, set| if set { flag } else { 0 };
        DriverTextureDesc {
            address: desc.address,
            filter: desc.filter,
            flags: flag(AS_INTEGER, desc.read == 0)
                | flag(NORMALISED, desc.normalised != 0)
                | flag(SRGB, desc.srgb != 0),
            anisotropy: desc.anisotropy,
            mip_filter: desc.mip_filter,
            mip_bias: desc.mip_bias,
            mip_least: desc.mip_least,
            mip_most: desc.mip_most,
            border: desc.border,
            reserved: [0; 12],
        }
    }
}

/// `hipResourceViewDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ViewDesc {
    /// Format in which elements are read.
    pub format: u32,
    /// Elements of a row, rows, planes.
    pub sides: [usize; 3],
    /// First and last level of detail.
    pub levels: [u32; 2],
    /// First and last layer.
    pub layers: [u32; 2],
}

/// `HIP_RESOURCE_VIEW_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverViewDesc {
    /// Fields of the runtime API's structure.
    pub view: ViewDesc,
    /// Unused.
    pub reserved: [u32; 16],
}

impl ViewDesc {
    /// Returns the type in which elements are read, or none for the array's own. Block-compressed formats are not supported.
    pub fn channel(&self) -> HipResult<Option<Channel>> {
        // Unsigned and signed bytes, words, dwords, then halves and floats, each with 1, 2 and 4 components.
        const KINDS: [u32; 8] = [0x01, 0x08, 0x02, 0x09, 0x03, 0x0a, 0x10, 0x20];
        let Some(n) = self.format.checked_sub(1) else {
            return Ok(None);
        };
        let Some(format) = KINDS.get(n as usize / 3) else {
            let compressed = self.format <= 0x22;
            return Err(if compressed {
                HipError::NotSupported
            } else {
                HipError::InvalidValue
            });
        };
        let channel = Channel::from_array_format(*format, [1, 2, 4][n as usize % 3]);
        channel.map(Some).ok_or(HipError::InvalidValue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_as_large_as_hips() {
        assert_eq!(size_of::<ResourceDesc>(), 64);
        assert_eq!(size_of::<DriverResourceDesc>(), 144);
        assert_eq!(size_of::<TextureDesc>(), 64);
        assert_eq!(size_of::<DriverTextureDesc>(), 104);
        assert_eq!(size_of::<ViewDesc>(), 48);
        assert_eq!(size_of::<DriverViewDesc>(), 112);
    }

    #[test]
    fn the_drivers_structures_say_the_same() {
        let float4 = Channel::from_array_format(0x20, 4).expect("known");
        let mut desc = ResourceDesc {
            kind: PITCHED,
            words: [0x1000, 0, 0, 0, 64, 32, 1024],
        };
        desc.set_channel(float4);
        let pitched = Resource::Pitched {
            base: 0x1000,
            channel: float4,
            sides: [64, 32],
            pitch: 1024,
        };
        assert_eq!(desc.resource(), Ok(pitched));
        let driver = DriverResourceDesc::from_runtime(&desc).expect("a format");
        assert_eq!(&driver.words[..5], &[0x1000, 4 << 32 | 0x20, 64, 32, 1024]);
        let back = driver.of_runtime().expect("a format");
        assert_eq!(back.resource(), Ok(pitched));

        let texture = TextureDesc {
            read: 1,
            normalised: 1,
            border: [1.0, 2.0, 3.0, 4.0],
            ..TextureDesc::default()
        };
        let driver = DriverTextureDesc::from_runtime(&texture);
        assert_eq!(driver.flags, NORMALISED);
        assert_eq!(driver.of_runtime(), texture);
    }

    #[test]
    fn views_name_formats_by_number() {
        let of = |format| {
            let view = ViewDesc {
                format,
                ..ViewDesc::default()
            };
            let channel = view.channel();
            channel.map(|found| {
                found.map(|channel| (channel.bits[0], channel.components(), channel.format))
            })
        };
        assert_eq!(of(0), Ok(None));
        assert_eq!(of(1), Ok(Some((8, Some(1), 1))));
        assert_eq!(of(6), Ok(Some((8, Some(4), 0))));
        assert_eq!(of(0x14), Ok(Some((16, Some(2), 2))));
        assert_eq!(of(0x18), Ok(Some((32, Some(4), 2))));
        assert_eq!(of(0x19), Err(HipError::NotSupported));
        assert_eq!(of(0x23), Err(HipError::InvalidValue));
    }
}
