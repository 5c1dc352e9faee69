//! Images of code in the program's memory. Only the images' own headers state their size.

use crate::boundary::{Address, host_bytes, host_value};
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::host;

/// Image with a bound on the bytes that can be read, whatever its headers claim.
#[derive(Clone, Copy)]
struct Image {
    at: Address,
    readable: u64,
}

/// Returns the bytes of the image at an address.
pub fn image<'a>(at: Address) -> HipResult<&'a [u8]> {
    const WRAPPER: [u8; 4] = *b"FPIH";
    let readable = host::readable(at);
    let image = Image { at, readable };
    match image.get::<[u8; 4]>(0)? {
        // The wrapper of compilers has a magic number, a version and an address.
        WRAPPER => {
            let at = image.get(8)?;
            let readable = host::readable(at);
            Image { at, readable }.bytes()
        }
        _ => image.bytes(),
    }
}

/// Returns the card's entry of an offload bundle: a code object or bitcode.
pub fn bundled(bundle: &[u8]) -> HipResult<&[u8]> {
    let image = Image {
        at: bundle.as_ptr().expose_provenance() as Address,
        readable: bundle.len() as u64,
    };
    for Entry { start, size, name } in image.entries()?.0 {
        let part = |start: u64, size: u64| {
            let end = usize::try_from(sum(start, size).ok()?).ok()?;
            bundle.get(usize::try_from(start).ok()?..end)
        };
        let (Some(data), Some(name)) = (part(start, size), part(name.start, name.end - name.start))
        else {
            return Err(image.damaged("an entry lies beyond its end"));
        };
        // Form of the target: `hip-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-`.
        let target = name
            .split(|&byte| byte == b'-')
            .rfind(|part| part.starts_with(b"gfx"));
        let processor = target.and_then(|target| target.split(|&byte| byte == b':').next());
        if processor == Some(b"gfx906") && !data.is_empty() {
            return Ok(data);
        }
    }
    log("an offload bundle has no entry for gfx906");
    Err(HipError::NoBinaryForGpu)
}

/// Entry of an offload bundle: start and size of its data, and the place of its name.
struct Entry {
    start: u64,
    size: u64,
    name: std::ops::Range<u64>,
}

fn sum(a: u64, b: u64) -> HipResult<u64> {
    a.checked_add(b).ok_or(HipError::InvalidImage)
}

impl Image {
    fn bytes<'a>(self) -> HipResult<&'a [u8]> {
        let size = match &self.get::<[u8; 4]>(0)? {
            b"\x7fELF" => self.elf_size()?,
            b"__CL" => self.bundle_size()?,
            b"CCOB" => self.compressed_size()?,
            other => {
                let text = other.escape_ascii();
                return Err(self.damaged(&format!(
                    "it begins with \"{text}\", and is neither a code object nor an offload bundle"
                )));
            }
        };
        if size > self.readable {
            let readable = self.readable;
            return Err(self.damaged(&format!("it claims {size} bytes, {readable} can be read")));
        }
        host_bytes(self.at, size as usize)
    }

    /// Logs that the image is damaged, and returns the error for it.
    fn damaged(self, what: &str) -> HipError {
        log(format!("the image at {:#x} is damaged: {what}", self.at));
        HipError::InvalidImage
    }

    fn get<T: Copy>(self, offset: u64) -> HipResult<T> {
        if sum(offset, size_of::<T>() as u64)? > self.readable {
            return Err(self.damaged("its header goes on beyond what can be read"));
        }
        host_value(self.at + offset)
    }

    /// Returns the end of an ELF file's segments and header tables.
    fn elf_size(self) -> HipResult<u64> {
        let half = |offset| self.get::<u16>(offset).map(u64::from);
        let (segments, segment, count) = (self.get(32)?, half(54)?, half(56)?);
        let mut end = sum(segments, segment * count)?;
        end = end.max(sum(self.get(40)?, half(58)? * half(60)?)?);
        for n in 0..count {
            let header = sum(segments, n * segment)?;
            let (start, size) = (self.get(sum(header, 8)?)?, self.get(sum(header, 32)?)?);
            end = end.max(sum(start, size)?);
        }
        Ok(end)
    }

    /// Returns the end of a bundle's last entry.
    fn bundle_size(self) -> HipResult<u64> {
        let (entries, header) = self.entries()?;
        let mut ends = entries.iter().map(|entry| sum(entry.start, entry.size));
        ends.try_fold(header, |end, next| Ok(end.max(next?)))
    }

    /// Returns the entries of a bundle, and the end of its header.
    fn entries(self) -> HipResult<(Vec<Entry>, u64)> {
        const MAGIC: [u8; 24] = *b"__CLANG_OFFLOAD_BUNDLE__";
        const MOST: u64 = 4096;
        if self.get::<[u8; 24]>(0)? != MAGIC {
            return Err(self.damaged("it begins as an offload bundle does, and does not go on so"));
        }
        let mut offset = MAGIC.len() as u64;
        let count = self.get::<u64>(offset)?;
        offset += 8;
        if count > MOST {
            return Err(self.damaged(&format!("{count} entries in an offload bundle")));
        }
        let mut entries = Vec::new();
        for _ in 0..count {
            let [start, size, length] = self.get::<[u64; 3]>(offset)?;
            let name = offset + 24;
            offset = sum(name, length)?;
            entries.push(Entry {
                start,
                size,
                name: name..offset,
            });
        }
        Ok((entries, offset))
    }

    /// Returns the size in the header of a compressed bundle. The header has a size from its second version on.
    fn compressed_size(self) -> HipResult<u64> {
        match self.get::<u16>(4)? {
            2 => self.get::<u32>(8).map(u64::from),
            3 => self.get(8),
            version => {
                log(format!(
                    "version {version} of the compressed offload bundle does not say its size: build without --offload-compress"
                ));
                Err(HipError::InvalidImage)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let names: usize = entries.iter().map(|(name, _)| 24 + name.len()).sum();
        let (mut header, mut data) = (b"__CLANG_OFFLOAD_BUNDLE__".to_vec(), Vec::new());
        header.extend((entries.len() as u64).to_le_bytes());
        for (name, bytes) in entries {
            let start = 32 + names + data.len();
            for word in [start, bytes.len(), name.len()] {
                header.extend((word as u64).to_le_bytes());
            }
            header.extend(name.as_bytes());
            data.extend_from_slice(bytes);
        }
        [header, data].concat()
    }

    #[test]
    fn a_bundle_gives_what_it_has_for_the_card() {
        let whole = bundle(&[
            ("host-x86_64-unknown-linux-gnu-", b""),
            ("hip-amdgcn-amd-amdhsa--gfx900", b"other"),
            ("hip-amdgcn-amd-amdhsa--gfx906:xnack-", b"ours"),
        ]);
        assert_eq!(bundled(&whole), Ok(&b"ours"[..]));
        for end in 0..whole.len() {
            assert!(bundled(&whole[..end]).is_err(), "cut at {end}");
        }
        let none = bundle(&[("hip-amdgcn-amd-amdhsa--gfx1030", b"other")]);
        assert_eq!(bundled(&none), Err(HipError::NoBinaryForGpu));
    }
}
