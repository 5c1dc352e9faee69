//! The explicit arguments of a launch, in the two ways that HIP takes them.

use gfx906::code_object::{Kernarg, KernargError, Kernel};

use crate::boundary::{Address, In, host_bytes, host_value};
use crate::diagnostics::log;
use crate::error::{HipError, Outcome};

/// The explicit arguments, each behind a pointer of its own.
pub fn gather(kernel: &Kernel, parameters: In<Address>) -> Outcome<Vec<u8>> {
    let sizes = kernel.explicit_args().map(|arg| arg.size as usize);
    let sizes: Vec<usize> = sizes.collect();
    let mut kernarg = Kernarg::new(kernel, sizes.len()).map_err(refused)?;
    for (n, size) in sizes.into_iter().enumerate() {
        let value = host_bytes(parameters.nth(n)?, size)?;
        kernarg.put(n, value).map_err(refused)?;
    }
    Ok(kernarg.into_bytes())
}

/// The explicit arguments, laid out by the program: address and size, each behind a number that says which.
pub fn unpack(kernel: &Kernel, extra: In<Address>) -> Outcome<Vec<u8>> {
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
    let wanted = kernel.explicit_kernarg_size() as usize;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    // No more is read than the program says is there.
    let given = host_bytes(buffer, size.min(wanted))?;
    Ok(kernel.explicit_kernarg(given).map_err(refused)?.to_vec())
}

/// Tells what is wrong with arguments.
fn refused(error: KernargError) -> HipError {
    log(error);
    HipError::InvalidValue
}
