//! Calls of the HIP runtime, and accesses to the caller's memory.
//!
//! Addresses are numbers, so all other modules are safe code. The caller of an exported function guarantees that its pointers are valid, as
//! in C, and only this module dereferences them.

use std::ffi::{CStr, c_char, c_void};

use crate::status::{BlasResult, Status};

/// Address on the host or on the device, or a handle.
pub type Address = u64;

unsafe extern "C" {
    fn hipModuleLoadData(module: *mut Address, image: *const c_void) -> u32;
    fn hipModuleGetFunction(function: *mut Address, module: Address, name: *const c_char) -> u32;
    fn hipModuleLaunchKernel(
        function: Address,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        lds: u32,
        stream: Address,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32;
    fn hipMalloc(out: *mut Address, bytes: usize) -> u32;
    fn hipFree(address: Address) -> u32;
    fn hipMemcpyAsync(to: Address, from: Address, bytes: usize, kind: u32, stream: Address) -> u32;
    fn hipMemcpy2DAsync(
        to: Address,
        to_pitch: usize,
        from: Address,
        from_pitch: usize,
        width: usize,
        height: usize,
        kind: u32,
        stream: Address,
    ) -> u32;
    fn hipMemsetAsync(to: Address, value: i32, bytes: usize, stream: Address) -> u32;
    fn hipStreamSynchronize(stream: Address) -> u32;
}

/// `hipMemcpyDefault`: the direction follows from the addresses.
const BY_ADDRESS: u32 = 4;

fn check(code: u32, status: Status) -> BlasResult {
    if code != 0 {
        return Err(status);
    }
    Ok(())
}

/// Loads a code object and returns its module.
pub fn load(image: &'static [u8]) -> BlasResult<Address> {
    let mut module = 0;
    // SAFETY: `module` is valid for writes, and `image` is a whole code object.
    let code = unsafe { hipModuleLoadData(&mut module, image.as_ptr().cast()) };
    check(code, Status::InternalError)?;
    Ok(module)
}

/// Returns a kernel of a module.
pub fn kernel(module: Address, name: &CStr) -> BlasResult<Address> {
    let mut function = 0;
    // SAFETY: `function` is valid for writes, and the name ends with a NUL.
    let code = unsafe { hipModuleGetFunction(&mut function, module, name.as_ptr()) };
    check(code, Status::InternalError)?;
    Ok(function)
}

/// Launches a kernel that takes one structure.
pub fn launch<T: Copy>(
    function: Address,
    grid: [u32; 3],
    block: u32,
    stream: Address,
    argument: &T,
) -> BlasResult {
    let mut argument = *argument;
    let mut parameters = [(&raw mut argument).cast::<c_void>()];
    let [x, y, z] = grid;
    let none = std::ptr::null_mut();
    let list = parameters.as_mut_ptr();
    // SAFETY: the list has one pointer to an argument, which the runtime reads before it returns.
    let code =
        unsafe { hipModuleLaunchKernel(function, x, y, z, block, 1, 1, 0, stream, list, none) };
    check(code, Status::ExecutionFailed)
}

/// Device memory that is freed when the value is dropped.
pub struct Scratch(pub Address);

impl Scratch {
    /// Allocates device memory.
    pub fn new(bytes: usize) -> BlasResult<Scratch> {
        let mut address = 0;
        // SAFETY: `address` is valid for writes.
        let code = unsafe { hipMalloc(&mut address, bytes) };
        check(code, Status::AllocFailed)?;
        Ok(Scratch(address))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: the address comes from `hipMalloc`. The call may fail after a failed kernel, which has been reported already.
        unsafe { hipFree(self.0) };
    }
}

/// Copies bytes between host or device addresses.
pub fn copy(to: Address, from: Address, bytes: usize, stream: Address) -> BlasResult {
    // SAFETY: the caller guarantees that both ranges are valid.
    let code = unsafe { hipMemcpyAsync(to, from, bytes, BY_ADDRESS, stream) };
    check(code, Status::MappingError)
}

/// Copies rows of `width` bytes between host or device addresses.
pub fn copy_rows(
    to: (Address, usize),
    from: (Address, usize),
    width: usize,
    height: usize,
    stream: Address,
) -> BlasResult {
    // SAFETY: the caller guarantees that both ranges are valid.
    let code = unsafe {
        hipMemcpy2DAsync(
            to.0, to.1, from.0, from.1, width, height, BY_ADDRESS, stream,
        )
    };
    check(code, Status::MappingError)
}

/// Fills device memory with zeros.
pub fn zero(to: Address, bytes: usize, stream: Address) -> BlasResult {
    // SAFETY: the caller guarantees that the range is valid.
    check(
        unsafe { hipMemsetAsync(to, 0, bytes, stream) },
        Status::MappingError,
    )
}

/// Waits for a stream.
pub fn wait(stream: Address) -> BlasResult {
    // SAFETY: the runtime checks the handle.
    check(
        unsafe { hipStreamSynchronize(stream) },
        Status::ExecutionFailed,
    )
}

/// Reads the caller's value at a host address.
pub fn host_value<T: Copy>(at: Address) -> BlasResult<T> {
    if at == 0 {
        return Err(Status::InvalidPointer);
    }
    let pointer: *const T = std::ptr::with_exposed_provenance(at as usize);
    // SAFETY: the pointer is not null, and the caller guarantees that it is valid.
    Ok(unsafe { pointer.read_unaligned() })
}

/// Stores a value for the caller at a host address.
pub fn store_host_value<T: Copy>(at: Address, value: T) -> BlasResult {
    if at == 0 {
        return Err(Status::InvalidPointer);
    }
    let pointer: *mut T = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: the pointer is not null, and the caller guarantees that it is valid.
    unsafe { pointer.write_unaligned(value) };
    Ok(())
}

/// Stores bytes for the caller at a host address.
pub fn store_host_bytes(at: Address, bytes: &[u8]) -> BlasResult {
    (at..)
        .zip(bytes)
        .try_for_each(|(at, byte)| store_host_value(at, *byte))
}
