//! Memory, code objects and launches of one trial on a card.

use std::ffi::{CString, c_void};
use std::ptr;

use gfx906::code_object::{CodeObject, Symbol};

use super::error::{HipError, check};
use super::graph::Graph;
use super::sys::{self, hipEvent_t, hipFunction_t, hipModule_t, hipStream_t};
use crate::device::{
    DeviceBuffer, DeviceError, DeviceErrorKind, Launch, LaunchResult, Repetition, Session,
};
use crate::program::Program;
use crate::tensor::guards::Guards;

/// The stream that everything runs on.
const STREAM: hipStream_t = ptr::null_mut();

/// A trial's resources on a card. They stay on the thread that opened the session, whose current device is the card.
struct HipSession {
    modules: Vec<Module>,
    allocations: Vec<*mut c_void>,
    /// Events before and after a kernel.
    events: [hipEvent_t; 2],
}

/// A loaded code object.
struct Module {
    handle: hipModule_t,
    /// The file, which the runtime may read again when it looks up a kernel. The words align it.
    _image: Vec<u64>,
}

/// Opens a session on a card.
pub fn open(index: u32) -> Result<Box<dyn Session>, DeviceError> {
    let index = i32::try_from(index).unwrap_or(i32::MAX);
    // SAFETY: no memory is passed.
    check("hipSetDevice", unsafe { sys::hipSetDevice(index) })?;
    let mut session = HipSession {
        modules: Vec::new(),
        allocations: Vec::new(),
        events: [ptr::null_mut(); 2],
    };
    for event in &mut session.events {
        // SAFETY: the runtime writes a handle there.
        check("hipEventCreate", unsafe {
            sys::hipEventCreate(&raw mut *event)
        })?;
    }
    Ok(Box::new(session))
}

impl HipSession {
    fn module(&self, number: usize) -> Result<&Module, DeviceError> {
        let found = self.modules.get(number);
        found.ok_or_else(|| DeviceError::invalid("no such code object is loaded"))
    }

    /// Finds a kernel of a loaded code object.
    fn function(&self, module: usize, kernel: &str) -> Result<hipFunction_t, DeviceError> {
        let module = self.module(module)?;
        let name = CString::new(kernel)
            .map_err(|_| DeviceError::invalid("the kernel's name has a NUL in it"))?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name ends in a NUL, and the runtime writes a handle there.
        check("hipModuleGetFunction", unsafe {
            sys::hipModuleGetFunction(&raw mut function, module.handle, name.as_ptr())
        })?;
        Ok(function)
    }

    fn record(&self, event: usize) -> Result<(), HipError> {
        // SAFETY: the event was made when the session was, and lives as long.
        check("hipEventRecord", unsafe {
            sys::hipEventRecord(self.events[event], STREAM)
        })
    }

    fn wait(&self) -> Result<(), HipError> {
        // SAFETY: no memory is passed.
        check("hipDeviceSynchronize", unsafe {
            sys::hipDeviceSynchronize()
        })
    }

    /// Returns the seconds between the events, if the runtime can measure them.
    fn elapsed(&self) -> Option<f64> {
        let mut milliseconds = 0f32;
        let [from, to] = self.events;
        // SAFETY: the runtime writes a float there, and the events live as long as the session.
        let code = unsafe { sys::hipEventElapsedTime(&raw mut milliseconds, from, to) };
        let seconds = f64::from(milliseconds) * 1e-3;
        (code == sys::SUCCESS && seconds.is_finite() && seconds >= 0.0).then_some(seconds)
    }
}

