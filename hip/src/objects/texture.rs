//! Textures and surfaces: objects in memory of the device, at the address that is their handle, in which kernels find an image resource, what
//! the device library wants to know of the image beside it, and a sampler.

pub mod descriptors;
pub mod words;

use std::collections::HashMap;

use crate::boundary::Address;
use descriptors::{ResourceDesc, TextureDesc, ViewDesc};

/// What a texture was made of.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    /// What it is over.
    pub resource: ResourceDesc,
    /// How it is looked at.
    pub texture: TextureDesc,
    /// As what its elements are seen; none: as what they are.
    pub view: Option<ViewDesc>,
}

/// An object's kind.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// A texture.
    Texture(Texture),
    /// A surface.
    Surface,
}

/// Every texture and surface, by its address.
pub type Objects = HashMap<Address, Object>;
