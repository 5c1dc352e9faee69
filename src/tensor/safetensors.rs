//! Files of several tensors under names: safetensors.

use safetensors::tensor::Metadata;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use super::ElementKind;

/// Bytes that are not a safetensors file, or are cut short. The message is one line without the file's name.
#[derive(Debug, thiserror::Error)]
#[error("not a safetensors file, or cut short: {}", .0.to_string().escape_debug())]
pub struct NotSafetensors(SafeTensorError);

/// Returns the type of a tensor's elements in a file.
pub fn safetensors_type(kind: ElementKind) -> Dtype {
    match kind {
        ElementKind::F64 => Dtype::F64,
        ElementKind::F32 => Dtype::F32,
        ElementKind::F16 => Dtype::F16,
        ElementKind::Bf16 => Dtype::BF16,
        ElementKind::I64 => Dtype::I64,
        ElementKind::I32 => Dtype::I32,
        ElementKind::U32 => Dtype::U32,
        ElementKind::U16 => Dtype::U16,
        ElementKind::I8 => Dtype::I8,
        ElementKind::U8 => Dtype::U8,
    }
}

/// Reads the header and the tensors of a file.
///
/// # Errors
/// The bytes are not a safetensors file, or are cut short.
pub fn read_safetensors(bytes: &[u8]) -> Result<(Metadata, SafeTensors<'_>), NotSafetensors> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NotSafetensors)?;
    let file = SafeTensors::deserialize(bytes).map_err(NotSafetensors)?;
    Ok((header, file))
}
