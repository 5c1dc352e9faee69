//! What can be wrong with a code object.

/// Why these bytes cannot be run as a gfx906 code object. Each message is one line and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeObjectError {
    /// No bytes at all.
    #[error("the code object is empty (0 bytes): build it again")]
    Empty,
    /// Neither an ELF file nor a bundle.
    #[error(
        "not a code object (it starts with {start}): give the file that `hipcc --genco --offload-arch=gfx906` writes"
    )]
    Unrecognised {
        /// The first bytes, made printable.
        start: String,
    },
    /// An ELF file for something else than a GPU.
    #[error(
        "is {what}, not a GPU code object: build one with `hipcc --genco --offload-arch=gfx906`"
    )]
    WrongMachine {
        /// What the ELF header says it is, with an article.
        what: String,
    },
    /// Another AMD GPU.
    #[error("built for {processor}, not gfx906: rebuild with --offload-arch=gfx906")]
    WrongProcessor {
        /// The processor it was built for.
        processor: String,
    },
    /// A code object ABI that the emulator does not know.
    #[error(
        "code object version {found} is not supported: rebuild with -mcode-object-version=5 (4 to 6 are read)"
    )]
    WrongVersion {
        /// The version in the ELF header.
        found: String,
    },
    /// A bundle without an entry for gfx906.
    #[error(
        "the offload bundle holds nothing for gfx906, only {targets}: rebuild with --offload-arch=gfx906"
    )]
    NoEntry {
        /// The targets in the bundle.
        targets: String,
    },
    /// A host program with several device images: which one is meant is not known.
    #[error(
        "the program carries {count} offload bundles with code for gfx906: give one code object, built with `hipcc --genco --offload-arch=gfx906`"
    )]
    SeveralBundles {
        /// How many bundles of the section have one.
        count: usize,
    },
    /// Something reaches past the end of what holds it.
    #[error(
        "{what} lies outside the file ({detail}): the code object is truncated or damaged, build or copy it again"
    )]
    Truncated {
        /// What does.
        what: String,
        /// Where it would be, and what there is.
        detail: String,
    },
    /// Something contradicts the format.
    #[error("{what}: {problem}; the code object is damaged, build or copy it again")]
    Malformed {
        /// The part of the file.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Well-formed, but of a kind that is not read.
    #[error("{what} is not supported: {advice}")]
    Unsupported {
        /// The thing.
        what: String,
        /// What to do instead.
        advice: String,
    },
    /// It would take too much memory.
    #[error(
        "{what} of {size} bytes is over the limit of {limit} bytes: the code object is damaged, or made for something larger"
    )]
    TooBig {
        /// The thing.
        what: String,
        /// How large it would be.
        size: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The notes hold no AMDGPU metadata.
    #[error(
        "the code object has no AMDGPU metadata note: link it with ld.lld -shared, and do not strip its notes"
    )]
    NoMetadata,
    /// The metadata is not what the ABI says.
    #[error("metadata {path}: {problem}; the code object is damaged, build or copy it again")]
    Metadata {
        /// The path to the value, as in `amdhsa.kernels[0].args[1].offset`.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A kernel that cannot run.
    #[error("kernel `{kernel}`: {problem}")]
    Kernel {
        /// Its name.
        kernel: String,
        /// What is wrong with it, and what to do.
        problem: String,
    },
}

/// The most characters of a name from the file that go into a message.
const LONGEST_NAME: usize = 200;

/// A name from the file, for a message: nothing that breaks the line, and not all of it if it is long.
pub(super) fn printable(name: &str) -> String {
    let mut text: String = name
        .chars()
        .take(LONGEST_NAME)
        .flat_map(char::escape_debug)
        .collect();
    if name.chars().nth(LONGEST_NAME).is_some() {
        text.push_str("...");
    }
    text
}

impl CodeObjectError {
    pub(super) fn truncated(what: impl Into<String>, detail: impl Into<String>) -> Self {
        CodeObjectError::Truncated {
            what: what.into(),
            detail: detail.into(),
        }
    }

    pub(super) fn malformed(what: impl Into<String>, problem: impl Into<String>) -> Self {
        CodeObjectError::Malformed {
            what: what.into(),
            problem: problem.into(),
        }
    }

    pub(super) fn kernel(kernel: &str, problem: impl Into<String>) -> Self {
        CodeObjectError::Kernel {
            kernel: printable(kernel),
            problem: problem.into(),
        }
    }
}
