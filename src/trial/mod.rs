//! One test, run: inputs, launches, outputs, comparison.
//!
//! A phase file describes a test by calling [`Trial`]: it draws inputs, allocates outputs, launches kernels in the
//! document's order and hands over what each output should be. Everything that makes the result trustworthy
//! happens here, the same for all tests: seeds, poison, guards, read-back, the order of judgement.

mod buffer;
mod dump;
mod given;
mod grid;
mod isolate;
mod judge;
mod launch;
mod panics;
mod plan;
mod pool;

use deltanet_reference::{rule::Scale, widen};

use crate::compare::{decode, encode, guards, poison};
use crate::device::{DeviceError, Session};
use crate::program::Program;
use crate::registry::{Plant, Values};
use crate::tensor::{Distribution, Stream};
use crate::verdict::{Axis, LaunchReport};

pub use buffer::{Arg, Buffer, axes, elements, float, int, null, table};
use buffer::{Role, Tensor};
pub use dump::{Dump, file_name};
pub use given::Given;
pub use grid::{Grid, line, matrix, sequential, transposing};
pub use isolate::{CHILD, serve};
pub use plan::{BUDGET, Finished, Plan, Variant};
pub use pool::{Progress, default_jobs, run_all};

/// What running a test returns: nothing, or why it did not get as far as comparing.
pub type Outcome<T = ()> = Result<T, DeviceError>;

/// A test being run.
pub struct Trial<'a> {
    id: &'a str,
    seed: u64,
    values: &'a Values,
    program: &'a Program,
    variant: Variant<'a>,
    session: Box<dyn Session>,
    module: usize,
    planted: Option<(usize, &'a Program, &'a Plant)>,
    given: Option<&'a Given>,
    tensors: Vec<Tensor>,
    launches: Vec<Launched>,
    checks: Vec<Check>,
    plant_used: bool,
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
    golden: Vec<f32>,
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
            program: plan.program,
            variant: plan.variant,
            session,
            module,
            planted,
            given: plan.given,
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

    /// An input that stays on the host: drawn, and known to the references.
    pub fn draw(&mut self, name: &str, axes: Vec<Axis>, distribution: Distribution) -> Buffer {
        let count = axes.iter().map(|axis| axis.length).product();
        let given = self.given.and_then(|given| given.inputs.get(name));
        let values = given
            .cloned()
            .unwrap_or_else(|| Stream::new(self.seed, self.id, name).draw(count, distribution));
        self.keep(Tensor {
            name: name.into(),
            axes,
            role: Role::Input,
            values,
            address: None,
        })
    }

    /// An input on the device.
    pub fn input(
        &mut self,
        name: &str,
        axes: Vec<Axis>,
        distribution: Distribution,
    ) -> Outcome<Buffer> {
        let drawn = self.draw(name, axes, distribution);
        self.place(drawn)?;
        Ok(drawn)
    }

    /// An input on the device with values that the test computed from what it drew.
    pub fn upload(&mut self, name: &str, axes: Vec<Axis>, values: Vec<f32>) -> Outcome<Buffer> {
        let given = self.given.and_then(|given| given.inputs.get(name));
        let values = given.cloned().unwrap_or(values);
        let kept = self.keep(Tensor {
            name: name.into(),
            axes,
            role: Role::Input,
            values,
            address: None,
        });
        self.place(kept)?;
        Ok(kept)
    }

    /// A tensor that launches write in part: it starts with these values, and is compared as a whole.
    pub fn update(&mut self, name: &str, axes: Vec<Axis>, values: Vec<f32>) -> Outcome<Buffer> {
        let kept = self.keep(Tensor {
            name: name.into(),
            axes,
            role: Role::Updated,
            values,
            address: None,
        });
        self.place(kept)?;
        Ok(kept)
    }

    /// A tensor that launches write: an output, or an intermediate result. It starts as poison.
    pub fn output(&mut self, name: &str, axes: Vec<Axis>) -> Outcome<Buffer> {
        let kept = self.keep(Tensor {
            name: name.into(),
            axes,
            role: Role::Written,
            values: Vec::new(),
            address: None,
        });
        self.place(kept)?;
        Ok(kept)
    }

    /// The values of an input.
    pub fn values(&self, buffer: Buffer) -> &[f32] {
        let all = &self.tensors[buffer.tensor].values;
        &all[buffer.first..buffer.first + buffer.count]
    }

    /// The values of an input in f64, for the oracle.
    pub fn wide(&self, buffer: Buffer) -> Vec<f64> {
        widen(self.values(buffer))
    }

    /// What the device holds of a tensor now.
    pub fn fetch(&mut self, buffer: Buffer) -> Outcome<Vec<f32>> {
        let address = self.address(buffer)?;
        let mut bytes = vec![0; buffer.count * 4];
        self.session.download(address, &mut bytes)?;
        Ok(decode(&bytes))
    }

    /// Says what a tensor should be in the end: the golden reference, and the oracle.
    pub fn check(&mut self, buffer: Buffer, references: (Vec<f32>, Vec<f64>)) -> Outcome {
        self.check_or(buffer, references, Vec::new())
    }

    /// The same, with the mistakes that a report should know of.
    pub fn check_or(
        &mut self,
        buffer: Buffer,
        (golden, oracle): (Vec<f32>, Vec<f64>),
        mistakes: Vec<Mistake>,
    ) -> Outcome {
        let name = &self.tensors[buffer.tensor].name;
        let expected = self.given.and_then(|given| given.expected.get(name));
        self.checks.push(Check {
            buffer,
            golden: expected.cloned().unwrap_or(golden),
            oracle,
            mistakes,
        });
        Ok(())
    }

    fn keep(&mut self, tensor: Tensor) -> Buffer {
        let count = tensor.count();
        self.tensors.push(tensor);
        Buffer {
            tensor: self.tensors.len() - 1,
            first: 0,
            count,
        }
    }

    /// Puts a tensor on the device between its guards.
    fn place(&mut self, buffer: Buffer) -> Outcome {
        let tensor = &mut self.tensors[buffer.tensor];
        let payload = match tensor.role {
            Role::Input | Role::Updated => encode(&tensor.values),
            Role::Written => {
                let mut bytes = vec![0; tensor.count() * 4];
                poison::fill(&mut bytes);
                bytes
            }
        };
        let image = guards::frame(&payload);
        let address = self.session.alloc(&tensor.name, image.len() as u64)?;
        self.session.upload(address, &image)?;
        tensor.address = Some(address + guards::GUARD_BYTES as u64);
        Ok(())
    }

    fn address(&self, buffer: Buffer) -> Outcome<u64> {
        let tensor = &self.tensors[buffer.tensor];
        let base = tensor.address.ok_or_else(|| {
            DeviceError::invalid(format!(
                "`{}` is not on the device: upload it before the launch",
                tensor.name
            ))
        })?;
        Ok(base + buffer.first as u64 * 4)
    }
}

/// The golden reference in f32 and the oracle in f64, by the same expression on the same inputs.
///
/// `references!(t, |a, b| mul(a, b))` takes the inputs `a` and `b` of the trial `t`, once as they are and once in
/// f64, and gives the pair of results.
#[macro_export]
macro_rules! references {
    ($trial:expr, |$($name:ident),*| $body:expr) => {{
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
