//! The run of a reference kernel: the launches of a trial, without a judgement.

use std::collections::BTreeMap;

use super::judge::read_outputs;
use super::{Bound, Plan};
use crate::contract::{Case, DeviceResult, ExternalTensors, Test};
use crate::custom::KernelRun;
use crate::device::{DeviceError, DeviceErrorKind, Spec};
use crate::report;
use crate::tensor::{Element, decode, index, poison, with_element};

/// Runs a reference kernel on the emulator. Returns the values of the contract's outputs.
///
/// # Errors
/// The kernel does not fit its launch, stops before its end, or writes where it may not.
pub fn run_reference(run: KernelRun<'_>) -> DeviceResult<Vec<Vec<f64>>> {
    let failed = |what: &dyn ToString| DeviceError::of(DeviceErrorKind::Test, what.to_string());
    let device = Spec::EMULATOR.open().map_err(|error| failed(&error))?;
    let test = Test {
        id: run.case.into(),
        aliases: Vec::new(),
        function: run.function,
        binding: None,
        title: String::new(),
        documented: false,
        designed: false,
        cases: Vec::new(),
        outputs: BTreeMap::new(),
        planted: Vec::new(),
    };
    let case = Case {
        id: run.case.into(),
        values: run.values.clone(),
    };
    let given = ExternalTensors {
        inputs: run.inputs,
        ..ExternalTensors::default()
    };
    let bound = Bound {
        binding: run.binding,
        described: Some(run.tensors),
        planted: None,
    };
    let plan = Plan {
        given: Some(&given),
        ..Plan::new(&*device, (run.program, bound), (0, &test, &case), 0)
    };
    let prepared = plan.prepared()?;
    let mut trial = plan
        .launch_prepared(plan.limits, prepared.clone())
        .map_err(|(_, error)| error)?;
    let read = read_outputs(&mut trial)?;
    if let Some(problem) = read.problem {
        return Err(failed(&report::problem(&problem)));
    }
    let outputs = prepared.checks.iter().zip(read.outputs);
    let values = outputs.map(|(check, bytes)| {
        let kind = prepared.tensors[check.buffer.tensor].kind;
        with_element!(kind, E => {
            let elements = decode::<E>(&bytes);
            let mut all = elements.iter();
            let unwritten = all.position(|element| poison::is_left(*element));
            // A right number of one or two bytes may look like the poison of memory.
            match unwritten.filter(|_| kind.is_float() || kind.size() > 2) {
                Some(at) => {
                    let (name, index) = (&check.name, index(&check.axes, at));
                    Err(failed(&format!("nobody wrote `{name}` at {index:?}")))
                }
                None => Ok(elements.iter().map(|element| element.to_f64()).collect()),
            }
        })
    });
    values.collect()
}
