//! Tests of compiled kernels on the emulator: correct results, and the traps of wrong kernels.

mod cooperative;
mod device;
mod hostile;
mod ids;
mod kernels;
mod shared_memory;
mod traps;
mod unwritten;
