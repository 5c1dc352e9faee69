//! An in-process AMD MI50 (gfx906): reads code objects, decodes their instructions and runs them.
#![deny(missing_docs)]

pub mod allocation;
pub mod code_object;
pub mod isa;
pub mod machine;
pub mod observe;
pub mod semantics;
