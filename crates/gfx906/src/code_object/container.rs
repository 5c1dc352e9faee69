//! Extraction of the gfx906 ELF image from its container.

use std::borrow::Cow;

use super::error::CodeObjectError;
use super::{bundle, compressed, elf};

/// Largest number of bundles in a section. They follow each other, padded to pages.
const MAX_BUNDLES: usize = 4096;

/// Returns the gfx906 ELF image in `bytes`, whatever its container is.
pub(super) fn extract_elf(bytes: &[u8]) -> Result<Cow<'_, [u8]>, CodeObjectError> {
    if bytes.is_empty() {
        return Err(CodeObjectError::Empty);
    }
    if bytes.starts_with(bundle::MAGIC) || bytes.starts_with(compressed::MAGIC) {
        return extract_from_bundle(bytes);
    }
    if !bytes.starts_with(elf::MAGIC) {
        return Err(unrecognised(bytes));
    }
    match elf::hip_fatbin(bytes) {
        Some(section) => extract_from_section(section),
        None => Ok(Cow::Borrowed(bytes)),
    }
}

/// Returns the code of the only bundle in a host program's `.hip_fatbin` section that has code for gfx906.
fn extract_from_section(section: &[u8]) -> Result<Cow<'_, [u8]>, CodeObjectError> {
    let starts: Vec<usize> = (0..section.len())
        .step_by(8)
        .filter(|&at| {
            section[at..].starts_with(bundle::MAGIC) || section[at..].starts_with(compressed::MAGIC)
        })
        .take(MAX_BUNDLES)
        .collect();
    let mut images = Vec::new();
    let mut first_error = None;
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(section.len());
        match extract_from_bundle(&section[start..end]) {
            Ok(image) => images.push(image),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let count = images.len();
    match (images.pop(), first_error) {
        (Some(image), _) if count == 1 => Ok(image),
        (Some(_), _) => Err(CodeObjectError::SeveralBundles { count }),
        (None, Some(error)) => Err(error),
        (None, None) => Err(CodeObjectError::malformed(
            "section .hip_fatbin",
            "no offload bundle in it",
        )),
    }
}

fn extract_from_bundle(bytes: &[u8]) -> Result<Cow<'_, [u8]>, CodeObjectError> {
    if bytes.starts_with(compressed::MAGIC) {
        let bundle = compressed::decompress(bytes)?;
        return Ok(Cow::Owned(bundle::best_entry(&bundle)?.to_vec()));
    }
    bundle::best_entry(bytes).map(Cow::Borrowed)
}

fn unrecognised(bytes: &[u8]) -> CodeObjectError {
    let start = &bytes[..bytes.len().min(16)];
    let start = match std::str::from_utf8(start) {
        Ok(text) if text.chars().all(|c| !c.is_control() || c.is_whitespace()) => {
            format!("{text:?}")
        }
        _ => start
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" "),
    };
    CodeObjectError::Unrecognised { start }
}
