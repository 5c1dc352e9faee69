//! Table of every function that the library exports. A row is a function; its last column is `none` if the function is not supported.
#![expect(non_snake_case, reason = "the names are HIP's")]

use half::f16;

use crate::boundary::{Address, Callback, In, Out, Text};
use crate::calls::function::FunctionAttributes;
use crate::calls::graph::exec::InstantiateParameters;
use crate::calls::graph::memory::Allocation as NodeMemory;
use crate::calls::graph::params::{HostParameters, KernelParameters, MemsetParameters};
use crate::calls::graph::set::Attribute;
use crate::calls::graph::set::EditTarget::{Exec, Graph};
use crate::calls::graph::{node, params, set as edit};
use crate::calls::launch::cooperative::{HostLaunch, ModuleLaunch};
use crate::calls::launch::extended::{HostConfig, ModuleConfig};
use crate::calls::memory::array::{Descriptor, Descriptor3d};
use crate::calls::memory::batch::{Attributes, Operation, PeerCopy};
use crate::calls::memory::copy::Waiting::{Always, LikeHip, UnlessCaptured};
use crate::calls::memory::copy::{DEFAULT, NULL};
use crate::calls::memory::pitched::{Copy2d, Copy3d, Extent, PitchedPointer};
use crate::calls::memory::pool::{Access, Location, PoolProperties};
use crate::calls::memory::query::PointerAttributes;
use crate::calls::memory::virtual_memory::Properties;
use crate::calls::memory::{array, copy, driver, pitched, set};
use crate::calls::rtc::linker;
use crate::calls::stream::value::Operation as WordOperation;
use crate::calls::submit::{PER_THREAD, own_stream};
use crate::calls::{
    context, device, event, fatbin, graph, launch, library, link, lookup, memory, module, rtc,
    stream, texture,
};
use crate::calls::{function as kernel, symbol as variable};
use crate::card;
use crate::entry::{self, FailureValue};
use crate::error;
use crate::error::{HipError, HipResult};
use crate::handles::CONTEXT;
pub use crate::objects::array::Channel;
use crate::objects::graph::NodeAction;
pub use crate::objects::shape::Dim3;
pub use crate::objects::texture::descriptors::TextureDesc;
use crate::objects::texture::descriptors::{
    DriverResourceDesc, DriverTextureDesc, DriverViewDesc, ResourceDesc, ViewDesc,
};
use crate::objects::work::{HostFunction, StreamCallback};
use crate::properties::{R0000, R0600};
use crate::runtime::{self, state};
use crate::table::{function, functions, supported, symbol};

impl FailureValue for Channel {
    fn failed() -> Channel {
        Channel::default()
    }
}

fn name_of(code: u32) -> Text {
    Text::from_static(error::name(code))
}

fn text_of(code: u32) -> Text {
    Text::from_static(error::text(code))
}

fn described(code: u32, out: Out<Text>, text: fn(u32) -> Text) -> HipResult {
    out.put(Text::null())?;
    if !error::is_known(code) {
        return Err(HipError::InvalidValue);
    }
    out.put(text(code))
}

