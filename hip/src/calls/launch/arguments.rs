//! The explicit arguments of a launch, in the two ways that HIP takes them.

use gfx906::code_object::Kernel;

use crate::boundary::{Address, In, host_bytes, host_value};
use crate::error::{HipError, Outcome};
use crate::tell::tell;

/// The explicit arguments, each behind a pointer of its own.
pub fn gather(kernel: &Kernel, parameters: In<Address>) -> Outcome<Vec<u8>> {
    let mut kernarg = vec![0; kernel.explicit_kernarg_size() as usize];
    for (n, arg) in kernel.explicit_args().enumerate() {
        let at = parameters.nth(n)?;
        let value = host_bytes(at, arg.size as usize)?;
        kernarg[arg.offset as usize..][..value.len()].copy_from_slice(value);
    }
    Ok(kernarg)
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
    if size < wanted {
        tell(format!(
            "kernel `{}` takes {wanted} bytes of arguments, the launch gives {size}",
            kernel.name
        ));
        return Err(HipError::InvalidValue);
    }
    Ok(host_bytes(buffer, wanted)?.to_vec())
}
