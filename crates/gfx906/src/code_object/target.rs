//! Target processor of a code object, from ELF flags and from the names of bundle entries.

use std::fmt;

use super::error::CodeObjectError;
use super::names;

/// The only processor that this crate runs.
const GFX906: &str = "gfx906";

/// A processor with its optional features. `None` means that the code runs with the feature on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The processor: `gfx906`.
    pub processor: String,
    /// Setting of XNACK: memory accesses may be replayed after a page fault.
    pub xnack: Option<bool>,
    /// Setting of SRAM-ECC: the memory has error correction.
    pub sramecc: Option<bool>,
}

/// Version of the code object ABI, which determines the hidden arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AbiVersion {
    /// Code object v4.
    V4,
    /// Code object v5.
    V5,
    /// Code object v6.
    V6,
}

impl Target {
    /// Reads the target from the `e_flags` of a v4 to v6 code object.
    pub(super) fn from_flags(flags: u32) -> Result<Target, CodeObjectError> {
        let feature = |shift: u32| match (flags >> shift) & 3 {
            2 => Some(false),
            3 => Some(true),
            _ => None,
        };
        let processor = names::processor(flags & 0xff);
        if processor != GFX906 {
            return Err(CodeObjectError::WrongProcessor { processor });
        }
        Ok(Target {
            processor,
            xnack: feature(8),
            sramecc: feature(10),
        })
    }

    /// Reads the gfx906 target from the name of a bundle entry (`hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-`), if the entry has one.
    pub(super) fn from_entry(id: &str) -> Option<Target> {
        let triple_and_processor = id.split(':').next()?;
        if !triple_and_processor.contains("amdgcn")
            || triple_and_processor.rsplit('-').next()? != GFX906
        {
            return None;
        }
        let feature = |name: &str| {
            let setting = id
                .split(':')
                .skip(1)
                .find_map(|part| part.strip_prefix(name))?;
            match setting {
                "+" => Some(true),
                "-" => Some(false),
                _ => None,
            }
        };
        Some(Target {
            processor: GFX906.into(),
            xnack: feature("xnack"),
            sramecc: feature("sramecc"),
        })
    }

    /// Rates the target's suitability for an MI50, which runs with `sramecc+:xnack-`. The entry with the highest rating is taken.
    pub(super) fn preference(&self) -> u32 {
        let rank = |feature: Option<bool>, card: bool| match feature {
            Some(setting) if setting == card => 2,
            None => 1,
            Some(_) => 0,
        };
        10 * rank(self.xnack, false) + rank(self.sramecc, true)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(on) = feature {
                write!(f, ":{name}{}", if on { '+' } else { '-' })?;
            }
        }
        Ok(())
    }
}

impl AbiVersion {
    /// Reads the version from the `EI_ABIVERSION` byte.
    pub(super) fn from_ident(byte: u8) -> Result<AbiVersion, CodeObjectError> {
        match byte {
            2 => Ok(AbiVersion::V4),
            3 => Ok(AbiVersion::V5),
            4 => Ok(AbiVersion::V6),
            other => Err(CodeObjectError::WrongVersion {
                found: (u32::from(other) + 2).to_string(),
            }),
        }
    }

    /// Returns the number: 4, 5 or 6.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            AbiVersion::V4 => 4,
            AbiVersion::V5 => 5,
            AbiVersion::V6 => 6,
        }
    }
}

impl fmt::Display for AbiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_names() {
        let target = |id: &str| Target::from_entry(id).map(|target| target.to_string());
        assert_eq!(
            target("hipv4-amdgcn-amd-amdhsa--gfx906").as_deref(),
            Some("gfx906")
        );
        assert_eq!(
            target("hip-amdgcn-amd-amdhsa-gfx906").as_deref(),
            Some("gfx906")
        );
        assert_eq!(
            target("hipv4-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-").as_deref(),
            Some("gfx906:sramecc+:xnack-")
        );
        assert_eq!(target("hipv4-amdgcn-amd-amdhsa--gfx9060"), None);
        assert_eq!(target("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"), None);
        assert_eq!(target("host-x86_64-unknown-linux-gnu-"), None);
        assert_eq!(target(""), None);
    }

    #[test]
    fn the_card_itself_is_preferred() {
        let rank = |id: &str| {
            Target::from_entry(&format!("hipv4-amdgcn-amd-amdhsa--{id}"))
                .expect("gfx906")
                .preference()
        };
        assert!(rank("gfx906:sramecc+:xnack-") > rank("gfx906:xnack-"));
        assert!(rank("gfx906:xnack-") > rank("gfx906"));
        assert!(rank("gfx906") > rank("gfx906:xnack+"));
        assert!(rank("gfx906:sramecc+") > rank("gfx906:sramecc-"));
    }

    #[test]
    fn flags() {
        assert_eq!(
            Target::from_flags(0x52f).expect("gfx906").to_string(),
            "gfx906"
        );
        assert_eq!(
            Target::from_flags(0xe2f).expect("gfx906").to_string(),
            "gfx906:sramecc+:xnack-"
        );
        assert_eq!(
            Target::from_flags(0x3f),
            Err(CodeObjectError::WrongProcessor {
                processor: "gfx90a".into()
            })
        );
    }
}
