//! Settings of an earlier run, for the flags that the command line does not give.

use std::path::{Path, PathBuf};

use clap::Parser;

use super::{DeviceArgs, KernelArgs, LimitArgs, SanitizeArgs, SourceArgs, TrialArgs};
use crate::exit::Stop;
use crate::files;
use crate::program::MAX_CODE_OBJECT;
use crate::report::model::{SettingsReport, SourceReport};

/// The parser of the flags in a report.
#[derive(Debug, Parser)]
struct ReportedFlags {
    #[command(flatten)]
    trials: TrialArgs,
}

/// A file that the run of a report has used, and that this run uses too.
pub struct ReportedFile<'a> {
    /// The flag that names such a file.
    pub flag: &'static str,
    /// The path, joined to the directory of the report's run.
    pub path: PathBuf,
    /// The SHA-256 of the file in the report.
    pub sha256: &'a str,
}

/// The differences between a command line and the settings of a report.
#[derive(Default)]
pub struct Completion<'a> {
    /// Files that come from the report.
    pub files: Vec<ReportedFile<'a>>,
    /// Flags of the command line whose values differ from the report's.
    pub replaced: Vec<&'static str>,
}

impl Completion<'_> {
    /// Takes the report's value of a flag if the command line has none, and notes the flag if the two
    /// values differ.
    fn complete_flag<T: PartialEq>(
        &mut self,
        flag: &'static str,
        own: &mut Option<T>,
        before: Option<T>,
    ) {
        match own {
            Some(_) if *own == before => {}
            Some(_) => self.replaced.push(flag),
            None => *own = before,
        }
    }
}

impl TrialArgs {
    /// Takes the settings that the command line does not give from a report. Seed and selection stay as
    /// they are.
    ///
    /// # Errors
    /// This version does not know the flags of the report.
    pub fn complete<'a>(&mut self, report: &'a SettingsReport) -> Result<Completion<'a>, Stop> {
        let words = ["report"]
            .into_iter()
            .chain(report.flags.iter().map(String::as_str));
        let parsed = ReportedFlags::try_parse_from(words);
        let before = parsed.map_err(|_| {
            let flags = report.flags.join(" ");
            Stop::setup(format!(
                "this version does not know the flags of the report: {}\n  run the tests again",
                flags.escape_debug()
            ))
        })?;
        let before = before.trials;
        let mut completion = Completion::default();
        // The pattern names every field, so that a new flag does not compile before it is handled here.
        let TrialArgs {
            selection: _,
            require_all,
            min_tests: _,
            seed: _,
            device,
            sources,
            output: _,
            jobs: _,
            keep_going: _,
            limits,
            sanitize,
            repeat,
            relations,
        } = self;
        *require_all |= before.require_all;
        *relations |= before.relations;
        completion.complete_flag("--repeat", repeat, before.repeat);
        completion.complete_device(device, before.device);
        completion.complete_limits(limits, &before.limits);
        completion.complete_sanitize(sanitize, before.sanitize);
        completion.complete_sources(sources, report);
        Ok(completion)
    }
}

impl<'a> Completion<'a> {
    fn complete_device(&mut self, own: &mut DeviceArgs, before: DeviceArgs) {
        let DeviceArgs {
            target,
            no_isolate,
            timeout,
            isolate,
        } = own;
        // `--device emulator` and no device are the same in a report.
        if target.is_named() && target.words() != before.target.words() {
            self.replaced.push("--device");
            // The report's isolation and timeout belong to the report's device.
            return;
        }
        *target = before.target;
        *no_isolate |= before.no_isolate && !*isolate;
        *isolate |= before.isolate && !*no_isolate;
        self.complete_flag("--timeout", timeout, before.timeout);
    }

    fn complete_limits(&mut self, own: &mut LimitArgs, before: &LimitArgs) {
        let LimitArgs {
            budget,
            turn,
            schedule,
        } = own;
        self.complete_flag("--budget", budget, before.budget);
        self.complete_flag("--turn", turn, before.turn);
        self.complete_flag("--schedule", schedule, before.schedule);
    }

    fn complete_sanitize(&mut self, own: &mut SanitizeArgs, before: SanitizeArgs) {
        if own.sanitize.is_none() {
            *own = before;
        } else if own.words() != before.words() {
            self.replaced.push("--sanitize");
        }
    }

    fn complete_sources(&mut self, own: &mut SourceArgs, report: &'a SettingsReport) {
        let SourceArgs {
            kernels:
                KernelArgs {
                    kernels,
                    bind,
                    contract,
                },
            registry,
        } = own;
        let directory = Path::new(&report.directory);
        let mut replaced = Vec::new();
        let mut complete = |flag: &'static str,
                            own: &mut Option<PathBuf>,
                            before: Option<&'a SourceReport>| {
            match (&own, before) {
                (Some(path), Some(before)) if is_same_file(path, before) => {}
                (Some(_), _) => self.replaced.push(flag),
                (None, Some(before)) => {
                    let path = directory.join(&before.path);
                    self.files.push(ReportedFile {
                        flag,
                        path: path.clone(),
                        sha256: &before.sha256,
                    });
                    *own = Some(path);
                }
                (None, None) => {}
            }
        };
        complete("--kernels", kernels, report.kernels.as_ref());
        complete("--registry", registry, report.registry.as_ref());
        let lists = [
            ("--bind", bind, &report.bind),
            ("--contract", contract, &report.contract),
        ];
        for (flag, own, reported) in lists {
            if own.is_empty() {
                for before in reported {
                    let mut path = None;
                    complete(flag, &mut path, Some(before));
                    own.extend(path);
                }
                continue;
            }
            let mut pairs = own.iter().zip(reported);
            let same = pairs.all(|(path, before)| is_same_file(path, before));
            if !same || own.len() != reported.len() {
                replaced.push(flag);
            }
        }
        self.replaced.append(&mut replaced);
    }
}

/// Returns true if a file has the content that a report names.
fn is_same_file(path: &Path, before: &SourceReport) -> bool {
    let content = files::read(path, MAX_CODE_OBJECT);
    content.is_ok_and(|content| files::sha256(&content) == before.sha256)
}
