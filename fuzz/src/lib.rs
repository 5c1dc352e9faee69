//! What the fuzz targets do with their bytes. `emulator/tests/fuzz.rs` runs the same functions, so that they never rot.

pub mod code_object;
