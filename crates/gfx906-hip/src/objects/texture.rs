//! Textures and surfaces: objects in device memory, whose address is their handle. Kernels find in them an image resource, facts about the
//! image for the device library, and a sampler.

pub mod descriptors;
pub mod words;

use std::collections::HashMap;

use crate::boundary::Address;
use descriptors::{ResourceDesc, TextureDesc, ViewDesc};

/// Parameters of a texture.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    /// Memory of the texture.
    pub resource: ResourceDesc,
    /// Addressing and filtering.
    pub texture: TextureDesc,
    /// View of the elements; none if the elements are read as they are.
    pub view: Option<ViewDesc>,
}

/// Kind of object.
#[derive(Clone, Copy, Debug)]
pub enum TextureObject {
    /// Texture.
    Texture(Texture),
    /// Surface.
    Surface,
}

/// All textures and surfaces by address.
pub type TextureObjects = HashMap<Address, TextureObject>;
