//! The functions of the HIP runtime that are used here.
//!
//! The crate hip-runtime-sys finds and links the library and defines the types of handles. Its functions are not used:
//! they return a Rust enum, so an error code of a newer runtime would be undefined behaviour. The functions declared
//! here return the C number.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem;

pub use hip_runtime_sys::{
    hipEvent_t, hipFunction_t, hipGraph_t, hipGraphExec_t, hipModule_t, hipStream_t,
};

/// hipSuccess.
pub const SUCCESS: u32 = 0;

/// hipDeviceAttributeMultiprocessorCount.
pub const MULTIPROCESSOR_COUNT: c_int = 63;

/// hipStreamCaptureModeThreadLocal.
pub const STREAM_CAPTURE_MODE_THREAD_LOCAL: c_int = 1;

/// HIP_LAUNCH_PARAM_BUFFER_POINTER, HIP_LAUNCH_PARAM_BUFFER_SIZE and HIP_LAUNCH_PARAM_END.
pub const LAUNCH_PARAM: [*mut c_void; 3] = [
    std::ptr::without_provenance_mut(1),
    std::ptr::without_provenance_mut(2),
    std::ptr::without_provenance_mut(3),
];

unsafe extern "C" {
    pub fn hipInit(flags: c_uint) -> u32;
    pub fn hipGetErrorName(error: u32) -> *const c_char;
    pub fn hipGetErrorString(error: u32) -> *const c_char;
    pub fn hipGetDeviceCount(count: *mut c_int) -> u32;
    pub fn hipDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> u32;
    pub fn hipDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> u32;
    pub fn hipDeviceTotalMem(bytes: *mut usize, device: c_int) -> u32;
    pub fn hipRuntimeGetVersion(version: *mut c_int) -> u32;
    pub fn hipDriverGetVersion(version: *mut c_int) -> u32;
    pub fn hipSetDevice(device: c_int) -> u32;
    pub fn hipDeviceSynchronize() -> u32;
    pub fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> u32;
    pub fn hipModuleUnload(module: hipModule_t) -> u32;
    pub fn hipModuleGetFunction(
        function: *mut hipFunction_t,
        module: hipModule_t,
        name: *const c_char,
    ) -> u32;
    pub fn hipModuleGetGlobal(
        address: *mut *mut c_void,
        bytes: *mut usize,
        module: hipModule_t,
        name: *const c_char,
    ) -> u32;
    pub fn hipModuleLaunchKernel(
        function: hipFunction_t,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_lds: c_uint,
        stream: hipStream_t,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32;
    pub fn hipMalloc(address: *mut *mut c_void, bytes: usize) -> u32;
    pub fn hipFree(address: *mut c_void) -> u32;
    pub fn hipMemcpyHtoD(to: *mut c_void, from: *mut c_void, bytes: usize) -> u32;
    pub fn hipMemcpyDtoH(to: *mut c_void, from: *mut c_void, bytes: usize) -> u32;
    pub fn hipEventCreate(event: *mut hipEvent_t) -> u32;
    pub fn hipEventDestroy(event: hipEvent_t) -> u32;
    pub fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> u32;
    pub fn hipEventElapsedTime(milliseconds: *mut f32, from: hipEvent_t, to: hipEvent_t) -> u32;
    pub fn hipStreamCreate(stream: *mut hipStream_t) -> u32;
    pub fn hipStreamDestroy(stream: hipStream_t) -> u32;
    pub fn hipStreamBeginCapture(stream: hipStream_t, mode: c_int) -> u32;
    pub fn hipStreamEndCapture(stream: hipStream_t, graph: *mut hipGraph_t) -> u32;
    pub fn hipGraphInstantiate(
        executable: *mut hipGraphExec_t,
        graph: hipGraph_t,
        error_node: *mut c_void,
        log: *mut c_char,
        log_bytes: usize,
    ) -> u32;
    pub fn hipGraphLaunch(executable: hipGraphExec_t, stream: hipStream_t) -> u32;
    pub fn hipGraphExecDestroy(executable: hipGraphExec_t) -> u32;
    pub fn hipGraphDestroy(graph: hipGraph_t) -> u32;

    /// Finds a function of the C library, or of any loaded library if the handle is null.
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A function that fills a struct of a device's properties.
pub type Properties = unsafe extern "C" fn(properties: *mut c_void, device: c_int) -> u32;

/// Finds a function that fills a struct of properties. The caller must name no other function.
pub fn properties_function(name: &CStr) -> Option<Properties> {
    // SAFETY: the name ends in a NUL, and a null handle means all that is loaded.
    let address = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
    // SAFETY: an address is a function of this kind, or null, for which the option has none.
    unsafe { mem::transmute::<*mut c_void, Option<Properties>>(address) }
}
