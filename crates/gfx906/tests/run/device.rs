//! A device with one code object, for tests that launch kernels.

use gfx906::code_object::CodeObject;
use gfx906::machine::{Counters, Gpu, Launch, LaunchError, Limits, Module, Trap};

/// A kernel argument.
#[derive(Clone, Copy)]
pub enum Arg {
    /// A device address.
    Pointer(u64),
    /// An i32.
    Int(i32),
}

/// A device with a code object loaded.
pub struct Device {
    pub gpu: Gpu,
    module: Module,
}

impl Device {
    /// Loads the code object of these bytes.
    pub fn new(code_object: &[u8]) -> Device {
        let object = CodeObject::parse(code_object).expect("a gfx906 code object");
        let gpu = Gpu::new();
        let module = gpu.load(&object).expect("memory for the code");
        Device { gpu, module }
    }

    /// Creates an allocation with f32 values.
    pub fn floats(&self, name: &str, values: &[f32]) -> u64 {
        let address = self
            .gpu
            .alloc(name, 4 * values.len() as u64)
            .expect("memory");
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.gpu
            .write(address, &bytes)
            .expect("within the allocation");
        address
    }

    /// Returns the f32 values of an allocation.
    pub fn read(&self, address: u64, count: usize) -> Vec<f32> {
        let mut bytes = vec![0; 4 * count];
        self.gpu
            .read(address, &mut bytes)
            .expect("within the allocation");
        bytes
            .chunks(4)
            .map(|b| f32::from_le_bytes(b.try_into().expect("four bytes")))
            .collect()
    }

    /// Launches a kernel on one host thread.
    pub fn launch(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[Arg],
        limits: Limits,
        threads: usize,
    ) -> Result<Counters, LaunchError> {
        let mut kernarg = Vec::new();
        for arg in args {
            match *arg {
                Arg::Pointer(address) => {
                    kernarg.resize(kernarg.len().next_multiple_of(8), 0);
                    kernarg.extend(address.to_le_bytes());
                }
                Arg::Int(value) => kernarg.extend(value.to_le_bytes()),
            }
        }
        let launch = Launch {
            grid,
            block,
            dynamic_lds: 0,
            kernarg: &kernarg,
            limits,
            threads,
        };
        self.gpu.launch(&self.module, kernel, &launch)
    }

    /// Launches a kernel that must trap.
    pub fn trap(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[Arg],
        limits: Limits,
    ) -> Trap {
        match self.launch(kernel, grid, block, args, limits, 1) {
            Err(LaunchError::Trap(trap)) => *trap,
            other => panic!("{kernel} should trap: {other:?}"),
        }
    }
}
