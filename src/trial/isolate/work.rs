//! The decoding of a request in the process of a trial.

use std::io::{BufRead, Read};
use std::path::Path;

use super::super::{Bound, Dump, Launching, Plan, PlantedKernel, run_reference};
use super::child::ChildError;
use super::request::{Head, MAGIC, Object, Parameter};
use crate::binding::{self, Binding, ContractTensors, describe};
use crate::contract::catalog::functions;
use crate::contract::{Case, ExternalTensors, Function, Test, Value, Values};
use crate::custom;
use crate::device::{Device, DeviceId, NOTHING};
use crate::program::Program;
use crate::report::model::CodeObjectReport;
use crate::tensor::{Data, ElementKind};

/// The longest first line of a request.
const MAX_LINE: u64 = 256;

/// A trial that another process requested.
pub struct Work {
    head: Head,
    program: Program,
    twin: Option<Program>,
    planted: Option<(Program, usize)>,
    test: Test,
    given: Option<ExternalTensors>,
    launched: LaunchedBy,
}

/// The binding of a trial.
enum LaunchedBy {
    /// A user's binding, with the tensors of its contract.
    User(Box<Binding>, ContractTensors),
    /// A built-in binding.
    BuiltIn(Bound<'static>),
}

/// Reads a request.
///
/// # Errors
/// The bytes are no request.
pub fn read(mut from: impl BufRead) -> Result<Work, ChildError> {
    let alien = |what: &str| ChildError::Alien(what.into());
    let mut line = Vec::new();
    let mut first = from.by_ref().take(MAX_LINE);
    first
        .read_until(b'\n', &mut line)
        .map_err(ChildError::Stdin)?;
    let lengths = lengths(&line).ok_or_else(|| alien("standard input has no test to run"))?;
    let mut part = |length: u64| -> Result<Vec<u8>, ChildError> {
        let mut bytes = Vec::new();
        from.by_ref()
            .take(length)
            .read_to_end(&mut bytes)
            .map_err(ChildError::Stdin)?;
        if bytes.len() as u64 == length {
            Ok(bytes)
        } else {
            Err(alien("the test on standard input is cut off"))
        }
    };
    let json = part(lengths.0)?;
    let long = part(lengths.1)?;
    let head: Head = serde_json::from_slice(&json).map_err(|error| alien(&error.to_string()))?;
    Work::new(head, &long)
}

fn lengths(line: &[u8]) -> Option<(u64, u64)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.strip_suffix('\n')?.strip_prefix(MAGIC)?.split(' ');
    let ("", json, long, None) = (words.next()?, words.next()?, words.next()?, words.next()) else {
        return None;
    };
    Some((json.parse().ok()?, long.parse().ok()?))
}

