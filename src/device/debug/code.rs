//! A code object on the device, with its source.

use std::cell::OnceCell;
use std::sync::Arc;

use gfx906::code_object::{CodeObject, Kernel, Source, SourceParameter, SourceParameters};
use gfx906::machine::Module;

use crate::program::Program;

/// A loaded code object.
pub struct Code {
    /// The code object in device memory.
    pub module: Arc<Module>,
    /// The code object in its file.
    pub object: CodeObject,
    bytes: Arc<[u8]>,
    source: OnceCell<Option<Source>>,
    parameters: OnceCell<SourceParameters>,
}

impl Code {
    /// Makes the record of a loaded program.
    pub(super) fn new(module: Module, program: &Program) -> Code {
        Code {
            module: Arc::new(module),
            object: program.object.clone(),
            bytes: Arc::clone(&program.bytes),
            source: OnceCell::new(),
            parameters: OnceCell::new(),
        }
    }

    /// Returns the debug information, if the code object has any.
    pub fn source(&self) -> Option<&Source> {
        let source = self.source.get_or_init(|| Source::read(&self.bytes));
        source.as_ref()
    }

    /// Returns the parameters of a kernel as the source declares them, if the debug information has them.
    pub(super) fn parameters(&self, kernel: &Kernel) -> Option<&[SourceParameter]> {
        let parameters = self
            .parameters
            .get_or_init(|| SourceParameters::read(&self.bytes));
        parameters.kernel_parameters(kernel)
    }

    /// Returns the number of the file and the line of a link address.
    pub(super) fn line_at(&self, address: u64) -> Option<(usize, u32)> {
        self.source()?.line_at(address)
    }

    /// Returns the number of frames at a link address: one, and one for each inlined function.
    pub(super) fn depth(&self, address: u64) -> usize {
        self.source()
            .map_or(1, |source| source.frames(address).len())
    }

    /// Returns the start of the function that contains a link address.
    pub(super) fn function(&self, address: u64) -> Option<u64> {
        let (symbol, _) = self.object.function_at(address)?;
        Some(symbol.address)
    }
}
