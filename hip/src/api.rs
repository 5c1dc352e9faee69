//! Everything that the library exports: one row a function, `none` where it is not supported.
#![expect(non_snake_case, reason = "the names are HIP's")]

use half::f16;

use crate::boundary::{Address, Callback, In, Out, Text};
use crate::calls::function::FunctionAttributes;
use crate::calls::memory::pitched::{Copy2d, Copy3d, Extent, Pitched};
use crate::calls::memory::query::PointerAttributes;
use crate::calls::stream::{HostFunction, StreamCallback};
use crate::calls::{context, device, event, fatbin, launch, memory, module, stream};
use crate::calls::{function as kernel, symbol as variable};
use crate::entry::Failed;
pub use crate::objects::shape::Dim3;
use crate::properties::{R0000, R0600};
use crate::table::{function, functions, supported, symbol};
use crate::{error, runtime};

/// `hipChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Bits of the four components.
    pub bits: [i32; 4],
    /// Signed, unsigned, float, none.
    pub format: u32,
}

impl Failed for Channel {
    fn failed() -> Channel {
        Channel::default()
    }
}

fn channel(x: i32, y: i32, z: i32, w: i32, format: u32) -> Channel {
    Channel {
        bits: [x, y, z, w],
        format,
    }
}

fn name_of(code: u32) -> Text {
    Text::of(error::name(code))
}

fn text_of(code: u32) -> Text {
    Text::of(error::text(code))
}

fn no_text(_id: u32) -> Text {
    Text::of(c"unknown")
}

fn empty() -> Text {
    Text::of(c"")
}

fn no_build_id() -> usize {
    0
}

fn half_to_float(bits: u16) -> f32 {
    f16::from_bits(bits).to_f32()
}

fn float_to_half(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}

