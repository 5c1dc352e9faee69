//! `__CLANG_OFFLOAD_BUNDLE__`: several code objects, each under the name of its target.
//!
//! Layout, little-endian: magic, u64 count, then for each entry u64 offset, u64 size, u64 length of the name, name.

use super::error::{CodeObjectError, printable};
use super::target::Target;

pub(super) const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// Largest number of targets that a message lists.
const MOST_LISTED: usize = 20;

/// Size of an entry's header: every entry has at least three words, which bounds the number of entries in a bundle.
const ENTRY_HEADER: usize = 24;

struct Entry<'a> {
    id: String,
    data: &'a [u8],
}

/// Returns the entry of a bundle that suits an MI50 best.
pub(super) fn best_entry(bytes: &[u8]) -> Result<&[u8], CodeObjectError> {
    let entries = read_entries(bytes)?;
    // Among equally suitable entries the first one is taken.
    let best = entries
        .iter()
        .filter_map(|entry| Some((Target::from_entry(&entry.id)?.preference(), entry)))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((_, entry)) if entry.data.is_empty() => Err(CodeObjectError::malformed(
            format!("offload bundle entry {}", entry.id),
            "empty",
        )),
        Some((_, entry)) => Ok(entry.data),
        None => {
            let listed: Vec<&str> = entries
                .iter()
                .map(|entry| entry.id.as_str())
                .take(MOST_LISTED)
                .collect();
            let targets = match entries.len() {
                0 => "no entries".to_owned(),
                count if count > MOST_LISTED => {
                    format!("{} and {} more", listed.join(", "), count - MOST_LISTED)
                }
                _ => listed.join(", "),
            };
            Err(CodeObjectError::NoEntry { targets })
        }
    }
}

fn read_entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, CodeObjectError> {
    let mut reader = Reader {
        bytes,
        at: MAGIC.len(),
    };
    let count = reader.word("the entry count of the offload bundle")?;
    if count > (bytes.len() / ENTRY_HEADER) as u64 {
        let detail = format!("{count} entries in {} bytes", bytes.len());
        return Err(CodeObjectError::truncated(
            "the entry table of the offload bundle",
            detail,
        ));
    }
    let mut entries = Vec::new();
    for index in 0..count {
        let what = format!("entry {index} of the offload bundle");
        let (offset, size, id_len) = (
            reader.word(&what)?,
            reader.word(&what)?,
            reader.word(&what)?,
        );
        let id = String::from_utf8_lossy(reader.take(id_len, &format!("the name of {what}"))?);
        let data = slice(bytes, offset, size).ok_or_else(|| {
            let detail = format!("offset {offset}, size {size}, of {} bytes", bytes.len());
            CodeObjectError::truncated(what, detail)
        })?;
        entries.push(Entry {
            id: printable(&id),
            data,
        });
    }
    Ok(entries)
}

/// Returns `size` bytes from `offset`, if they exist.
pub(super) fn slice(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    bytes.get(start..end)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, size: u64, what: &str) -> Result<&'a [u8], CodeObjectError> {
        let taken = slice(self.bytes, self.at as u64, size).ok_or_else(|| {
            let detail = format!(
                "offset {}, size {size}, of {} bytes",
                self.at,
                self.bytes.len()
            );
            CodeObjectError::truncated(what, detail)
        })?;
        self.at += taken.len();
        Ok(taken)
    }

    fn word(&mut self, what: &str) -> Result<u64, CodeObjectError> {
        let mut word = [0; 8];
        word.copy_from_slice(self.take(8, what)?);
        Ok(u64::from_le_bytes(word))
    }
}
