//! Bindings: descriptions, by the author of the kernels, of how a code object computes a contract.
//!
//! A contract names tensors, sizes and references and knows no kernel. A binding names kernels, grids and arguments and
//! knows no reference. `docs/bindings.md` describes the file.

mod arguments;
mod built_in;
mod call;
mod describe;
mod file;
pub mod formula;
mod indices;
mod kernels;
mod mentions;
mod planted;
mod resolve;
mod scope;
mod shapes;
mod states;
mod symbol;
mod value;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::contract::catalog::functions;
use crate::contract::{Function, Test};
use crate::document::{self, Complaint, diagnostic};
use crate::files::{self, FileError};
use crate::tensor::ElementKind;
use formula::{Formula, Trouble};
use symbol::Symbol;

pub use arguments::divider as fast_division;
pub use built_in::{built_in, built_in_called, built_in_of};
pub use call::described;
pub use describe::{ContractTensors, DescribedTensor, TensorUse, describe};
pub use planted::{PlantedSpec, Reason};
pub use resolve::{
    AddressSlot, BEYOND_F16, Call, CodeObjectRole, Objects, Resolution, TensorOffset, convert,
};
pub use scope::{ElementReader, Elements, NamedFormula, Scope, TensorAxis, TensorShape};
pub use shapes::ONLY_F64;
pub use symbol::find;

/// The version of contracts that this program supports.
pub const CONTRACT_VERSION: i64 = 1;
/// The largest file that is read as bindings.
const MAX_BYTES: u64 = 4 << 20;

/// A file of bindings: its name and text, for complaints.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name.
    pub name: String,
    /// The file's text.
    pub text: String,
}

impl Source {
    /// Makes the error for a formula at a span of the file.
    pub fn error(&self, place: &Range<usize>, trouble: Trouble) -> FileError {
        diagnostic(&self.name, &self.text, &[self.complaint(place, trouble)])
    }

    /// Makes the same complaint for rendering beside others. The complaint points into a text in plain quotes.
    pub fn complaint(&self, place: &Range<usize>, trouble: Trouble) -> Complaint {
        let quoted = self.text.get(place.clone()).unwrap_or_default();
        let first = place.start + 1 + trouble.at.start;
        let span = if quoted.starts_with(['"', '\'']) && !quoted.contains('\\') {
            first..(place.start + 1 + trouble.at.end).max(first)
        } else {
            place.clone()
        };
        Complaint {
            span,
            title: trouble.title,
            label: "here".into(),
            help: trouble.help,
        }
    }
}

/// A value that was read from the file, with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct FileValue<T> {
    /// Byte range in the file.
    pub span: Range<usize>,
    /// The value.
    pub value: T,
}

/// A description of how a code object computes a contract.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The name by which tests ask for this binding; none for the binding of tests that ask for no name.
    pub name: Option<String>,
    /// The file.
    pub source: Arc<Source>,
    /// Byte range of the entry.
    pub span: Range<usize>,
    /// The contract that it computes.
    pub function: &'static Function,
    /// The condition for a case; none if the binding takes all cases.
    pub when: Option<FileValue<Formula>>,
    /// Tensors whose element type differs from the contract's.
    pub types: Vec<(FileValue<String>, ElementKind)>,
    /// Tensors whose memory layout differs from the contract's.
    pub layouts: Vec<(FileValue<String>, LayoutSpec)>,
    /// Inputs whose elements are converted by a formula before the kernels get them.
    pub converted: Vec<(FileValue<String>, FileValue<Formula>)>,
    /// Named formulas.
    pub lets: Vec<(FileValue<String>, FileValue<Formula>)>,
    /// Names that have several formulas, one for each launch form. The first formula stands in `lets`.
    pub varied: Vec<(String, Vec<FileValue<Formula>>)>,
    /// Outputs whose buffers begin as a copy of an input.
    pub starts: Vec<(FileValue<String>, FileValue<String>)>,
    /// Scratch tensors.
    pub scratch: Vec<DeclaredTensor>,
    /// Tensors of whole numbers that formulas make of the contract's.
    pub indices: Vec<IndexTensor>,
    /// Buffers that hold several tensors, one after the other.
    pub buffers: Vec<(FileValue<String>, Vec<FileValue<String>>)>,
    /// Launches and groups of launches, in order.
    pub steps: Vec<Step>,
    /// Wrong kernels that the contract's tests must catch.
    pub planted: Vec<PlantedSpec>,
}

