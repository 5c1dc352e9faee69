//! Checks of the readers of files that people hand to the program: any bytes give a value, or complaints that a terminal can show.

use std::cell::RefCell;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::LazyLock;

use deltanet_check::registry::Registry;
use deltanet_check::report::known::KnownFailures;
use deltanet_check::report::saved::Report;
use deltanet_check::tensor::npy::Npy;
use deltanet_check::tensor::read_safetensors;
use deltanet_check::{binding, commands, custom};

/// The longest file that is tried. Files of usual sizes are shorter.
const LONGEST: usize = 1 << 16;

/// The longest complaint about a file.
const MOST: usize = 1 << 18;

/// A reader of files.
pub struct Reader {
    /// The name of its target.
    pub name: &'static str,
    /// Its function.
    pub read: fn(&[u8]),
    /// Good files, from the root of the repository.
    pub seeds: &'static [&'static str],
}

/// All readers.
pub const READERS: [Reader; 7] = [
    Reader {
        name: "binding",
        read: binding,
        seeds: &[
            "tests/bindings/rule.toml",
            "tests/bindings/varlen.toml",
            "tests/bindings/state.toml",
        ],
    },
    Reader {
        name: "contract",
        read: contract,
        seeds: &[
            "examples/quantised_gemv/contract.toml",
            "tests/bindings/reasons.contract.toml",
        ],
    },
    Reader {
        name: "registry",
        read: registry,
        seeds: &["phases.toml", "phases/14-packed.toml"],
    },
    Reader {
        name: "launch",
        read: launch,
        seeds: &["fuzz/seeds/launch/saxpy.json"],
    },
    Reader {
        name: "report",
        read: report,
        seeds: &[
            "fuzz/seeds/report/run.json",
            "fuzz/seeds/report/profile.json",
        ],
    },
    Reader {
        name: "known",
        read: known,
        seeds: &["fuzz/seeds/known/known.toml"],
    },
    Reader {
        name: "tensors",
        read: tensors,
        seeds: &[
            "fuzz/seeds/tensors/four.npy",
            "fuzz/seeds/tensors/add.safetensors",
        ],
    },
];

/// Checks the message of an error: lines of text, without control characters.
fn check<T, E: Display>(read: Result<T, E>) {
    if let Err(error) = read {
        let text = format!("{error:#}");
        let is_shown =
            |c: char| c == '\n' || !c.is_control() && !('\u{202A}'..='\u{202E}').contains(&c);
        assert!(!text.trim().is_empty(), "an error without words");
        assert!(text.chars().all(is_shown), "not plain text: {text:?}");
        assert!(text.len() < MOST, "{} bytes of message", text.len());
    }
}

/// Passes the path of a file with these bytes to a function.
fn in_file(bytes: &[u8], ending: &str, read: impl FnOnce(PathBuf)) {
    thread_local! {
        static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
    }
    if bytes.len() > LONGEST {
        return;
    }
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a folder"));
        let path = folder.path().join("file").with_extension(ending);
        std::fs::write(&path, bytes).expect("a file is written");
        read(path);
    });
}

/// Reads the bytes as bindings.
pub fn binding(bytes: &[u8]) {
    if let (Ok(text), true) = (std::str::from_utf8(bytes), bytes.len() <= LONGEST) {
        check(binding::parse("file", text));
    }
}

/// Reads the bytes as a file of contracts. Reference kernels are not run.
pub fn contract(bytes: &[u8]) {
    in_file(bytes, "toml", |path| {
        check(custom::read(&[path], |_| unreachable!("no kernel runs")));
    });
}

/// Reads the bytes as a registry of tests, and draws its cases.
pub fn registry(bytes: &[u8]) {
    static BASE: LazyLock<Registry> = LazyLock::new(|| Registry::built_in().expect("built in"));
    if let (Ok(text), true) = (std::str::from_utf8(bytes), bytes.len() <= LONGEST) {
        check(Registry::parse("file", text, Some(&BASE)));
    }
}

/// Reads the bytes as a launch file, and runs nothing.
pub fn launch(bytes: &[u8]) {
    in_file(bytes, "json", |path| check(commands::exec::check(&path)));
}

/// Reads the bytes as the report of a run or a profile.
pub fn report(bytes: &[u8]) {
    in_file(bytes, "json", |path| check(Report::read_any(&path)));
}

/// Reads the bytes as known failures.
pub fn known(bytes: &[u8]) {
    in_file(bytes, "toml", |path| check(KnownFailures::read(&path)));
}

/// Reads the bytes as an array of NumPy, and as tensors.
pub fn tensors(bytes: &[u8]) {
    let array = Npy::from_bytes(bytes);
    if let Ok(array) = &array {
        let count: usize = array.shape.iter().product();
        assert!(
            count == 0 || array.data.len() % count == 0,
            "a part of an element"
        );
    }
    check(array);
    check(read_safetensors(bytes));
}
