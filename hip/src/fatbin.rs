//! What a program carries within itself: its constructors register device code, kernels and variables before `main`.
//!
//! Device code is loaded when something of it is used first: a program without code for gfx906 runs until then.

use std::collections::HashMap;
use std::sync::Arc;

use gfx906::machine::Gpu;

use crate::boundary::{Address, Out, Text, host_bytes, host_value, put_bytes};
use crate::error::{HipError, Outcome};
use crate::handles::{Handles, Tag};
use crate::hostcall::Requests;
use crate::image::image;
use crate::memory::{Kind, host};
use crate::module::{Function, Loaded};
use crate::runtime::{State, guarded, state};
use crate::tell::tell;

/// A registered binary.
struct Binary {
    /// Where its image stands.
    image: Address,
    /// The image in device memory, or why it is not there.
    loaded: Option<Outcome<Arc<Loaded>>>,
    managed: Vec<Managed>,
}

/// A `__managed__` variable: the device's variable of this name holds its address.
struct Managed {
    name: String,
    address: Address,
}

/// A `__device__` or `__constant__` variable.
struct Variable {
    binary: Address,
    name: String,
}

/// Everything that is registered.
pub struct Programs {
    binaries: Handles<Binary>,
    /// By the address of the host's function.
    functions: HashMap<Address, (Address, String)>,
    /// By the address of the host's variable.
    variables: HashMap<Address, Variable>,
}

impl Programs {
    /// Nothing yet.
    pub fn new() -> Programs {
        Programs {
            binaries: Handles::new(Tag::Binary),
            functions: HashMap::new(),
            variables: HashMap::new(),
        }
    }

    /// Addresses of managed variables.
    pub fn managed(&self) -> impl Iterator<Item = Address> {
        let binaries = self.binaries.values();
        binaries.flat_map(|b| b.managed.iter().map(|m| m.address))
    }

    /// Forgets what is in device memory: the next use loads it again.
    pub fn reset(&mut self) {
        self.binaries.values_mut().for_each(|b| b.loaded = None);
    }

    /// A binary in device memory.
    fn load(
        &mut self,
        gpu: &Arc<Gpu>,
        host: &mut Requests,
        handle: Address,
    ) -> Outcome<Arc<Loaded>> {
        let binary = self
            .binaries
            .get_mut(handle)
            .ok_or(HipError::InvalidHandle)?;
        if let Some(loaded) = &binary.loaded {
            return loaded.clone();
        }
        let loaded = image(binary.image).and_then(|bytes| Loaded::new(gpu, host, bytes));
        if let Ok(loaded) = &loaded {
            for managed in &binary.managed {
                if let Some((at, _)) = loaded.variable(&managed.name) {
                    let written = gpu.write(at, &managed.address.to_le_bytes());
                    written.map_err(|_| HipError::InvalidImage)?;
                }
            }
        }
        binary.loaded = Some(loaded.clone());
        loaded
    }
}

impl State {
    /// The kernel behind a function of the host's.
    pub fn function_of(&mut self, host: Address) -> Outcome<Function> {
        let known = self.programs.functions.get(&host).cloned();
        let (binary, name) = known.ok_or(HipError::InvalidDeviceFunction)?;
        let loaded = self.programs.load(&self.gpu, &mut self.requests, binary)?;
        Ok(Function { loaded, name })
    }

    /// Address and size of the variable behind one of the host's.
    pub fn variable_of(&mut self, host: Address) -> Outcome<(Address, u64)> {
        if self.programs.managed().any(|address| address == host) {
            let allocation = self.memory.starting_at(host);
            return allocation
                .map(|a| (a.base, a.size))
                .ok_or(HipError::InvalidSymbol);
        }
        let variable = self.programs.variables.get(&host);
        let Variable { binary, name } = variable.ok_or(HipError::InvalidSymbol)?;
        let (binary, name) = (*binary, name.clone());
        let loaded = self.programs.load(&self.gpu, &mut self.requests, binary)?;
        loaded.variable(&name).ok_or(HipError::InvalidSymbol)
    }
}

/// `__hipRegisterFatBinary`: a handle, or 0 where it is none of ours.
pub fn register_binary(wrapper: Address) -> Address {
    /// "HIPF", little-endian.
    const MAGIC: u32 = 0x4849_5046;
    let image = match (host_value::<u32>(wrapper), host_value(wrapper + 8)) {
        (Ok(MAGIC), Ok(image)) => image,
        _ => {
            tell(format!(
                "__hipRegisterFatBinary: no HIP binary at {wrapper:#x}"
            ));
            return 0;
        }
    };
    state().programs.binaries.insert(Binary {
        image,
        loaded: None,
        managed: Vec::new(),
    })
}

pub fn unregister_binary(binary: Address) {
    let mut state = state();
    state.programs.functions.retain(|_, f| f.0 != binary);
    state.programs.variables.retain(|_, v| v.binary != binary);
    state.programs.binaries.remove(binary);
}

#[expect(
    clippy::too_many_arguments,
    reason = "the signature that compilers emit"
)]
pub fn register_function(
    binary: Address,
    host: Address,
    _device: Text,
    name: Text,
    _threads: u32,
    _thread_id: Address,
    _block_id: Address,
    _block: Address,
    _grid: Address,
    _wave_size: Address,
) {
    if let Ok(name) = name.get() {
        state().programs.functions.insert(host, (binary, name));
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "the signature that compilers emit"
)]
pub fn register_variable(
    binary: Address,
    host: Address,
    _host_name: Text,
    name: Text,
    _external: i32,
    _bytes: usize,
    _constant: i32,
    _global: i32,
) {
    if let Ok(name) = name.get() {
        let variable = Variable { binary, name };
        state().programs.variables.insert(host, variable);
    }
}

/// `__hipRegisterManagedVar`: memory for a variable of both sides, and its address for the host's pointer to it.
pub fn register_managed(
    binary: Address,
    pointer: Out<Address>,
    initial: Address,
    name: Text,
    bytes: usize,
    _align: u32,
) {
    let registered = guarded("__hipRegisterManagedVar", || -> Outcome {
        let name = name.get()?;
        let address = host::allocate(&name, bytes.max(1), Kind::Managed, 1)?;
        put_bytes(address, host_bytes(initial, bytes)?)?;
        pointer.put(address)?;
        let mut state = state();
        let binary = state.programs.binaries.get_mut(binary);
        let binary = binary.ok_or(HipError::InvalidHandle)?;
        binary.managed.push(Managed { name, address });
        Ok(())
    });
    if registered != Some(Ok(())) {
        tell("__hipRegisterManagedVar: no memory for a managed variable");
    }
}
