//! Errors of code objects.

/// Reason why bytes cannot be run as a gfx906 code object. Each message is one line and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeObjectError {
    /// The input is empty.
    #[error("the code object is empty (0 bytes): build it again")]
    Empty,
    /// The input is neither an ELF file nor a bundle.
    #[error(
        "not a code object (it starts with {start}): give the file that `hipcc --genco --offload-arch=gfx906` writes"
    )]
    Unrecognised {
        /// The first bytes, made printable.
        start: String,
    },
    /// The ELF file is not for a GPU.
    #[error(
        "is {what}, not a GPU code object: build one with `hipcc --genco --offload-arch=gfx906`"
    )]
    WrongMachine {
        /// Kind of file that the ELF header states, with an article.
        what: String,
    },
    /// The code object is for another AMD GPU.
    #[error("built for {processor}, not gfx906: rebuild with --offload-arch=gfx906")]
    WrongProcessor {
        /// Processor that it was built for.
        processor: String,
    },
    /// The emulator does not know the code object ABI.
    #[error(
        "code object version {found} is not supported: rebuild with -mcode-object-version=5 (4 to 6 are read)"
    )]
    WrongVersion {
        /// Version in the ELF header.
        found: String,
    },
    /// The bundle has no entry for gfx906.
    #[error(
        "the offload bundle holds nothing for gfx906, only {targets}: rebuild with --offload-arch=gfx906"
    )]
    NoEntry {
        /// Targets in the bundle.
        targets: String,
    },
    /// The host program has several device images, and the intended one is not known.
    #[error(
        "the program carries {count} offload bundles with code for gfx906: give one code object, built with `hipcc --genco --offload-arch=gfx906`"
    )]
    SeveralBundles {
        /// Number of bundles with code for gfx906.
        count: usize,
    },
    /// A part of the file extends past the end of its container.
    #[error(
        "{what} lies outside the file ({detail}): the code object is truncated or damaged, build or copy it again"
    )]
    Truncated {
        /// The part.
        what: String,
        /// Its position, and the bytes that exist.
        detail: String,
    },
    /// The file contradicts the format.
    #[error("{what}: {problem}; the code object is damaged, build or copy it again")]
    Malformed {
        /// Part of the file.
        what: String,
        /// The problem.
        problem: String,
    },
    /// The file is well-formed, but uses a feature that is not supported.
    #[error("{what} is not supported: {advice}")]
    Unsupported {
        /// The feature.
        what: String,
        /// Suggested alternative.
        advice: String,
    },
    /// A part would take too much memory.
    #[error(
        "{what} of {size} bytes is over the limit of {limit} bytes: the code object is damaged, or made for something larger"
    )]
    TooBig {
        /// The part.
        what: String,
        /// Size of the part.
        size: u64,
        /// Largest permitted size.
        limit: u64,
    },
    /// The notes hold no AMDGPU metadata.
    #[error(
        "the code object has no AMDGPU metadata note: link it with ld.lld -shared, and do not strip its notes"
    )]
    NoMetadata,
    /// The metadata violates the ABI.
    #[error("metadata {path}: {problem}; the code object is damaged, build or copy it again")]
    Metadata {
        /// Path to the value, as in `amdhsa.kernels[0].args[1].offset`.
        path: String,
        /// The problem.
        problem: String,
    },
    /// The kernel cannot run.
    #[error("kernel `{kernel}`: {problem}")]
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// The problem, and what to do.
        problem: String,
    },
}

/// Largest number of characters of a name from the file in a message.
const LONGEST_NAME: usize = 200;

/// Returns a name from the file in printable form: without line breaks, and shortened if it is long.
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