#[rustfmt::skip]
functions! {
    // Devices, versions, contexts.
    "hip_4.2" hipChooseDevice(out: Out<i32>, wanted: Address) = open device::choose;
    "hip_4.2" hipCtxCreate(out: Out<Address>, flags: u32, device: i32) = device context::create;
    "hip_4.2" hipCtxDestroy(context: Address) = device context::destroy;
    "hip_4.2" hipCtxDisablePeerAccess(context: Address) = device context::no_peer_access;
    "hip_4.2" hipCtxEnablePeerAccess(context: Address, flags: u32) = device context::peer_access;
    "hip_4.2" hipCtxGetApiVersion(context: Address, out: Out<i32>) = device context::api_version;
    "hip_4.2" hipCtxGetCacheConfig(out: Out<u32>) = device device::no_preference;
    "hip_4.2" hipCtxGetCurrent(out: Out<Address>) = device context::current;
    "hip_4.2" hipCtxGetDevice(out: Out<i32>) = device device::get;
    "hip_4.2" hipCtxGetFlags(out: Out<u32>) = device device::get_flags;
    "hip_4.2" hipCtxGetSharedMemConfig(out: Out<u32>) = device device::bank_size;
    "hip_4.2" hipCtxPopCurrent(out: Out<Address>) = device context::pop;
    "hip_4.2" hipCtxPushCurrent(context: Address) = device context::push;
    "hip_4.2" hipCtxSetCacheConfig(config: u32) = device device::prefer;
    "hip_4.2" hipCtxSetCurrent(context: Address) = device context::set_current;
    "hip_4.2" hipCtxSetSharedMemConfig(config: u32) = device device::prefer;
    "hip_4.2" hipDeviceCanAccessPeer(out: Out<i32>, device: i32, peer: i32) = device device::can_access_peer;
    "hip_4.2" hipDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) = open device::compute_capability;
    "hip_4.2" hipDeviceDisablePeerAccess(peer: i32) = device device::no_peer_access;
    "hip_4.2" hipDeviceEnablePeerAccess(peer: i32, flags: u32) = device device::peer_access;
    "hip_4.2" hipDeviceGet(out: Out<i32>, ordinal: i32) = open device::by_ordinal;
    "hip_4.2" hipDeviceGetAttribute(out: Out<i32>, attribute: u32, device: i32) = open device::attribute;
    "hip_4.2" hipDeviceGetByPCIBusId(out: Out<i32>, id: Text) = open device::by_bus_id;
    "hip_4.2" hipDeviceGetCacheConfig(out: Out<u32>) = device device::no_preference;
    "hip_4.2" hipDeviceGetLimit(out: Out<usize>, limit: u32) = device device::limit;
    "hip_4.2" hipDeviceGetName(out: Out<u8>, len: i32, device: i32) = open device::name;
    "hip_4.2" hipDeviceGetP2PAttribute(out: Out<i32>, attribute: u32, device: i32, peer: i32) = device device::peer_attribute;
    "hip_4.2" hipDeviceGetPCIBusId(out: Out<u8>, len: i32, device: i32) = open device::bus_id;
    "hip_4.2" hipDeviceGetSharedMemConfig(out: Out<u32>) = device device::bank_size;
    "hip_5.1" hipDeviceGetUuid(out: Out<[u8; 16]>, device: i32) = open device::uuid;
    "hip_4.2" hipDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) = device context::primary_state;
    "hip_4.2" hipDevicePrimaryCtxRelease(device: i32) = device context::release_primary;
    "hip_4.2" hipDevicePrimaryCtxReset(device: i32) = open context::reset_primary;
    "hip_4.2" hipDevicePrimaryCtxRetain(out: Out<Address>, device: i32) = device context::retain_primary;
    "hip_4.2" hipDevicePrimaryCtxSetFlags(device: i32, flags: u32) = device context::set_primary_flags;
    "hip_4.2" hipDeviceReset() = open device::reset;
    "hip_4.2" hipDeviceSetCacheConfig(config: u32) = device device::prefer;
    "hip_4.2" hipDeviceSetSharedMemConfig(config: u32) = device device::prefer;
    "hip_4.2" hipDeviceTotalMem(out: Out<usize>, device: i32) = open memory::query::total;
    "hip_4.2" hipDriverGetVersion(out: Out<i32>) = open device::version;
    "hip_4.2" hipGetDevice(out: Out<i32>) = open device::get;
    "hip_4.2" hipGetDeviceCount(out: Out<i32>) = open device::count;
    "hip_4.2" hipGetDeviceFlags(out: Out<u32>) = device device::get_flags;
    "hip_4.2" hipGetDeviceProperties(out: Out<R0000>, device: i32) = open device::properties_5;
    "hip_4.2" hipInit(flags: u32) = open device::init;
    "hip_4.2" hipRuntimeGetVersion(out: Out<i32>) = open device::version;
    "hip_4.2" hipSetDevice(device: i32) = open device::set;
    "hip_4.2" hipSetDeviceFlags(flags: u32) = device device::set_flags;
    "hip_6.0" hipGetDevicePropertiesR0000(out: Out<R0000>, device: i32) = open device::properties_5;
    "hip_6.0" hipGetDevicePropertiesR0600(out: Out<R0600>, device: i32) = open device::properties_6;
    "hip_6.0" hipChooseDeviceR0000(out: Out<i32>, wanted: Address) = open device::choose;
    "hip_6.0" hipChooseDeviceR0600(out: Out<i32>, wanted: Address) = open device::choose;

    // Errors.
    "hip_4.2" hipGetErrorName(code: u32) -> Text = raw name_of;
    "hip_4.2" hipGetErrorString(code: u32) -> Text = raw text_of;
    "hip_4.2" hipGetLastError() -> u32 = raw runtime::last_error;
    "hip_4.2" hipPeekAtLastError() -> u32 = raw runtime::peek_at_last_error;

    // Memory.
    "hip_4.2" hipExtMallocWithFlags(out: Out<Address>, bytes: usize, flags: u32) = device memory::device::malloc_with_flags;
    "hip_4.2" hipFree(address: Address) = device memory::free::free;
    "hip_5.1" hipFreeAsync(address: Address, stream: Address) = device memory::free::free_async;
    "hip_4.2" hipFreeHost(address: Address) = device memory::host::free;
    "hip_4.2" hipHostAlloc(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::malloc;
    "hip_4.2" hipHostFree(address: Address) = device memory::host::free;
    "hip_4.2" hipHostGetDevicePointer(out: Out<Address>, host: Address, flags: u32) = device memory::host::device_pointer;
    "hip_4.2" hipHostGetFlags(out: Out<u32>, host: Address) = device memory::host::get_flags;
    "hip_4.2" hipHostMalloc(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::malloc;
    "hip_4.2" hipHostRegister(host: Address, bytes: usize, flags: u32) = device memory::host::register;
    "hip_4.2" hipHostUnregister(host: Address) = device memory::host::unregister;
    "hip_4.2" hipMalloc(out: Out<Address>, bytes: usize) = device memory::device::malloc;
    "hip_4.2" hipMalloc3D(out: Out<Pitched>, extent: Extent) = device memory::pitched::malloc_3d;
    "hip_5.1" hipMallocAsync(out: Out<Address>, bytes: usize, stream: Address) = device memory::device::malloc_async;
    "hip_4.2" hipMallocHost(out: Out<Address>, bytes: usize) = device memory::host::malloc_plain;
    "hip_4.2" hipMallocManaged(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::malloc_managed;
    "hip_4.2" hipMallocPitch(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize) = device memory::pitched::malloc;
    "hip_4.2" hipMemAdvise(address: Address, bytes: usize, advice: u32, device: i32) = device memory::query::advise;
    "hip_4.2" hipMemAllocHost(out: Out<Address>, bytes: usize) = device memory::host::malloc_plain;
    "hip_4.2" hipMemAllocPitch(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize, element: u32) = device memory::pitched::malloc_driver;
    "hip_4.2" hipMemGetAddressRange(base: Out<Address>, size: Out<usize>, address: Address) = device memory::query::address_range;
    "hip_4.2" hipMemGetInfo(free: Out<usize>, total: Out<usize>) = device memory::query::info;
    "hip_4.2" hipMemPrefetchAsync(address: Address, bytes: usize, device: i32, stream: Address) = device memory::query::prefetch;
    "hip_4.2" hipMemPtrGetInfo(address: Address, size: Out<usize>) = device memory::query::size_of_allocation;
    "hip_5.0" hipPointerGetAttribute(out: Out<u8>, attribute: u32, address: Address) = device memory::query::attribute;
    "hip_4.2" hipPointerGetAttributes(out: Out<PointerAttributes>, address: Address) = device memory::query::attributes;
    "hip_4.2" hipStreamAttachMemAsync(stream: Address, address: Address, bytes: usize, flags: u32) = device memory::query::attach;

    // Copies and fills.
    "hip_4.2" hipGetSymbolAddress(out: Out<Address>, symbol: Address) = device variable::address;
    "hip_4.2" hipGetSymbolSize(out: Out<usize>, symbol: Address) = device variable::size;
    "hip_4.2" hipMemcpy(to: Address, from: Address, bytes: usize, direction: u32) = device memory::copy::memcpy;
    "hip_4.2" hipMemcpy2D(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32) = device memory::pitched::copy_2d;
    "hip_4.2" hipMemcpy2DAsync(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32, stream: Address) = device memory::pitched::copy_2d_async;
    "hip_5.2" hipMemcpy2D_spt(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32) = device memory::pitched::copy_2d;
    "hip_4.2" hipMemcpy3D(parameters: In<Copy3d>) = device memory::pitched::copy_3d;
    "hip_4.2" hipMemcpy3DAsync(parameters: In<Copy3d>, stream: Address) = device memory::pitched::copy_3d_async;
    "hip_5.2" hipMemcpy3D_spt(parameters: In<Copy3d>) = device memory::pitched::copy_3d;
    "hip_4.2" hipMemcpyAsync(to: Address, from: Address, bytes: usize, direction: u32, stream: Address) = device memory::copy::memcpy_async;
    "hip_5.2" hipMemcpyAsync_spt(to: Address, from: Address, bytes: usize, direction: u32, stream: Address) = device memory::copy::memcpy_async;
    "hip_4.2" hipMemcpyDtoD(to: Address, from: Address, bytes: usize) = device memory::copy::dtod;
    "hip_4.2" hipMemcpyDtoDAsync(to: Address, from: Address, bytes: usize, stream: Address) = device memory::copy::dtod_async;
    "hip_4.2" hipMemcpyDtoH(to: Address, from: Address, bytes: usize) = device memory::copy::dtoh;
    "hip_4.2" hipMemcpyDtoHAsync(to: Address, from: Address, bytes: usize, stream: Address) = device memory::copy::dtoh_async;
    "hip_4.2" hipMemcpyFromSymbol(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device variable::copy_from;
    "hip_4.2" hipMemcpyFromSymbolAsync(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32, stream: Address) = device variable::copy_from_async;
    "hip_5.2" hipMemcpyFromSymbol_spt(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device variable::copy_from;
    "hip_4.2" hipMemcpyHtoD(to: Address, from: Address, bytes: usize) = device memory::copy::htod;
    "hip_4.2" hipMemcpyHtoDAsync(to: Address, from: Address, bytes: usize, stream: Address) = device memory::copy::htod_async;
    "hip_4.2" hipMemcpyPeer(to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize) = device memory::copy::peer;
    "hip_4.2" hipMemcpyPeerAsync(to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize, stream: Address) = device memory::copy::peer_async;
    "hip_4.2" hipMemcpyParam2D(parameters: In<Copy2d>) = device memory::pitched::copy_parameters;
    "hip_4.2" hipMemcpyParam2DAsync(parameters: In<Copy2d>, stream: Address) = device memory::pitched::copy_parameters_async;
    "hip_4.2" hipMemcpyToSymbol(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device variable::copy_to;
    "hip_4.2" hipMemcpyToSymbolAsync(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32, stream: Address) = device variable::copy_to_async;
    "hip_5.2" hipMemcpyToSymbol_spt(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device variable::copy_to;
    "hip_4.2" hipMemcpyWithStream(to: Address, from: Address, bytes: usize, direction: u32, stream: Address) = device memory::copy::memcpy_async;
    "hip_5.2" hipMemcpy_spt(to: Address, from: Address, bytes: usize, direction: u32) = device memory::copy::memcpy;
    "hip_4.2" hipMemset(to: Address, value: i32, bytes: usize) = device memory::set::memset;
    "hip_4.2" hipMemset2D(to: Address, pitch: usize, value: i32, width: usize, height: usize) = device memory::set::rows;
    "hip_4.2" hipMemset2DAsync(to: Address, pitch: usize, value: i32, width: usize, height: usize, stream: Address) = device memory::set::rows_async;
    "hip_5.2" hipMemset2D_spt(to: Address, pitch: usize, value: i32, width: usize, height: usize) = device memory::set::rows;
    "hip_4.2" hipMemset3D(to: Pitched, value: i32, extent: Extent) = device memory::pitched::set_3d;
    "hip_4.2" hipMemset3DAsync(to: Pitched, value: i32, extent: Extent, stream: Address) = device memory::pitched::set_3d_async;
    "hip_5.2" hipMemset3D_spt(to: Pitched, value: i32, extent: Extent) = device memory::pitched::set_3d;
    "hip_4.2" hipMemsetAsync(to: Address, value: i32, bytes: usize, stream: Address) = device memory::set::memset_async;
    "hip_4.2" hipMemsetD16(to: Address, value: u16, count: usize) = device memory::set::d16;
    "hip_4.2" hipMemsetD16Async(to: Address, value: u16, count: usize, stream: Address) = device memory::set::d16_async;
    "hip_4.2" hipMemsetD32(to: Address, value: i32, count: usize) = device memory::set::d32;
    "hip_4.2" hipMemsetD32Async(to: Address, value: i32, count: usize, stream: Address) = device memory::set::d32_async;
    "hip_4.2" hipMemsetD8(to: Address, value: u8, count: usize) = device memory::set::d8;
    "hip_4.2" hipMemsetD8Async(to: Address, value: u8, count: usize, stream: Address) = device memory::set::d8_async;
    "hip_5.2" hipMemset_spt(to: Address, value: i32, bytes: usize) = device memory::set::memset;

    // Streams and events.
    "hip_4.2" hipCtxSynchronize() = device stream::wait_for_device;
    "hip_4.2" hipDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) = device stream::priority_range;
    "hip_4.2" hipDeviceSynchronize() = device stream::wait_for_device;
    "hip_4.2" hipEventCreate(out: Out<Address>) = device event::create;
    "hip_4.2" hipEventCreateWithFlags(out: Out<Address>, flags: u32) = device event::create_with_flags;
    "hip_4.2" hipEventDestroy(event: Address) = device event::destroy;
    "hip_4.2" hipEventElapsedTime(out: Out<f32>, start: Address, stop: Address) = device event::elapsed;
    "hip_4.2" hipEventQuery(event: Address) = device event::query;
    "hip_4.2" hipEventRecord(event: Address, stream: Address) = device event::record;
    "hip_4.2" hipEventSynchronize(event: Address) = device event::synchronize;
    "hip_4.2" hipExtStreamCreateWithCUMask(out: Out<Address>, words: u32, mask: In<u32>) = device stream::create_with_cu_mask;
    "hip_4.2" hipGetStreamDeviceId(stream: Address) -> i32 = raw stream::device_of;
    "hip_4.2" hipStreamAddCallback(stream: Address, callback: Callback<StreamCallback>, data: Address, flags: u32) = device stream::add_callback;
    "hip_4.2" hipStreamCreate(out: Out<Address>) = device stream::create;
    "hip_4.2" hipStreamCreateWithFlags(out: Out<Address>, flags: u32) = device stream::create_with_flags;
    "hip_4.2" hipStreamCreateWithPriority(out: Out<Address>, flags: u32, priority: i32) = device stream::create_with_priority;
    "hip_4.2" hipStreamDestroy(stream: Address) = device stream::destroy;
    "hip_4.2" hipStreamGetFlags(stream: Address, out: Out<u32>) = device stream::get_flags;
    "hip_5.2" hipStreamGetFlags_spt(stream: Address, out: Out<u32>) = device stream::get_flags;
    "hip_4.2" hipStreamGetPriority(stream: Address, out: Out<i32>) = device stream::get_priority;
    "hip_5.2" hipStreamGetPriority_spt(stream: Address, out: Out<i32>) = device stream::get_priority;
    "hip_4.3" hipStreamIsCapturing(stream: Address, status: Out<i32>) = device stream::is_capturing;
    "hip_4.5" hipStreamGetCaptureInfo(stream: Address, status: Out<i32>, id: Out<u64>) = device stream::capture_info;
    "hip_4.2" hipStreamQuery(stream: Address) = device stream::query;
    "hip_5.2" hipStreamQuery_spt(stream: Address) = device stream::query;
    "hip_4.2" hipStreamSynchronize(stream: Address) = device stream::synchronize;
    "hip_5.2" hipStreamSynchronize_spt(stream: Address) = device stream::synchronize;
    "hip_4.2" hipStreamWaitEvent(stream: Address, event: Address, flags: u32) = device stream::wait_event;
    "hip_5.2" hipStreamWaitEvent_spt(stream: Address, event: Address, flags: u32) = device stream::wait_event;
    "hip_5.3" hipLaunchHostFunc(stream: Address, function: Callback<HostFunction>, data: Address) = device stream::launch_host_function;

    // Modules, kernels, launches.
    "hip_4.2" hipExtModuleLaunchKernel as "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j" (function: Address, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: usize, stream: Address, parameters: In<Address>, extra: In<Address>, start: Address, stop: Address, flags: u32) = device launch::entries::ext_module_launch;
    "hip_4.2" hipHccModuleLaunchKernel as "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_" (function: Address, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: usize, stream: Address, parameters: In<Address>, extra: In<Address>, start: Address, stop: Address) = device launch::entries::hcc_module_launch;
    "hip_4.2" __hipPopCallConfiguration(grid: Out<Dim3>, block: Out<Dim3>, lds: Out<usize>, stream: Out<Address>) = open launch::pending::pop;
    "hip_4.2" __hipPushCallConfiguration(grid: Dim3, block: Dim3, lds: usize, stream: Address) = open launch::pending::configure;
    "hip_4.2" hipConfigureCall(grid: Dim3, block: Dim3, lds: usize, stream: Address) = open launch::pending::configure;
    "hip_4.2" hipExtLaunchKernel(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: usize, stream: Address, start: Address, stop: Address, flags: i32) = device launch::entries::ext_host_launch;
    "hip_4.2" hipFuncGetAttribute(out: Out<i32>, attribute: u32, function: Address) = device kernel::attribute;
    "hip_4.2" hipFuncGetAttributes(out: Out<FunctionAttributes>, host: Address) = device kernel::attributes;
    "hip_4.2" hipFuncSetAttribute(host: Address, attribute: u32, value: i32) = device kernel::set_attribute;
    "hip_4.2" hipFuncSetCacheConfig(host: Address, config: u32) = device kernel::prefer;
    "hip_4.2" hipFuncSetSharedMemConfig(host: Address, config: u32) = device kernel::prefer;
    "hip_4.2" hipKernelNameRef(function: Address) -> Text = raw kernel::name;
    "hip_4.2" hipKernelNameRefByPtr(host: Address, stream: Address) -> Text = raw kernel::name_by_pointer;
    "hip_4.2" hipLaunchByPtr(host: Address) = device launch::pending::launch_by_pointer;
    "hip_4.2" hipLaunchKernel(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: usize, stream: Address) = device launch::entries::host_launch;
    "hip_4.2" hipLaunchKernelGGLImpl as "_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv" (host: Address, grid: In<Dim3>, block: In<Dim3>, lds: u32, stream: Address, extra: In<Address>) = device launch::entries::host_launch_packed;
    "hip_5.2" hipLaunchKernel_spt(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: usize, stream: Address) = device launch::entries::host_launch;
    "hip_4.2" hipModuleGetFunction(out: Out<Address>, module: Address, name: Text) = device module::get_function;
    "hip_4.2" hipModuleGetGlobal(out: Out<Address>, size: Out<usize>, module: Address, name: Text) = device module::get_global;
    "hip_4.2" hipModuleLaunchKernel(function: Address, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: u32, stream: Address, parameters: In<Address>, extra: In<Address>) = device launch::entries::module_launch;
    "hip_4.2" hipModuleLoad(out: Out<Address>, file: Text) = device module::load;
    "hip_4.2" hipModuleLoadData(out: Out<Address>, image: Address) = device module::load_data;
    "hip_4.2" hipModuleLoadDataEx(out: Out<Address>, image: Address, count: u32, options: Address, values: Address) = device module::load_data_ex;
    "hip_4.2" hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(out: Out<i32>, function: Address, items: i32, lds: usize) = device kernel::module_most_blocks;
    "hip_4.2" hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: Out<i32>, function: Address, items: i32, lds: usize, flags: u32) = device kernel::module_most_blocks_with_flags;
    "hip_4.2" hipModuleOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, function: Address, lds: usize, most: i32) = device kernel::module_best_block;
    "hip_4.2" hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<i32>, block: Out<i32>, function: Address, lds: usize, most: i32, flags: u32) = device kernel::module_best_block_with_flags;
    "hip_4.2" hipModuleUnload(module: Address) = device module::unload;
    "hip_4.2" hipOccupancyMaxActiveBlocksPerMultiprocessor(out: Out<i32>, host: Address, items: i32, lds: usize) = device kernel::most_blocks;
    "hip_4.2" hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: Out<i32>, host: Address, items: i32, lds: usize, flags: u32) = device kernel::most_blocks_with_flags;
    "hip_4.2" hipOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, host: Address, lds: usize, most: i32) = device kernel::best_block;
    "hip_4.2" hipSetupArgument(value: Address, bytes: usize, offset: usize) = open launch::pending::set_up_argument;

    // What compilers emit.
    "hip_4.2" __hipRegisterFatBinary(wrapper: Address) -> Address = raw fatbin::register_binary;
    "hip_4.2" __hipRegisterFunction(binary: Address, host: Address, device: Text, name: Text, threads: u32, thread_id: Address, block_id: Address, block: Address, grid: Address, wave_size: Address) -> () = raw fatbin::register_function;
    "hip_4.2" __hipRegisterManagedVar(binary: Address, pointer: Out<Address>, initial: Address, name: Text, bytes: usize, align: u32) -> () = raw fatbin::register_managed;
    "hip_4.2" __hipRegisterVar(binary: Address, host: Address, host_name: Text, name: Text, external: i32, bytes: usize, constant: i32, global: i32) -> () = raw fatbin::register_variable;
    "hip_4.2" __hipUnregisterFatBinary(binary: Address) -> () = raw fatbin::unregister_binary;

    // The rest that returns no error code.
    "hip_4.2" __gnu_f2h_ieee(value: f32) -> u16 = raw float_to_half;
    "hip_4.2" __gnu_h2f_ieee(bits: u16) -> f32 = raw half_to_float;
    "hip_4.5" amd_dbgapi_get_build_id() -> usize = raw no_build_id;
    "hip_4.5" amd_dbgapi_get_build_name() -> Text = raw empty;
    "hip_4.5" amd_dbgapi_get_git_hash() -> Text = raw empty;
    "hip_4.2" hipApiName(id: u32) -> Text = raw no_text;
    "hip_4.2" hipCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, format: u32) -> Channel = raw channel;
    "hip_4.2" hipGetCmdName(id: u32) -> Text = raw no_text;
    "hip_4.2" hiprtcGetErrorString(code: u32) -> Text = raw no_text;

    // Not supported: graphs.
    "hip_4.5" hipGraphAddChildGraphNode() = none;
    "hip_4.4" hipGraphAddDependencies() = none;
    "hip_4.4" hipGraphAddEmptyNode() = none;
    "hip_4.5" hipGraphAddEventRecordNode() = none;
    "hip_4.5" hipGraphAddEventWaitNode() = none;
    "hip_4.5" hipGraphAddHostNode() = none;
    "hip_4.3" hipGraphAddKernelNode() = none;
    "hip_4.3" hipGraphAddMemcpyNode() = none;
    "hip_4.3" hipGraphAddMemcpyNode1D() = none;
    "hip_4.5" hipGraphAddMemcpyNodeFromSymbol() = none;
    "hip_4.5" hipGraphAddMemcpyNodeToSymbol() = none;
    "hip_4.3" hipGraphAddMemsetNode() = none;
    "hip_4.5" hipGraphChildGraphNodeGetGraph() = none;
    "hip_4.5" hipGraphClone() = none;
    "hip_4.3" hipGraphCreate() = none;
    "hip_4.3" hipGraphDestroy() = none;
    "hip_4.5" hipGraphDestroyNode() = none;
    "hip_4.5" hipGraphEventRecordNodeGetEvent() = none;
    "hip_4.5" hipGraphEventRecordNodeSetEvent() = none;
    "hip_4.5" hipGraphEventWaitNodeGetEvent() = none;
    "hip_4.5" hipGraphEventWaitNodeSetEvent() = none;
    "hip_4.5" hipGraphExecChildGraphNodeSetParams() = none;
    "hip_4.3" hipGraphExecDestroy() = none;
    "hip_4.5" hipGraphExecEventRecordNodeSetEvent() = none;
    "hip_4.5" hipGraphExecEventWaitNodeSetEvent() = none;
    "hip_4.5" hipGraphExecHostNodeSetParams() = none;
    "hip_4.4" hipGraphExecKernelNodeSetParams() = none;
    "hip_4.5" hipGraphExecMemcpyNodeSetParams() = none;
    "hip_4.5" hipGraphExecMemcpyNodeSetParams1D() = none;
    "hip_4.5" hipGraphExecMemcpyNodeSetParamsFromSymbol() = none;
    "hip_4.5" hipGraphExecMemcpyNodeSetParamsToSymbol() = none;
    "hip_4.5" hipGraphExecMemsetNodeSetParams() = none;
    "hip_4.5" hipGraphExecUpdate() = none;
    "hip_4.5" hipGraphGetEdges() = none;
    "hip_4.4" hipGraphGetNodes() = none;
    "hip_4.4" hipGraphGetRootNodes() = none;
    "hip_4.5" hipGraphHostNodeGetParams() = none;
    "hip_4.5" hipGraphHostNodeSetParams() = none;
    "hip_4.3" hipGraphInstantiate() = none;
    "hip_4.5" hipGraphInstantiateWithFlags() = none;
    "hip_4.4" hipGraphKernelNodeGetParams() = none;
    "hip_4.4" hipGraphKernelNodeSetParams() = none;
    "hip_4.3" hipGraphLaunch() = none;
    "hip_4.4" hipGraphMemcpyNodeGetParams() = none;
    "hip_4.4" hipGraphMemcpyNodeSetParams() = none;
    "hip_4.5" hipGraphMemcpyNodeSetParams1D() = none;
    "hip_4.5" hipGraphMemcpyNodeSetParamsFromSymbol() = none;
    "hip_4.5" hipGraphMemcpyNodeSetParamsToSymbol() = none;
    "hip_4.4" hipGraphMemsetNodeGetParams() = none;
    "hip_4.4" hipGraphMemsetNodeSetParams() = none;
    "hip_4.5" hipGraphNodeFindInClone() = none;
    "hip_4.5" hipGraphNodeGetDependencies() = none;
    "hip_4.5" hipGraphNodeGetDependentNodes() = none;
    "hip_4.5" hipGraphNodeGetType() = none;
    "hip_4.5" hipGraphRemoveDependencies() = none;

    // Not supported: textures, arrays, surfaces.
    "hip_4.2" hipCreateSurfaceObject as "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc" () = none;
    "hip_4.2" hipDestroySurfaceObject as "_Z23hipDestroySurfaceObjectP13__hip_surface" () = none;
    "hip_4.2" __hipRegisterSurface() = none;
    "hip_4.2" __hipRegisterTexture() = none;
    "hip_4.2" hipArray3DCreate() = none;
    "hip_4.2" hipArrayCreate() = none;
    "hip_4.3" hipArrayDestroy() = none;
    "hip_4.2" hipBindTexture() = none;
    "hip_4.2" hipBindTexture2D() = none;
    "hip_4.2" hipBindTextureToArray() = none;
    "hip_4.2" hipBindTextureToMipmappedArray() = none;
    "hip_4.2" hipCreateTextureObject() = none;
    "hip_4.2" hipDestroyTextureObject() = none;
    "hip_4.2" hipFreeArray() = none;
    "hip_4.2" hipFreeMipmappedArray() = none;
    "hip_4.2" hipGetChannelDesc() = none;
    "hip_4.2" hipGetMipmappedArrayLevel() = none;
    "hip_4.2" hipGetTextureAlignmentOffset() = none;
    "hip_4.2" hipGetTextureObjectResourceDesc() = none;
    "hip_4.2" hipGetTextureObjectResourceViewDesc() = none;
    "hip_4.2" hipGetTextureObjectTextureDesc() = none;
    "hip_4.2" hipGetTextureReference() = none;
    "hip_4.5" hipGraphicsSubResourceGetMappedArray() = none;
    "hip_4.2" hipMalloc3DArray() = none;
    "hip_4.2" hipMallocArray() = none;
    "hip_4.2" hipMallocMipmappedArray() = none;
    "hip_5.1" hipMemMapArrayAsync() = none;
    "hip_4.2" hipMemcpy2DFromArray() = none;
    "hip_4.2" hipMemcpy2DFromArrayAsync() = none;
    "hip_5.2" hipMemcpy2DFromArray_spt() = none;
    "hip_4.2" hipMemcpy2DToArray() = none;
    "hip_4.3" hipMemcpy2DToArrayAsync() = none;
    "hip_5.2" hipMemcpy2DToArray_spt() = none;
    "hip_4.2" hipMemcpyAtoH() = none;
    "hip_4.2" hipMemcpyFromArray() = none;
    "hip_4.2" hipMemcpyHtoA() = none;
    "hip_4.2" hipMemcpyToArray() = none;
    "hip_4.2" hipMipmappedArrayCreate() = none;
    "hip_4.2" hipMipmappedArrayDestroy() = none;
    "hip_4.2" hipMipmappedArrayGetLevel() = none;
    "hip_4.2" hipModuleGetTexRef() = none;
    "hip_4.2" hipTexObjectCreate() = none;
    "hip_4.2" hipTexObjectDestroy() = none;
    "hip_4.2" hipTexObjectGetResourceDesc() = none;
    "hip_4.2" hipTexObjectGetResourceViewDesc() = none;
    "hip_4.2" hipTexObjectGetTextureDesc() = none;
    "hip_4.2" hipTexRefGetAddress() = none;
    "hip_4.2" hipTexRefGetAddressMode() = none;
    "hip_4.2" hipTexRefGetFilterMode() = none;
    "hip_4.2" hipTexRefGetFlags() = none;
    "hip_4.2" hipTexRefGetFormat() = none;
    "hip_4.2" hipTexRefGetMaxAnisotropy() = none;
    "hip_4.2" hipTexRefGetMipmapFilterMode() = none;
    "hip_4.2" hipTexRefGetMipmapLevelBias() = none;
    "hip_4.2" hipTexRefGetMipmapLevelClamp() = none;
    "hip_4.2" hipTexRefSetAddress() = none;
    "hip_4.2" hipTexRefSetAddress2D() = none;
    "hip_4.2" hipTexRefSetAddressMode() = none;
    "hip_4.2" hipTexRefSetArray() = none;
    "hip_4.2" hipTexRefSetBorderColor() = none;
    "hip_4.2" hipTexRefSetFilterMode() = none;
    "hip_4.2" hipTexRefSetFlags() = none;
    "hip_4.2" hipTexRefSetFormat() = none;
    "hip_4.2" hipTexRefSetMaxAnisotropy() = none;
    "hip_4.2" hipTexRefSetMipmapFilterMode() = none;
    "hip_4.2" hipTexRefSetMipmapLevelBias() = none;
    "hip_4.2" hipTexRefSetMipmapLevelClamp() = none;
    "hip_4.2" hipTexRefSetMipmappedArray() = none;
    "hip_4.2" hipUnbindTexture() = none;

    // Not supported: virtual memory and pools.
    "hip_5.1" hipDeviceGetDefaultMemPool() = none;
    "hip_5.1" hipDeviceGetMemPool() = none;
    "hip_5.1" hipDeviceSetMemPool() = none;
    "hip_5.1" hipMallocFromPoolAsync() = none;
    "hip_5.1" hipMemAddressFree() = none;
    "hip_5.1" hipMemAddressReserve() = none;
    "hip_5.1" hipMemCreate() = none;
    "hip_5.1" hipMemExportToShareableHandle() = none;
    "hip_5.1" hipMemGetAccess() = none;
    "hip_5.1" hipMemGetAllocationGranularity() = none;
    "hip_5.1" hipMemGetAllocationPropertiesFromHandle() = none;
    "hip_5.1" hipMemImportFromShareableHandle() = none;
    "hip_5.1" hipMemMap() = none;
    "hip_5.1" hipMemPoolCreate() = none;
    "hip_5.1" hipMemPoolDestroy() = none;
    "hip_5.1" hipMemPoolExportPointer() = none;
    "hip_5.1" hipMemPoolExportToShareableHandle() = none;
    "hip_5.1" hipMemPoolGetAccess() = none;
    "hip_5.1" hipMemPoolGetAttribute() = none;
    "hip_5.1" hipMemPoolImportFromShareableHandle() = none;
    "hip_5.1" hipMemPoolImportPointer() = none;
    "hip_5.1" hipMemPoolSetAccess() = none;
    "hip_5.1" hipMemPoolSetAttribute() = none;
    "hip_5.1" hipMemPoolTrimTo() = none;
    "hip_5.1" hipMemRelease() = none;
    "hip_5.1" hipMemRetainAllocationHandle() = none;
    "hip_5.1" hipMemSetAccess() = none;
    "hip_5.1" hipMemUnmap() = none;

    // Not supported: the compiler at run time.
    "hip_4.2" hiprtcAddNameExpression() = none;
    "hip_4.2" hiprtcCompileProgram() = none;
    "hip_4.2" hiprtcCreateProgram() = none;
    "hip_4.2" hiprtcDestroyProgram() = none;
    "hip_4.2" hiprtcGetCode() = none;
    "hip_4.2" hiprtcGetCodeSize() = none;
    "hip_4.2" hiprtcGetLoweredName() = none;
    "hip_4.2" hiprtcGetProgramLog() = none;
    "hip_4.2" hiprtcGetProgramLogSize() = none;
    "hip_4.2" hiprtcVersion() = none;

    // Not supported: the rest.
    "hip_4.2" __hipGetPCH() = none;
    "hip_4.3" hipDestroyExternalMemory() = none;
    "hip_4.3" hipDestroyExternalSemaphore() = none;
    "hip_4.3" hipDrvMemcpy2DUnaligned() = none;
    "hip_4.2" hipDrvMemcpy3D() = none;
    "hip_4.2" hipDrvMemcpy3DAsync() = none;
    "hip_5.0" hipDrvPointerGetAttributes() = none;
    "hip_4.2" hipEnableActivityCallback() = none;
    "hip_4.2" hipExtGetLinkTypeAndHopCount() = none;
    "hip_4.2" hipExtLaunchMultiKernelMultiDevice() = none;
    "hip_4.2" hipExtStreamGetCUMask() = none;
    "hip_4.3" hipExternalMemoryGetMappedBuffer() = none;
    "hip_4.3" hipGLGetDevices() = none;
    "hip_4.3" hipGraphicsGLRegisterBuffer() = none;
    "hip_4.5" hipGraphicsGLRegisterImage() = none;
    "hip_4.3" hipGraphicsMapResources() = none;
    "hip_4.3" hipGraphicsResourceGetMappedPointer() = none;
    "hip_4.3" hipGraphicsUnmapResources() = none;
    "hip_4.3" hipGraphicsUnregisterResource() = none;
    "hip_4.3" hipImportExternalMemory() = none;
    "hip_4.3" hipImportExternalSemaphore() = none;
    "hip_4.2" hipInitActivityCallback() = none;
    "hip_4.2" hipIpcCloseMemHandle() = none;
    "hip_4.2" hipIpcGetEventHandle() = none;
    "hip_4.2" hipIpcGetMemHandle() = none;
    "hip_4.2" hipIpcOpenEventHandle() = none;
    "hip_4.2" hipIpcOpenMemHandle() = none;
    "hip_4.2" hipLaunchCooperativeKernel() = none;
    "hip_4.2" hipLaunchCooperativeKernelMultiDevice() = none;
    "hip_5.2" hipLaunchCooperativeKernel_spt() = none;
    "hip_4.2" hipMemRangeGetAttribute() = none;
    "hip_4.2" hipMemRangeGetAttributes() = none;
    "hip_4.2" hipProfilerStart() = none;
    "hip_4.2" hipProfilerStop() = none;
    "hip_4.2" hipRegisterActivityCallback() = none;
    "hip_4.2" hipRegisterApiCallback() = none;
    "hip_4.2" hipRemoveActivityCallback() = none;
    "hip_4.2" hipRemoveApiCallback() = none;
    "hip_4.3" hipSignalExternalSemaphoresAsync() = none;
    "hip_4.3" hipStreamBeginCapture() = none;
    "hip_4.3" hipStreamEndCapture() = none;
    "hip_4.5" hipStreamGetCaptureInfo_v2() = none;
    "hip_4.5" hipStreamUpdateCaptureDependencies() = none;
    "hip_4.4" hipStreamWaitValue32() = none;
    "hip_4.4" hipStreamWaitValue64() = none;
    "hip_4.4" hipStreamWriteValue32() = none;
    "hip_4.4" hipStreamWriteValue64() = none;
    "hip_5.0" hipThreadExchangeStreamCaptureMode() = none;
    "hip_4.3" hipWaitExternalSemaphoresAsync() = none;
}
