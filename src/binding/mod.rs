//! Bindings: how some code object computes a contract, written by whoever wrote the kernels.
//!
//! A contract names tensors, sizes and references and knows no kernel; a binding names kernels, grids and arguments and knows no
//! reference. `docs/bindings.md` describes the file.

mod arguments;
mod built_in;
mod call;
mod describe;
mod file;
pub mod formula;
mod layout;
mod mentions;
mod planted;
mod resolve;
mod scope;
mod shapes;
mod states;
mod symbol;
mod value;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::compare::ElementKind;
use crate::contract::{Function, Test};
use crate::contracts::functions;
use crate::document::{Complaint, render};
use crate::exit::Stop;
use crate::text::shown;
use formula::{Formula, Trouble};
use symbol::Symbol;

pub use arguments::divider as fast_division;
pub use built_in::{built_in, built_in_called, built_in_of};
pub use call::described;
pub use describe::{Described, DescribedTensor, Use, describe};
pub use layout::Layout;
pub use planted::PlantedSpec;
pub use resolve::{BEYOND_F16, Call, Home, Objects, Place, Resolved, Slot, convert};
pub use scope::{Held, Scope, Shape, Side};
pub use symbol::find;

/// The version of contracts that this program has.
pub const CONTRACT_VERSION: i64 = 1;
/// The largest file that is read as bindings.
const MAX_BYTES: u64 = 4 << 20;

/// A file of bindings: its name and text, for complaints.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is called.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

impl Source {
    /// The complaint about a formula that stands at a place of the file.
    fn stop(&self, place: &Range<usize>, trouble: Trouble) -> Stop {
        Stop::diagnostic(render(
            &self.name,
            &self.text,
            &[self.complaint(place, trouble)],
        ))
    }

    /// The same, to be laid out with others. A text in plain quotes is pointed into.
    fn complaint(&self, place: &Range<usize>, trouble: Trouble) -> Complaint {
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

/// Something of the file, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// Where.
    pub span: Range<usize>,
    /// What.
    pub value: T,
}

/// How a code object computes a contract.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What tests call it that ask for it; nothing: those that ask for none have it.
    pub name: Option<String>,
    /// The file.
    pub source: Arc<Source>,
    /// Where the entry stands.
    pub span: Range<usize>,
    /// What it computes.
    pub function: &'static Function,
    /// The cases that it is for; nothing: all.
    pub when: Option<Placed<Formula>>,
    /// Elements of tensors that are of another type than the contract's.
    pub types: Vec<(Placed<String>, ElementKind)>,
    /// Tensors that stand otherwise in memory.
    pub layouts: Vec<(Placed<String>, LayoutSpec)>,
    /// Inputs whose elements are handed over as another function of themselves.
    pub converted: Vec<(Placed<String>, Placed<Formula>)>,
    /// Named formulas.
    pub lets: Vec<(Placed<String>, Placed<Formula>)>,
    /// Names of several formulas, one for each way to launch; the first stands in `lets`.
    pub varied: Vec<(String, Vec<Placed<Formula>>)>,
    /// Outputs whose buffers begin as a copy of an input.
    pub starts: Vec<(Placed<String>, Placed<String>)>,
    /// Tensors of its own.
    pub scratch: Vec<Scratch>,
    /// Buffers that hold several tensors, one behind the other.
    pub buffers: Vec<(Placed<String>, Vec<Placed<String>>)>,
    /// What is launched, in order.
    pub steps: Vec<Step>,
    /// Wrong kernels that the contract's tests must catch.
    pub planted: Vec<PlantedSpec>,
}

/// The order of a tensor's axes in memory, and how far its rows are apart.
#[derive(Clone, Debug)]
pub struct LayoutSpec {
    /// Axes by name, the outermost first.
    pub axes: Placed<Vec<String>>,
    /// Elements from one row to the next.
    pub pitch: Option<Placed<Formula>>,
}

/// A tensor that launches hand to each other.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Its name.
    pub name: Placed<String>,
    /// Its elements.
    pub kind: ElementKind,
    /// Lengths of its axes.
    pub lengths: Vec<Placed<Formula>>,
}

