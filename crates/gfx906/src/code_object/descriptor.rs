//! The kernel descriptor: 64 bytes that set up a dispatch.

/// A kernel descriptor as it stands in memory, with its register fields named by methods.
///
/// Source: the AMDGPU backend's user guide of LLVM, "Kernel Descriptor", `COMPUTE_PGM_RSRC1` and `2` for GFX9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// Bytes of static LDS of a work-group.
    pub group_segment_fixed_size: u32,
    /// Bytes of scratch of a work-item.
    pub private_segment_fixed_size: u32,
    /// Bytes of kernarg memory.
    pub kernarg_size: u32,
    /// Distance from the descriptor to the first instruction.
    pub entry_offset: i64,
    /// `COMPUTE_PGM_RSRC1`.
    pub rsrc1: u32,
    /// `COMPUTE_PGM_RSRC2`.
    pub rsrc2: u32,
    /// `COMPUTE_PGM_RSRC3`: not used by gfx906.
    pub rsrc3: u32,
    /// Flags of the SGPRs that the hardware sets up, and other properties.
    pub properties: u16,
    /// Kernarg words preloaded into SGPRs: not on gfx906.
    pub kernarg_preload: u16,
}

impl KernelDescriptor {
    /// Bytes of a descriptor.
    pub const SIZE: usize = 64;

