//! Code objects in device memory, and their kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gfx906::code_object::{
    ArgKind, CodeObject, CodeObjectError, HiddenArg, Kernel, Lines, SymbolKind,
};
use gfx906::machine::{Gpu, Module};

use crate::boundary::Address;
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::hostcall::HostRequests;
use crate::recording::RecordedCode;

/// Code object in device memory. It is unloaded when its last owner is dropped.
pub struct LoadedCode {
    gpu: Arc<Gpu>,
    /// Module of the emulator.
    pub module: Module,
    /// Number of kernels.
    pub kernels: usize,
    /// Address and size of each variable.
    variables: HashMap<String, (Address, u64)>,
    /// Managed variables of a module that the program has loaded, as it finds them: address and size.
    managed: HashMap<String, (Address, u64)>,
    /// Data for records of its launches, if launches are recorded.
    pub code: Option<RecordedCode>,
    /// Line tables, if there are any.
    pub lines: Option<Mutex<Lines>>,
}

/// Managed variable that a code object declares.
pub struct ManagedDeclaration {
    /// Name in the source.
    pub name: String,
    /// Address of the device's pointer to the variable.
    pub pointer: Address,
    /// Address and size of the initial value.
    pub initial: (Address, u64),
}

/// Kernel of a module.
#[derive(Clone)]
pub struct Function {
    /// Module.
    pub loaded: Arc<LoadedCode>,
    /// Name of the kernel.
    pub name: String,
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded) && self.name == other.name
    }
}

impl Drop for LoadedCode {
    fn drop(&mut self) {
        self.gpu.unload(&self.module);
    }
}

impl Function {
    /// Returns the kernel.
    pub fn kernel(&self) -> HipResult<&Kernel> {
        let kernel = self.loaded.module.kernel(&self.name);
        kernel.ok_or(HipError::InvalidDeviceFunction)
    }
}

impl LoadedCode {
    /// Loads a code object in any of its wrappers. Logs the reason of an error, since the error code says little.
    pub fn new(
        gpu: &Arc<Gpu>,
        host: &mut HostRequests,
        bytes: &[u8],
    ) -> HipResult<Arc<LoadedCode>> {
        let object = CodeObject::parse(bytes).map_err(|error| {
            log(&error);
            match error {
                CodeObjectError::NoEntry { .. } | CodeObjectError::WrongProcessor { .. } => {
                    HipError::NoBinaryForGpu
                }
                _ => HipError::InvalidImage,
            }
        })?;
        let mut module = gpu.load(&object).map_err(|_| HipError::OutOfMemory)?;
        if object.kernels.iter().any(asks_host) {
            module.hostcall = host.buffer(gpu)?;
            module.heap = host.heap();
        }
        let variables = object
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Object)
            .map(|s| (s.name.clone(), (module.base + s.address, s.size)))
            .collect();
        let code = RecordedCode::copy_if_recording(gpu, bytes, &variables);
        Ok(Arc::new(LoadedCode {
            gpu: gpu.clone(),
            module,
            kernels: object.kernels.len(),
            variables,
            managed: HashMap::new(),
            code,
            lines: Lines::read(bytes).map(Mutex::new),
        }))
    }

    /// Returns the managed variables that the code declares. A compiler names the initial value of `x` `x.managed`; the device's variable `x`
    /// has the address of the memory that both sides use.
    pub fn declared_managed(&self) -> Vec<ManagedDeclaration> {
        const POINTER: u64 = 8;
        let declared = self.variables.iter().filter_map(|(name, &initial)| {
            let name = name.strip_suffix(".managed")?;
            let (pointer, bytes) = self.variable(name)?;
            let name = name.to_owned();
            (bytes == POINTER).then_some(ManagedDeclaration {
                name,
                pointer,
                initial,
            })
        });
        declared.collect()
    }

    /// Sets the memory of a managed variable: address and size.
    pub fn set_managed(&mut self, name: String, memory: (Address, u64)) {
        self.managed.insert(name, memory);
    }

    /// Returns the addresses of managed variables.
    pub fn managed(&self) -> impl Iterator<Item = Address> {
        self.managed.values().map(|memory| memory.0)
    }

    /// Returns address and size of a variable as the program finds it. A managed variable is in memory that both sides use.
    pub fn variable_of_program(&self, name: &str) -> Option<(Address, u64)> {
        let managed = self.managed.get(name).copied();
        managed.or_else(|| self.variable(name))
    }

    /// Returns address and size of a variable.
    pub fn variable(&self, name: &str) -> Option<(Address, u64)> {
        self.variables.get(name).copied()
    }
}

/// Returns true if a kernel was compiled to send requests to the host.
pub fn asks_host(kernel: &Kernel) -> bool {
    takes(kernel, HiddenArg::HostcallBuffer) || takes(kernel, HiddenArg::HeapV1)
}

/// Returns true if a kernel has a hidden argument.
pub fn takes(kernel: &Kernel, hidden: HiddenArg) -> bool {
    let kind = ArgKind::Hidden(hidden);
    kernel.args.iter().any(|arg| arg.kind == kind)
}