/// A launch, or several that are made together.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a binding has a handful, nearly all of them launches"
)]
pub enum Step {
    /// A launch.
    Launch(LaunchSpec),
    /// Several, one after the other, and that again for each number of a loop.
    Group(GroupSpec),
}

/// Launches that are made together.
#[derive(Clone, Debug)]
pub struct GroupSpec {
    /// Them, in order.
    pub steps: Vec<Step>,
    /// The cases in which they are made; nothing: all.
    pub when: Option<Placed<Formula>>,
    /// A variable that counts, from and to: they are made once for each.
    pub each: Option<Placed<Loop>>,
}

/// A launch.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// Where it stands.
    pub span: Range<usize>,
    /// Which of the binding it is, from 0.
    pub number: usize,
    /// Which kernel.
    pub symbol: Placed<Symbol>,
    /// Work-groups.
    pub grid: Vec<Placed<Formula>>,
    /// Work-items of a group.
    pub block: Vec<Placed<Formula>>,
    /// Bytes of dynamic LDS.
    pub dynamic_lds: Option<Placed<Formula>>,
    /// Arguments.
    pub args: Placed<Vec<Placed<ArgSpec>>>,
    /// The cases in which it is made; nothing: all.
    pub when: Option<Placed<Formula>>,
    /// A variable that counts, from and to: it is made once for each.
    pub each: Option<Placed<Loop>>,
    /// The work-item that computes element `i` of a tensor, in x, y and z over the whole grid.
    pub owners: Vec<(Placed<String>, Vec<Placed<Formula>>)>,
    /// Whether a planted bug has changed it.
    pub planted: bool,
}

/// A variable and the numbers that it goes through.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The variable.
    pub name: String,
    /// The first number.
    pub from: Formula,
    /// The number behind the last.
    pub to: Formula,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgSpec {
    /// A place in a tensor, or null.
    Pointer(Formula),
    /// A number of a type.
    Scalar(Scalar, Formula),
    /// Three u32 with which a kernel divides by a number.
    FastDivision(Formula),
    /// These bytes.
    Raw(Vec<u8>),
    /// Several in a struct by value, each at a multiple of its alignment.
    Struct(Vec<Placed<ArgSpec>>),
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
    /// Returns true where a test may run by it.
    pub fn is_for(&self, test: &Test) -> bool {
        self.function.name == test.function.name && self.name == test.binding
    }

    /// Its launches, in the order in which they are numbered.
    pub fn launches(&self) -> Vec<&LaunchSpec> {
        launches(&self.steps)
    }

    /// The kernels that it launches, as the file names them, each once.
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

/// Launches, in the order in which they are numbered.
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

/// Reads a file of bindings.
///
/// # Errors
/// It cannot be read, or something in it is wrong: every complaint with file, line and caret.
pub fn read(path: &Path) -> Result<Vec<Binding>, Stop> {
    let name = shown(path);
    let bytes = crate::files::read(path, MAX_BYTES)
        .map_err(|error| Stop::setup(format!("binding: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Stop::setup(format!(
            "binding {name} is not UTF-8 (byte {at}): write it as a TOML text file"
        ))
    })?;
    parse(&name, &text)
}

/// Reads bindings from their text; `name` is what complaints call the file.
///
/// # Errors
/// Something in it is wrong.
pub fn parse(name: &str, text: &str) -> Result<Vec<Binding>, Stop> {
    let known: Vec<&'static Function> = functions().collect();
    parse_for(name, text, &known)
}

/// The same for contracts other than the built-in ones.
///
/// # Errors
/// Something in it is wrong.
pub fn parse_for(
    name: &str,
    text: &str,
    contracts: &[&'static Function],
) -> Result<Vec<Binding>, Stop> {
    let source = Arc::new(Source {
        name: name.into(),
        text: text.into(),
    });
    let mut complaints = Vec::new();
    let bindings = file::bindings(&source, contracts, &mut complaints);
    if complaints.is_empty() {
        return Ok(bindings);
    }
    Err(Stop::diagnostic(render(name, text, &complaints)))
}
