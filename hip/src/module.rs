//! Modules: code objects that the program loads at run time, or carries within itself.

use std::collections::HashMap;
use std::sync::Arc;

use gfx906::code_object::{ArgKind, CodeObject, CodeObjectError, HiddenArg, Kernel, SymbolKind};
use gfx906::machine::{Gpu, Module};

use crate::boundary::{Address, Out, Text};
use crate::error::{HipError, Outcome};
use crate::hostcall::Requests;
use crate::image::image;
use crate::record::Code;
use crate::runtime::{State, queue, state};
use crate::tell::tell;

/// A code object in device memory, for as long as someone holds it.
pub struct Loaded {
    gpu: Arc<Gpu>,
    /// The emulator's module.
    pub module: Module,
    /// Address and size of its variables.
    variables: HashMap<String, (Address, u64)>,
    /// What a record of its launches needs, where launches are recorded.
    pub code: Option<Code>,
}

/// A kernel of a module.
#[derive(Clone)]
pub struct Function {
    /// The module.
    pub loaded: Arc<Loaded>,
    /// The kernel's name.
    pub name: String,
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
            tell(&error);
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
            variables,
            code,
        }))
    }

    /// Address and size of a variable.
    pub fn variable(&self, name: &str) -> Option<(Address, u64)> {
        self.variables.get(name).copied()
    }
}

/// Whether a kernel was compiled to send requests to the host.
pub fn asks_host(kernel: &Kernel) -> bool {
    takes(kernel, HiddenArg::HostcallBuffer)
}

/// Whether a kernel takes something that the runtime supplies.
pub fn takes(kernel: &Kernel, hidden: HiddenArg) -> bool {
    let kind = ArgKind::Hidden(hidden);
    kernel.args.iter().any(|arg| arg.kind == kind)
}

fn add(out: Out<Address>, bytes: &[u8]) -> Outcome {
    let mut state = state();
    let State { gpu, requests, .. } = &mut *state;
    let loaded = Loaded::new(gpu, requests, bytes)?;
    out.put(state.modules.insert(loaded))
}

pub fn load(out: Out<Address>, file: Text) -> Outcome {
    out.required()?;
    let file = file.get()?;
    let bytes = std::fs::read(&file).map_err(|error| {
        tell(format!("hipModuleLoad: {file}: {error}"));
        HipError::FileNotFound
    })?;
    add(out, &bytes)
}

pub fn load_data(out: Out<Address>, at: Address) -> Outcome {
    out.required()?;
    if at == 0 {
        return Err(HipError::InvalidValue);
    }
    add(out, image(at)?)
}

/// The options are for a compiler that is not there.
pub fn load_data_ex(
    out: Out<Address>,
    at: Address,
    _count: u32,
    _options: Address,
    _values: Address,
) -> Outcome {
    load_data(out, at)
}

pub fn unload(module: Address) -> Outcome {
    let _device = queue();
    let mut state = state();
    let loaded = state.modules.remove(module);
    let loaded = loaded.ok_or(HipError::InvalidHandle)?;
    state.functions.retain(|f| !Arc::ptr_eq(&f.loaded, &loaded));
    Ok(())
}

fn get(module: Address) -> Outcome<Arc<Loaded>> {
    let known = state().modules.get(module).cloned();
    known.ok_or(HipError::InvalidHandle)
}

pub fn get_function(out: Out<Address>, module: Address, name: Text) -> Outcome {
    out.required()?;
    let name = name.get()?;
    let loaded = get(module)?;
    if loaded.module.kernel(&name).is_none() {
        return Err(HipError::NotFound);
    }
    let handle = state().functions.insert(Function { loaded, name });
    out.put(handle)
}

pub fn get_global(out: Out<Address>, size: Out<usize>, module: Address, name: Text) -> Outcome {
    let name = name.get()?;
    let (address, bytes) = get(module)?.variable(&name).ok_or(HipError::NotFound)?;
    if !out.is_null() {
        out.put(address)?;
    }
    if !size.is_null() {
        size.put(bytes as usize)?;
    }
    Ok(())
}

/// The kernel of a handle.
pub fn function(handle: Address) -> Outcome<Function> {
    let known = state().functions.get(handle).cloned();
    known.ok_or(HipError::InvalidHandle)
}
