//! Compiled kernels on the emulator: right results, and what stops the wrong ones.

mod cooperative;
mod device;
mod hostile;
mod ids;
mod kernels;
mod traps;
mod unwritten;
