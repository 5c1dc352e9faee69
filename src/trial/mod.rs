//! One test, run: inputs, launches, outputs, comparison.
//!
//! A phase file describes a test by calling [`Trial`]: it draws inputs, allocates outputs, launches kernels in the
//! document's order and hands over what each output should be. Everything that makes the result trustworthy
//! happens here, the same for all tests: seeds, poison, guards, read-back, the order of judgement.

mod bound;
mod buffer;
mod data;
mod dump;
mod given;
mod grid;
mod isolate;
mod judge;
mod launch;
mod panics;
mod plan;
mod pool;
mod probe;
mod tensors;
mod twin;

use deltanet_reference::rule::Scale;

use crate::device::{DeviceError, DeviceErrorKind, Session};
use crate::program::Program;
use crate::registry::{Plant, Values};
use crate::verdict::{Axis, LaunchReport};

pub use bound::Bound;
use buffer::Tensor;
pub use buffer::{Arg, Buffer, axes, elements, float, int, null, table};
pub use data::Data;
pub use dump::{Dump, file_name};
pub use given::Given;
pub use grid::{Grid, line, matrix, sequential, transposing};
pub use isolate::{CHILD, serve};
pub use plan::{Finished, Plan, Variant};
pub use pool::{Progress, default_jobs, run_all};
pub use probe::{Probed, probe};

/// What running a test returns: nothing, or why it did not get as far as comparing.
pub type Outcome<T = ()> = Result<T, DeviceError>;

/// A test being run.
pub struct Trial<'a> {
    id: &'a str,
    seed: u64,
    values: &'a Values,
    program: Option<&'a Program>,
    variant: Variant<'a>,
    session: Box<dyn Session>,
    module: usize,
    planted: Option<(usize, &'a Program, &'a Plant)>,
    given: Option<&'a Given>,
    mode: Mode<'a>,
    tensors: Vec<Tensor>,
    launches: Vec<Launched>,
    checks: Vec<Check>,
    plant_used: bool,
}

/// Who launches.
#[derive(Clone, Copy)]
enum Mode<'a> {
    /// The test's function, as it goes.
    Coded,
    /// A binding, when the function is through.
    Bound(Bound<'a>),
    /// Nobody: the function is asked what tensors there are.
    Probe,
}

/// A launch that was made.
struct Launched {
    report: LaunchReport,
    grid: Grid,
    written: Vec<Buffer>,
}

/// An output and what it should be.
struct Check {
    buffer: Buffer,
    /// What reports call it: the tensor's name, or that of a part.
    name: String,
    axes: Vec<Axis>,
    golden: Data,
    oracle: Vec<f64>,
    mistakes: Vec<Mistake>,
}

/// A mistake that a kernel of the test may make, and the output that it would then leave.
pub struct Mistake {
    /// Short stable name: `state-dropped`.
    pub name: &'static str,
    /// What went wrong if the output is this one: `the state is dropped at chunk boundaries`.
    pub explanation: &'static str,
    /// Computes that output. Called only for an output that is wrong.
    pub values: Box<dyn Fn() -> Vec<f64>>,
}

impl Mistake {
    /// A mistake by its short name, what went wrong, and the output that it leaves.
    pub fn new(
        name: &'static str,
        explanation: &'static str,
        values: impl Fn() -> Vec<f64> + 'static,
    ) -> Mistake {
        Mistake {
            name,
            explanation,
            values: Box::new(values),
        }
    }
}

impl<'a> Trial<'a> {
    fn new(plan: &Plan<'a>, session: Box<dyn Session>) -> Outcome<Trial<'a>> {
        let mut session = session;
        let module = session.load(plan.program)?;
        let planted = match plan.variant {
            Variant::Planted(program, plant) => Some((session.load(program)?, program, plant)),
            Variant::Honest | Variant::Silent => None,
        };
        Ok(Trial {
            id: &plan.case.id,
            seed: plan.seed,
            values: &plan.case.values,
            program: Some(plan.program),
            variant: plan.variant,
            session,
            module,
            planted,
            given: plan.given,
            mode: plan.bound.map_or(Mode::Coded, Mode::Bound),
            tensors: Vec::new(),
            launches: Vec::new(),
            checks: Vec::new(),
            plant_used: false,
        })
    }

    /// A word of the case.
    pub fn word(&self, name: &str) -> &'static str {
        self.values.word(name)
    }

