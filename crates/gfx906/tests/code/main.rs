//! Tests of readers: of code objects, and of instructions. A crate has few test programs, because each takes seconds to link.

mod bundles;
mod code_object;
mod damaged;
mod decode_random;
mod isa;

mod relocations;

#[path = "../../../../fuzz/src/code_object.rs"]
mod fuzz_code_object;
#[path = "../../../../fuzz/src/decode.rs"]
mod fuzz_decode;
