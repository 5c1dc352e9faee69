//! Calls from a program's constructors, which register device code, kernels and variables before `main`.

use crate::boundary::{Address, Out, Text, host_bytes, host_value, put_bytes};
use crate::calls::shared;
use crate::diagnostics::log;
use crate::error::HipResult;
use crate::objects::memory::Kind;
use crate::process;
use crate::runtime::{guarded, state};

/// `__hipRegisterFatBinary`: returns a handle, or 0 for a binary that has no code for this device.
pub fn register_binary(wrapper: Address) -> Address {
    /// "HIPF", little-endian.
    const MAGIC: u32 = 0x4849_5046;
    let image = match (host_value::<u32>(wrapper), host_value(wrapper + 8)) {
        (Ok(MAGIC), Ok(image)) => image,
        _ => {
            log(format!(
                "__hipRegisterFatBinary: no HIP binary at {wrapper:#x}"
            ));
            return 0;
        }
    };
    state().programs.register(image)
}

pub fn unregister_binary(binary: Address) {
    // After a fork, a thread that does not exist in this process may have held the state's lock.
    if process::is_forked() {
        return;
    }
    state().programs.unregister(binary);
}

pub fn register_function(binary: Address, host: Address, name: Text) {
    if let Ok(name) = name.get() {
        state().programs.add_function(host, binary, name);
    }
}

pub fn register_variable(binary: Address, host: Address, name: Text) {
    if let Ok(name) = name.get() {
        state().programs.add_variable(host, binary, name);
    }
}

/// `__hipRegisterManagedVar`: allocates memory for a variable that host and device share, and stores its address in the host's pointer.
pub fn register_managed(
    binary: Address,
    pointer: Out<Address>,
    initial: Address,
    name: Text,
    bytes: usize,
) {
    let registered = guarded("__hipRegisterManagedVar", || -> HipResult {
        let name = name.get()?;
        let address = shared::allocate(&name, bytes.max(1), Kind::Managed, 1)?;
        put_bytes(address, host_bytes(initial, bytes)?)?;
        pointer.put(address)?;
        state().programs.add_managed(binary, name, address)
    });
    if registered != Some(Ok(())) {
        log("__hipRegisterManagedVar: no memory for a managed variable");
    }
}