    /// The factor on the output that goes with tensors from elsewhere; the default where all is drawn.
    pub fn scale(&self) -> Scale {
        self.given.map_or(Scale::InverseSqrtKeySize, Given::scale)
    }

    /// A dimension of the case.
    pub fn dim(&self, name: &str) -> usize {
        self.values.dim(name)
    }

    /// A whole number of the case, which may be negative.
    pub fn integer(&self, name: &str) -> i32 {
        i32::try_from(self.values.get(name)).unwrap_or(0)
    }

    /// Says what a tensor should be in the end: the golden reference, and the oracle.
    pub fn check<G: Into<Data>>(&mut self, buffer: Buffer, references: (G, Vec<f64>)) -> Outcome {
        self.check_or(buffer, references, Vec::new())
    }

    /// Says what a tensor is in the end if it is right: copies, integers, whatever is not rounded.
    pub fn check_exact(&mut self, buffer: Buffer, values: impl Into<Data>) -> Outcome {
        let values = values.into();
        let wide = values.wide();
        self.check_or(buffer, (values, wide), Vec::new())
    }

    /// The same as [`Trial::check`], with the mistakes that a report should know of. A golden reference of floats is rounded to the
    /// tensor's type.
    pub fn check_or<G: Into<Data>>(
        &mut self,
        buffer: Buffer,
        (golden, oracle): (G, Vec<f64>),
        mistakes: Vec<Mistake>,
    ) -> Outcome {
        let tensor = &self.tensors[buffer.tensor];
        let (name, axes) = (tensor.name.clone(), tensor.axes.clone());
        self.check_part(buffer, (&name, axes), (golden, oracle), mistakes)
    }

    /// The same for a part of a tensor that holds several outputs: judged, and reported, by its own name and axes.
    pub fn check_part<G: Into<Data>>(
        &mut self,
        buffer: Buffer,
        (name, axes): (&str, Vec<Axis>),
        (golden, oracle): (G, Vec<f64>),
        mistakes: Vec<Mistake>,
    ) -> Outcome {
        let tensor = &self.tensors[buffer.tensor];
        let expected = self.given.and_then(|given| given.expected.get(name));
        let golden = expected.map_or_else(|| golden.into(), |values| values.clone().into());
        if golden.kind().is_float() && !tensor.kind.is_float() {
            return Err(DeviceError::of(
                DeviceErrorKind::Harness,
                format!(
                    "`{name}` is of {} and its golden reference of {}: the test must give it in whole numbers",
                    tensor.kind.name(),
                    golden.kind().name()
                ),
            ));
        }
        self.checks.push(Check {
            buffer,
            name: name.into(),
            axes,
            golden: golden.to(tensor.kind),
            oracle,
            mistakes,
        });
        Ok(())
    }
}

/// The golden reference in f32 and the oracle in f64, by the same expression on the same inputs.
///
/// `references!(t, |a, b| mul(a, b))` takes the inputs `a` and `b` of the trial `t`, once as they are (bf16 as the f32 of the
/// same value) and once in f64, and gives the pair of results. What follows a semicolon, `|a, b; g|`, is of f64 and
/// the same for both.
#[macro_export]
macro_rules! references {
    ($trial:expr, |$($name:ident),* $(; $($double:ident),+)?| $body:expr) => {{
        $($(let $double: &[f64] = $trial.doubles($double);)+)?
        let golden = {
            $(let $name: &[f32] = $trial.values($name);)*
            $body
        };
        let oracle = {
            $(let $name: &[f64] = &$trial.wide($name);)*
            $body
        };
        (golden, oracle)
    }};
}

#[cfg(test)]
mod tests;
