//! Files of several tensors under names: safetensors.

use safetensors::tensor::Metadata;
use safetensors::{SafeTensorError, SafeTensors};

/// Bytes that are not a safetensors file, or are cut short. The message is one line without the file's name.
#[derive(Debug, thiserror::Error)]
#[error("not a safetensors file, or cut short: {}", .0.to_string().escape_debug())]
pub struct NotSafetensors(SafeTensorError);

/// Reads the header and the tensors of a file.
///
/// # Errors
/// The bytes are not a safetensors file, or are cut short.
pub fn read_safetensors(bytes: &[u8]) -> Result<(Metadata, SafeTensors<'_>), NotSafetensors> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(NotSafetensors)?;
    let file = SafeTensors::deserialize(bytes).map_err(NotSafetensors)?;
    Ok((header, file))
}
