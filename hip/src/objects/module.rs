//! Code objects in device memory, and their kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use gfx906::code_object::{
    ArgKind, CodeObject, CodeObjectError, HiddenArg, Kernel, Lines, SymbolKind,
};
use gfx906::machine::{Gpu, Module};

use crate::boundary::Address;
use crate::diagnostics::log;
use crate::error::{HipError, Outcome};
use crate::hostcall::Requests;
use crate::recording::Code;

/// A code object in device memory, for as long as someone holds it.
pub struct Loaded {
    gpu: Arc<Gpu>,
    /// The emulator's module.
    pub module: Module,
    /// How many kernels it has.
    pub kernels: usize,
    /// Address and size of its variables.
    variables: HashMap<String, (Address, u64)>,
    /// What a record of its launches needs, where launches are recorded.
    pub code: Option<Code>,
    /// Its line tables, if it has any.
    pub lines: Option<Mutex<Lines>>,
}

/// A kernel of a module.
#[derive(Clone)]
pub struct Function {
    /// The module.
    pub loaded: Arc<Loaded>,
    /// The kernel's name.
    pub name: String,
}

/// A code object whose kernels are asked for by name.
pub struct Library {
    /// The code object.
    pub loaded: Arc<Loaded>,
    /// Handles of kernels that were asked for.
    pub kernels: HashMap<String, Address>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.gpu.unload(&self.module);
    }
}

impl Function {
    /// The kernel.
    pub fn kernel(&self) -> Outcome<&Kernel> {
        let kernel = self.loaded.module.kernel(&self.name);
        kernel.ok_or(HipError::InvalidDeviceFunction)
    }
}

impl Loaded {
    /// Loads a code object, in whatever it is wrapped; an error is told on stderr too, as its code says little.
    pub fn new(gpu: &Arc<Gpu>, host: &mut Requests, bytes: &[u8]) -> Outcome<Arc<Loaded>> {
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
        let code = Code::of(gpu, bytes, &variables);
        Ok(Arc::new(Loaded {
            gpu: gpu.clone(),
            module,
            kernels: object.kernels.len(),
            variables,
            code,
            lines: Lines::read(bytes).map(Mutex::new),
        }))
    }

    /// Address and size of a variable.
    pub fn variable(&self, name: &str) -> Option<(Address, u64)> {
        self.variables.get(name).copied()
    }
}

/// Whether a kernel was compiled to send requests to the host.
pub fn asks_host(kernel: &Kernel) -> bool {
    takes(kernel, HiddenArg::HostcallBuffer) || takes(kernel, HiddenArg::HeapV1)
}

/// Whether a kernel takes something that the runtime supplies.
pub fn takes(kernel: &Kernel, hidden: HiddenArg) -> bool {
    let kind = ArgKind::Hidden(hidden);
    kernel.args.iter().any(|arg| arg.kind == kind)
}
