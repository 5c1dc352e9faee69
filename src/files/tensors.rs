//! Files of several tensors under names: safetensors.

use safetensors::SafeTensors;
use safetensors::tensor::Metadata;

/// The header and the tensors of a file's bytes.
///
/// # Errors
/// The bytes are not a safetensors file, or are cut short. The message is one line without the file's name.
pub fn tensors(bytes: &[u8]) -> Result<(Metadata, SafeTensors<'_>), String> {
    let refused = |error: safetensors::SafeTensorError| {
        let error = error.to_string();
        format!(
            "not a safetensors file, or cut short: {}",
            error.escape_debug()
        )
    };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(refused)?;
    let file = SafeTensors::deserialize(bytes).map_err(refused)?;
    Ok((header, file))
}
