//! Settings of the recording, parsed from the environment's variables.

use std::path::{Path, PathBuf};

use cpp_demangle::DemangleOptions;
use globset::{Glob, GlobMatcher};

use crate::diagnostics::log;
use crate::diagnostics::trap::cpp_symbol;
use crate::settings;

/// Most bytes of all records without `GFX906_RECORD_BYTES`.
const LIMIT: u64 = 1 << 30;

/// Target and selection of records.
pub struct RecordingSettings {
    /// Absolute path of the directory, so that a change of the working directory has no effect.
    pub directory: PathBuf,
    /// Most bytes of all records.
    pub limit: u64,
    /// Pattern of kernel names. Without it, all kernels are recorded.
    kernels: Option<GlobMatcher>,
}

/// Reason why nothing is recorded: an unusable setting.
#[derive(Debug, thiserror::Error)]
enum SettingsError {
    #[error("GFX906_RECORD_BYTES={0} is no number of bytes, as 500000 or 2G")]
    Bytes(String),
    #[error("GFX906_RECORD_KERNELS={text} is no glob ({kind})")]
    Kernels {
        text: String,
        kind: globset::ErrorKind,
    },
    #[error("GFX906_RECORD={directory}: {error}")]
    Directory {
        directory: String,
        error: std::io::Error,
    },
}

impl RecordingSettings {
    /// Reads `GFX906_RECORD` and its kin. An unusable value is logged, and nothing is recorded.
    pub fn of_environment() -> Option<RecordingSettings> {
        let variables = settings::recording()?;
        let settings = RecordingSettings::new(
            &variables.directory,
            variables.bytes.as_deref(),
            variables.kernels.as_deref(),
        );
        settings
            .map_err(|problem| log(format!("{problem}: nothing is recorded")))
            .ok()
    }

    fn new(
        directory: &Path,
        limit: Option<&str>,
        kernels: Option<&str>,
    ) -> Result<RecordingSettings, SettingsError> {
        let limit = match limit {
            None => LIMIT,
            Some(text) => bytes(text).ok_or_else(|| SettingsError::Bytes(text.into()))?,
        };
        let glob = |text: &str| {
            Glob::new(text).map_err(|error| SettingsError::Kernels {
                text: text.into(),
                kind: error.kind().clone(),
            })
        };
        let kernels = kernels.map(glob).transpose()?;
        let unusable = |error| SettingsError::Directory {
            directory: directory.display().to_string(),
            error,
        };
        std::fs::create_dir_all(directory).map_err(unusable)?;
        Ok(RecordingSettings {
            directory: std::path::absolute(directory).map_err(unusable)?,
            limit,
            kernels: kernels.map(|glob| glob.compile_matcher()),
        })
    }

    /// Returns true if launches of a kernel are recorded. The pattern may match the symbol, or the name in the source with or without
    /// parameters.
    pub fn wants(&self, kernel: &str) -> bool {
        let Some(glob) = &self.kernels else {
            return true;
        };
        names(kernel).iter().any(|name| glob.is_match(name))
    }
}

/// Returns the names of a kernel: the symbol, and the demangled name with and without return type and parameters.
pub fn names(kernel: &str) -> Vec<String> {
    let mut names = vec![kernel.to_owned()];
    if let Some(symbol) = cpp_symbol(kernel) {
        let plain = DemangleOptions::new().no_params().no_return_type();
        let options = [DemangleOptions::new(), plain];
        names.extend(
            options
                .iter()
                .filter_map(|options| symbol.demangle_with_options(options).ok()),
        );
    }
    names
}

/// Parses a number of bytes: `500000`, `64K`, `512M`, `2G`.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units
        .iter()
        .find(|(unit, _)| text.ends_with([*unit, unit.to_ascii_lowercase()]));
    let (digits, shift) = match unit {
        Some((_, shift)) => (&text[..text.len() - 1], *shift),
        None => (text, 0),
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, want) in [
            ("0", Some(0)),
            (" 500000 ", Some(500_000)),
            ("64K", Some(64 << 10)),
            ("2g", Some(2 << 30)),
            ("", None),
            ("G", None),
            ("-1", None),
            ("1.5G", None),
            ("1T", None),
            ("99999999999G", None),
        ] {
            assert_eq!(bytes(text), want, "{text}");
        }
    }

    #[test]
    fn kernels_are_known_by_each_of_their_names() {
        let here = std::env::temp_dir();
        let wants = |glob: &str, kernel: &str| {
            let settings = RecordingSettings::new(&here, None, Some(glob));
            settings
                .map(|settings| settings.wants(kernel))
                .unwrap_or_else(|problem| panic!("{problem}"))
        };
        // void ns::scale<float, 4>(float const*, int)
        let scale = "_ZN2ns5scaleIfLi4EEEvPKfi";
        assert!(cpp_demangle::Symbol::new(scale).is_ok());
        for glob in [
            "*",
            "_ZN2ns*",
            "ns::scale*",
            "void ns::scale<*>(float const*, int)",
            "*scale<float, 4>",
        ] {
            assert!(wants(glob, scale), "{glob}: {:?}", names(scale));
        }
        for glob in ["scale", "ns::scale", "_ZN2ns5scale"] {
            assert!(!wants(glob, scale), "{glob}");
        }
        assert!(wants("kernel_*", "kernel_add") && !wants("kernel_*", "my_kernel_add"));
        assert!(wants("{one,two}", "two"));
    }

    #[test]
    fn what_cannot_be_used_is_told_in_a_line() {
        let here = std::env::temp_dir();
        let problem = |limit, glob| {
            let error = RecordingSettings::new(&here, limit, glob).err();
            error.map(|error| error.to_string())
        };
        assert_eq!(
            problem(Some("many"), None).as_deref(),
            Some("GFX906_RECORD_BYTES=many is no number of bytes, as 500000 or 2G")
        );
        let glob = problem(None, Some("a[")).expect("no glob");
        assert!(
            glob.starts_with("GFX906_RECORD_KERNELS=a[ is no glob ("),
            "{glob}"
        );
        let file = std::env::current_exe().expect("this test");
        let problem = RecordingSettings::new(&file, None, None)
            .err()
            .expect("a file")
            .to_string();
        assert!(
            problem.starts_with("GFX906_RECORD=/") && !problem.contains('\n'),
            "{problem}"
        );
    }
}
