//! The launches that are debugged: those of a launch file, or of a test.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gfx906::code_object::{CodeObject, Source};

use super::arguments::{Arguments, Refusal};
use crate::args::DebugArgs;
use crate::commands::exec::{LAUNCH_KEYS, LaunchDescription};
use crate::commands::load_program;
use crate::device::debug::DebugDevice;
use crate::device::{DeviceError, Limits};
use crate::exit::{Exit, Stop};
use crate::run::{Selection, Setup, Sources, parse_seed};
use crate::trial::{Plan, not_passed};

/// The launches that are debugged.
pub(super) enum Subject {
    /// A launch file, and its path.
    File(Box<LaunchDescription>, PathBuf),
    /// A test.
    Test {
        /// The files of the test.
        setup: Box<Setup>,
        /// The id of the test.
        id: String,
        /// The seed of its inputs.
        seed: u64,
    },
}

/// The code object whose kernels are debugged.
pub(super) struct SubjectCode {
    pub(super) object: CodeObject,
    pub(super) source: Option<Source>,
    /// The folder of the code object, in which its sources may lie.
    pub(super) folder: Option<PathBuf>,
}

/// The end of what was debugged.
pub(super) struct Outcome {
    /// The text to show.
    pub(super) text: String,
    /// True if all was as expected.
    pub(super) passed: bool,
}

fn refusal(stop: &Stop) -> Refusal {
    Refusal::new(stop.message.trim_end())
}

impl Subject {
    /// Reads the files that the command line names, or else the `launch` request.
    pub(super) fn read(
        args: &DebugArgs,
        request: Arguments<'_>,
    ) -> Result<(Subject, SubjectCode), Refusal> {
        let directory = PathBuf::from(request.text("cwd")?.unwrap_or(""));
        let file = match (&args.file, request.text("launchFile")?) {
            (Some(file), _) => Some(file.clone()),
            (None, name) => name.map(|name| directory.join(name)),
        };
        let test = args.test.as_deref().or(request.text("test")?);
        let subject = match (test, file) {
            (Some(id), None) => Subject::test(args, request, &directory, id)?,
            (None, Some(file)) => {
                let description = LaunchDescription::read(&file)?;
                Subject::File(Box::new(description), file)
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::new("a test and a launch file are named: name one"));
            }
            (None, None) if request.get("code_object").is_some() => {
                let all = request.0.as_object();
                let keys = all.into_iter().flatten();
                let ours: serde_json::Map<_, _> = keys
                    .filter(|(key, _)| LAUNCH_KEYS.contains(&key.as_str()))
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect();
                let json = serde_json::Value::from(ours).to_string();
                let description = LaunchDescription::parse(json.as_bytes(), &directory)?;
                Subject::File(Box::new(description), "the launch request".into())
            }
            (None, None) => {
                return Err(Refusal::new(
                    "nothing to debug is named: `launchFile`, `test`, or the keys of a launch file (docs/debug.md)",
                ));
            }
        };
        let code = subject.code()?;
        Ok((subject, code))
    }

    fn test(
        args: &DebugArgs,
        request: Arguments<'_>,
        directory: &Path,
        id: &str,
    ) -> Result<Subject, Refusal> {
        let seed = match request.get("seed") {
            Some(seed) => seed.to_string().trim_matches('"').to_owned(),
            None => args.seed.clone(),
        };
        let stop = |error: crate::run::RunError| refusal(&Stop::from(error));
        let seed = parse_seed(&seed).map_err(stop)?;
        let own = args.sources.sources();
        let kernels = request.text("kernels")?.map(|path| directory.join(path));
        let bind: Vec<PathBuf> = match request.get("bind") {
            Some(serde_json::Value::String(path)) => vec![directory.join(path)],
            _ => {
                let list = request.list("bind")?.iter();
                list.filter_map(|path| Some(directory.join(path.as_str()?)))
                    .collect()
            }
        };
        let sources = Sources {
            registry: own.registry,
            kernels: own.kernels.or(kernels.as_deref()),
            bind: if own.bind.is_empty() { &bind } else { own.bind },
            contract: own.contract,
        };
        let ids = [id.to_owned()];
        let setup = Setup::for_selection(sources, seed, selection(&ids)).map_err(stop)?;
        let selected = setup.runnable(selection(&ids)).map_err(stop)?.0;
        if let [_, _, ..] = selected.as_slice() {
            let listed = selected.iter().take(20).map(|entry| entry.case.id.as_str());
            let listed: Vec<&str> = listed.collect();
            return Err(Refusal(format!(
                "`{}` selects {} cases, and one is debugged at a time: {}",
                id.escape_debug(),
                selected.len(),
                listed.join(", ")
            )));
        }
        drop(selected);
        Ok(Subject::Test {
            setup: Box::new(setup),
            id: id.to_owned(),
            seed,
        })
    }

    fn code(&self) -> Result<SubjectCode, Refusal> {
        let (object, source, folder) = match self {
            Subject::File(description, _) => {
                let path = description.code_object();
                let program = load_program(path)?;
                let source = Source::read(&program.bytes);
                let folder = path.parent().map(Path::to_owned);
                (program.object, source, folder)
            }
            Subject::Test { setup, .. } => {
                let program = setup.program();
                let source = Source::read(&program.bytes);
                let path = setup.user.as_ref().map(|user| user.report.path.as_str());
                let folder = path.and_then(|path| Path::new(path).parent());
                (program.object.clone(), source, folder.map(Path::to_owned))
            }
        };
        Ok(SubjectCode {
            object,
            source,
            folder,
        })
    }

    /// Runs the launches under the debugger, and judges their results.
    ///
    /// # Errors
    /// Something is not usable, or the person ended the session.
    pub(super) fn run(self, args: &DebugArgs, device: &DebugDevice) -> anyhow::Result<Outcome> {
        match self {
            Subject::File(description, path) => {
                let done = description.perform_on(&args.exec_args(&path), device);
                let done = done.map_err(|stop| DeviceError::invalid(stop.message))?;
                Ok(Outcome {
                    text: done.summary,
                    passed: done.exit == Exit::Passed,
                })
            }
            Subject::Test { setup, id, seed } => {
                let ids = [id];
                let (selected, bindings) = setup.runnable(selection(&ids))?;
                let first = selected.first().zip(bindings.first());
                let (entry, bound) = first.context("the test does not run")?;
                let plan = Plan {
                    limits: Limits {
                        instructions: None,
                        seconds: None,
                        turn: args.turn,
                        schedule: args.schedule,
                    },
                    ..setup.plan(device, entry, *bound, seed)
                };
                let finished = plan.run();
                let id = &finished.report.id;
                let why = not_passed(&finished);
                let text = match &why {
                    None => format!("{id}: {}\n", finished.report.verdict.word()),
                    Some(why) => format!("{id}: {}: {why}\n", finished.report.verdict.word()),
                };
                Ok(Outcome {
                    text,
                    passed: why.is_none(),
                })
            }
        }
    }
}

fn selection(ids: &[String]) -> Selection<'_> {
    Selection {
        test: ids,
        require_all: true,
        ..Selection::default()
    }
}