impl Session for HipSession {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        // The runtime gets the same ELF file that the emulator runs, even if it comes from a bundle.
        let elf = CodeObject::elf(&program.bytes)
            .map_err(|error| DeviceError::invalid(error.to_string()))?;
        let words = elf.chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_ne_bytes(word)
        });
        let image: Vec<u64> = words.collect();
        let mut handle = ptr::null_mut();
        // SAFETY: the image is an ELF file that the harness has checked, as long as its headers say.
        check("hipModuleLoadData", unsafe {
            sys::hipModuleLoadData(&raw mut handle, image.as_ptr().cast())
        })?;
        self.modules.push(Module {
            handle,
            _image: image,
        });
        Ok(self.modules.len() - 1)
    }

    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError> {
        let module = self.module(module)?.handle;
        let name = CString::new(symbol.name.as_str())
            .map_err(|_| DeviceError::invalid("the variable's name has a NUL in it"))?;
        let (mut address, mut bytes) = (ptr::null_mut(), 0usize);
        // SAFETY: the module is loaded, the name ends in a NUL, and the runtime writes an address and a size there.
        let code = unsafe {
            sys::hipModuleGetGlobal(&raw mut address, &raw mut bytes, module, name.as_ptr())
        };
        check("hipModuleGetGlobal", code).map_err(|error| {
            let mut error = DeviceError::from(error);
            error.kind = DeviceErrorKind::Invalid;
            error.message = format!(
                "variable `{}`: {}",
                symbol.name.escape_debug(),
                error.message
            );
            error
        })?;
        if bytes as u64 != symbol.size {
            return Err(DeviceError::invalid(format!(
                "variable `{}`: the HIP runtime has it with {bytes} bytes, the code object with {}",
                symbol.name.escape_debug(),
                symbol.size
            )));
        }
        Ok(address.addr() as u64)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        let guards = Guards::FULL;
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let size = size.saturating_add(guards.before + guards.after);
        let mut address = ptr::null_mut();
        // SAFETY: the runtime writes an address there.
        let code = unsafe { sys::hipMalloc(&raw mut address, size) };
        check("hipMalloc", code).map_err(|error| {
            let mut error = DeviceError::from(error);
            error.message = format!("buffer `{name}` of {bytes} bytes: {}", error.message);
            error
        })?;
        self.allocations.push(address);
        Ok(DeviceBuffer {
            address: address.addr() as u64 + guards.before as u64,
            guards,
            zeroed: false,
        })
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: the runtime reads the slice, and checks the address, which is the device's.
        let code = unsafe {
            sys::hipMemcpyHtoD(
                on_device(address),
                data.as_ptr().cast_mut().cast(),
                data.len(),
            )
        };
        Ok(check("hipMemcpyHtoD", code)?)
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        // SAFETY: the runtime fills the slice, and checks the address, which is the device's.
        let code =
            unsafe { sys::hipMemcpyDtoH(data.as_mut_ptr().cast(), on_device(address), data.len()) };
        Ok(check("hipMemcpyDtoH", code)?)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<LaunchResult, DeviceError> {
        if launch.cooperative {
            return Err(DeviceError::invalid(
                "a cooperative launch of laid-out arguments is not there on a card: run it on the emulator",
            ));
        }
        let function = self.function(module, launch.kernel)?;
        self.record(0)?;
        start(function, launch, STREAM)?;
        self.record(1)?;
        self.wait()?;
        Ok(LaunchResult {
            kernel_seconds: self.elapsed(),
            ..LaunchResult::default()
        })
    }

    fn repeat(
        &mut self,
        module: usize,
        launch: &Launch<'_>,
        times: u32,
        how: Repetition,
    ) -> Result<Option<f64>, DeviceError> {
        let function = self.function(module, launch.kernel)?;
        let starts = |stream| (0..times).try_for_each(|_| start(function, launch, stream));
        match how {
            Repetition::Stream => {
                self.record(0)?;
                starts(STREAM)?;
                self.record(1)?;
                self.wait()?;
            }
            Repetition::Graph => {
                let graph = Graph::capture(starts)?;
                // The first launch brings the graph to the card.
                graph.launch(STREAM)?;
                self.wait()?;
                self.record(0)?;
                graph.launch(STREAM)?;
                self.record(1)?;
                self.wait()?;
            }
        }
        Ok(self.elapsed())
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(self.wait()?)
    }
}

/// Starts a kernel in a stream.
fn start(
    function: hipFunction_t,
    launch: &Launch<'_>,
    stream: hipStream_t,
) -> Result<(), HipError> {
    let [buffer, size, end] = sys::LAUNCH_PARAM;
    let mut length = launch.kernarg.len();
    let mut extra = [
        buffer,
        launch.kernarg.as_ptr().cast_mut().cast(),
        size,
        (&raw mut length).cast(),
        end,
    ];
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    // SAFETY: the function is of a loaded module. The list ends with its mark, and the memory that it points to is alive until the
    // runtime has read it, which is before it returns. The kernel only affects the device.
    let code = unsafe {
        let params = ptr::null_mut();
        let list = extra.as_mut_ptr();
        sys::hipModuleLaunchKernel(
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            launch.dynamic_lds,
            stream,
            params,
            list,
        )
    };
    check("hipModuleLaunchKernel", code)
}

/// Makes a pointer that is never dereferenced on the host.
fn on_device(address: u64) -> *mut c_void {
    ptr::without_provenance_mut(address as usize)
}

impl Drop for HipSession {
    fn drop(&mut self) {
        // After a fault every call may fail, so errors are ignored here.
        for &address in &self.allocations {
            // SAFETY: it was allocated here, and nobody uses it any more.
            unsafe { sys::hipFree(address) };
        }
        for module in &self.modules {
            // SAFETY: it was loaded here, and nothing runs of it any more.
            unsafe { sys::hipModuleUnload(module.handle) };
        }
        for &event in self.events.iter().filter(|event| !event.is_null()) {
            // SAFETY: it was made here.
            unsafe { sys::hipEventDestroy(event) };
        }
    }
}
