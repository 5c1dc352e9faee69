//! Runs the benchmarked kernels on the host's cores through OpenCL (PoCL), so that the emulator can be compared with them.
//!
//! Prints one line a kernel: its name and the milliseconds of the fastest of several runs. How many cores it runs on is PoCL's
//! affair: `POCL_MAX_PTHREAD_COUNT`.

use std::time::Instant;

use anyhow::{Context as _, Result};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_float, cl_int};

/// M, N and K of the GEMMs.
const SIZE: usize = 256;
/// Elements of the sigmoid.
const ELEMENTS: usize = 1 << 20;
/// Runs of which the fastest counts.
const RUNS: usize = 10;

fn main() -> Result<()> {
    let devices = get_all_devices(CL_DEVICE_TYPE_CPU)?;
    let device = Device::new(
        *devices
            .first()
            .context("no OpenCL CPU device: install pocl-opencl-icd")?,
    );
    let context = Context::from_device(&device)?;
    let queue = CommandQueue::create_default_with_properties(&context, 0, 0)?;
    let source = include_str!("kernels.cl");
    let program =
        Program::create_and_build_from_source(&context, source, "").map_err(anyhow::Error::msg)?;
    eprintln!("native: {}", device.name()?);
    let buffers: Vec<Buffer<cl_float>> = (0..3)
        .map(|_| {
            // SAFETY: no host pointer is handed over.
            let mut buffer = unsafe {
                Buffer::create(&context, CL_MEM_READ_WRITE, ELEMENTS, std::ptr::null_mut())
            }?;
            let zeros = vec![0.0; ELEMENTS];
            // SAFETY: the buffer holds as many elements, and the write blocks.
            unsafe { queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, &zeros, &[]) }?;
            Ok(buffer)
        })
        .collect::<Result<_>>()?;
    for name in ["gemm_nt_naive", "gemm_nt_tiled", "sigmoid"] {
        let kernel = Kernel::create(&program, name)?;
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let start = Instant::now();
            let mut call = ExecuteKernel::new(&kernel);
            // SAFETY: the arguments are those of the kernel's source, and the sizes stay within the buffers.
            unsafe {
                if name == "sigmoid" {
                    call.set_arg(&buffers[0])
                        .set_arg(&buffers[1])
                        .set_arg(&(ELEMENTS as cl_int));
                    call.set_global_work_size(ELEMENTS).set_local_work_size(256);
                } else {
                    call.set_arg(&buffers[0])
                        .set_arg(&buffers[1])
                        .set_arg(&buffers[2]);
                    for _ in 0..3 {
                        call.set_arg(&(SIZE as cl_int));
                    }
                    call.set_global_work_sizes(&[SIZE, SIZE])
                        .set_local_work_sizes(&[16, 16]);
                }
                call.enqueue_nd_range(&queue)?;
            }
            queue.finish()?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{name} {:.4}", best * 1e3);
    }
    Ok(())
}
