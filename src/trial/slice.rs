//! The backward slice of an element of an output, in the terms of the trial's tensors.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use gfx906::code_object::Kernel;
use gfx906::observe::{LONGEST_HISTORY, Leaf, Slice};

use super::experiment::Experiment;
use super::{Plan, Trial};
use crate::device::Watch;
use crate::tensor::{Axis, Data};

/// The slice of an element.
pub struct ElementSlice {
    /// The instructions.
    pub slice: Slice,
    /// The elements of tensors that no instruction made, tensor by tensor, in the order of the trial's tensors.
    pub sources: Vec<SourceTensor>,
    /// The other things that no instruction made, as text, each with the instructions that used it.
    pub others: BTreeMap<String, Vec<usize>>,
    /// Number of wave instructions of the run.
    pub steps: usize,
}

/// The elements of a tensor from which an element came.
pub struct SourceTensor {
    /// The tensor's name.
    pub name: String,
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// The elements, by their flat positions in the contract's order: their values before the run, if they are known, and the instructions
    /// that used them.
    pub elements: BTreeMap<usize, SourceElement>,
}

/// An element from which another came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceElement {
    /// The value before the run.
    pub value: Option<f64>,
    /// Numbers of the instructions that used it.
    pub to: Vec<usize>,
}

/// The reason why there is no slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// The kernels do not run to their end under observation.
    #[error("its kernels do not run to their end")]
    Unfinished,
    /// The run is too long for a record.
    #[error(
        "its run is longer than the {LONGEST_HISTORY} wave instructions that are recorded; a smaller case of the test may do: `--test 'ID:sizes'`"
    )]
    Long,
}

impl Experiment<'_> {
    /// Runs the trial under observation, and returns the slice of an element of an output.
    ///
    /// # Errors
    /// The run is longer than what can be recorded, or it does not end.
    pub fn slice(&self, output: usize, element: usize) -> Result<ElementSlice, SliceError> {
        let prepared = self.unchanged().ok_or(SliceError::Unfinished)?;
        let check = prepared.checks.get(output).ok_or(SliceError::Unfinished)?;
        let place = (check.buffer.tensor, check.buffer.first + element);
        let (watch, history) = Watch::history();
        let plan = Plan {
            watch: &watch,
            ..*self.plan()
        };
        let run = || {
            let trial = plan.launch_prepared(plan.limits, Arc::clone(&prepared));
            trial.map_err(|_| SliceError::Unfinished)
        };
        let record = || history.lock().unwrap_or_else(PoisonError::into_inner);
        let trial = run()?;
        if record().is_cut() {
            return Err(SliceError::Long);
        }
        let (at, bytes) = trial
            .element(place.0, place.1)
            .ok_or(SliceError::Unfinished)?;
        let steps = record().steps();
        let mut slice = record().slice(at, bytes);
        // The emulator is deterministic: the second run takes the same steps.
        record().begin_values(&slice);
        drop(run()?);
        record().give_values(&mut slice);
        let (sources, others) = trial.sources(&slice);
        Ok(ElementSlice {
            slice,
            sources,
            others,
            steps,
        })
    }
}

impl Trial<'_> {
    /// Returns what a slice starts from: elements of tensors, and other things as text.
    fn sources(&self, slice: &Slice) -> (Vec<SourceTensor>, BTreeMap<String, Vec<usize>>) {
        let mut found: BTreeMap<usize, BTreeMap<usize, SourceElement>> = BTreeMap::new();
        let mut others: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for one in &slice.leaves {
            let text = match &one.leaf {
                Leaf::Memory { address, bytes } => {
                    let places = self.elements_at(*address, *bytes);
                    for &(tensor, element) in &places {
                        let elements = found.entry(tensor).or_default();
                        let element = elements.entry(element).or_default();
                        element.to.extend(one.to);
                    }
                    if !places.is_empty() {
                        continue;
                    }
                    format!("{bytes} bytes of device memory at {address:#x}")
                }
                Leaf::Argument { kernel, offset, .. } => self.argument_at(kernel, *offset),
                Leaf::Register { name, set: true } => format!("{name}, which the launch sets"),
                Leaf::Register { name, set: false } => {
                    format!("{name}, which no instruction had written")
                }
                Leaf::Lds => "LDS that no instruction had written".into(),
                Leaf::Scratch => "scratch that no instruction had written".into(),
            };
            others.entry(text).or_default().extend(one.to);
        }
        let tensors = found.into_iter().map(|(number, mut elements)| {
            let tensor = self.tensor(number);
            let values = self.placed[number].sent.as_ref().or(tensor.data.as_ref());
            let values = values.map(Data::wide);
            for (element, source) in &mut elements {
                source.value = values
                    .as_ref()
                    .and_then(|values| values.get(*element).copied());
                source.to.sort_unstable();
                source.to.dedup();
            }
            SourceTensor {
                name: tensor.name.clone(),
                axes: tensor.axes.clone(),
                elements,
            }
        });
        (tensors.collect(), others)
    }

    /// Returns the argument of a kernel that holds a byte of its arguments, in words.
    fn argument_at(&self, kernel: &str, offset: u64) -> String {
        let arguments = self.program.object.kernel(kernel);
        let mut arguments = arguments
            .into_iter()
            .flat_map(Kernel::explicit_args)
            .enumerate();
        let found = arguments.find(|(_, argument)| {
            let start = u64::from(argument.offset);
            (start..start + u64::from(argument.size)).contains(&offset)
        });
        match found {
            Some((number, argument)) => {
                let name = argument.name.as_ref();
                let name = name.map_or_else(String::new, |name| format!(" (`{name}`)"));
                format!("argument {}{name} of `{kernel}`", number + 1)
            }
            None => format!("a hidden argument of `{kernel}`"),
        }
    }

    /// Returns the elements of tensors that some bytes belong to: the tensor's number and the flat position in the contract's order.
    fn elements_at(&self, address: u64, bytes: u64) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (number, (tensor, placed)) in self.all().enumerate() {
            let Some(start) = placed.address else {
                continue;
            };
            let size = tensor.kind.size() as u64;
            let count = placed
                .layout
                .as_ref()
                .map_or(tensor.count(), |layout| layout.count);
            let (from, to) = (
                address.max(start),
                (address + bytes).min(start + count as u64 * size),
            );
            if from >= to {
                continue;
            }
            let places = (from - start) / size..(to - start).div_ceil(size);
            let places = places.start as usize..places.end as usize;
            match &placed.layout {
                None => found.extend(places.map(|element| (number, element))),
                Some(layout) => {
                    let elements = layout.places().enumerate();
                    let inside = elements.filter(|(_, place)| places.contains(place));
                    found.extend(inside.map(|(element, _)| (number, element)));
                }
            }
        }
        found
    }
}
