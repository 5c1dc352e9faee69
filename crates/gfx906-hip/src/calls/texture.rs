//! Creation, queries and destruction of textures and surfaces.

use std::fmt::Display;

use super::memory::{array, device, free};
use super::stream;
use crate::boundary::{Address, In, Out};
use crate::card::{MOST_LINEAR, MOST_SIDES};
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::objects::array::{Array, LAYERED};
use crate::objects::texture::descriptors::{
    DriverResourceDesc, DriverTextureDesc, DriverViewDesc, Resource, ResourceDesc, TextureDesc,
    ViewDesc,
};
use crate::objects::texture::words::{ALIGN, Image, ImageDimensions, WORDS, sampler};
use crate::objects::texture::{Texture, TextureObject};
use crate::runtime::state;
use crate::sanitize;

/// Logs a reason and returns the error.
fn refuse<T>(error: HipError, why: impl Display) -> HipResult<T> {
    log(format!("a texture or surface is refused: {why}"));
    Err(error)
}

/// Returns the image of an array.
fn of_array(array: &Array) -> Image {
    let [_, height, depth] = array.sides;
    let shape = match (array.flags & LAYERED != 0, height, depth) {
        (true, 0, _) => ImageDimensions::Rows,
        (true, ..) => ImageDimensions::Planes,
        (false, 0, _) => ImageDimensions::Row,
        (false, _, 0) => ImageDimensions::Plane,
        _ => ImageDimensions::Cube,
    };
    Image {
        base: array.base,
        pitch: array.pitch,
        shape,
        sides: array.sides.map(|side| side.max(1)),
        channel: array.channel,
        fractions: false,
    }
}

/// Fails for an image that the card cannot have.
fn check(image: &Image) -> HipResult {
    let small = image
        .sides
        .iter()
        .zip(MOST_SIDES)
        .all(|(side, most)| *side <= most);
    let pitched = image.pitch / image.channel.bytes() <= 1 << 16;
    if !small || !pitched {
        let [x, y, z] = image.sides;
        let [a, b, c] = MOST_SIDES;
        let text = format!("{x} by {y} by {z} elements; the most are {a} by {b} by {c}");
        return refuse(HipError::InvalidValue, text);
    }
    Ok(())
}

/// Fails unless memory of the program lies in an allocation and is aligned.
fn check_memory(base: Address, bytes: usize) -> HipResult {
    if !base.is_multiple_of(ALIGN as u64) {
        let text = format!("{base:#x} is no multiple of {ALIGN} (textureAlignment)");
        return refuse(HipError::InvalidValue, text);
    }
    if !state().gpu.covers(base, bytes as u64) {
        let text = format!("{bytes} bytes from {base:#x} on are not within one allocation");
        return refuse(HipError::InvalidValue, text);
    }
    Ok(())
}

/// Returns the image of a view of another image.
fn apply_view(image: Image, array: &Array, view: &ViewDesc) -> HipResult<Image> {
    let whole = (view.sides == [0; 3] || view.sides == array.sides)
        && view.levels == [0; 2]
        && view.layers[0] == 0
        && (view.layers[1] == 0 || view.layers[1] as usize == array.sides[2].saturating_sub(1));
    if !whole {
        return refuse(HipError::NotSupported, "a view of a part of an array");
    }
    let channel = view.channel()?.unwrap_or(image.channel);
    if channel.bytes() != image.channel.bytes() {
        let (is, was) = (channel.bytes(), image.channel.bytes());
        let text = format!("a view of elements of {was} bytes as ones of {is}");
        return refuse(HipError::InvalidValue, text);
    }
    Ok(Image { channel, ..image })
}

/// Returns the resource words of a texture.
fn words(texture: &Texture) -> HipResult<[u32; WORDS]> {
    let desc = &texture.texture;
    if desc.srgb != 0 || desc.anisotropy != 0 || desc.mip_bias != 0.0 {
        return refuse(
            HipError::NotSupported,
            "sRGB, maxAnisotropy and mipmapLevelBias are not supported: set them to 0",
        );
    }
    if desc.read > 1 {
        return Err(HipError::InvalidValue);
    }
    let sampler = sampler(desc).ok_or(HipError::InvalidValue)?;
    let fractions = desc.read == 1;
    let resource = texture.resource.resource();
    if texture.view.is_some() && !matches!(resource, Ok(Resource::Array(_))) {
        return refuse(HipError::InvalidValue, "a view of what is no array");
    }
    let image = match resource? {
        Resource::Array(handle) => {
            let array = get_array(handle)?;
            let image = of_array(&array);
            match &texture.view {
                Some(view) => apply_view(image, &array, view)?,
                None => image,
            }
        }
        Resource::Linear {
            base,
            channel,
            bytes,
        } => {
            channel.components().ok_or(HipError::InvalidValue)?;
            let count = bytes / channel.bytes();
            if count == 0 || count > MOST_LINEAR {
                let text = format!("{count} elements one after the other: 1 to {MOST_LINEAR}");
                return refuse(HipError::InvalidValue, text);
            }
            check_memory(base, bytes)?;
            let image = Image {
                base,
                pitch: bytes,
                shape: ImageDimensions::Row,
                sides: [count, 1, 1],
                channel,
                fractions,
            };
            return Ok(image.linear());
        }
        Resource::Pitched {
            base,
            channel,
            sides: [width, height],
            pitch,
        } => {
            channel.components().ok_or(HipError::InvalidValue)?;
            let row = width.checked_mul(channel.bytes());
            let bytes = pitch.checked_mul(height.max(1));
            let (Some(row), Some(bytes)) = (row, bytes) else {
                return Err(HipError::InvalidValue);
            };
            if width == 0 || height == 0 || row > pitch || !pitch.is_multiple_of(ALIGN) {
                let text = format!(
                    "{height} rows of {row} bytes, {pitch} apart: a multiple of {ALIGN} (texturePitchAlignment)"
                );
                return refuse(HipError::InvalidValue, text);
            }
            // The padding behind the last row need not be allocated.
            check_memory(base, bytes - pitch + row)?;
            Image {
                base,
                pitch,
                shape: ImageDimensions::Plane,
                sides: [width, height, 1],
                channel,
                fractions,
            }
        }
    };
    let image = Image { fractions, ..image };
    check(&image)?;
    if desc.filter == 1 && !image.has_means() {
        return refuse(
            HipError::InvalidValue,
            "hipFilterModeLinear is for floats, and for integers read as hipReadModeNormalizedFloat",
        );
    }
    Ok(image.words(Some(sampler)))
}

