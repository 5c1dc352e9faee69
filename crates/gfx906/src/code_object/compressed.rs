//! `CCOB`: a compressed offload bundle.
//!
//! The header is little-endian: magic, u16 version, u16 method (0 zlib, 1 zstd); then in v1 a u32 uncompressed size, in v2 a u32 file size
//! and a u32 uncompressed size, in v3 both as u64; then a u64 hash, which is not checked. The data follow.

use std::io::Read;

use super::bundle::slice;
use super::error::CodeObjectError;
use super::image::MAX_IMAGE;

pub(super) const MAGIC: &[u8] = b"CCOB";

const WHAT: &str = "the compressed offload bundle";

/// Returns the decompressed bundle. The result has at most [`MAX_IMAGE`] bytes, whatever the header claims.
pub(super) fn decompress(bytes: &[u8]) -> Result<Vec<u8>, CodeObjectError> {
    let version = field(bytes, 4, 2)?;
    let method = field(bytes, 6, 2)?;
    let (file_size, size, header) = match version {
        1 => (None, field(bytes, 8, 4)?, 20),
        2 => (Some(field(bytes, 8, 4)?), field(bytes, 12, 4)?, 24),
        3 => (Some(field(bytes, 8, 8)?), field(bytes, 16, 8)?, 32),
        other => {
            return Err(CodeObjectError::Unsupported {
                what: format!("version {other} of {WHAT}"),
                advice: "build without --offload-compress".into(),
            });
        }
    };
    if size > MAX_IMAGE {
        return Err(CodeObjectError::TooBig {
            what: WHAT.into(),
            size,
            limit: MAX_IMAGE,
        });
    }
    let end = file_size.unwrap_or(bytes.len() as u64);
    let data = end
        .checked_sub(header)
        .and_then(|length| slice(bytes, header, length))
        .ok_or_else(|| {
            CodeObjectError::truncated(
                WHAT,
                format!("its header says {end} bytes, there are {}", bytes.len()),
            )
        })?;
    let bundle = match method {
        0 => inflate(flate2::read::ZlibDecoder::new(data), size)?,
        1 => {
            let decoder =
                ruzstd::decoding::StreamingDecoder::new(data).map_err(|error| damaged(&error))?;
            inflate(decoder, size)?
        }
        other => {
            return Err(CodeObjectError::Unsupported {
                what: format!("compression method {other} of {WHAT}"),
                advice: "build without --offload-compress".into(),
            });
        }
    };
    if bundle.len() as u64 != size {
        let problem = format!(
            "{} bytes or more came out where its header says {size}",
            bundle.len()
        );
        return Err(CodeObjectError::malformed(WHAT, problem));
    }
    Ok(bundle)
}

/// Reads at most one byte more than `size`, which suffices to detect excess data.
fn inflate(decoder: impl Read, size: u64) -> Result<Vec<u8>, CodeObjectError> {
    let mut out = Vec::new();
    decoder
        .take(size + 1)
        .read_to_end(&mut out)
        .map_err(|error| damaged(&error))?;
    Ok(out)
}

fn damaged(error: &dyn std::fmt::Display) -> CodeObjectError {
    CodeObjectError::malformed(
        WHAT,
        format!("cannot be decompressed ({error})").replace('\n', " "),
    )
}

fn field(bytes: &[u8], offset: u64, size: u64) -> Result<u64, CodeObjectError> {
    let field = slice(bytes, offset, size).ok_or_else(|| {
        CodeObjectError::truncated(
            format!("the header of {WHAT}"),
            format!("only {} bytes", bytes.len()),
        )
    })?;
    Ok(field
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte)))
}
