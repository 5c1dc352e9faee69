//! The machine code under test: a code object, where it came from and its hash.

use std::path::Path;
#[cfg(test)]
use std::sync::LazyLock;
use std::sync::{Arc, OnceLock};

use gfx906::code_object::{CodeObject, SourceParameters};
use gfx906::machine::CodeCache;

use crate::files::{FileError, sha256};
use crate::report::model::CodeObjectReport;
use crate::text::shown;

/// A parsed code object with its bytes.
pub struct Program {
    /// The file as it was read.
    pub bytes: Arc<[u8]>,
    /// The code object.
    pub object: CodeObject,
    /// The code object's origin, for reports.
    pub report: CodeObjectReport,
    /// The instructions that the emulator has decoded, shared by all loads.
    pub decoded: CodeCache,
    /// The kernels' parameters in the source, once they have been read.
    parameters: OnceLock<SourceParameters>,
}

/// The documented kernels, which the tests of this crate parse once.
#[cfg(test)]
pub static BUILT_IN: LazyLock<Program> =
    LazyLock::new(|| Program::built_in().expect("embedded kernels are good"));

/// The planted bugs, which the tests of this crate parse once.
#[cfg(test)]
pub static PLANTED: LazyLock<Program> =
    LazyLock::new(|| Program::planted().expect("embedded kernels are good"));

/// The largest file that is read as a code object. It is smaller than the image it makes, but may carry debug
/// information, or other targets beside it.
pub const MAX_CODE_OBJECT: u64 = 1 << 30;

impl Program {
    /// The documented kernels, as committed.
    pub fn built_in() -> Result<Program, FileError> {
        Program::embedded("built in", include_bytes!("../kernels/built/deltanet.co"))
    }

    /// The planted bugs, as committed.
    pub fn planted() -> Result<Program, FileError> {
        Program::embedded(
            "built in (planted bugs)",
            include_bytes!("../kernels/built/planted.co"),
        )
    }

    /// The microbenchmarks of a card, as committed.
    pub fn calibration() -> Result<Program, FileError> {
        Program::embedded(
            "built in (microbenchmarks)",
            include_bytes!("../kernels/built/calibrate.co"),
        )
    }

    fn embedded(name: &str, bytes: &[u8]) -> Result<Program, FileError> {
        let build = include_str!("../kernels/built/COMPILER")
            .trim()
            .replace('\n', "; ");
        Program::parse(name, bytes.to_vec(), Some(build))
    }

    /// A user's code object.
    pub fn read(path: &Path) -> Result<Program, FileError> {
        let name = shown(path);
        let bytes = crate::files::read(path, MAX_CODE_OBJECT)
            .map_err(|error| FileError::Unusable(format!("code object: {error}")))?;
        Program::parse(&name, bytes, None)
    }

    /// Returns the program with other bytes at a link address of its image. The change is in memory only; the file
    /// stays the same.
    #[must_use]
    pub fn patched(&self, address: u64, bytes: &[u8]) -> Option<Program> {
        let mut object = self.object.clone();
        let mut segments = object.image.segments.iter_mut();
        let place = segments.find_map(|segment| {
            let at = usize::try_from(address.checked_sub(segment.address)?).ok()?;
            segment.data.get_mut(at..at.checked_add(bytes.len())?)
        })?;
        place.copy_from_slice(bytes);
        Some(Program {
            bytes: Arc::default(),
            object,
            report: self.report.clone(),
            decoded: CodeCache::default(),
            parameters: OnceLock::new(),
        })
    }

    /// Parses the bytes of a code object. `name` is their origin, `build` their compiler.
    ///
    /// # Errors
    /// The bytes are not a code object for gfx906.
    pub fn parse(name: &str, bytes: Vec<u8>, build: Option<String>) -> Result<Program, FileError> {
        let object = CodeObject::parse(&bytes).map_err(|error| {
            FileError::Unusable(format!(
                "{name} is not usable as a gfx906 code object: {error}"
            ))
        })?;
        let report = CodeObjectReport {
            path: name.to_string(),
            sha256: sha256(&bytes),
            build,
        };
        Ok(Program {
            bytes: bytes.into(),
            object,
            report,
            decoded: CodeCache::default(),
            parameters: OnceLock::new(),
        })
    }

    /// Returns the parameters of the kernels in the source, as far as there is debug information.
    pub fn parameters(&self) -> &SourceParameters {
        self.parameters
            .get_or_init(|| SourceParameters::read(&self.bytes))
    }

    /// Returns true if it is the program's own code object.
    pub fn is_built_in(&self) -> bool {
        self.report.build.is_some()
    }
}
