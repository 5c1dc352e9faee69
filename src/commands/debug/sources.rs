//! Source files: the paths of the debug information, and the files of this machine.

use std::path::{Path, PathBuf};

use super::arguments::Refusal;
use crate::files;

/// Largest source file that is read.
const MAX_SOURCE: u64 = 16 << 20;

/// The places in which source files are looked for.
#[derive(Default)]
pub(super) struct SourceFolders(Vec<PathBuf>);

impl SourceFolders {
    /// Adds a folder.
    pub(super) fn add(&mut self, folder: &Path) {
        self.0.push(folder.to_owned());
    }

    /// Returns the file of this machine that a path of the debug information names.
    pub(super) fn find(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path);
        let beside = self.0.iter().map(|folder| folder.join(path));
        let name = path.file_name();
        let flat = self.0.iter().filter_map(|folder| Some(folder.join(name?)));
        // An absolute path replaces the folder.
        let mut candidates = beside.chain([path.to_owned()]).chain(flat);
        let found = candidates.find(|path| path.is_file())?;
        Some(std::path::absolute(&found).unwrap_or(found))
    }

    /// Returns the text of a source file.
    pub(super) fn read(&self, path: &str) -> Result<String, Refusal> {
        let found = self.find(path).ok_or_else(|| {
            let path = path.escape_debug();
            Refusal(format!(
                "no file `{path}`: name the folder of the sources with `--source-dir`"
            ))
        })?;
        let bytes = files::read(&found, MAX_SOURCE).map_err(Refusal::new)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Returns the path of the debug information that is most like a path of the editor: the same file name, and most of the folders before it.
pub(super) fn same_file<'a>(files: &'a [String], path: &str) -> Option<&'a str> {
    let common = |file: &str| {
        let ours = Path::new(file).components().rev();
        let theirs = Path::new(path).components().rev();
        ours.zip(theirs).take_while(|(a, b)| a == b).count()
    };
    let files = files.iter().map(|file| (common(file), file));
    let best = files.max_by_key(|(common, _)| *common)?;
    (best.0 > 0).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_the_end_of_its_path() {
        let files = ["./a/one.hip", "b/one.hip", "two.hip"].map(str::to_owned);
        assert_eq!(same_file(&files, "/home/x/b/one.hip"), Some("b/one.hip"));
        assert_eq!(same_file(&files, "/home/x/a/one.hip"), Some("./a/one.hip"));
        assert_eq!(same_file(&files, "/two.hip"), Some("two.hip"));
        assert_eq!(same_file(&files, "/home/three.hip"), None);
    }
}
