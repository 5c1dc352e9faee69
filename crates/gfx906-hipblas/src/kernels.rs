//! Kernels of the library. They are loaded at their first use, and again after the program has reset the device.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use crate::hip::{self, Address};
use crate::status::{BlasResult, Status};

/// Code object of `kernels/blas.hip`, which `scripts/build-blas.sh` compiles.
static CODE: &[u8] = include_bytes!("../kernels/blas.co");

/// The loaded module, and the kernels that have been looked up.
struct LoadedKernels {
    module: Address,
    kernels: HashMap<String, Address>,
}

static LOADED: Mutex<Option<LoadedKernels>> = Mutex::new(None);

fn find(name: &str) -> BlasResult<Address> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if loaded.is_none() {
        *loaded = Some(LoadedKernels {
            module: hip::load(CODE)?,
            kernels: HashMap::new(),
        });
    }
    let Some(LoadedKernels { module, kernels }) = &mut *loaded else {
        return Err(Status::InternalError);
    };
    if let Some(kernel) = kernels.get(name) {
        return Ok(*kernel);
    }
    let text = CString::new(name).map_err(|_| Status::InternalError)?;
    let kernel = hip::kernel(*module, &text)?;
    kernels.insert(name.to_owned(), kernel);
    Ok(kernel)
}

/// Launches a kernel that takes one structure.
pub fn launch<T: Copy>(
    name: &str,
    grid: [u32; 3],
    block: u32,
    stream: Address,
    argument: &T,
) -> BlasResult {
    // The program may have reset the device since the last launch. The kernels are then loaded again.
    let reload_and_launch = || {
        *LOADED.lock().unwrap_or_else(PoisonError::into_inner) = None;
        hip::launch(find(name)?, grid, block, stream, argument)
    };
    match find(name) {
        Ok(kernel) => {
            hip::launch(kernel, grid, block, stream, argument).or_else(|_| reload_and_launch())
        }
        Err(_) => reload_and_launch(),
    }
}
