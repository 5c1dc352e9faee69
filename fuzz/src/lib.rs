//! The functions that the fuzz targets call with their bytes. Tests of the emulator call the same functions, so that every run of the tests
//! compiles and executes them.

pub mod checked;
pub mod code_object;
pub mod decode;
pub mod execute;
pub mod programs;
