//! A request for a trial as bytes: a line with sizes, JSON, and the long parts (code objects, tensors) without encoding.
//!
//! Reader and writer are the same program, so the format has no version of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::{Dump, Launching, Plan};
use crate::contract::{OutputTolerance, Value};
use crate::device::{DeviceId, Limits};
use crate::program::Program;
use crate::report::model::CodeObjectReport;
use crate::tensor::Data;

/// The first word of a request; its version and the two lengths follow.
pub(super) const MAGIC: &str = concat!("deltanet-check/trial-request/", env!("CARGO_PKG_VERSION"));
/// The fields of a trial except the long parts, whose lengths are here, in order.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) place: DeviceId,
    pub(super) threads: usize,
    pub(super) limits: Limits,
    pub(super) program: Object,
    pub(super) twin: Option<Object>,
    /// A planted bug: its code object, and its position in the binding's file.
    pub(super) planted: Option<(Object, usize)>,
    pub(super) silent: bool,
    pub(super) phase: u32,
    pub(super) test: String,
    pub(super) title: String,
    pub(super) function: String,
    /// The file of a custom contract.
    pub(super) contract: Option<PathBuf>,
    pub(super) documented: bool,
    pub(super) outputs: BTreeMap<String, OutputTolerance>,
    pub(super) case: String,
    pub(super) values: Vec<(String, Parameter)>,
    pub(super) variant: usize,
    pub(super) seed: u64,
    pub(super) repeat: u16,
    pub(super) relations: bool,
    pub(super) hypotheses: bool,
    pub(super) dump: Option<(bool, OsString)>,
    pub(super) given: Option<Lengths>,
    pub(super) bound: Option<BoundBy>,
    pub(super) flags: String,
}

/// A code object.
#[derive(Serialize, Deserialize)]
pub(super) struct Object {
    pub(super) report: CodeObjectReport,
    pub(super) bytes: u64,
}

/// A parameter of a case.
#[derive(Serialize, Deserialize)]
pub(super) enum Parameter {
    Number(i64),
    Word(String),
}

/// A binding: its file, and its position in the file.
#[derive(Serialize, Deserialize)]
pub(super) struct BoundBy {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) at: usize,
}

/// The number of elements of each external tensor. Those of inputs have the name of a type, and the others are of f32.
#[derive(Serialize, Deserialize)]
pub(super) struct Lengths {
    pub(super) inputs: Vec<(String, String, u64)>,
    pub(super) expected: Vec<(String, u64)>,
    pub(super) scale: Option<f64>,
    pub(super) bounds: Option<Vec<usize>>,
}

/// Encodes the request for a trial. It has no observers, because only the emulator observes, and its trials are not isolated.
pub fn write(plan: &Plan<'_>, place: DeviceId) -> serde_json::Result<Vec<u8>> {
    let mut long = Vec::new();
    let object = |program: &Program, long: &mut Vec<u8>| {
        long.extend(&*program.bytes);
        Object {
            report: program.report.clone(),
            bytes: program.bytes.len() as u64,
        }
    };
    let tensors = |tensors: &BTreeMap<String, Vec<f32>>, long: &mut Vec<u8>| {
        let length = |(name, values): (&String, &Vec<f32>)| {
            long.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            (name.clone(), values.len() as u64)
        };
        tensors.iter().map(length).collect()
    };
    let inputs = |inputs: &BTreeMap<String, Data>, long: &mut Vec<u8>| {
        let length = |(name, data): (&String, &Data)| {
            long.extend(data.bytes());
            (name.clone(), data.kind().name().into(), data.count() as u64)
        };
        inputs.iter().map(length).collect()
    };
    let parameter = |(name, value): (&str, &Value)| {
        let value = match value {
            Value::Number(number) => Parameter::Number(*number),
            Value::Word(word) => Parameter::Word((*word).into()),
        };
        (name.to_string(), value)
    };
    let head = Head {
        place,
        threads: plan.threads,
        limits: plan.limits,
        program: object(plan.program, &mut long),
        twin: plan.twin.map(|twin| object(twin, &mut long)),
        planted: plan.bound.planted.map(|planted| {
            let program = object(planted.program, &mut long);
            (program, planted.bug.span.start)
        }),
        silent: matches!(plan.launching, Launching::Disabled),
        phase: plan.phase,
        test: plan.test.id.clone(),
        title: plan.test.title.clone(),
        function: plan.test.function.name.into(),
        contract: plan.test.function.file.map(Path::to_owned),
        documented: plan.test.documented,
        outputs: plan.test.outputs.clone(),
        case: plan.case.id.clone(),
        values: plan.case.values.iter().map(parameter).collect(),
        variant: plan.case.values.variant(),
        seed: plan.seed,
        repeat: plan.repeat,
        relations: plan.relations,
        hypotheses: plan.hypotheses,
        dump: plan.dump.map(|dump| match dump {
            Dump::Npy(path) => (false, path.into()),
            Dump::Safetensors(path) => (true, path.into()),
        }),
        given: plan.given.map(|given| Lengths {
            inputs: inputs(&given.inputs, &mut long),
            expected: tensors(&given.expected, &mut long),
            scale: given.scale,
            bounds: given.bounds.clone(),
        }),
        bound: (!plan.bound.is_built_in()).then(|| BoundBy {
            name: plan.bound.binding.source.name.clone(),
            text: plan.bound.binding.source.text.clone(),
            at: plan.bound.binding.span.start,
        }),
        flags: plan.flags.into(),
    };
    let json = serde_json::to_vec(&head)?;
    let mut bytes = format!("{MAGIC} {} {}\n", json.len(), long.len()).into_bytes();
    bytes.extend(json);
    bytes.extend(long);
    Ok(bytes)
}