#[rustfmt::skip]
functions! {
    // Devices, versions, contexts.
    "hip_4.2" hipChooseDevice(out: Out<i32>, wanted: Address) = open device::choose;
    "hip_4.2" hipCtxCreate(out: Out<Address>, _flags: u32, device: i32) = device => context::create(out, device);
    "hip_4.2" hipCtxDestroy(context: Address) = device context::destroy;
    "hip_4.2" hipCtxDisablePeerAccess(_context: Address) = device => Ok(());
    "hip_4.2" hipCtxEnablePeerAccess(_context: Address, _flags: u32) = device => Ok(());
    "hip_4.2" hipCtxGetApiVersion(context: Address, out: Out<i32>) = device context::api_version;
    "hip_4.2" hipCtxGetCacheConfig(out: Out<u32>) = device => out.put(0);
    "hip_4.2" hipCtxGetCurrent(out: Out<Address>) = device => out.put(CONTEXT);
    "hip_4.2" hipCtxGetDevice(out: Out<i32>) = device device::get;
    "hip_4.2" hipCtxGetFlags(out: Out<u32>) = device device::get_flags;
    "hip_4.2" hipCtxGetSharedMemConfig(out: Out<u32>) = device => out.put(1);
    "hip_4.2" hipCtxPopCurrent(out: Out<Address>) = device context::pop;
    "hip_4.2" hipCtxPushCurrent(context: Address) = device context::push;
    "hip_4.2" hipCtxSetCacheConfig(config: u32) = device kernel::cache_preference;
    "hip_4.2" hipCtxSetCurrent(context: Address) = device context::set_current;
    "hip_4.2" hipCtxSetSharedMemConfig(config: u32) = device kernel::banks_preference;
    "hip_4.2" hipDeviceCanAccessPeer(out: Out<i32>, device: i32, peer: i32) = device device::can_access_peer;
    "hip_4.2" hipDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) = open device::compute_capability;
    "hip_4.2" hipDeviceDisablePeerAccess(peer: i32) = device device::no_peer_access;
    "hip_4.2" hipDeviceEnablePeerAccess(peer: i32, flags: u32) = device device::peer_access;
    "hip_4.2" hipDeviceGet(out: Out<i32>, ordinal: i32) = open device::by_ordinal;
    "hip_4.2" hipDeviceGetAttribute(out: Out<i32>, attribute: u32, device: i32) = open device::attribute;
    "hip_4.2" hipDeviceGetByPCIBusId(out: Out<i32>, id: Text) = open device::by_bus_id;
    "hip_4.2" hipDeviceGetCacheConfig(out: Out<u32>) = device => out.put(0);
    "hip_4.2" hipDeviceGetLimit(out: Out<usize>, limit: u32) = device device::limit;
    "hip_4.2" hipDeviceGetName(out: Out<u8>, len: i32, device: i32) = open device::name;
    "hip_4.2" hipDeviceGetP2PAttribute(out: Out<i32>, _attribute: u32, _device: i32, _peer: i32) = device => device::peer_attribute(out);
    "hip_4.2" hipDeviceGetPCIBusId(out: Out<u8>, len: i32, device: i32) = open device::bus_id;
    "hip_4.2" hipDeviceGetSharedMemConfig(out: Out<u32>) = device => out.put(1);
    "hip_5.1" hipDeviceGetUuid(out: Out<[u8; 16]>, device: i32) = open device::uuid;
    "hip_4.2" hipDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) = device context::primary_state;
    "hip_4.2" hipDevicePrimaryCtxRelease(device: i32) = device context::release_primary;
    "hip_4.2" hipDevicePrimaryCtxReset(device: i32) = open context::reset_primary;
    "hip_4.2" hipDevicePrimaryCtxRetain(out: Out<Address>, device: i32) = device context::retain_primary;
    "hip_4.2" hipDevicePrimaryCtxSetFlags(device: i32, _flags: u32) = device => context::set_primary_flags(device);
    "hip_4.2" hipDeviceReset() = open device::reset;
    "hip_4.2" hipDeviceSetCacheConfig(config: u32) = device kernel::cache_preference;
    "hip_4.2" hipDeviceSetSharedMemConfig(config: u32) = device kernel::banks_preference;
    "hip_4.2" hipDeviceGetTexture1DLinearMaxWidth(out: Out<usize>, channel: In<Channel>, device: i32) = open device::linear_width;
    "hip_4.2" hipExtGetLinkTypeAndHopCount(device: i32, peer: i32, kind: Out<u32>, hops: Out<u32>) = open device::link;
    "hip_4.2" hipDeviceTotalMem(out: Out<usize>, device: i32) = open memory::query::total;
    "hip_4.2" hipDriverGetVersion(out: Out<i32>) = open device::version;
    "hip_4.2" hipGetDevice(out: Out<i32>) = open device::get;
    "hip_4.2" hipGetDeviceCount(out: Out<i32>) = open device::count;
    "hip_4.2" hipGetDeviceFlags(out: Out<u32>) = device device::get_flags;
    "hip_4.2" hipGetDeviceProperties(out: Out<R0000>, device: i32) = open device::properties_5;
    "hip_5.3" hipDeviceSetLimit(limit: u32, value: usize) = device device::set_limit;
    "hip_6.2" hipSetValidDevices(devices: In<i32>, count: i32) = open device::set_valid;
    "hip_4.2" hipInit(flags: u32) = open device::init;
    "hip_4.2" hipRuntimeGetVersion(out: Out<i32>) = open device::version;
    "hip_4.2" hipSetDevice(device: i32) = open card::check;
    "hip_4.2" hipSetDeviceFlags(flags: u32) = device device::set_flags;
    "hip_4.2" hipGetDevicePropertiesR0000(out: Out<R0000>, device: i32) = open device::properties_5;
    "hip_6.0" hipGetDevicePropertiesR0600(out: Out<R0600>, device: i32) = open device::properties_6;
    "hip_4.2" hipChooseDeviceR0000(out: Out<i32>, wanted: Address) = open device::choose;
    "hip_6.0" hipChooseDeviceR0600(out: Out<i32>, wanted: Address) = open device::choose;
    "hip_6.1" hipGetProcAddress(name: Text, out: Out<Address>, version: i32, flags: u64, status: Out<u32>) = open => lookup::by_version(find, name, out, version, flags, status);
    "hip_7.1" hipGetDriverEntryPoint(name: Text, out: Out<Address>, flags: u64, status: Out<u32>) = open => lookup::entry_point(find, name, out, flags, status);
    "hip_7.1" hipGetDriverEntryPoint_spt(name: Text, out: Out<Address>, flags: u64, status: Out<u32>) = open => lookup::entry_point_per_thread(find, name, out, flags, status);

    // Errors.
    "hip_4.2" hipGetErrorName(code: u32) -> Text = raw name_of;
    "hip_4.2" hipGetErrorString(code: u32) -> Text = raw text_of;
    "hip_4.2" hipGetLastError() -> u32 = raw runtime::last_error;
    "hip_4.2" hipPeekAtLastError() -> u32 = raw runtime::peek_at_last_error;
    "hip_5.3" hipDrvGetErrorName(code: u32, out: Out<Text>) = open => described(code, out, name_of);
    "hip_5.3" hipDrvGetErrorString(code: u32, out: Out<Text>) = open => described(code, out, text_of);
    "hip_6.0" hipExtGetLastError() -> u32 = raw entry::latest;

    // Memory.
    "hip_4.2" hipExtMallocWithFlags(out: Out<Address>, bytes: usize, flags: u32) = device memory::device::malloc_with_flags;
    "hip_4.2" hipFree(address: Address) = device memory::free::free;
    "hip_5.1" hipFreeAsync(address: Address, stream: Address) = device memory::free::free_async;
    "hip_4.2" hipFreeHost(address: Address) = device memory::host::free;
    "hip_4.2" hipHostAlloc(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::alloc;
    "hip_4.2" hipHostFree(address: Address) = device memory::host::free;
    "hip_4.2" hipHostGetDevicePointer(out: Out<Address>, host: Address, flags: u32) = device memory::host::device_pointer;
    "hip_4.2" hipHostGetFlags(out: Out<u32>, host: Address) = device memory::host::get_flags;
    "hip_4.2" hipHostMalloc(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::malloc;
    "hip_6.3" hipExtHostAlloc(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::malloc;
    "hip_4.2" hipHostRegister(host: Address, bytes: usize, flags: u32) = device memory::host::register;
    "hip_4.2" hipHostUnregister(host: Address) = device memory::host::unregister;
    "hip_4.2" hipMalloc(out: Out<Address>, bytes: usize) = device memory::device::malloc;
    "hip_4.2" hipMalloc3D(out: Out<PitchedPointer>, extent: Extent) = device pitched::malloc_3d;
    "hip_5.1" hipMallocAsync(out: Out<Address>, bytes: usize, stream: Address) = device memory::pool::malloc_async;
    "hip_4.2" hipMallocHost(out: Out<Address>, bytes: usize) = device => memory::host::malloc(out, bytes, 0);
    "hip_4.2" hipMallocManaged(out: Out<Address>, bytes: usize, flags: u32) = device memory::host::malloc_managed;
    "hip_4.2" hipMallocPitch(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize) = device pitched::malloc;
    "hip_4.2" hipMemAdvise(address: Address, bytes: usize, advice: u32, device: i32) = device memory::range::advise;
    "hip_4.2" hipMemAllocHost(out: Out<Address>, bytes: usize) = device => memory::host::malloc(out, bytes, 0);
    "hip_4.2" hipMemAllocPitch(out: Out<Address>, pitch: Out<usize>, width: usize, height: usize, element: u32) = device pitched::malloc_driver;
    "hip_4.2" hipMemGetAddressRange(base: Out<Address>, size: Out<usize>, address: Address) = device memory::query::address_range;
    "hip_4.2" hipMemGetInfo(free: Out<usize>, total: Out<usize>) = device memory::query::info;
    "hip_4.2" hipMemPrefetchAsync(address: Address, bytes: usize, device: i32, stream: Address) = device memory::range::prefetch;
    "hip_4.2" hipMemPtrGetInfo(address: Address, size: Out<usize>) = device memory::query::size_of_allocation;
    "hip_5.0" hipPointerGetAttribute(out: Out<u8>, attribute: u32, address: Address) = device memory::query::attribute;
    "hip_5.0" hipDrvPointerGetAttributes(count: u32, attributes: In<u32>, out: In<Out<u8>>, address: Address) = device memory::query::attributes_by_driver;
    "hip_4.2" hipPointerSetAttribute(value: In<u32>, attribute: u32, address: Address) = device memory::query::set_attribute;
    "hip_4.2" hipPointerGetAttributes(out: Out<PointerAttributes>, address: Address) = device memory::query::attributes;
    "hip_4.2" hipStreamAttachMemAsync(stream: Address, address: Address, bytes: usize, flags: u32) = device memory::range::attach;

    // Pools, and attributes of ranges.
    "hip_5.1" hipDeviceGetDefaultMemPool(out: Out<Address>, device: i32) = device memory::pool::default_of;
    "hip_5.1" hipDeviceGetMemPool(out: Out<Address>, device: i32) = device memory::pool::current_of;
    "hip_5.1" hipDeviceSetMemPool(device: i32, pool: Address) = device memory::pool::set_current;
    "hip_5.1" hipMallocFromPoolAsync(out: Out<Address>, bytes: usize, pool: Address, stream: Address) = device memory::pool::malloc_from;
    "hip_5.1" hipMemPoolCreate(out: Out<Address>, properties: In<PoolProperties>) = device memory::pool::create;
    "hip_5.1" hipMemPoolDestroy(pool: Address) = device memory::pool::destroy;
    "hip_5.1" hipMemPoolGetAccess(flags: Out<u32>, pool: Address, location: In<Location>) = device memory::pool::get_access;
    "hip_5.1" hipMemPoolGetAttribute(pool: Address, attribute: u32, value: Out<u32>) = device memory::pool::get;
    "hip_5.1" hipMemPoolSetAccess(pool: Address, descriptions: In<Access>, count: usize) = device memory::pool::set_access;
    "hip_5.1" hipMemPoolSetAttribute(pool: Address, attribute: u32, value: In<u32>) = device memory::pool::set;
    "hip_5.1" hipMemPoolTrimTo(pool: Address, keep: usize) = device memory::pool::trim;
    "hip_4.2" hipMemRangeGetAttribute(out: Out<i32>, out_bytes: usize, attribute: u32, address: Address, bytes: usize) = device memory::range::attribute;
    "hip_4.2" hipMemRangeGetAttributes(out: In<Out<i32>>, sizes: In<usize>, attributes: In<u32>, count: usize, address: Address, bytes: usize) = device memory::range::attributes;
    "hip_7.1" hipMemAdvise_v2(address: Address, bytes: usize, advice: u32, location: Location) = device => memory::range::advise(address, bytes, advice, memory::range::device_of(location)?);
    "hip_7.1" hipMemPrefetchAsync_v2(address: Address, bytes: usize, location: Location, flags: u32, stream: Address) = device memory::range::prefetch_to;

    // Virtual memory.
    "hip_5.1" hipMemAddressFree(base: Address, bytes: usize) = device memory::virtual_memory::give_back;
    "hip_5.1" hipMemAddressReserve(out: Out<Address>, bytes: usize, alignment: usize, wish: Address, flags: u64) = device memory::virtual_memory::reserve;
    "hip_5.1" hipMemCreate(out: Out<Address>, bytes: usize, properties: In<Properties>, flags: u64) = device memory::virtual_memory::create;
    "hip_5.1" hipMemGetAccess(out: Out<u64>, location: In<Location>, address: Address) = device memory::virtual_memory::get_access;
    "hip_5.1" hipMemGetAllocationGranularity(out: Out<usize>, properties: In<Properties>, option: u32) = device memory::virtual_memory::granularity;
    "hip_5.1" hipMemGetAllocationPropertiesFromHandle(out: Out<Properties>, handle: Address) = device memory::virtual_memory::properties_of;
    "hip_5.1" hipMemMap(base: Address, bytes: usize, offset: usize, handle: Address, flags: u64) = device memory::virtual_memory::map;
    "hip_5.1" hipMemMapArrayAsync(list: Address, count: u32, _stream: Address) = device => memory::virtual_memory::map_array(list, count);
    "hip_5.1" hipMemRelease(handle: Address) = device memory::virtual_memory::release;
    "hip_5.1" hipMemRetainAllocationHandle(out: Out<Address>, address: Address) = device memory::virtual_memory::retain;
    "hip_5.1" hipMemSetAccess(base: Address, bytes: usize, wanted: In<Access>, count: usize) = device memory::virtual_memory::set_access;
    "hip_5.1" hipMemUnmap(base: Address, bytes: usize) = device memory::virtual_memory::unmap;

    // Arrays.
    "hip_4.2" hipMallocArray(out: Out<Address>, channel: In<Channel>, width: usize, height: usize, flags: u32) = device => array::make(out, channel.get()?, [width, height, 0], flags);
    "hip_4.2" hipMalloc3DArray(out: Out<Address>, channel: In<Channel>, extent: Extent, flags: u32) = device array::malloc_3d;
    "hip_4.2" hipArrayCreate(out: Out<Address>, wanted: In<Descriptor>) = device array::create;
    "hip_4.2" hipArray3DCreate(out: Out<Address>, wanted: In<Descriptor3d>) = device array::create_3d;
    "hip_4.3" hipArrayDestroy(array: Address) = device array::destroy;
    "hip_4.2" hipFreeArray(array: Address) = device array::destroy;
    "hip_4.2" hipGetChannelDesc(out: Out<Channel>, array: Address) = device array::channel_of;
    "hip_4.2" hipMemcpy2DToArray(to: Address, x: usize, y: usize, from: Address, pitch: usize, width: usize, height: usize, direction: u32) = device => copy::submit(array::plane_to((to, x, y), (from, pitch), width, height, direction)?, NULL, Always);
    "hip_4.3" hipMemcpy2DToArrayAsync(to: Address, x: usize, y: usize, from: Address, pitch: usize, width: usize, height: usize, direction: u32, stream: Address) = device => copy::submit(array::plane_to((to, x, y), (from, pitch), width, height, direction)?, stream, LikeHip);
    "hip_5.2" hipMemcpy2DToArray_spt(to: Address, x: usize, y: usize, from: Address, pitch: usize, width: usize, height: usize, direction: u32) = device => copy::submit(array::plane_to((to, x, y), (from, pitch), width, height, direction)?, PER_THREAD, Always);
    "hip_4.2" hipMemcpy2DFromArray(to: Address, pitch: usize, from: Address, x: usize, y: usize, width: usize, height: usize, direction: u32) = device => copy::submit(array::plane_from((to, pitch), (from, x, y), width, height, direction)?, NULL, Always);
    "hip_4.2" hipMemcpy2DFromArrayAsync(to: Address, pitch: usize, from: Address, x: usize, y: usize, width: usize, height: usize, direction: u32, stream: Address) = device => copy::submit(array::plane_from((to, pitch), (from, x, y), width, height, direction)?, stream, LikeHip);
    "hip_5.2" hipMemcpy2DFromArray_spt(to: Address, pitch: usize, from: Address, x: usize, y: usize, width: usize, height: usize, direction: u32) = device => copy::submit(array::plane_from((to, pitch), (from, x, y), width, height, direction)?, PER_THREAD, Always);
    "hip_5.3" hipMemcpyFromArray_spt(to: Address, from: Address, x: usize, y: usize, bytes: usize, direction: u32) = device => array::copy_from(PER_THREAD, to, from, x, y, bytes, direction);
    "hip_5.3" hipMemcpy2DFromArrayAsync_spt(to: Address, pitch: usize, from: Address, x: usize, y: usize, width: usize, height: usize, direction: u32, stream: Address) = device => copy::submit(array::plane_from((to, pitch), (from, x, y), width, height, direction)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemcpy2DToArrayAsync_spt(to: Address, x: usize, y: usize, from: Address, pitch: usize, width: usize, height: usize, direction: u32, stream: Address) = device => copy::submit(array::plane_to((to, x, y), (from, pitch), width, height, direction)?, own_stream(stream), LikeHip);
    "hip_4.2" hipMemcpyToArray(to: Address, x: usize, y: usize, from: Address, bytes: usize, direction: u32) = device array::copy_to;
    "hip_4.2" hipMemcpyFromArray(to: Address, from: Address, x: usize, y: usize, bytes: usize, direction: u32) = device => array::copy_from(NULL, to, from, x, y, bytes, direction);
    "hip_4.2" hipMemcpyHtoA(to: Address, offset: usize, from: Address, bytes: usize) = device => array::copy_to(to, offset, 0, from, bytes, DEFAULT);
    "hip_4.2" hipMemcpyAtoH(to: Address, from: Address, offset: usize, bytes: usize) = device => array::copy_from(NULL, to, from, offset, 0, bytes, DEFAULT);
    "hip_6.2" hipMemcpyAtoD(to: Address, from: Address, offset: usize, bytes: usize) = device => array::copy_from(NULL, to, from, offset, 0, bytes, DEFAULT);
    "hip_6.2" hipMemcpyDtoA(to: Address, offset: usize, from: Address, bytes: usize) = device => array::copy_to(to, offset, 0, from, bytes, DEFAULT);
    "hip_6.2" hipMemcpyAtoA(to: Address, to_offset: usize, from: Address, from_offset: usize, bytes: usize) = device array::copy_over;
    "hip_6.2" hipMemcpyAtoHAsync(to: Address, from: Address, offset: usize, bytes: usize, stream: Address) = device array::copy_out_async;
    "hip_6.2" hipMemcpyHtoAAsync(to: Address, offset: usize, from: Address, bytes: usize, stream: Address) = device array::copy_in_async;
    "hip_6.2" hipMemcpy2DArrayToArray(to: Address, to_x: usize, to_y: usize, from: Address, from_x: usize, from_y: usize, width: usize, height: usize, direction: u32) = device => copy::submit(array::plane_between((to, to_x, to_y), (from, from_x, from_y), width, height, direction)?, NULL, Always);
    "hip_5.6" hipArrayGetInfo(channel: Out<Channel>, extent: Out<Extent>, flags: Out<u32>, array: Address) = device array::info;
    "hip_5.6" hipArrayGetDescriptor(out: Out<Descriptor>, array: Address) = device array::descriptor;
    "hip_5.6" hipArray3DGetDescriptor(out: Out<Descriptor3d>, array: Address) = device array::descriptor_3d;

    // Textures and surfaces. Headers declare some functions for C++ alone: programs know them by the mangled name, in which a surface is a
    // pointer or a number, and by the plain one.
    "hip_4.2" hipCreateSurfaceObject(out: Out<Address>, resource: In<ResourceDesc>) = device texture::create_surface;
    "hip_4.2" hipCreateSurfaceObject_cpp as "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc" (out: Out<Address>, resource: In<ResourceDesc>) = device texture::create_surface;
    "hip_4.2" hipCreateSurfaceObject_cpp_number as "_Z22hipCreateSurfaceObjectPyPK15hipResourceDesc" (out: Out<Address>, resource: In<ResourceDesc>) = device texture::create_surface;
    "hip_4.2" hipDestroySurfaceObject(surface: Address) = device texture::destroy_surface;
    "hip_4.2" hipDestroySurfaceObject_cpp as "_Z23hipDestroySurfaceObjectP13__hip_surface" (surface: Address) = device texture::destroy_surface;
    "hip_4.2" hipDestroySurfaceObject_cpp_number as "_Z23hipDestroySurfaceObjecty" (surface: Address) = device texture::destroy_surface;
    "hip_4.2" hipCreateTextureObject(out: Out<Address>, resource: In<ResourceDesc>, texture: In<TextureDesc>, view: In<ViewDesc>) = device texture::create;
    "hip_4.2" hipDestroyTextureObject(texture: Address) = device texture::destroy;
    "hip_4.2" hipGetTextureObjectResourceDesc(out: Out<ResourceDesc>, texture: Address) = device texture::resource;
    "hip_4.2" hipGetTextureObjectResourceViewDesc(out: Out<ViewDesc>, texture: Address) = device texture::view;
    "hip_4.2" hipGetTextureObjectTextureDesc(out: Out<TextureDesc>, texture: Address) = device texture::description;
    "hip_4.2" hipTexObjectCreate(out: Out<Address>, resource: In<DriverResourceDesc>, texture: In<DriverTextureDesc>, view: In<DriverViewDesc>) = device texture::create_by_driver;
    "hip_4.2" hipTexObjectDestroy(texture: Address) = device texture::destroy;
    "hip_4.2" hipTexObjectGetResourceDesc(out: Out<DriverResourceDesc>, texture: Address) = device texture::resource_by_driver;
    "hip_4.2" hipTexObjectGetResourceViewDesc(out: Out<DriverViewDesc>, texture: Address) = device texture::view_by_driver;
    "hip_4.2" hipTexObjectGetTextureDesc(out: Out<DriverTextureDesc>, texture: Address) = device texture::description_by_driver;

    // Copies and fills.
    "hip_4.2" hipGetSymbolAddress(out: Out<Address>, symbol: Address) = device variable::address;
    "hip_4.2" hipGetSymbolSize(out: Out<usize>, symbol: Address) = device variable::size;
    "hip_4.2" hipMemcpy(to: Address, from: Address, bytes: usize, direction: u32) = device => copy::submit(copy::row(to, from, bytes, direction), NULL, Always);
    "hip_4.2" hipMemcpy2D(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32) = device => copy::submit(pitched::plane((to, to_pitch), (from, from_pitch), width, height, direction)?, NULL, Always);
    "hip_4.2" hipMemcpy2DAsync(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32, stream: Address) = device => copy::submit(pitched::plane((to, to_pitch), (from, from_pitch), width, height, direction)?, stream, LikeHip);
    "hip_5.2" hipMemcpy2D_spt(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32) = device => copy::submit(pitched::plane((to, to_pitch), (from, from_pitch), width, height, direction)?, PER_THREAD, Always);
    "hip_4.2" hipDrvMemcpy3D(parameters: Address) = device => copy::submit(driver::planes(parameters)?, NULL, Always);
    "hip_4.2" hipDrvMemcpy3DAsync(parameters: Address, stream: Address) = device => copy::submit(driver::planes(parameters)?, stream, LikeHip);
    "hip_4.2" hipMemcpy3D(parameters: In<Copy3d>) = device => copy::submit(pitched::planes(&parameters.get()?)?, NULL, Always);
    "hip_4.2" hipMemcpy3DAsync(parameters: In<Copy3d>, stream: Address) = device => copy::submit(pitched::planes(&parameters.get()?)?, stream, LikeHip);
    "hip_5.2" hipMemcpy3D_spt(parameters: In<Copy3d>) = device => copy::submit(pitched::planes(&parameters.get()?)?, PER_THREAD, Always);
    "hip_4.2" hipMemcpyAsync(to: Address, from: Address, bytes: usize, direction: u32, stream: Address) = device => copy::submit(copy::row(to, from, bytes, direction), stream, LikeHip);
    "hip_5.2" hipMemcpyAsync_spt(to: Address, from: Address, bytes: usize, direction: u32, stream: Address) = device => copy::submit(copy::row(to, from, bytes, direction), own_stream(stream), LikeHip);
    "hip_4.2" hipMemcpyDtoD(to: Address, from: Address, bytes: usize) = device => copy::submit_named(to, from, bytes, &[to, from], NULL, Always);
    "hip_4.2" hipMemcpyDtoDAsync(to: Address, from: Address, bytes: usize, stream: Address) = device => copy::submit_named(to, from, bytes, &[to, from], stream, LikeHip);
    "hip_4.2" hipMemcpyDtoH(to: Address, from: Address, bytes: usize) = device => copy::submit_named(to, from, bytes, &[from], NULL, Always);
    "hip_4.2" hipMemcpyDtoHAsync(to: Address, from: Address, bytes: usize, stream: Address) = device => copy::submit_named(to, from, bytes, &[from], stream, LikeHip);
    "hip_4.2" hipMemcpyFromSymbol(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device => copy::submit(variable::build_copy_from(to, symbol, bytes, offset, direction)?, NULL, Always);
    "hip_4.2" hipMemcpyFromSymbolAsync(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32, stream: Address) = device => copy::submit(variable::build_copy_from(to, symbol, bytes, offset, direction)?, stream, LikeHip);
    "hip_5.2" hipMemcpyFromSymbol_spt(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device => copy::submit(variable::build_copy_from(to, symbol, bytes, offset, direction)?, PER_THREAD, Always);
    "hip_4.2" hipMemcpyHtoD(to: Address, from: Address, bytes: usize) = device => copy::submit_named(to, from, bytes, &[to], NULL, Always);
    "hip_4.2" hipMemcpyHtoDAsync(to: Address, from: Address, bytes: usize, stream: Address) = device => copy::submit_named(to, from, bytes, &[to], stream, LikeHip);
    "hip_4.2" hipMemcpyPeer(to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize) = device => copy::peer((to, to_device), (from, from_device), bytes, NULL, Always);
    "hip_4.2" hipMemcpyPeerAsync(to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize, stream: Address) = device => copy::peer((to, to_device), (from, from_device), bytes, stream, LikeHip);
    "hip_7.1" hipMemcpy3DPeer(parameters: In<PeerCopy>) = device => memory::batch::peers(parameters, NULL, Always);
    "hip_7.1" hipMemcpy3DPeerAsync(parameters: In<PeerCopy>, stream: Address) = device => memory::batch::peers(parameters, stream, LikeHip);
    "hip_7.1" hipMemcpy3DBatchAsync(count: usize, operations: In<Operation>, failed: Out<usize>, flags: u64, stream: Address) = device memory::batch::planes;
    "hip_7.1" hipMemcpyBatchAsync(to: In<Address>, from: In<Address>, sizes: In<usize>, count: usize, attributes: In<Attributes>, firsts: In<usize>, attribute_count: usize, failed: Out<usize>, stream: Address) = device memory::batch::rows;
    "hip_4.2" hipMemcpyParam2D(parameters: In<Copy2d>) = device => copy::submit(pitched::of_parameters(&parameters.get()?)?, NULL, Always);
    "hip_4.3" hipDrvMemcpy2DUnaligned(parameters: In<Copy2d>) = device => copy::submit(pitched::of_parameters(&parameters.get()?)?, NULL, Always);
    "hip_4.2" hipMemcpyParam2DAsync(parameters: In<Copy2d>, stream: Address) = device => copy::submit(pitched::of_parameters(&parameters.get()?)?, stream, LikeHip);
    "hip_4.2" hipMemcpyToSymbol(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device => copy::submit(variable::build_copy_to(symbol, from, bytes, offset, direction)?, NULL, Always);
    "hip_4.2" hipMemcpyToSymbolAsync(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32, stream: Address) = device => copy::submit(variable::build_copy_to(symbol, from, bytes, offset, direction)?, stream, LikeHip);
    "hip_5.2" hipMemcpyToSymbol_spt(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device => copy::submit(variable::build_copy_to(symbol, from, bytes, offset, direction)?, PER_THREAD, Always);
    "hip_4.2" hipMemcpyWithStream(to: Address, from: Address, bytes: usize, direction: u32, stream: Address) = device => copy::submit(copy::row(to, from, bytes, direction), stream, UnlessCaptured);
    "hip_5.2" hipMemcpy_spt(to: Address, from: Address, bytes: usize, direction: u32) = device => copy::submit(copy::row(to, from, bytes, direction), PER_THREAD, Always);
    "hip_4.2" hipMemset(to: Address, value: i32, bytes: usize) = device => set::submit(set::row(to, value as u32, 1, bytes)?, NULL, Always);
    "hip_4.2" hipMemset2D(to: Address, pitch: usize, value: i32, width: usize, height: usize) = device => set::submit(set::plane(to, pitch, value as u32, width, height)?, NULL, Always);
    "hip_4.2" hipMemset2DAsync(to: Address, pitch: usize, value: i32, width: usize, height: usize, stream: Address) = device => set::submit(set::plane(to, pitch, value as u32, width, height)?, stream, LikeHip);
    "hip_5.2" hipMemset2D_spt(to: Address, pitch: usize, value: i32, width: usize, height: usize) = device => set::submit(set::plane(to, pitch, value as u32, width, height)?, PER_THREAD, Always);
    "hip_4.2" hipMemset3D(to: PitchedPointer, value: i32, extent: Extent) = device => set::submit(pitched::fill(to, value, extent)?, NULL, Always);
    "hip_4.2" hipMemset3DAsync(to: PitchedPointer, value: i32, extent: Extent, stream: Address) = device => set::submit(pitched::fill(to, value, extent)?, stream, LikeHip);
    "hip_5.2" hipMemset3D_spt(to: PitchedPointer, value: i32, extent: Extent) = device => set::submit(pitched::fill(to, value, extent)?, PER_THREAD, Always);
    "hip_4.2" hipMemsetAsync(to: Address, value: i32, bytes: usize, stream: Address) = device => set::submit(set::row(to, value as u32, 1, bytes)?, stream, LikeHip);
    "hip_4.2" hipMemsetD16(to: Address, value: u16, count: usize) = device => set::submit(set::row(to, value.into(), 2, count)?, NULL, Always);
    "hip_4.2" hipMemsetD16Async(to: Address, value: u16, count: usize, stream: Address) = device => set::submit(set::row(to, value.into(), 2, count)?, stream, LikeHip);
    "hip_4.2" hipMemsetD32(to: Address, value: i32, count: usize) = device => set::submit(set::row(to, value as u32, 4, count)?, NULL, Always);
    "hip_4.2" hipMemsetD32Async(to: Address, value: i32, count: usize, stream: Address) = device => set::submit(set::row(to, value as u32, 4, count)?, stream, LikeHip);
    "hip_7.1" hipMemsetD2D8(to: Address, pitch: usize, value: u8, width: usize, height: usize) = device => set::submit(set::elements((to, pitch), value.into(), 1, width, height)?, NULL, Always);
    "hip_7.1" hipMemsetD2D8Async(to: Address, pitch: usize, value: u8, width: usize, height: usize, stream: Address) = device => set::submit(set::elements((to, pitch), value.into(), 1, width, height)?, stream, LikeHip);
    "hip_7.1" hipMemsetD2D16(to: Address, pitch: usize, value: u16, width: usize, height: usize) = device => set::submit(set::elements((to, pitch), value.into(), 2, width, height)?, NULL, Always);
    "hip_7.1" hipMemsetD2D16Async(to: Address, pitch: usize, value: u16, width: usize, height: usize, stream: Address) = device => set::submit(set::elements((to, pitch), value.into(), 2, width, height)?, stream, LikeHip);
    "hip_7.1" hipMemsetD2D32(to: Address, pitch: usize, value: u32, width: usize, height: usize) = device => set::submit(set::elements((to, pitch), value, 4, width, height)?, NULL, Always);
    "hip_7.1" hipMemsetD2D32Async(to: Address, pitch: usize, value: u32, width: usize, height: usize, stream: Address) = device => set::submit(set::elements((to, pitch), value, 4, width, height)?, stream, LikeHip);
    "hip_4.2" hipMemsetD8(to: Address, value: u8, count: usize) = device => set::submit(set::row(to, value.into(), 1, count)?, NULL, Always);
    "hip_4.2" hipMemsetD8Async(to: Address, value: u8, count: usize, stream: Address) = device => set::submit(set::row(to, value.into(), 1, count)?, stream, LikeHip);
    "hip_5.2" hipMemset_spt(to: Address, value: i32, bytes: usize) = device => set::submit(set::row(to, value as u32, 1, bytes)?, PER_THREAD, Always);

    // Streams and events.
    "hip_4.2" hipCtxSynchronize() = device stream::wait_for_device;
    "hip_4.2" hipDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) = device stream::priority_range;
    "hip_4.2" hipDeviceSynchronize() = device stream::wait_for_device;
    "hip_4.2" hipEventCreate(out: Out<Address>) = device => event::create_with_flags(out, 0);
    "hip_4.2" hipEventCreateWithFlags(out: Out<Address>, flags: u32) = device event::create_with_flags;
    "hip_4.2" hipEventDestroy(event: Address) = device event::destroy;
    "hip_4.2" hipEventElapsedTime(out: Out<f32>, start: Address, stop: Address) = device event::elapsed;
    "hip_4.2" hipEventQuery(event: Address) = device event::query;
    "hip_4.2" hipEventRecord(event: Address, stream: Address) = device event::record;
    "hip_4.2" hipEventSynchronize(event: Address) = device event::synchronize;
    "hip_4.2" hipExtStreamCreateWithCUMask(out: Out<Address>, words: u32, mask: In<u32>) = device stream::create_with_cu_mask;
    "hip_4.2" hipExtStreamGetCUMask(stream: Address, words: u32, out: Out<u32>) = device stream::cu_mask;
    "hip_4.2" hipGetStreamDeviceId(stream: Address) -> i32 = raw stream::device_of;
    "hip_4.2" hipStreamGetDevice(stream: Address, out: Out<i32>) = device stream::get_device;
    "hip_7.1" hipStreamGetId(stream: Address, out: Out<u64>) = device stream::get_id;
    "hip_4.2" hipStreamAddCallback(stream: Address, callback: Callback<StreamCallback>, data: Address, flags: u32) = device stream::host::add_callback;
    "hip_4.2" hipStreamCreate(out: Out<Address>) = device => stream::create_with_priority(out, 0, 0);
    "hip_4.2" hipStreamCreateWithFlags(out: Out<Address>, flags: u32) = device => stream::create_with_priority(out, flags, 0);
    "hip_4.2" hipStreamCreateWithPriority(out: Out<Address>, flags: u32, priority: i32) = device stream::create_with_priority;
    "hip_4.2" hipStreamDestroy(stream: Address) = device stream::destroy;
    "hip_4.2" hipStreamGetFlags(stream: Address, out: Out<u32>) = device stream::get_flags;
    "hip_5.2" hipStreamGetFlags_spt(stream: Address, out: Out<u32>) = device => stream::get_flags(own_stream(stream), out);
    "hip_4.2" hipStreamGetPriority(stream: Address, out: Out<i32>) = device stream::get_priority;
    "hip_5.2" hipStreamGetPriority_spt(stream: Address, out: Out<i32>) = device => stream::get_priority(own_stream(stream), out);
    "hip_4.2" hipStreamQuery(stream: Address) = device stream::query;
    "hip_5.2" hipStreamQuery_spt(stream: Address) = device => stream::query(own_stream(stream));
    "hip_4.2" hipStreamSynchronize(stream: Address) = device stream::synchronize;
    "hip_5.2" hipStreamSynchronize_spt(stream: Address) = device => stream::synchronize(own_stream(stream));
    "hip_4.2" hipStreamWaitEvent(stream: Address, event: Address, flags: u32) = device stream::wait_event;
    "hip_5.2" hipStreamWaitEvent_spt(stream: Address, event: Address, flags: u32) = device => stream::wait_event(own_stream(stream), event, flags);
    "hip_5.3" hipLaunchHostFunc(stream: Address, function: Callback<HostFunction>, data: Address) = device stream::host::launch;
    "hip_5.2" hipEventRecord_spt(event: Address, stream: Address) = device => event::record(event, own_stream(stream));
    "hip_5.3" hipLaunchHostFunc_spt(stream: Address, function: Callback<HostFunction>, data: Address) = device => stream::host::launch(own_stream(stream), function, data);
    "hip_5.3" hipStreamAddCallback_spt(stream: Address, callback: Callback<StreamCallback>, data: Address, flags: u32) = device => stream::host::add_callback(own_stream(stream), callback, data, flags);
    "hip_5.3" hipMemsetAsync_spt(to: Address, value: i32, bytes: usize, stream: Address) = device => set::submit(set::row(to, value as u32, 1, bytes)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemset2DAsync_spt(to: Address, pitch: usize, value: i32, width: usize, height: usize, stream: Address) = device => set::submit(set::plane(to, pitch, value as u32, width, height)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemset3DAsync_spt(to: PitchedPointer, value: i32, extent: Extent, stream: Address) = device => set::submit(pitched::fill(to, value, extent)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemcpy3DAsync_spt(parameters: In<Copy3d>, stream: Address) = device => copy::submit(pitched::planes(&parameters.get()?)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemcpy2DAsync_spt(to: Address, to_pitch: usize, from: Address, from_pitch: usize, width: usize, height: usize, direction: u32, stream: Address) = device => copy::submit(pitched::plane((to, to_pitch), (from, from_pitch), width, height, direction)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemcpyFromSymbolAsync_spt(to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32, stream: Address) = device => copy::submit(variable::build_copy_from(to, symbol, bytes, offset, direction)?, own_stream(stream), LikeHip);
    "hip_5.3" hipMemcpyToSymbolAsync_spt(symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32, stream: Address) = device => copy::submit(variable::build_copy_to(symbol, from, bytes, offset, direction)?, own_stream(stream), LikeHip);
    "hip_6.4" hipEventRecordWithFlags(event: Address, stream: Address, flags: u32) = device event::record_with_flags;
    "hip_4.4" hipStreamWaitValue32(stream: Address, address: Address, value: u32, flags: u32, mask: u32) = device => stream::value::give(stream, &[stream::value::to_wait(address, value.into(), flags, mask.into(), 4)?]);
    "hip_4.4" hipStreamWaitValue64(stream: Address, address: Address, value: u64, flags: u32, mask: u64) = device => stream::value::give(stream, &[stream::value::to_wait(address, value, flags, mask, 8)?]);
    "hip_4.4" hipStreamWriteValue32(stream: Address, address: Address, value: u32, flags: u32) = device => stream::value::give(stream, &[stream::value::to_write(address, value.into(), flags, 4)?]);
    "hip_4.4" hipStreamWriteValue64(stream: Address, address: Address, value: u64, flags: u32) = device => stream::value::give(stream, &[stream::value::to_write(address, value, flags, 8)?]);
    "hip_6.4" hipStreamBatchMemOp(stream: Address, count: u32, operations: In<WordOperation>, flags: u32) = device stream::value::batch;

    // Graphs and captures. Contexts are ignored, as there is only one.
    "hip_4.3" hipGraphCreate(out: Out<Address>, flags: u32) = device graph::create;
    "hip_4.5" hipDeviceGetGraphMemAttribute(device: i32, number: u32, out: Out<u64>) = device graph::memory::get_attribute;
    "hip_4.5" hipDeviceGraphMemTrim(device: i32) = device card::check;
    "hip_4.5" hipDeviceSetGraphMemAttribute(device: i32, number: u32, value: In<u64>) = device graph::memory::set_attribute;
    "hip_4.3" hipGraphDestroy(graph: Address) = device graph::destroy;
    "hip_4.5" hipGraphClone(out: Out<Address>, graph: Address) = device graph::clone;
    "hip_4.5" hipGraphNodeFindInClone(out: Out<Address>, original: Address, clone: Address) = device graph::find_in_clone;
    "hip_4.4" hipGraphGetNodes(graph: Address, out: Out<Address>, count: Out<usize>) = device graph::nodes;
    "hip_4.4" hipGraphGetRootNodes(graph: Address, out: Out<Address>, count: Out<usize>) = device graph::roots;
    "hip_4.5" hipGraphGetEdges(graph: Address, from: Out<Address>, to: Out<Address>, count: Out<usize>) = device graph::edges;
    "hip_4.5" hipGraphNodeGetDependencies(node: Address, out: Out<Address>, count: Out<usize>) = device graph::dependencies;
    "hip_4.5" hipGraphNodeGetDependentNodes(node: Address, out: Out<Address>, count: Out<usize>) = device graph::dependents;
    "hip_4.5" hipGraphNodeGetType(node: Address, out: Out<u32>) = device graph::node_type;
    "hip_4.4" hipGraphAddDependencies(graph: Address, from: In<Address>, to: In<Address>, count: usize) = device graph::add_dependencies;
    "hip_4.5" hipGraphRemoveDependencies(graph: Address, from: In<Address>, to: In<Address>, count: usize) = device graph::remove_dependencies;
    "hip_4.5" hipGraphDestroyNode(node: Address) = device => state().graphs.remove(node);
    "hip_5.3" hipGraphDebugDotPrint(graph: Address, path: Text, _flags: u32) = device => graph::print(graph, path);
    "hip_4.4" hipGraphAddEmptyNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize) = device => node::add(out, graph, after, count, || Ok(NodeAction::Empty));
    "hip_4.3" hipGraphAddKernelNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: In<KernelParameters>) = device => node::add(out, graph, after, count, || params::kernel(&parameters.get()?));
    "hip_4.3" hipGraphAddMemcpyNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: In<Copy3d>) = device => node::add(out, graph, after, count, || params::planes(&parameters.get()?));
    "hip_4.3" hipGraphAddMemcpyNode1D(out: Out<Address>, graph: Address, after: In<Address>, count: usize, to: Address, from: Address, bytes: usize, direction: u32) = device => node::add(out, graph, after, count, || node::check_copy(copy::row(to, from, bytes, direction)));
    "hip_4.5" hipGraphAddMemcpyNodeFromSymbol(out: Out<Address>, graph: Address, after: In<Address>, count: usize, to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device => node::add(out, graph, after, count, || node::check_symbol_copy(variable::build_copy_from(to, symbol, bytes, offset, direction)?));
    "hip_4.5" hipGraphAddMemcpyNodeToSymbol(out: Out<Address>, graph: Address, after: In<Address>, count: usize, symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device => node::add(out, graph, after, count, || node::check_symbol_copy(variable::build_copy_to(symbol, from, bytes, offset, direction)?));
    "hip_4.3" hipGraphAddMemsetNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: In<MemsetParameters>) = device => node::add(out, graph, after, count, || params::fill(&parameters.get()?));
    "hip_4.5" hipGraphAddHostNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: In<HostParameters>) = device => node::add(out, graph, after, count, || params::host(&parameters.get()?));
    "hip_4.5" hipGraphAddChildGraphNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, child: Address) = device => node::add(out, graph, after, count, || params::child(graph, child));
    "hip_4.5" hipGraphAddEventRecordNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, event: Address) = device => node::add(out, graph, after, count, || params::record(event));
    "hip_4.5" hipGraphAddEventWaitNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, event: Address) = device => node::add(out, graph, after, count, || params::wait(event));
    "hip_5.5" hipGraphAddNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: Address) = device graph::any::add;
    "hip_5.5" hipGraphAddMemAllocNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: Out<NodeMemory>) = device graph::memory::add_allocation;
    "hip_5.5" hipGraphAddMemFreeNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, address: Address) = device => node::add(out, graph, after, count, || params::free(address));
    "hip_6.2" hipDrvGraphAddMemFreeNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, address: Address) = device => node::add(out, graph, after, count, || params::free(address));
    "hip_5.5" hipGraphMemAllocNodeGetParams(node: Address, out: Out<NodeMemory>) = device graph::memory::get_allocation;
    "hip_5.5" hipGraphMemFreeNodeGetParams(node: Address, out: Out<Address>) = device graph::memory::get_free;
    "hip_6.2" hipGraphNodeSetParams(node: Address, parameters: Address) = device => graph::any::set(Graph, node, parameters);
    "hip_6.2" hipGraphExecNodeSetParams(exec: Address, node: Address, parameters: Address) = device => graph::any::set(Exec(exec), node, parameters);
    "hip_5.6" hipDrvGraphAddMemcpyNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: Address, _context: Address) = device => node::add(out, graph, after, count, || node::check_copy(driver::planes(parameters)?));
    "hip_5.6" hipDrvGraphAddMemsetNode(out: Out<Address>, graph: Address, after: In<Address>, count: usize, parameters: In<MemsetParameters>, _context: Address) = device => node::add(out, graph, after, count, || params::fill(&parameters.get()?));
    "hip_6.0" hipDrvGraphMemcpyNodeSetParams(node: Address, parameters: Address) = device => edit::replace_driver_copy(Graph, node, node::check_copy(driver::planes(parameters)?)?);
    "hip_6.0" hipDrvGraphMemcpyNodeGetParams(node: Address, out: Out<u8>) = device params::get_driver_copy;
    "hip_6.2" hipDrvGraphExecMemcpyNodeSetParams(exec: Address, node: Address, parameters: Address, _context: Address) = device => edit::replace_driver_copy(Exec(exec), node, node::check_copy(driver::planes(parameters)?)?);
    "hip_6.2" hipDrvGraphExecMemsetNodeSetParams(exec: Address, node: Address, parameters: In<MemsetParameters>, _context: Address) = device => edit::replace(Exec(exec), node, params::fill(&parameters.get()?)?);
    "hip_4.4" hipGraphKernelNodeGetParams(node: Address, out: Out<KernelParameters>) = device params::get_kernel;
    "hip_4.4" hipGraphMemcpyNodeGetParams(node: Address, out: Out<Copy3d>) = device params::get_copy;
    "hip_4.4" hipGraphMemsetNodeGetParams(node: Address, out: Out<MemsetParameters>) = device params::get_fill;
    "hip_4.5" hipGraphHostNodeGetParams(node: Address, out: Out<HostParameters>) = device params::get_host;
    "hip_4.5" hipGraphChildGraphNodeGetGraph(node: Address, out: Out<Address>) = device params::get_child;
    "hip_4.5" hipGraphEventRecordNodeGetEvent(node: Address, out: Out<Address>) = device params::get_record;
    "hip_4.5" hipGraphEventWaitNodeGetEvent(node: Address, out: Out<Address>) = device params::get_wait;
    "hip_4.4" hipGraphKernelNodeSetParams(node: Address, parameters: In<KernelParameters>) = device => edit::replace(Graph, node, params::kernel(&parameters.get()?)?);
    "hip_4.4" hipGraphExecKernelNodeSetParams(exec: Address, node: Address, parameters: In<KernelParameters>) = device => edit::replace(Exec(exec), node, params::kernel(&parameters.get()?)?);
    "hip_4.4" hipGraphMemcpyNodeSetParams(node: Address, parameters: In<Copy3d>) = device => edit::replace_copy(Graph, node, params::planes(&parameters.get()?)?);
    "hip_4.5" hipGraphExecMemcpyNodeSetParams(exec: Address, node: Address, parameters: In<Copy3d>) = device => edit::replace_copy(Exec(exec), node, params::planes(&parameters.get()?)?);
    "hip_4.5" hipGraphMemcpyNodeSetParams1D(node: Address, to: Address, from: Address, bytes: usize, direction: u32) = device => edit::replace_copy(Graph, node, node::check_replacement(copy::row(to, from, bytes, direction))?);
    "hip_4.5" hipGraphExecMemcpyNodeSetParams1D(exec: Address, node: Address, to: Address, from: Address, bytes: usize, direction: u32) = device => edit::replace_copy(Exec(exec), node, node::check_replacement(copy::row(to, from, bytes, direction))?);
    "hip_4.5" hipGraphMemcpyNodeSetParamsFromSymbol(node: Address, to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device => edit::replace_copy(Graph, node, node::check_symbol_copy(variable::build_copy_from(to, symbol, bytes, offset, direction)?)?);
    "hip_4.5" hipGraphExecMemcpyNodeSetParamsFromSymbol(exec: Address, node: Address, to: Address, symbol: Address, bytes: usize, offset: usize, direction: u32) = device => edit::replace_copy(Exec(exec), node, node::check_symbol_copy(variable::build_copy_from(to, symbol, bytes, offset, direction)?)?);
    "hip_4.5" hipGraphMemcpyNodeSetParamsToSymbol(node: Address, symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device => edit::replace_copy(Graph, node, node::check_symbol_copy(variable::build_copy_to(symbol, from, bytes, offset, direction)?)?);
    "hip_4.5" hipGraphExecMemcpyNodeSetParamsToSymbol(exec: Address, node: Address, symbol: Address, from: Address, bytes: usize, offset: usize, direction: u32) = device => edit::replace_copy(Exec(exec), node, node::check_symbol_copy(variable::build_copy_to(symbol, from, bytes, offset, direction)?)?);
    "hip_4.4" hipGraphMemsetNodeSetParams(node: Address, parameters: In<MemsetParameters>) = device => edit::replace(Graph, node, params::fill(&parameters.get()?)?);
    "hip_4.5" hipGraphExecMemsetNodeSetParams(exec: Address, node: Address, parameters: In<MemsetParameters>) = device => edit::replace(Exec(exec), node, params::fill(&parameters.get()?)?);
    "hip_4.5" hipGraphHostNodeSetParams(node: Address, parameters: In<HostParameters>) = device => edit::replace(Graph, node, params::host(&parameters.get()?)?);
    "hip_4.5" hipGraphExecHostNodeSetParams(exec: Address, node: Address, parameters: In<HostParameters>) = device => edit::replace(Exec(exec), node, params::host(&parameters.get()?)?);
    "hip_4.5" hipGraphEventRecordNodeSetEvent(node: Address, event: Address) = device => edit::replace(Graph, node, params::record(event)?);
    "hip_4.5" hipGraphExecEventRecordNodeSetEvent(exec: Address, node: Address, event: Address) = device => edit::replace(Exec(exec), node, params::record(event)?);
    "hip_4.5" hipGraphEventWaitNodeSetEvent(node: Address, event: Address) = device => edit::replace(Graph, node, params::wait(event)?);
    "hip_4.5" hipGraphExecEventWaitNodeSetEvent(exec: Address, node: Address, event: Address) = device => edit::replace(Exec(exec), node, params::wait(event)?);
    "hip_4.5" hipGraphExecChildGraphNodeSetParams(exec: Address, node: Address, child: Address) = device edit::child_step;
    "hip_5.3" hipGraphNodeSetEnabled(exec: Address, node: Address, enabled: u32) = device edit::enable;
    "hip_5.3" hipGraphNodeGetEnabled(exec: Address, node: Address, out: Out<u32>) = device edit::is_enabled;
    "hip_5.0" hipGraphKernelNodeSetAttribute(node: Address, attribute: u32, value: In<Attribute>) = device edit::attribute;
    "hip_5.0" hipGraphKernelNodeGetAttribute(node: Address, attribute: u32, out: Out<Attribute>) = device edit::get_attribute;
    "hip_5.3" hipGraphKernelNodeCopyAttributes(from: Address, to: Address) = device edit::copy_attributes;
    "hip_4.3" hipGraphInstantiate(out: Out<Address>, graph: Address, error_node: Out<Address>, log: Out<u8>, room: usize) = device graph::exec::instantiate;
    "hip_4.5" hipGraphInstantiateWithFlags(out: Out<Address>, graph: Address, flags: u64) = device graph::exec::with_flags;
    "hip_6.1" hipGraphInstantiateWithParams(out: Out<Address>, graph: Address, parameters: Out<InstantiateParameters>) = device graph::exec::with_parameters;
    "hip_6.2" hipGraphExecGetFlags(exec: Address, out: Out<u64>) = device graph::exec::flags;
    "hip_4.3" hipGraphExecDestroy(exec: Address) = device graph::exec::destroy;
    "hip_4.5" hipGraphExecUpdate(exec: Address, graph: Address, error_node: Out<Address>, result: Out<u32>) = device graph::exec::update;
    "hip_4.3" hipGraphLaunch(exec: Address, stream: Address) = device graph::exec::launch;
    "hip_5.3" hipGraphLaunch_spt(exec: Address, stream: Address) = device => graph::exec::launch(exec, own_stream(stream));
    "hip_5.3" hipGraphUpload(exec: Address, stream: Address) = device graph::exec::upload;
    "hip_5.3" hipUserObjectCreate(out: Out<Address>, object: Address, destroy: Callback<HostFunction>, references: u32, flags: u32) = device graph::users::create;
    "hip_5.3" hipUserObjectRelease(user: Address, count: u32) = device graph::users::release;
    "hip_5.3" hipUserObjectRetain(user: Address, count: u32) = device graph::users::retain;
    "hip_5.3" hipGraphRetainUserObject(graph: Address, user: Address, count: u32, flags: u32) = device graph::users::retain_by_graph;
    "hip_5.3" hipGraphReleaseUserObject(graph: Address, user: Address, count: u32) = device graph::users::release_by_graph;
    "hip_4.3" hipStreamBeginCapture(stream: Address, mode: u32) = device => graph::capture::begin(stream, mode, None);
    "hip_5.3" hipStreamBeginCapture_spt(stream: Address, mode: u32) = device => graph::capture::begin(own_stream(stream), mode, None);
    "hip_6.1" hipStreamBeginCaptureToGraph(stream: Address, graph: Address, after: In<Address>, _edges: Address, count: usize, mode: u32) = device => graph::capture::begin_in_graph(stream, graph, after, count, mode);
    "hip_4.3" hipStreamEndCapture(stream: Address, out: Out<Address>) = device graph::capture::end;
    "hip_5.3" hipStreamEndCapture_spt(stream: Address, out: Out<Address>) = device => graph::capture::end(own_stream(stream), out);
    "hip_4.3" hipStreamIsCapturing(stream: Address, status: Out<i32>) = device graph::capture::is_capturing;
    "hip_5.3" hipStreamIsCapturing_spt(stream: Address, status: Out<i32>) = device => graph::capture::is_capturing(own_stream(stream), status);
    "hip_4.5" hipStreamGetCaptureInfo(stream: Address, status: Out<i32>, id: Out<u64>) = device graph::capture::get;
    "hip_5.3" hipStreamGetCaptureInfo_spt(stream: Address, status: Out<i32>, id: Out<u64>) = device => graph::capture::get(own_stream(stream), status, id);
    "hip_4.5" hipStreamGetCaptureInfo_v2(stream: Address, status: Out<i32>, id: Out<u64>, graph: Out<Address>, nodes: Out<Address>, count: Out<usize>) = device graph::capture::get_all;
    "hip_5.3" hipStreamGetCaptureInfo_v2_spt(stream: Address, status: Out<i32>, id: Out<u64>, graph: Out<Address>, nodes: Out<Address>, count: Out<usize>) = device => graph::capture::get_all(own_stream(stream), status, id, graph, nodes, count);
    "hip_4.5" hipStreamUpdateCaptureDependencies(stream: Address, nodes: In<Address>, count: usize, flags: u32) = device graph::capture::update;
    "hip_5.0" hipThreadExchangeStreamCaptureMode(mode: Out<u32>) = device graph::capture::exchange;

    // Modules, kernels, launches.
    "hip_4.2" hipExtModuleLaunchKernel(function: Address, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: usize, stream: Address, parameters: In<Address>, extra: In<Address>, start: Address, stop: Address, _flags: u32) = device => launch::entries::ext_module_launch(function, [items_x, items_y, items_z], [block_x, block_y, block_z], lds, stream, (parameters, extra), [start, stop]);
    "hip_4.2" hipExtModuleLaunchKernel_cpp as "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j" (function: Address, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: usize, stream: Address, parameters: In<Address>, extra: In<Address>, start: Address, stop: Address, _flags: u32) = device => launch::entries::ext_module_launch(function, [items_x, items_y, items_z], [block_x, block_y, block_z], lds, stream, (parameters, extra), [start, stop]);
    "hip_4.2" hipHccModuleLaunchKernel(function: Address, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: usize, stream: Address, parameters: In<Address>, extra: In<Address>, start: Address, stop: Address) = device => launch::entries::ext_module_launch(function, [items_x, items_y, items_z], [block_x, block_y, block_z], lds, stream, (parameters, extra), [start, stop]);
    "hip_4.2" hipHccModuleLaunchKernel_cpp as "_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_" (function: Address, items_x: u32, items_y: u32, items_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: usize, stream: Address, parameters: In<Address>, extra: In<Address>, start: Address, stop: Address) = device => launch::entries::ext_module_launch(function, [items_x, items_y, items_z], [block_x, block_y, block_z], lds, stream, (parameters, extra), [start, stop]);
    "hip_4.2" __hipPopCallConfiguration(grid: Out<Dim3>, block: Out<Dim3>, lds: Out<usize>, stream: Out<Address>) = open launch::pending::pop;
    "hip_4.2" __hipPushCallConfiguration(grid: Dim3, block: Dim3, lds: usize, stream: Address) = open launch::pending::configure;
    "hip_4.2" hipConfigureCall(grid: Dim3, block: Dim3, lds: usize, stream: Address) = open launch::pending::configure;
    "hip_4.2" hipExtLaunchKernel(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: usize, stream: Address, start: Address, stop: Address, _flags: i32) = device => launch::entries::host_launch(host, grid, block, parameters, lds, stream, [start, stop]);
    "hip_4.2" hipFuncGetAttribute(out: Out<i32>, attribute: u32, function: Address) = device kernel::attribute;
    "hip_4.2" hipFuncGetAttributes(out: Out<FunctionAttributes>, host: Address) = device kernel::attributes;
    "hip_4.2" hipFuncSetAttribute(host: Address, attribute: u32, value: i32) = device kernel::set_attribute;
    "hip_4.2" hipFuncSetCacheConfig(host: Address, config: u32) = device kernel::prefer_cache;
    "hip_4.2" hipFuncSetSharedMemConfig(host: Address, config: u32) = device kernel::prefer_banks;
    "hip_4.2" hipKernelNameRef(function: Address) -> Text = raw => kernel::name_of(module::function(function));
    "hip_4.2" hipKernelNameRefByPtr(host: Address, _stream: Address) -> Text = raw => kernel::name_of(kernel::host_function(host));
    "hip_4.2" hipLaunchByPtr(host: Address) = device launch::pending::launch_by_pointer;
    "hip_4.2" hipLaunchKernel(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: usize, stream: Address) = device => launch::entries::host_launch(host, grid, block, parameters, lds, stream, [0; 2]);
    "hip_4.2" hipLaunchKernelGGLImpl as "_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv" (host: Address, grid: In<Dim3>, block: In<Dim3>, lds: u32, stream: Address, extra: In<Address>) = device launch::entries::host_launch_packed;
    "hip_5.2" hipLaunchKernel_spt(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: usize, stream: Address) = device => launch::entries::host_launch(host, grid, block, parameters, lds, own_stream(stream), [0; 2]);
    "hip_6.5" hipDrvLaunchKernelEx(config: In<ModuleConfig>, function: Address, parameters: In<Address>, extra: In<Address>) = device launch::extended::module_launch;
    "hip_6.5" hipLaunchKernelExC(config: In<HostConfig>, host: Address, parameters: In<Address>) = device launch::extended::host_launch;
    "hip_4.2" hipLaunchCooperativeKernel(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: u32, stream: Address) = device launch::cooperative::host_launch;
    "hip_5.2" hipLaunchCooperativeKernel_spt(host: Address, grid: Dim3, block: Dim3, parameters: In<Address>, lds: u32, stream: Address) = device => launch::cooperative::host_launch(host, grid, block, parameters, lds, own_stream(stream));
    "hip_4.2" hipLaunchCooperativeKernelMultiDevice(launches: In<HostLaunch>, count: i32, _flags: u32) = device => launch::cooperative::host_launch_on(launches, count, true);
    // Work-groups of these kernels, one kernel per device, need not be resident.
    "hip_4.2" hipExtLaunchMultiKernelMultiDevice(launches: In<HostLaunch>, count: i32, _flags: u32) = device => launch::cooperative::host_launch_on(launches, count, false);
    "hip_5.5" hipModuleLaunchCooperativeKernel(function: Address, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: u32, stream: Address, parameters: In<Address>) = device => launch::cooperative::module_launch(function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z], lds, stream, parameters);
    "hip_5.5" hipModuleLaunchCooperativeKernelMultiDevice(launches: In<ModuleLaunch>, count: u32, _flags: u32) = device => launch::cooperative::module_launch_on(launches, count);
    "hip_4.2" hipModuleGetFunction(out: Out<Address>, module: Address, name: Text) = device module::get_function;
    "hip_4.2" hipModuleGetGlobal(out: Out<Address>, size: Out<usize>, module: Address, name: Text) = device module::get_global;
    "hip_4.2" hipModuleLaunchKernel(function: Address, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, lds: u32, stream: Address, parameters: In<Address>, extra: In<Address>) = device => launch::entries::module_launch(function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z], lds, stream, parameters, extra);
    "hip_4.2" hipModuleLoad(out: Out<Address>, file: Text) = device module::load;
    "hip_4.2" hipModuleLoadData(out: Out<Address>, image: Address) = device module::load_data;
    "hip_7.1" hipModuleLoadFatBinary(out: Out<Address>, image: Address) = device module::load_data;
    "hip_7.1" hipModuleGetFunctionCount(out: Out<u32>, module: Address) = device module::count;
    "hip_6.2" hipGetFuncBySymbol(out: Out<Address>, host: Address) = device module::function_by_symbol;
    "hip_4.2" hipModuleLoadDataEx(out: Out<Address>, image: Address, _count: u32, _options: Address, _values: Address) = device => module::load_data(out, image);
    "hip_4.2" hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(out: Out<i32>, function: Address, items: i32, lds: usize) = device => kernel::most_blocks(out, || kernel::module_function(function), items, lds, 0);
    "hip_4.2" hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: Out<i32>, function: Address, items: i32, lds: usize, flags: u32) = device => kernel::most_blocks(out, || kernel::module_function(function), items, lds, flags);
    "hip_4.2" hipModuleOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, function: Address, lds: usize, most: i32) = device => kernel::best_block(grid, block, || kernel::module_function(function), lds, most, 0);
    "hip_4.2" hipModuleOccupancyMaxPotentialBlockSizeWithFlags(grid: Out<i32>, block: Out<i32>, function: Address, lds: usize, most: i32, flags: u32) = device => kernel::best_block(grid, block, || kernel::module_function(function), lds, most, flags);
    "hip_4.2" hipModuleUnload(module: Address) = device module::unload;
    "hip_7.2" hipOccupancyAvailableDynamicSMemPerBlock(out: Out<usize>, host: Address, groups: i32, items: i32) = device kernel::available_lds;
    "hip_4.2" hipOccupancyMaxActiveBlocksPerMultiprocessor(out: Out<i32>, host: Address, items: i32, lds: usize) = device => kernel::most_blocks(out, || kernel::host_function(host), items, lds, 0);
    "hip_4.2" hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out: Out<i32>, host: Address, items: i32, lds: usize, flags: u32) = device => kernel::most_blocks(out, || kernel::host_function(host), items, lds, flags);
    "hip_4.2" hipOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, host: Address, lds: usize, most: i32) = device => kernel::best_block(grid, block, || kernel::host_function(host), lds, most, 0);
    "hip_4.2" hipSetupArgument(value: Address, bytes: usize, offset: usize) = open launch::pending::set_up_argument;

    // Libraries.
    "hip_7.2" hipLibraryGetKernel(out: Out<Address>, library: Address, name: Text) = device library::kernel;
    "hip_7.2" hipLibraryGetKernelCount(out: Out<u32>, library: Address) = device library::count;
    "hip_7.2" hipLibraryLoadData(out: Out<Address>, image: Address, _options: Address, _values: Address, count: u32, _library_options: Address, _library_values: Address, _library_count: u32) = device => library::load_data(out, image, count);
    "hip_7.2" hipLibraryLoadFromFile(out: Out<Address>, file: Text, _options: Address, _values: Address, count: u32, _library_options: Address, _library_values: Address, _library_count: u32) = device => library::load(out, file, count);
    "hip_7.2" hipLibraryUnload(library: Address) = device library::unload;

    // The linker of code. Options of an input are ignored, because all inputs are linked as one.
    "hip_6.4" hipLinkAddData(link: Address, kind: u32, data: Address, bytes: usize, _name: Text, _count: u32, _options: Address, _values: Address) = device => linker::add_data(link, kind, data, bytes).map_err(link::code);
    "hip_6.4" hipLinkAddFile(link: Address, kind: u32, path: Text, _count: u32, _options: Address, _values: Address) = device => linker::add_file(link, kind, path).map_err(link::code);
    "hip_6.4" hipLinkComplete(link: Address, out: Out<Address>, size: Out<usize>) = device link::complete;
    "hip_6.4" hipLinkCreate(count: u32, options: In<u32>, values: In<Address>, out: Out<Address>) = device link::create;
    "hip_6.4" hipLinkDestroy(link: Address) = device => linker::destroy(link).map_err(link::code);

    // Functions that compilers emit calls to.
    "hip_4.2" __hipRegisterFatBinary(wrapper: Address) -> Address = raw fatbin::register_binary;
    "hip_4.2" __hipRegisterFunction(binary: Address, host: Address, _device: Text, name: Text, _threads: u32, _thread_id: Address, _block_id: Address, _block: Address, _grid: Address, _wave_size: Address) -> () = raw => fatbin::register_function(binary, host, name);
    "hip_4.2" __hipRegisterManagedVar(binary: Address, pointer: Out<Address>, initial: Address, name: Text, bytes: usize, _align: u32) -> () = raw => fatbin::register_managed(binary, pointer, initial, name, bytes);
    "hip_4.2" __hipRegisterVar(binary: Address, host: Address, _host_name: Text, name: Text, _external: i32, _bytes: usize, _constant: i32, _global: i32) -> () = raw => fatbin::register_variable(binary, host, name);
    "hip_4.2" __hipUnregisterFatBinary(binary: Address) -> () = raw fatbin::unregister_binary;

    // Other functions that return no error code.
    "hip_4.2" __gnu_f2h_ieee(value: f32) -> u16 = raw => f16::from_f32(value).to_bits();
    "hip_4.2" __gnu_h2f_ieee(bits: u16) -> f32 = raw => f16::from_bits(bits).to_f32();
    "hip_4.5" amd_dbgapi_get_build_id() -> usize = raw => 0;
    "hip_4.5" amd_dbgapi_get_build_name() -> Text = raw => Text::from_static(c"");
    "hip_4.5" amd_dbgapi_get_git_hash() -> Text = raw => Text::from_static(c"");
    "hip_4.2" hipApiName(_id: u32) -> Text = raw => Text::from_static(c"unknown");
    "hip_4.2" hipCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, format: u32) -> Channel = raw => Channel { bits: [x, y, z, w], format };
    "hip_4.2" hipGetCmdName(_id: u32) -> Text = raw => Text::from_static(c"unknown");

    // hipRTC.
    "hip_4.2" hiprtcAddNameExpression(program: Address, expression: Text) -> u32 = raw rtc::add_expression;
    "hip_4.2" hiprtcCompileProgram(program: Address, count: i32, options: In<Text>) -> u32 = raw rtc::compile;
    "hip_4.2" hiprtcCreateProgram(out: Out<Address>, source: Text, name: Text, count: i32, headers: In<Text>, names: In<Text>) -> u32 = raw rtc::create;
    "hip_4.2" hiprtcDestroyProgram(program: Out<Address>) -> u32 = raw rtc::destroy;
    "hip_4.2" hiprtcGetCode(program: Address, to: Address) -> u32 = raw rtc::get_code;
    "hip_4.2" hiprtcGetCodeSize(program: Address, out: Out<usize>) -> u32 = raw rtc::code_size;
    "hip_4.2" hiprtcGetErrorString(code: u32) -> Text = raw rtc::text_of;
    "hip_4.2" hiprtcGetLoweredName(program: Address, expression: Text, out: Out<Text>) -> u32 = raw rtc::lowered;
    "hip_4.2" hiprtcGetProgramLog(program: Address, to: Address) -> u32 = raw rtc::get_log;
    "hip_4.2" hiprtcGetProgramLogSize(program: Address, out: Out<usize>) -> u32 = raw rtc::log_size;
    "hip_4.2" hiprtcVersion(major: Out<i32>, minor: Out<i32>) -> u32 = raw rtc::version;
    "hip_5.3" hiprtcGetBitcode(program: Address, to: Address) -> u32 = raw rtc::get_bitcode;
    "hip_5.3" hiprtcGetBitcodeSize(program: Address, out: Out<usize>) -> u32 = raw rtc::bitcode_size;
    "hip_4.2" hiprtcLinkAddData(link: Address, kind: u32, data: Address, bytes: usize, _name: Text, _count: u32, _options: Address, _values: Address) -> u32 = raw => rtc::linked(linker::add_data(link, kind, data, bytes));
    "hip_4.2" hiprtcLinkAddFile(link: Address, kind: u32, path: Text, _count: u32, _options: Address, _values: Address) -> u32 = raw => rtc::linked(linker::add_file(link, kind, path));
    "hip_4.2" hiprtcLinkComplete(link: Address, out: Out<Address>, size: Out<usize>) -> u32 = raw rtc::link_complete;
    "hip_4.2" hiprtcLinkCreate(count: u32, options: In<u32>, values: In<Address>, out: Out<Address>) -> u32 = raw rtc::link_create;
    "hip_4.2" hiprtcLinkDestroy(link: Address) -> u32 = raw => rtc::linked(linker::destroy(link));

    // Not supported: texture references, levels of detail.
    "hip_4.2" __hipRegisterSurface() = none;
    "hip_4.2" __hipRegisterTexture() = none;
    "hip_4.2" hipBindTexture() = none;
    "hip_4.2" hipBindTexture2D() = none;
    "hip_4.2" hipBindTextureToArray() = none;
    "hip_4.2" hipBindTextureToMipmappedArray() = none;
    "hip_4.2" hipFreeMipmappedArray() = none;
    "hip_4.2" hipGetMipmappedArrayLevel() = none;
    "hip_4.2" hipGetTextureAlignmentOffset() = none;
    "hip_4.2" hipGetTextureReference() = none;
    "hip_4.5" hipGraphicsSubResourceGetMappedArray() = none;
    "hip_4.2" hipMallocMipmappedArray() = none;
    "hip_4.2" hipMipmappedArrayCreate() = none;
    "hip_4.2" hipMipmappedArrayDestroy() = none;
    "hip_4.2" hipMipmappedArrayGetLevel() = none;
    "hip_4.2" hipModuleGetTexRef() = none;
    "hip_4.2" hipTexRefGetAddress() = none;
    "hip_4.2" hipTexRefGetAddressMode() = none;
    "hip_4.2" hipTexRefGetArray() = none;
    "hip_4.2" hipTexRefGetBorderColor() = none;
    "hip_4.2" hipTexRefGetMipMappedArray() = none;
    "hip_4.2" hipTexRefGetMipmappedArray() = none;
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

    // Not supported: memory of other processes.
    "hip_5.1" hipMemExportToShareableHandle() = none;
    "hip_5.1" hipMemImportFromShareableHandle() = none;
    "hip_5.1" hipMemPoolExportPointer() = none;
    "hip_5.1" hipMemPoolExportToShareableHandle() = none;
    "hip_5.1" hipMemPoolImportFromShareableHandle() = none;
    "hip_5.1" hipMemPoolImportPointer() = none;

    // Not supported: additions of HIP 6 and 7 for other uses.
    "hip_6.5" hipMemGetHandleForAddressRange() = none;

    // Not supported: the rest.
    "hip_6.4" hipGraphAddBatchMemOpNode() = none;
    "hip_5.3" hipGraphAddExternalSemaphoresSignalNode() = none;
    "hip_5.3" hipGraphAddExternalSemaphoresWaitNode() = none;
    "hip_6.4" hipGraphBatchMemOpNodeGetParams() = none;
    "hip_6.4" hipGraphBatchMemOpNodeSetParams() = none;
    "hip_6.4" hipGraphExecBatchMemOpNodeSetParams() = none;
    "hip_5.3" hipGraphExecExternalSemaphoresSignalNodeSetParams() = none;
    "hip_5.3" hipGraphExecExternalSemaphoresWaitNodeSetParams() = none;
    "hip_5.3" hipGraphExternalSemaphoresSignalNodeGetParams() = none;
    "hip_5.3" hipGraphExternalSemaphoresSignalNodeSetParams() = none;
    "hip_5.3" hipGraphExternalSemaphoresWaitNodeGetParams() = none;
    "hip_5.3" hipGraphExternalSemaphoresWaitNodeSetParams() = none;
    "hip_5.3" hipRegisterTracerCallback() = none;
    "hip_7.2" hipStreamCopyAttributes() = none;
    "hip_7.1" hipStreamGetAttribute() = none;
    "hip_7.1" hipStreamSetAttribute() = none;
    "hip_4.2" __hipGetPCH() = none;
    "hip_4.3" hipDestroyExternalMemory() = none;
    "hip_4.3" hipDestroyExternalSemaphore() = none;
    "hip_4.2" hipEnableActivityCallback() = none;
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
    "hip_4.2" hipModuleLaunchKernelExt() = none;
    "hip_4.2" hipProfilerStart() = none;
    "hip_4.2" hipProfilerStop() = none;
    "hip_4.2" hipRegisterActivityCallback() = none;
    "hip_4.2" hipRegisterApiCallback() = none;
    "hip_4.2" hipRemoveActivityCallback() = none;
    "hip_4.2" hipRemoveApiCallback() = none;
    "hip_4.3" hipSignalExternalSemaphoresAsync() = none;
    "hip_4.3" hipWaitExternalSemaphoresAsync() = none;
}
