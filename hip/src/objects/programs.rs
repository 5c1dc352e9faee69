//! What a program carries within itself. Device code is loaded when something of it is used first: a program without code for gfx906 runs
//! until then.

use std::collections::HashMap;
use std::sync::Arc;

use gfx906::machine::Gpu;

use super::module::{Function, Loaded};
use crate::boundary::Address;
use crate::error::{HipError, Outcome};
use crate::handles::{Handles, Tag};
use crate::hostcall::Requests;
use crate::image::image;

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

    /// A new binary, whose image stands at an address of the program's; its handle.
    pub fn register(&mut self, image: Address) -> Address {
        self.binaries.insert(Binary {
            image,
            loaded: None,
            managed: Vec::new(),
        })
    }

    /// Forgets a binary and what it has.
    pub fn unregister(&mut self, binary: Address) {
        self.functions.retain(|_, f| f.0 != binary);
        self.variables.retain(|_, v| v.binary != binary);
        self.binaries.remove(binary);
    }

    /// The kernel behind a function of the host's.
    pub fn add_function(&mut self, host: Address, binary: Address, name: String) {
        self.functions.insert(host, (binary, name));
    }

    /// The device's variable behind one of the host's.
    pub fn add_variable(&mut self, host: Address, binary: Address, name: String) {
        self.variables.insert(host, Variable { binary, name });
    }

    /// A variable of both sides, whose memory is at an address.
    pub fn add_managed(&mut self, binary: Address, name: String, address: Address) -> Outcome {
        let binary = self.binaries.get_mut(binary);
        let binary = binary.ok_or(HipError::InvalidHandle)?;
        binary.managed.push(Managed { name, address });
        Ok(())
    }

    /// The kernel behind a function of the host's, in device memory.
    pub fn function(
        &mut self,
        gpu: &Arc<Gpu>,
        requests: &mut Requests,
        host: Address,
    ) -> Outcome<Function> {
        let known = self.functions.get(&host).cloned();
        let (binary, name) = known.ok_or(HipError::InvalidDeviceFunction)?;
        let loaded = self.load(gpu, requests, binary)?;
        Ok(Function { loaded, name })
    }

    /// Address and size of the device's variable behind one of the host's.
    pub fn variable(
        &mut self,
        gpu: &Arc<Gpu>,
        requests: &mut Requests,
        host: Address,
    ) -> Outcome<(Address, u64)> {
        let variable = self.variables.get(&host);
        let Variable { binary, name } = variable.ok_or(HipError::InvalidSymbol)?;
        let (binary, name) = (*binary, name.clone());
        let loaded = self.load(gpu, requests, binary)?;
        loaded.variable(&name).ok_or(HipError::InvalidSymbol)
    }
}
