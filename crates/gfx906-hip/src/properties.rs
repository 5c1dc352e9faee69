//! Properties of the device: structures in both layouts, and attributes.
//!
//! Source of the figures: AMD's data sheet of the MI50 (16 GB), the Vega ISA document, and for what software decides, AMD's runtime. They name
//! what this device lacks against a card: cube maps, levels of detail. Like AMD's runtime they promise that kernels and
//! copies of different streams overlap.

use std::ffi::CStr;

use gfx906::code_object::{MAX_LDS, MAX_WORK_GROUP};

use crate::card::{self, COMPUTE_UNITS, TOTAL};

/// Name of the device.
pub const NAME: &CStr = c"AMD Instinct MI50 (gfx906 emulator)";
/// Processor with the features of the card.
const ARCH: &CStr = c"gfx906:sramecc+:xnack-";
/// Major and minor number of the compute capability.
pub const CAPABILITY: (i32, i32) = (9, 0);
/// UUID of the device.
pub const UUID: [u8; 16] = *b"GPU-gfx906-emu-0";

const CLOCK_KHZ: i32 = card::CLOCK_KHZ as i32;
const COUNTER_KHZ: i32 = card::COUNTER_KHZ as i32;
const MEMORY_KHZ: i32 = 1_000_000;
const BUS_BITS: i32 = 4096;
const L2_BYTES: i32 = 4 << 20;
const REGISTERS: i32 = 64 << 10;
/// Most work-items of a compute unit at a time.
pub const ITEMS_PER_UNIT: i32 = 2560;
const BUS: i32 = 3;
/// Queues for copies beside kernels, as AMD's runtime counts them.
const QUEUES: i32 = 8;
const WAVE: i32 = 64;
const LDS: i32 = MAX_LDS as i32;
const GROUP: i32 = MAX_WORK_GROUP as i32;
const WIDTH: i32 = card::MOST_SIDES[0] as i32;
const HEIGHT: i32 = card::MOST_SIDES[1] as i32;
const DEPTH: i32 = card::MOST_SIDES[2] as i32;
const LINEAR: i32 = card::MOST_LINEAR as i32;
/// Features of `hipDeviceArch_t`: atomics on integers and floats, doubles, votes, ballots, shuffles, system fences, grids of three
/// dimensions.
const FEATURES: u32 = 0x97ff;

fn text(text: &CStr) -> [u8; 256] {
    let mut bytes = [0; 256];
    bytes[..text.count_bytes()].copy_from_slice(text.to_bytes());
    bytes
}

macro_rules! structure {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $value:expr,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        #[expect(non_snake_case, reason = "the fields' names are HIP's")]
        pub struct $name {
            $(pub $field: $type,)*
        }

        impl $name {
            /// Returns the properties of the device.
            pub fn new() -> $name {
                $name { $($field: $value,)* }
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name::new()
            }
        }
    };
}

