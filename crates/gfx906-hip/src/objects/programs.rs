//! Device code within the program's file. It is loaded at its first use, so that a program without code for gfx906 runs until then.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gfx906::machine::Gpu;

use super::module::{Function, LoadedCode};
use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::handles::{Handles, Tag};
use crate::hostcall::HostRequests;
use crate::image::image;

/// Registered binary.
struct Binary {
    /// Address of the image.
    image: Address,
    /// Image in device memory, or the reason why it could not be loaded. None before the first use.
    loaded: Option<HipResult<Arc<LoadedCode>>>,
    managed: Vec<ManagedVariable>,
}

/// `__managed__` variable. The device's variable of this name holds its address.
struct ManagedVariable {
    name: String,
    address: Address,
}

/// `__device__` or `__constant__` variable.
struct Variable {
    binary: Address,
    name: String,
}

/// Table of all registered binaries, functions and variables.
pub struct RegisteredBinaries {
    binaries: Handles<Binary>,
    /// Binary and kernel name, by the address of the host's function.
    functions: HashMap<Address, (Address, String)>,
    /// Variables by the address of the host's variable.
    variables: HashMap<Address, Variable>,
    /// Host functions of which a refused launch was reported.
    refused: HashSet<Address>,
}

impl RegisteredBinaries {
    /// Returns an empty table.
    pub fn new() -> RegisteredBinaries {
        RegisteredBinaries {
            binaries: Handles::new(Tag::Binary),
            functions: HashMap::new(),
            variables: HashMap::new(),
            refused: HashSet::new(),
        }
    }

    /// Returns the addresses of managed variables.
    pub fn managed(&self) -> impl Iterator<Item = Address> {
        let binaries = self.binaries.values();
        binaries.flat_map(|b| b.managed.iter().map(|m| m.address))
    }

    /// Forgets the code in device memory. The next use loads it again.
    pub fn reset(&mut self) {
        self.binaries.values_mut().for_each(|b| b.loaded = None);
    }

    /// Loads a binary into device memory.
    fn load(
        &mut self,
        gpu: &Arc<Gpu>,
        host: &mut HostRequests,
        handle: Address,
    ) -> HipResult<Arc<LoadedCode>> {
        let binary = self
            .binaries
            .get_mut(handle)
            .ok_or(HipError::InvalidHandle)?;
        if let Some(loaded) = &binary.loaded {
            return loaded.clone();
        }
        let loaded = image(binary.image).and_then(|bytes| LoadedCode::new(gpu, host, bytes));
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

    /// Adds a binary whose image is at an address of the program. Returns its handle.
    pub fn register(&mut self, image: Address) -> Address {
        self.binaries.insert(Binary {
            image,
            loaded: None,
            managed: Vec::new(),
        })
    }

    /// Removes a binary with its functions and variables.
    pub fn unregister(&mut self, binary: Address) {
        self.functions.retain(|_, f| f.0 != binary);
        self.refused
            .retain(|host| self.functions.contains_key(host));
        self.variables.retain(|_, v| v.binary != binary);
        self.binaries.remove(binary);
    }

    /// Adds the kernel of a host function.
    pub fn add_function(&mut self, host: Address, binary: Address, name: String) {
        self.functions.insert(host, (binary, name));
    }

    /// Adds the device's variable of a host variable.
    pub fn add_variable(&mut self, host: Address, binary: Address, name: String) {
        self.variables.insert(host, Variable { binary, name });
    }

    /// Adds a managed variable whose memory is at an address.
    pub fn add_managed(&mut self, binary: Address, name: String, address: Address) -> HipResult {
        let binary = self.binaries.get_mut(binary);
        let binary = binary.ok_or(HipError::InvalidHandle)?;
        binary.managed.push(ManagedVariable { name, address });
        Ok(())
    }

    /// Loads and returns the kernel of a host function.
    pub fn function(
        &mut self,
        gpu: &Arc<Gpu>,
        requests: &mut HostRequests,
        host: Address,
    ) -> HipResult<Function> {
        let function = self.functions.get(&host).cloned();
        let (binary, name) = function.ok_or(HipError::InvalidDeviceFunction)?;
        let loaded = self.load(gpu, requests, binary)?;
        Ok(Function { loaded, name })
    }

    /// Returns the kernel name of a host function when its first launch is refused, and None for later ones.
    pub fn first_refused(&mut self, host: Address) -> Option<&str> {
        let (_, name) = self.functions.get(&host)?;
        self.refused.insert(host).then_some(name)
    }

    /// Loads a host variable's variable on the device. Returns its address and size.
    pub fn variable(
        &mut self,
        gpu: &Arc<Gpu>,
        requests: &mut HostRequests,
        host: Address,
    ) -> HipResult<(Address, u64)> {
        let variable = self.variables.get(&host);
        let Variable { binary, name } = variable.ok_or(HipError::InvalidSymbol)?;
        let (binary, name) = (*binary, name.clone());
        let loaded = self.load(gpu, requests, binary)?;
        loaded.variable(&name).ok_or(HipError::InvalidSymbol)
    }
}