impl Work {
    fn new(head: Head, mut long: &[u8]) -> Result<Work, ChildError> {
        let mut take = |count: u64| -> Result<Vec<u8>, ChildError> {
            let split = usize::try_from(count)
                .ok()
                .and_then(|count| long.split_at_checked(count));
            let (taken, rest) =
                split.ok_or_else(|| ChildError::Alien("the test has wrong lengths".into()))?;
            long = rest;
            Ok(taken.to_vec())
        };
        let mut object = |object: &Object| -> Result<Program, ChildError> {
            let CodeObjectReport { path, build, .. } = &object.report;
            Ok(Program::parse(path, take(object.bytes)?, build.clone())?)
        };
        let program = object(&head.program)?;
        let twin = head.twin.as_ref().map(&mut object).transpose()?;
        let planted = match &head.planted {
            Some((planted, at)) => Some((object(planted)?, *at)),
            None => None,
        };
        let given = match &head.given {
            Some(lengths) => {
                let mut given = ExternalTensors {
                    scale: lengths.scale,
                    bounds: lengths.bounds.clone(),
                    ..ExternalTensors::default()
                };
                for (name, kind, length) in &lengths.inputs {
                    let mut kinds = ElementKind::ALL.into_iter();
                    let kind = kinds.find(|known| known.name() == kind);
                    let kind = kind
                        .ok_or_else(|| ChildError::Alien("an input has an unknown type".into()))?;
                    let bytes = take(length.saturating_mul(kind.size() as u64))?;
                    given.inputs.insert(name.clone(), Data::read(kind, &bytes));
                }
                for (name, length) in &lengths.expected {
                    let bytes = take(length.saturating_mul(4))?;
                    let values = crate::tensor::decode::<f32>(&bytes);
                    given.expected.insert(name.clone(), values);
                }
                Some(given)
            }
            None => None,
        };
        let custom = custom::read(head.contract.as_slice(), run_reference)?;
        let custom: Vec<&'static Function> =
            custom.iter().map(|contract| contract.function).collect();
        let function = functions()
            .chain(custom.iter().copied())
            .find(|function| function.name == head.function)
            .ok_or_else(|| ChildError::Alien("the test has an unknown function".into()))?;
        let mut values = Vec::new();
        for (name, value) in &head.values {
            let value = match value {
                Parameter::Number(number) => Value::Number(*number),
                // The leak is bounded, because this process runs one trial. The word may be an input class that the contract does not list.
                Parameter::Word(word) => Value::Word(word.clone().leak()),
            };
            values.push((name.clone(), value));
        }
        let values = Values::new(values).with_variant(head.variant);
        if let Some(refusal) = function.refuses(&values) {
            return Err(ChildError::Alien(refusal.title));
        }
        let launched = match &head.bound {
            Some(by) => {
                let found = binding::parse_at(&by.name, &by.text, by.at, function);
                let described = describe(function, &[&values], &[]);
                let (Some(binding), Some(described)) = (found, described) else {
                    return Err(ChildError::Alien("the test has an unknown binding".into()));
                };
                LaunchedBy::User(Box::new(binding), described)
            }
            None => LaunchedBy::BuiltIn(Bound::built_in(function)?),
        };
        let test = Test {
            id: head.test.clone(),
            aliases: Vec::new(),
            function,
            binding: None,
            title: head.title.clone(),
            documented: head.documented,
            designed: false,
            cases: vec![Case {
                id: head.case.clone(),
                values,
            }],
            outputs: head.outputs.clone(),
            planted: Vec::new(),
        };
        let work = Work {
            head,
            program,
            twin,
            planted,
            test,
            given,
            launched,
        };
        match (&work.planted, work.bug()) {
            (Some(_), None) => Err(ChildError::Alien(
                "the test has an unknown planted bug".into(),
            )),
            _ => Ok(work),
        }
    }

    /// Returns the binding, without a planted bug.
    fn bound(&self) -> Bound<'_> {
        match &self.launched {
            LaunchedBy::User(binding, described) => Bound {
                binding,
                described: Some(described),
                planted: None,
            },
            LaunchedBy::BuiltIn(bound) => *bound,
        }
    }

    /// Returns the planted bug.
    fn bug(&self) -> Option<PlantedKernel<'_>> {
        let (program, at) = self.planted.as_ref()?;
        let mut all = self.bound().binding.planted.iter();
        let bug = all.find(|bug| bug.span.start == *at)?;
        Some(PlantedKernel { bug, program })
    }

    /// Returns the identity of the device.
    pub fn place(&self) -> DeviceId {
        self.head.place
    }

    /// Returns the plan of the trial on a device.
    pub fn plan<'a>(&'a self, device: &'a dyn Device) -> Plan<'a> {
        let head = &self.head;
        Plan {
            device,
            threads: head.threads,
            limits: head.limits,
            twin: self.twin.as_ref(),
            program: &self.program,
            launching: if head.silent {
                Launching::Disabled
            } else {
                Launching::Enabled
            },
            phase: head.phase,
            test: &self.test,
            case: &self.test.cases[0],
            seed: head.seed,
            repeat: head.repeat,
            relations: head.relations,
            hypotheses: head.hypotheses,
            watch: &NOTHING,
            dump: head.dump.as_ref().map(|(one_file, path)| {
                let path = Path::new(path);
                if *one_file {
                    Dump::Safetensors(path)
                } else {
                    Dump::Npy(path)
                }
            }),
            given: self.given.as_ref(),
            bound: Bound {
                planted: self.bug(),
                ..self.bound()
            },
            shared: None,
            flags: &head.flags,
        }
    }
}
