//! Buffer resources: four scalar registers that describe the memory of an instruction, and the addresses through them.

use super::super::registers::{LANES, Lanes};
use super::super::wave::Wave;
use super::addresses::Addresses;
use crate::isa::Code;

/// A buffer resource descriptor.
pub struct Resource {
    /// First address.
    pub base: u64,
    stride: u64,
    /// Number of records, or of bytes if the stride is 0.
    pub records: u64,
    swizzled: bool,
    index_stride: u64,
    add_lane: bool,
}

impl Resource {
    /// Reads the resource from four scalar registers.
    pub fn read(w: &Wave, code: Code) -> Resource {
        let [a, b, c, d] = std::array::from_fn(|n| w.scalar32(Code(code.0 + n as u16), 0));
        let add_lane = d >> 23 & 1 != 0;
        // If the lane's number is added, the data format field extends the stride.
        let stride = (b >> 16 & 0x3fff) | if add_lane { (d >> 15 & 15) << 14 } else { 0 };
        Resource {
            base: a as u64 | (b as u64 & 0xffff) << 32,
            stride: stride as u64,
            records: c as u64,
            swizzled: b >> 31 != 0,
            index_stride: 8 << (d >> 21 & 3),
            add_lane,
        }
    }

    /// Returns true for the resource that compilers use for scratch: swizzled by the lane's number, with 64 lanes side by side.
    #[inline(always)]
    pub fn is_scratch(&self) -> bool {
        self.swizzled && self.add_lane && self.stride == 0 && self.index_stride == LANES as u64
    }

    /// Returns the size of the resource in bytes.
    pub fn bytes(&self) -> u64 {
        if self.stride == 0 {
            self.records
        } else {
            self.records * self.stride
        }
    }

    /// Returns true if the resource is plain consecutive bytes, the same for all lanes.
    #[inline(always)]
    pub fn is_raw(&self) -> bool {
        self.stride == 0 && !self.add_lane
    }

    /// Returns the addresses through the resource, and the lanes whose `bytes` bytes are within it. In a raw buffer, the offset, including
    /// the scalar one, must be below the records. In a structured buffer, the index must be below the records and, if lanes have indices,
    /// the offset below the stride.
    pub fn addresses(
        &self,
        soffset: u64,
        immediate: u64,
        offsets: Option<&Lanes>,
        indices: Option<&Lanes>,
        bytes: u64,
    ) -> (Addresses, u64) {
        let mut inside = 0;
        let mut out = [0; LANES];
        let start = self.base.wrapping_add(soffset);
        let indexed = indices.is_some() || self.add_lane;
        for l in 0..LANES {
            let index =
                indices.map_or(0, |v| v[l] as u64) + if self.add_lane { l as u64 } else { 0 };
            let offset = immediate + offsets.map_or(0, |v| v[l] as u64);
            let record = index < self.records && (!indexed || offset < self.stride);
            let (within, legal) = if self.swizzled && (self.stride != 0 || self.add_lane) {
                let n = self.index_stride;
                let place =
                    (index / n * self.stride + offset / 4 * 4) * n + index % n * 4 + offset % 4;
                (
                    place,
                    if self.stride == 0 {
                        self.records >= bytes
                    } else {
                        record
                    },
                )
            } else if self.stride == 0 {
                (offset, offset + soffset + bytes <= self.records)
            } else {
                (offset + index * self.stride, record)
            };
            out[l] = start.wrapping_add(within);
            inside |= u64::from(legal) << l;
        }
        (out, inside)
    }
}
