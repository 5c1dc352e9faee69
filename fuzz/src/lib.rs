//! The functions that the fuzz targets call with their bytes. Tests of the emulator call the same functions, so that they never rot.

pub mod checked;
pub mod code_object;
pub mod decode;
pub mod execute;
pub mod programs;