#[rustfmt::skip]
structure! {
    /// `hipDeviceProp_t` of HIP 5 and before.
    R0000 {
        name:                             [u8; 256] = text(NAME),
        totalGlobalMem:                   usize     = TOTAL as usize,
        sharedMemPerBlock:                usize     = LDS as usize,
        regsPerBlock:                     i32       = REGISTERS,
        warpSize:                         i32       = WAVE,
        maxThreadsPerBlock:               i32       = GROUP,
        maxThreadsDim:                    [i32; 3]  = [GROUP; 3],
        maxGridSize:                      [i32; 3]  = [i32::MAX; 3],
        clockRate:                        i32       = CLOCK_KHZ,
        memoryClockRate:                  i32       = MEMORY_KHZ,
        memoryBusWidth:                   i32       = BUS_BITS,
        totalConstMem:                    usize     = i32::MAX as usize,
        major:                            i32       = CAPABILITY.0,
        minor:                            i32       = CAPABILITY.1,
        multiProcessorCount:              i32       = COMPUTE_UNITS as i32,
        l2CacheSize:                      i32       = L2_BYTES,
        maxThreadsPerMultiProcessor:      i32       = ITEMS_PER_UNIT,
        computeMode:                      i32       = 0,
        clockInstructionRate:             i32       = COUNTER_KHZ,
        arch:                             u32       = FEATURES,
        concurrentKernels:                i32       = 1,
        pciDomainID:                      i32       = 0,
        pciBusID:                         i32       = BUS,
        pciDeviceID:                      i32       = 0,
        maxSharedMemoryPerMultiProcessor: usize     = LDS as usize,
        isMultiGpuBoard:                  i32       = 0,
        canMapHostMemory:                 i32       = 1,
        gcnArch:                          i32       = 906,
        gcnArchName:                      [u8; 256] = text(ARCH),
        integrated:                       i32       = 0,
        cooperativeLaunch:                i32       = 1,
        cooperativeMultiDeviceLaunch:     i32       = 1,
        maxTexture1DLinear:               i32       = LINEAR,
        maxTexture1D:                     i32       = WIDTH,
        maxTexture2D:                     [i32; 2]  = [WIDTH, HEIGHT],
        maxTexture3D:                     [i32; 3]  = [WIDTH, HEIGHT, DEPTH],
        hdpMemFlushCntl:                  u64       = 0,
        hdpRegFlushCntl:                  u64       = 0,
        memPitch:                         usize     = i32::MAX as usize,
        textureAlignment:                 usize     = 256,
        texturePitchAlignment:            usize     = 256,
        kernelExecTimeoutEnabled:         i32       = 0,
        ECCEnabled:                       i32       = 0,
        tccDriver:                        i32       = 0,
        cooperativeMultiDeviceUnmatched:  [i32; 4]  = [0; 4],
        isLargeBar:                       i32       = 0,
        asicRevision:                     i32       = 0,
        managedMemory:                    i32       = 1,
        directManagedMemAccessFromHost:   i32       = 1,
        concurrentManagedAccess:          i32       = 1,
        pageableMemoryAccess:             i32       = 0,
        pageableMemoryAccessUsesHostPageTables: i32 = 0,
    }
}