fn get_array(handle: Address) -> HipResult<Array> {
    if handle == 0 {
        return Err(HipError::InvalidValue);
    }
    array::get(handle)
}

/// Stores an object in device memory. Its address is its handle.
fn store_object(call: &str, words: &[u32; WORDS], object: TextureObject) -> HipResult<Address> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let address = device::allocate_captured(call, bytes.len())?;
    let mut state = state();
    let written = state.gpu.write(address, &bytes);
    written.map_err(|_| HipError::Unknown)?;
    if let Some(heap) = sanitize::heap() {
        heap.written(address..address + bytes.len() as u64);
    }
    state.memory.textures.insert(address, object);
    Ok(address)
}

fn create_of(
    out: Out<Address>,
    resource: ResourceDesc,
    texture: TextureDesc,
    view: Option<ViewDesc>,
) -> HipResult {
    out.required()?;
    let texture_object = Texture {
        resource,
        texture,
        view,
    };
    let words = words(&texture_object)?;
    out.put(store_object(
        "hipCreateTextureObject",
        &words,
        TextureObject::Texture(texture_object),
    )?)
}

pub fn create(
    out: Out<Address>,
    resource: In<ResourceDesc>,
    texture: In<TextureDesc>,
    view: In<ViewDesc>,
) -> HipResult {
    let view = (!view.is_null()).then(|| view.get()).transpose()?;
    create_of(out, resource.get()?, texture.get()?, view)
}

pub fn create_by_driver(
    out: Out<Address>,
    resource: In<DriverResourceDesc>,
    texture: In<DriverTextureDesc>,
    view: In<DriverViewDesc>,
) -> HipResult {
    let view = (!view.is_null()).then(|| view.get()).transpose()?;
    let resource = resource.get()?.of_runtime()?;
    let texture = texture.get()?.of_runtime();
    create_of(out, resource, texture, view.map(|view| view.view))
}

/// Destroys an object after the device's work is done.
fn destroy_object(handle: Address, is: impl Fn(&TextureObject) -> bool) -> HipResult {
    if handle == 0 {
        return Ok(());
    }
    if !state().memory.textures.get(&handle).is_some_and(is) {
        return Err(HipError::InvalidValue);
    }
    stream::wait_to_free()?;
    state().memory.textures.remove(&handle);
    free::free(handle)
}

pub fn destroy(handle: Address) -> HipResult {
    destroy_object(handle, |object| matches!(object, TextureObject::Texture(_)))
}

fn get(handle: Address) -> HipResult<Texture> {
    match state().memory.textures.get(&handle) {
        Some(TextureObject::Texture(texture)) => Ok(*texture),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn resource(out: Out<ResourceDesc>, handle: Address) -> HipResult {
    out.required()?;
    out.put(get(handle)?.resource)
}

pub fn description(out: Out<TextureDesc>, handle: Address) -> HipResult {
    out.required()?;
    out.put(get(handle)?.texture)
}

/// Stores the view of a texture. Fails for a texture without a view.
pub fn view(out: Out<ViewDesc>, handle: Address) -> HipResult {
    out.required()?;
    out.put(get(handle)?.view.ok_or(HipError::InvalidValue)?)
}

pub fn resource_by_driver(out: Out<DriverResourceDesc>, handle: Address) -> HipResult {
    out.required()?;
    out.put(DriverResourceDesc::from_runtime(&get(handle)?.resource)?)
}

pub fn description_by_driver(out: Out<DriverTextureDesc>, handle: Address) -> HipResult {
    out.required()?;
    out.put(DriverTextureDesc::from_runtime(&get(handle)?.texture))
}

pub fn view_by_driver(out: Out<DriverViewDesc>, handle: Address) -> HipResult {
    out.required()?;
    let view = get(handle)?.view.ok_or(HipError::InvalidValue)?;
    out.put(DriverViewDesc {
        view,
        reserved: [0; 16],
    })
}

pub fn create_surface(out: Out<Address>, resource: In<ResourceDesc>) -> HipResult {
    out.required()?;
    let Ok(Resource::Array(handle)) = resource.get()?.resource() else {
        return refuse(HipError::InvalidValue, "a surface over what is no array");
    };
    let image = of_array(&get_array(handle)?);
    check(&image)?;
    let words = image.words(None);
    out.put(store_object(
        "hipCreateSurfaceObject",
        &words,
        TextureObject::Surface,
    )?)
}

pub fn destroy_surface(handle: Address) -> HipResult {
    destroy_object(handle, |object| matches!(object, TextureObject::Surface))
}
