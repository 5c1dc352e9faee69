//! Explicit arguments of a launch, in the two forms that HIP takes.

use gfx906::code_object::{Kernarg, KernargError, Kernel};

use crate::boundary::{Address, In, host_bytes, host_value};
use crate::diagnostics::log;
use crate::diagnostics::trap::demangle_quoted;
use crate::error::{HipError, HipResult};

/// Reads the explicit arguments through an array of pointers, one per argument.
pub fn gather(kernel: &Kernel, parameters: In<Address>) -> HipResult<Vec<u8>> {
    let sizes = kernel.explicit_args().map(|arg| arg.size as usize);
    let sizes: Vec<usize> = sizes.collect();
    let mut kernarg = Kernarg::new(kernel, sizes.len()).map_err(refused)?;
    for (n, size) in sizes.into_iter().enumerate() {
        let value = host_bytes(parameters.nth(n)?, size)?;
        kernarg.put(n, value).map_err(refused)?;
    }
    Ok(kernarg.into_bytes())
}

/// Reads explicit arguments that the program has laid out itself. `extra` lists tags, each followed by the address or the size of the
/// arguments.
pub fn unpack(kernel: &Kernel, extra: In<Address>) -> HipResult<Vec<u8>> {
    const POINTER: Address = 1;
    const SIZE: Address = 2;
    const END: Address = 3;
    let (mut buffer, mut size) = (0, 0);
    let mut at = 0;
    loop {
        match extra.nth(at)? {
            POINTER => buffer = extra.nth(at + 1)?,
            SIZE => size = host_value::<usize>(extra.nth(at + 1)?)?,
            END => break,
            _ => return Err(HipError::NotInitialized),
        }
        at += 2;
    }
    let needed = kernel.explicit_kernarg_size() as usize;
    if needed == 0 {
        return Ok(Vec::new());
    }
    // No more is read than the program vouches for.
    let bytes = host_bytes(buffer, size.min(needed))?;
    Ok(kernel.explicit_kernarg(bytes).map_err(refused)?.to_vec())
}

/// Logs a problem of the arguments and returns HIP's error code.
fn refused(error: KernargError) -> HipError {
    log(demangle_quoted(&error.to_string()));
    HipError::InvalidValue
}