#[rustfmt::skip]
structure! {
    /// `hipDeviceProp_t` of HIP 6.
    R0600 {
        name:                             [u8; 256] = text(NAME),
        uuid:                             [u8; 16]  = UUID,
        luid:                             [u8; 8]   = [0; 8],
        luidDeviceNodeMask:               u32       = 0,
        totalGlobalMem:                   usize     = TOTAL as usize,
        sharedMemPerBlock:                usize     = LDS as usize,
        regsPerBlock:                     i32       = REGISTERS,
        warpSize:                         i32       = WAVE,
        memPitch:                         usize     = i32::MAX as usize,
        maxThreadsPerBlock:               i32       = GROUP,
        maxThreadsDim:                    [i32; 3]  = [GROUP; 3],
        maxGridSize:                      [i32; 3]  = [i32::MAX; 3],
        clockRate:                        i32       = CLOCK_KHZ,
        totalConstMem:                    usize     = i32::MAX as usize,
        major:                            i32       = CAPABILITY.0,
        minor:                            i32       = CAPABILITY.1,
        textureAlignment:                 usize     = 256,
        texturePitchAlignment:            usize     = 256,
        deviceOverlap:                    i32       = 1,
        multiProcessorCount:              i32       = COMPUTE_UNITS as i32,
        kernelExecTimeoutEnabled:         i32       = 0,
        integrated:                       i32       = 0,
        canMapHostMemory:                 i32       = 1,
        computeMode:                      i32       = 0,
        maxTexture1D:                     i32       = WIDTH,
        maxTexture1DMipmap:               i32       = 0,
        maxTexture1DLinear:               i32       = LINEAR,
        maxTexture2D:                     [i32; 2]  = [WIDTH, HEIGHT],
        maxTexture2DMipmap:               [i32; 2]  = [0; 2],
        maxTexture2DLinear:               [i32; 3]  = [WIDTH, HEIGHT, 1 << 18],
        maxTexture2DGather:               [i32; 2]  = [0; 2],
        maxTexture3D:                     [i32; 3]  = [WIDTH, HEIGHT, DEPTH],
        maxTexture3DAlt:                  [i32; 3]  = [0; 3],
        maxTextureCubemap:                i32       = 0,
        maxTexture1DLayered:              [i32; 2]  = [WIDTH, DEPTH],
        maxTexture2DLayered:              [i32; 3]  = [WIDTH, HEIGHT, DEPTH],
        maxTextureCubemapLayered:         [i32; 2]  = [0; 2],
        maxSurface1D:                     i32       = WIDTH,
        maxSurface2D:                     [i32; 2]  = [WIDTH, HEIGHT],
        maxSurface3D:                     [i32; 3]  = [WIDTH, HEIGHT, DEPTH],
        maxSurface1DLayered:              [i32; 2]  = [0; 2],
        maxSurface2DLayered:              [i32; 3]  = [0; 3],
        maxSurfaceCubemap:                i32       = 0,
        maxSurfaceCubemapLayered:         [i32; 2]  = [0; 2],
        surfaceAlignment:                 usize     = 256,
        concurrentKernels:                i32       = 1,
        ECCEnabled:                       i32       = 0,
        pciBusID:                         i32       = BUS,
        pciDeviceID:                      i32       = 0,
        pciDomainID:                      i32       = 0,
        tccDriver:                        i32       = 0,
        asyncEngineCount:                 i32       = QUEUES,
        unifiedAddressing:                i32       = 1,
        memoryClockRate:                  i32       = MEMORY_KHZ,
        memoryBusWidth:                   i32       = BUS_BITS,
        l2CacheSize:                      i32       = L2_BYTES,
        persistingL2CacheMaxSize:         i32       = 0,
        maxThreadsPerMultiProcessor:      i32       = ITEMS_PER_UNIT,
        streamPrioritiesSupported:        i32       = 1,
        globalL1CacheSupported:           i32       = 1,
        localL1CacheSupported:            i32       = 1,
        sharedMemPerMultiprocessor:       usize     = LDS as usize,
        regsPerMultiprocessor:            i32       = REGISTERS,
        managedMemory:                    i32       = 1,
        isMultiGpuBoard:                  i32       = 0,
        multiGpuBoardGroupID:             i32       = 0,
        hostNativeAtomicSupported:        i32       = 1,
        singleToDoublePrecisionPerfRatio: i32       = 2,
        pageableMemoryAccess:             i32       = 0,
        concurrentManagedAccess:          i32       = 1,
        computePreemptionSupported:       i32       = 0,
        canUseHostPointerForRegisteredMem: i32      = 1,
        cooperativeLaunch:                i32       = 1,
        cooperativeMultiDeviceLaunch:     i32       = 1,
        sharedMemPerBlockOptin:           usize     = LDS as usize,
        pageableMemoryAccessUsesHostPageTables: i32 = 0,
        directManagedMemAccessFromHost:   i32       = 1,
        maxBlocksPerMultiProcessor:       i32       = ITEMS_PER_UNIT / WAVE,
        accessPolicyMaxWindowSize:        i32       = 0,
        reservedSharedMemPerBlock:        usize     = 0,
        hostRegisterSupported:            i32       = 1,
        sparseHipArraySupported:          i32       = 0,
        hostRegisterReadOnlySupported:    i32       = 0,
        timelineSemaphoreInteropSupported: i32      = 0,
        memoryPoolsSupported:             i32       = 1,
        gpuDirectRDMASupported:           i32       = 0,
        gpuDirectRDMAFlushWritesOptions:  u32       = 0,
        gpuDirectRDMAWritesOrdering:      i32       = 0,
        memoryPoolSupportedHandleTypes:   u32       = 0,
        deferredMappingHipArraySupported: i32       = 0,
        ipcEventSupported:                i32       = 0,
        clusterLaunch:                    i32       = 0,
        unifiedFunctionPointers:          i32       = 0,
        reserved:                         [i32; 63] = [0; 63],
        hipReserved:                      [i32; 32] = [0; 32],
        gcnArchName:                      [u8; 256] = text(ARCH),
        maxSharedMemoryPerMultiProcessor: usize     = LDS as usize,
        clockInstructionRate:             i32       = COUNTER_KHZ,
        arch:                             u32       = FEATURES,
        hdpMemFlushCntl:                  u64       = 0,
        hdpRegFlushCntl:                  u64       = 0,
        cooperativeMultiDeviceUnmatched:  [i32; 4]  = [0; 4],
        isLargeBar:                       i32       = 0,
        asicRevision:                     i32       = 0,
    }
}