    /// Reads a descriptor. Any 64 bytes are a descriptor.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> KernelDescriptor {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        KernelDescriptor {
            group_segment_fixed_size: word(0),
            private_segment_fixed_size: word(4),
            kernarg_size: word(8),
            entry_offset: (u64::from(word(16)) | u64::from(word(20)) << 32).cast_signed(),
            rsrc3: word(44),
            rsrc1: word(48),
            rsrc2: word(52),
            properties: half(56),
            kernarg_preload: half(58),
        }
    }

    fn property(&self, bit: u32) -> bool {
        self.properties >> bit & 1 != 0
    }

    fn rsrc1_bit(&self, bit: u32) -> bool {
        self.rsrc1 >> bit & 1 != 0
    }

    fn rsrc2_bit(&self, bit: u32) -> bool {
        self.rsrc2 >> bit & 1 != 0
    }

    /// Returns true if 4 SGPRs hold the scratch buffer resource.
    #[must_use]
    pub fn enable_private_segment_buffer(&self) -> bool {
        self.property(0)
    }

    /// Returns true if 2 SGPRs hold the address of the dispatch packet.
    #[must_use]
    pub fn enable_dispatch_ptr(&self) -> bool {
        self.property(1)
    }

    /// Returns true if 2 SGPRs hold the address of the queue.
    #[must_use]
    pub fn enable_queue_ptr(&self) -> bool {
        self.property(2)
    }

    /// Returns true if 2 SGPRs hold the address of the kernarg segment.
    #[must_use]
    pub fn enable_kernarg_segment_ptr(&self) -> bool {
        self.property(3)
    }

    /// Returns true if 2 SGPRs hold the dispatch id.
    #[must_use]
    pub fn enable_dispatch_id(&self) -> bool {
        self.property(4)
    }

    /// Returns true if 2 SGPRs hold the initial value of FLAT_SCRATCH.
    #[must_use]
    pub fn enable_flat_scratch_init(&self) -> bool {
        self.property(5)
    }

    /// Returns true if an SGPR holds the scratch bytes of a work-item.
    #[must_use]
    pub fn enable_private_segment_size(&self) -> bool {
        self.property(6)
    }

    /// Returns true if the kernel needs waves of 32 lanes, which gfx906 does not have.
    #[must_use]
    pub fn wavefront_size32(&self) -> bool {
        self.property(10)
    }

    /// Returns true if the compiler does not know the scratch that callees need.
    #[must_use]
    pub fn uses_dynamic_stack(&self) -> bool {
        self.property(11)
    }

    /// Returns the number of SGPRs of the kernel, including VCC and other special registers: a multiple of 16.
    #[must_use]
    pub fn sgprs(&self) -> u32 {
        ((self.rsrc1 >> 6 & 0xf) / 2 + 1) * 16
    }

    /// Returns the number of VGPRs of the kernel: a multiple of 4.
    #[must_use]
    pub fn vgprs(&self) -> u32 {
        ((self.rsrc1 & 0x3f) + 1) * 4
    }

    /// Returns the FLOAT_MODE byte of the MODE register: rounding of f32, rounding of f64 and f16, then denormals of f32, and of f64 and
    /// f16, in two bits each.
    #[must_use]
    pub fn float_mode(&self) -> u8 {
        (self.rsrc1 >> 12 & 0xff) as u8
    }

    /// Returns true if clamping turns NaN into 0.
    #[must_use]
    pub fn dx10_clamp(&self) -> bool {
        self.rsrc1_bit(21)
    }

    /// Returns true for IEEE mode, in which minimum, maximum and the like quiet signalling NaNs.
    #[must_use]
    pub fn ieee_mode(&self) -> bool {
        self.rsrc1_bit(23)
    }

    /// Returns true if f16 results that overflow are clamped to the largest finite value.
    #[must_use]
    pub fn fp16_overflow(&self) -> bool {
        self.rsrc1_bit(26)
    }

    /// Returns true if the kernel has scratch: an SGPR holds the scratch wave offset.
    #[must_use]
    pub fn enable_private_segment(&self) -> bool {
        self.rsrc2_bit(0)
    }

    /// Returns the number of SGPRs that are set up before the work-group ids.
    #[must_use]
    pub fn user_sgpr_count(&self) -> u32 {
        self.rsrc2 >> 1 & 0x1f
    }

    /// Returns true if the kernel requests a trap handler.
    #[must_use]
    pub fn enable_trap_handler(&self) -> bool {
        self.rsrc2_bit(6)
    }

    /// Returns true if an SGPR holds the work-group id in x.
    #[must_use]
    pub fn enable_work_group_id_x(&self) -> bool {
        self.rsrc2_bit(7)
    }

    /// Returns true if an SGPR holds the work-group id in y.
    #[must_use]
    pub fn enable_work_group_id_y(&self) -> bool {
        self.rsrc2_bit(8)
    }

    /// Returns true if an SGPR holds the work-group id in z.
    #[must_use]
    pub fn enable_work_group_id_z(&self) -> bool {
        self.rsrc2_bit(9)
    }

    /// Returns true if an SGPR holds the work-group information.
    #[must_use]
    pub fn enable_work_group_info(&self) -> bool {
        self.rsrc2_bit(10)
    }

    /// Returns the number of VGPRs that hold the work-item id: 1 (x), 2 (x, y) or 3 (x, y, z). The field's undefined value 3 counts as 3
    /// VGPRs.
    #[must_use]
    pub fn work_item_id_vgprs(&self) -> u32 {
        ((self.rsrc2 >> 11 & 3) + 1).min(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_the_abi_puts_them() {
        let mut bytes = [0; 64];
        bytes[0..4].copy_from_slice(&1024u32.to_le_bytes());
        bytes[4..8].copy_from_slice(&32u32.to_le_bytes());
        bytes[8..12].copy_from_slice(&280u32.to_le_bytes());
        bytes[16..24].copy_from_slice(&(-256i64).to_le_bytes());
        // 8 VGPRs, 16 SGPRs, f64/f16 denormals kept, DX10_CLAMP, IEEE_MODE
        bytes[48..52].copy_from_slice(&(1u32 | 3 << 18 | 1 << 21 | 1 << 23).to_le_bytes());
        // scratch, 6 user SGPRs, ids x and y, work-item ids x and y
        bytes[52..56].copy_from_slice(&(1u32 | 6 << 1 | 1 << 7 | 1 << 8 | 1 << 11).to_le_bytes());
        bytes[56..58].copy_from_slice(&(1 << 3 | 1u16 << 11).to_le_bytes());
        let descriptor = KernelDescriptor::from_bytes(&bytes);
        assert_eq!(descriptor.group_segment_fixed_size, 1024);
        assert_eq!(descriptor.private_segment_fixed_size, 32);
        assert_eq!(descriptor.kernarg_size, 280);
        assert_eq!(descriptor.entry_offset, -256);
        assert_eq!((descriptor.vgprs(), descriptor.sgprs()), (8, 16));
        assert_eq!(descriptor.float_mode(), 0xc0);
        assert!(descriptor.dx10_clamp() && descriptor.ieee_mode() && !descriptor.fp16_overflow());
        assert!(descriptor.enable_private_segment() && !descriptor.enable_trap_handler());
        assert_eq!(descriptor.user_sgpr_count(), 6);
        assert!(descriptor.enable_work_group_id_x() && descriptor.enable_work_group_id_y());
        assert!(!descriptor.enable_work_group_id_z() && !descriptor.enable_work_group_info());
        assert_eq!(descriptor.work_item_id_vgprs(), 2);
        assert!(descriptor.enable_kernarg_segment_ptr() && descriptor.uses_dynamic_stack());
        assert!(!descriptor.enable_private_segment_buffer() && !descriptor.wavefront_size32());
    }
}