/// The order of a tensor's axes in memory, and the distance between rows.
#[derive(Clone, Debug)]
pub struct LayoutSpec {
    /// Axes by name, the outermost first.
    pub axes: FileValue<Vec<String>>,
    /// Elements from one row to the next.
    pub pitch: Option<FileValue<Formula>>,
}

/// A tensor of the binding's own. Scratch hands results from launch to launch.
#[derive(Clone, Debug)]
pub struct DeclaredTensor {
    /// Its name.
    pub name: FileValue<String>,
    /// Its elements.
    pub kind: ElementKind,
    /// Lengths of its axes.
    pub lengths: Vec<FileValue<Formula>>,
}

/// A tensor of whole numbers that a formula makes of the contract's tensors, such as the chunks of packed sequences.
#[derive(Clone, Debug)]
pub struct IndexTensor {
    /// Its name, type and axes.
    pub declared: DeclaredTensor,
    /// Its values.
    pub formula: FileValue<Formula>,
}

/// A launch, or a group of launches.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a binding has a handful, nearly all of them launches"
)]
pub enum Step {
    /// A launch.
    Launch(LaunchSpec),
    /// Several steps in order, repeated for each number of a loop.
    Group(GroupSpec),
}

/// A group of steps that share a condition and a loop.
#[derive(Clone, Debug)]
pub struct GroupSpec {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The condition for a case; none if the group runs in all cases.
    pub when: Option<FileValue<Formula>>,
    /// The loop that repeats the group.
    pub each: Option<FileValue<Loop>>,
}

/// A launch.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// Byte range in the file.
    pub span: Range<usize>,
    /// The launch's index in the binding, from 0.
    pub number: usize,
    /// The kernel's symbol.
    pub symbol: FileValue<Symbol>,
    /// Work-groups of each dimension.
    pub grid: Vec<FileValue<Formula>>,
    /// Work-items of a work-group in each dimension.
    pub block: Vec<FileValue<Formula>>,
    /// Bytes of dynamic LDS.
    pub dynamic_lds: Option<FileValue<Formula>>,
    /// Arguments.
    pub args: FileValue<Vec<FileValue<ArgSpec>>>,
    /// The condition for a case; none if the launch is made in all cases.
    pub when: Option<FileValue<Formula>>,
    /// The loop that repeats the launch.
    pub each: Option<FileValue<Loop>>,
    /// The work-item that computes element `i` of a tensor, in x, y and z over the whole grid.
    pub owners: Vec<(FileValue<String>, Vec<FileValue<Formula>>)>,
    /// True if a planted bug has changed this launch.
    pub planted: bool,
}

/// A loop variable and its range.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The variable.
    pub name: String,
    /// The first number.
    pub from: Formula,
    /// The end of the range, exclusive.
    pub to: Formula,
}

/// A launch argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgSpec {
    /// An address within a tensor, or null.
    Pointer(Formula),
    /// A number of a type.
    Scalar(Scalar, Formula),
    /// Three u32 with which a kernel divides by a number.
    FastDivision(Formula),
    /// Literal bytes.
    Raw(Vec<u8>),
    /// A struct by value, each member aligned to a multiple of its own alignment.
    Struct(Vec<FileValue<ArgSpec>>),
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the types by name")]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
    Bool,
}

impl Binding {
    /// Returns true if a test may use this binding.
    pub fn is_for(&self, test: &Test) -> bool {
        self.function.name == test.function.name && self.name == test.binding
    }