/// Attributes that have a value, by number.
#[rustfmt::skip]
const ATTRIBUTES: &[(u32, i32)] = &[
    (0, 0),                 // EccEnabled
    (1, 0),                 // AccessPolicyMaxWindowSize
    (2, QUEUES),            // AsyncEngineCount
    (3, 1),                 // CanMapHostMemory
    (4, 1),                 // CanUseHostPointerForRegisteredMem
    (5, CLOCK_KHZ),         // ClockRate
    (6, 0),                 // ComputeMode
    (7, 0),                 // ComputePreemptionSupported
    (8, 1),                 // ConcurrentKernels
    (9, 1),                 // ConcurrentManagedAccess
    (10, 1),                // CooperativeLaunch
    (11, 1),                // CooperativeMultiDeviceLaunch
    (12, 1),                // DeviceOverlap
    (13, 1),                // DirectManagedMemAccessFromHost
    (14, 1),                // GlobalL1CacheSupported
    (15, 1),                // HostNativeAtomicSupported
    (16, 0),                // Integrated
    (17, 0),                // IsMultiGpuBoard
    (18, 0),                // KernelExecTimeout
    (19, L2_BYTES),         // L2CacheSize
    (20, 1),                // LocalL1CacheSupported
    (22, 0),                // LuidDeviceNodeMask
    (23, CAPABILITY.0),     // ComputeCapabilityMajor
    (24, 1),                // ManagedMemory
    (25, ITEMS_PER_UNIT / WAVE), // MaxBlocksPerMultiProcessor
    (26, GROUP),            // MaxBlockDimX
    (27, GROUP),            // MaxBlockDimY
    (28, GROUP),            // MaxBlockDimZ
    (29, i32::MAX),         // MaxGridDimX
    (30, i32::MAX),         // MaxGridDimY
    (31, i32::MAX),         // MaxGridDimZ
    (32, WIDTH),            // MaxSurface1D
    (39, WIDTH),            // MaxTexture1DWidth
    (41, LINEAR),           // MaxTexture1DLinear
    (42, 0),                // MaxTexture1DMipmap
    (43, WIDTH),            // MaxTexture2DWidth
    (44, HEIGHT),           // MaxTexture2DHeight
    (49, WIDTH),            // MaxTexture3DWidth
    (50, HEIGHT),           // MaxTexture3DHeight
    (51, DEPTH),            // MaxTexture3DDepth
    (53, 0),                // MaxTextureCubemap
    (55, GROUP),            // MaxThreadsDim
    (56, GROUP),            // MaxThreadsPerBlock
    (57, ITEMS_PER_UNIT),   // MaxThreadsPerMultiProcessor
    (58, i32::MAX),         // MaxPitch
    (59, BUS_BITS),         // MemoryBusWidth
    (60, MEMORY_KHZ),       // MemoryClockRate
    (61, CAPABILITY.1),     // ComputeCapabilityMinor
    (62, 0),                // MultiGpuBoardGroupID
    (63, COMPUTE_UNITS as i32), // MultiprocessorCount
    (65, 0),                // PageableMemoryAccess
    (66, 0),                // PageableMemoryAccessUsesHostPageTables
    (67, BUS),              // PciBusId
    (68, 0),                // PciDeviceId
    (69, 0),                // PciDomainID
    (70, 0),                // PersistingL2CacheMaxSize
    (71, REGISTERS),        // MaxRegistersPerBlock
    (72, REGISTERS),        // MaxRegistersPerMultiprocessor
    (73, 0),                // ReservedSharedMemPerBlock
    (74, LDS),              // MaxSharedMemoryPerBlock
    (75, LDS),              // SharedMemPerBlockOptin
    (76, LDS),              // SharedMemPerMultiprocessor
    (77, 2),                // SingleToDoublePrecisionPerfRatio
    (78, 1),                // StreamPrioritiesSupported
    (79, 256),              // SurfaceAlignment
    (80, 0),                // TccDriver
    (81, 256),              // TextureAlignment
    (82, 256),              // TexturePitchAlignment
    (83, i32::MAX),         // TotalConstantMemory
    (85, 1),                // UnifiedAddressing
    (87, WAVE),             // WarpSize
    (88, 1),                // MemoryPoolsSupported
    (89, 1),                // VirtualMemoryManagementSupported
    (90, 1),                // HostRegisterSupported
    (91, 0),                // MemoryPoolSupportedHandleTypes
    (10000, COUNTER_KHZ),   // ClockInstructionRate
    (10001, FEATURES as i32), // Arch
    (10002, LDS),           // MaxSharedMemoryPerMultiprocessor
    (10003, 906),           // GcnArch
    (10007, 0),             // CooperativeMultiDeviceUnmatchedFunc
    (10008, 0),             // CooperativeMultiDeviceUnmatchedGridDim
    (10009, 0),             // CooperativeMultiDeviceUnmatchedBlockDim
    (10010, 0),             // CooperativeMultiDeviceUnmatchedSharedMem
    (10011, 0),             // IsLargeBar
    (10012, 0),             // AsicRevision
    (10013, 1),             // CanUseStreamWaitValue
    (10014, 1),             // ImageSupport
    (10015, COMPUTE_UNITS as i32), // PhysicalMultiProcessorCount
    (10016, 1),             // FineGrainSupport
    (10017, COUNTER_KHZ),   // WallClockRate
    (10018, 1),             // NumberOfXccs
];

