//! What the fuzz targets do with their bytes. Tests of the emulator run the same functions, so that they never rot.

pub mod checked;
pub mod code_object;
pub mod decode;
pub mod execute;
pub mod programs;
