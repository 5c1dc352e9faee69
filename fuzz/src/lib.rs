//! The functions that the fuzz targets call with their bytes. Tests of the emulator and of the program call the same functions, so that every run
//! of the tests compiles and executes them.

pub mod checked;
pub mod code_object;
pub mod decode;
pub mod execute;
pub mod files;
pub mod programs;