    /// Returns the launches in the order of their numbers.
    pub fn launches(&self) -> Vec<&LaunchSpec> {
        launches(&self.steps)
    }

    /// Returns the symbols of the launched kernels as the file spells them, without repetition.
    pub fn kernels(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for launch in self.launches() {
            let name = launch.symbol.value.text();
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }
}

/// Collects launches in the order of their numbers.
fn launches(steps: &[Step]) -> Vec<&LaunchSpec> {
    fn walk<'a>(steps: &'a [Step], out: &mut Vec<&'a LaunchSpec>) {
        for step in steps {
            match step {
                Step::Launch(launch) => out.push(launch),
                Step::Group(group) => walk(&group.steps, out),
            }
        }
    }
    let mut out = Vec::new();
    walk(steps, &mut out);
    out
}

/// Reads a file of bindings of the built-in contracts and of some custom ones.
///
/// # Errors
/// The file cannot be read, or is wrong. The error has every complaint, with file, line and caret.
pub fn read(path: &Path, custom: &[&'static Function]) -> Result<Vec<Binding>, FileError> {
    let (name, text) = files::read_text("binding", path, MAX_BYTES)?;
    parse_with(&name, &text, custom)
}

/// Parses bindings of the built-in contracts and of some custom ones.
///
/// # Errors
/// Something in the text is wrong.
pub fn parse_with(
    name: &str,
    text: &str,
    custom: &[&'static Function],
) -> Result<Vec<Binding>, FileError> {
    let known: Vec<&'static Function> = functions().chain(custom.iter().copied()).collect();
    parse_for(name, text, &known)
}

/// Returns the files of contracts that a file of bindings names: `contracts = ["norm.contract.toml"]`. Their paths start from the folder
/// of the file. A file that cannot be read names none; [`read`] says what is wrong with it.
///
/// # Errors
/// A file is out of reach.
pub fn contract_files(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let Ok((source, text)) = files::read_text("binding", path, MAX_BYTES) else {
        return Ok(Vec::new());
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let named = file::contract_files(&text).into_iter();
    let named = named.map(|(name, span)| {
        let refused = |title: String, label: &str, help: String| {
            let complaint = Complaint {
                span: span.clone(),
                title,
                label: label.into(),
                help,
            };
            FileError::Diagnostic(document::render(&source, &text, &[complaint]))
        };
        let path = files::named(folder, name.clone()).map_err(|error| {
            let (title, help) = error.parts();
            refused(title, "out of reach", help)
        })?;
        match path.exists() {
            true => Ok(path),
            false => Err(refused(
                format!("there is no file `{}`", name.escape_debug()),
                "the file of a contract",
                "write the path from the folder of this binding".into(),
            )),
        }
    });
    named.collect()
}

/// Parses bindings from a text; `name` is the file's name in complaints.
///
/// # Errors
/// Something in the text is wrong.
pub fn parse(name: &str, text: &str) -> Result<Vec<Binding>, FileError> {
    parse_with(name, text, &[])
}

/// Parses the binding at a place of a text that has been parsed before. Other bindings of the text may be for other contracts.
pub fn parse_at(name: &str, text: &str, at: usize, contract: &'static Function) -> Option<Binding> {
    let source = Arc::new(Source {
        name: name.into(),
        text: text.into(),
    });
    let bindings = file::bindings(&source, &[contract], &mut Vec::new());
    bindings
        .into_iter()
        .find(|binding| binding.span.start == at)
}

/// Parses bindings for contracts other than the built-in ones.
///
/// # Errors
/// Something in the text is wrong.
pub fn parse_for(
    name: &str,
    text: &str,
    contracts: &[&'static Function],
) -> Result<Vec<Binding>, FileError> {
    let source = Arc::new(Source {
        name: name.into(),
        text: text.into(),
    });
    let mut complaints = Vec::new();
    let bindings = file::bindings(&source, contracts, &mut complaints);
    if complaints.is_empty() {
        return Ok(bindings);
    }
    Err(diagnostic(name, text, &complaints))
}