/// Returns the value of an attribute.
pub fn attribute(number: u32) -> Option<i32> {
    ATTRIBUTES
        .iter()
        .find(|row| row.0 == number)
        .map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    /// The expected sizes and offsets are the C compiler's, for the headers of 5.2.3 and 6.0.
    #[test]
    fn layouts_are_the_headers() {
        assert_eq!(
            (size_of::<R0000>(), offset_of!(R0000, gcnArchName)),
            (792, 396)
        );
        assert_eq!(
            (size_of::<R0600>(), offset_of!(R0600, gcnArchName)),
            (1472, 1160)
        );
    }

    #[test]
    fn attributes_repeat_the_properties() {
        let p = R0000::new();
        assert!(ATTRIBUTES.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(attribute(87), Some(p.warpSize));
        assert_eq!(attribute(63), Some(p.multiProcessorCount));
        assert_eq!(attribute(10003), Some(p.gcnArch));
        assert_eq!(attribute(9999), None);
        assert_eq!(attribute(8), Some(p.concurrentKernels));
        let p = R0600::new();
        assert_eq!(attribute(8), Some(p.concurrentKernels));
        assert_eq!(attribute(2), Some(p.asyncEngineCount));
        assert_eq!(attribute(12), Some(p.deviceOverlap));
    }
}
