//! Tensors on the host and in device memory: element types, axes, layouts, poison, guards, seeded values and files.

mod axis;
mod data;
mod element;
pub mod guards;
mod layout;
pub mod npy;
pub mod poison;
mod safetensors;
mod stream;

pub use axis::{Axis, count, index, strides};
pub use data::Data;
pub(crate) use element::with_element;
pub use element::{Element, ElementKind, decode, encode};
pub use layout::Layout;
pub use safetensors::{NotSafetensors, read_safetensors, safetensors_type};
pub use stream::{Distribution, NoRandomness, Stream, random_seed};
