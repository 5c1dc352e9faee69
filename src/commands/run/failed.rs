//! `--failed`: the tests that did not pass in the run of a report, with the files and flags of that run.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use serde::Deserialize as _;

use crate::args::{ReportedFile, RunArgs};
use crate::exit::Stop;
use crate::files;
use crate::program::MAX_CODE_OBJECT;
use crate::report::model::{SettingsReport, SourceReport, Verdict};
use crate::report::saved::Report;
use crate::run::{SelectedCase, Setup, all_cases};
use crate::text::{escaped, quoted, shown};

/// The tests that did not pass in the run of a report, and run again.
pub(super) struct FailedTests {
    report: Report,
    /// Flags of the command line that replace those of the report.
    replaced: Vec<&'static str>,
}

impl FailedTests {
    /// Reads the report that `--failed` names, and completes the command line with the settings of its run.
    ///
    /// # Errors
    /// The report has no settings, its seed is another than the command line's, or a file of its run is gone or has changed.
    pub(super) fn read(args: &mut RunArgs) -> Result<Option<FailedTests>, Stop> {
        let Some(path) = args.fleet.failed.clone() else {
            return Ok(None);
        };
        let report = Report::read(&path)?;
        let settings = SettingsReport::deserialize(report.at("/environment/settings"));
        let settings = settings.map_err(|_| {
            Stop::setup(format!(
                "{}: it does not say which files and flags it was made with\n  \
                 name the report of a run of tests by this version, or run the tests again",
                report.name
            ))
        })?;
        let before = report.at("/seed").as_u64().unwrap_or_default();
        if args.trials.seed.is_some() && args.trials.seed()? != before {
            return Err(Stop::usage(format!(
                "{} is of seed {before}: leave --seed out, or give --seed {before}",
                report.name
            )));
        }
        args.trials.seed = Some(before.to_string());
        let completion = args.trials.complete(&settings)?;
        for file in &completion.files {
            check(&report.name, file)?;
        }
        let replaced = completion.replaced;
        if !replaced.is_empty() {
            let flags = replaced.join(", ");
            let verb = if replaced.len() == 1 { "is" } else { "are" };
            let note = format!(
                "note: {flags} of this command line {verb} taken, not what {} was made with",
                report.name
            );
            let _ = writeln!(std::io::stderr(), "{note}");
        }
        Ok(Some(FailedTests { report, replaced }))
    }

    /// Checks the built-in code object, registry and bindings against those of the report.
    ///
    /// # Errors
    /// One of them differs from the report's.
    pub(super) fn check_built_in(&self, setup: &Setup) -> Result<(), Stop> {
        let now = setup.environment()?;
        let is_replaced = |flag: &str| self.replaced.contains(&flag);
        let text = |pointer: &str| self.report.at(pointer).as_str().unwrap_or_default();
        let sha256 = |source: &SourceReport| source.sha256.clone();
        let reported: Vec<String> = self
            .report
            .at("/environment/bindings")
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|source| Some(source["sha256"].as_str()?.to_owned()))
            .collect();
        let bindings: Vec<String> = now.bindings.iter().map(sha256).collect();
        let references = self.report.at("/environment/settings/references");
        for source in references.as_array().into_iter().flatten() {
            let path = Path::new(source["path"].as_str().unwrap_or_default());
            let now = files::read(path, MAX_CODE_OBJECT).map(|bytes| files::sha256(&bytes));
            if !is_replaced("--contract") && now.ok().as_deref() != source["sha256"].as_str() {
                return Err(Stop::setup(format!(
                    "{}, which a custom contract takes its values from, has changed since {} was written: run the tests again",
                    shown(path),
                    self.report.name
                )));
            }
        }
        let registry = now.registry.as_ref().map(sha256).unwrap_or_default();
        let comparisons = [
            (
                "kernels",
                is_replaced("--kernels")
                    || text("/code_object/sha256") == setup.program().report.sha256,
            ),
            (
                "registry",
                is_replaced("--registry") || text("/environment/registry/sha256") == registry,
            ),
            ("bindings", is_replaced("--bind") || reported == bindings),
        ];
        match comparisons.iter().find(|(_, same)| !same) {
            None => Ok(()),
            Some((what, _)) => Err(Stop::setup(format!(
                "the built-in {what} are not those of {}, which version {} wrote\n  \
                 take the deltanet-check that wrote the report, or run the tests again",
                self.report.name,
                escaped(text("/version"))
            ))),
        }
    }

    /// Returns the ids of the cases that did not pass.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let trials = self.report.trials();
        let bad = trials.filter(|trial| trial.verdict != Verdict::Pass);
        bad.map(|trial| trial.id)
    }

    /// Returns the selected cases that did not pass in the run of the report; without a selection, all cases that did not pass.
    ///
    /// # Errors
    /// There is no such case, or the registry lacks a case of the report.
    pub(super) fn select<'a>(
        &self,
        args: &RunArgs,
        setup: &'a Setup,
    ) -> Result<Vec<SelectedCase<'a>>, Stop> {
        let name = &self.report.name;
        let bad: BTreeSet<&str> = self.ids().collect();
        if bad.is_empty() {
            return Err(Stop::nothing(format!(
                "every test of {name} passed: there is none to run again"
            )));
        }
        let registered: BTreeSet<&str> = all_cases(&setup.registry)
            .map(|entry| entry.case.id.as_str())
            .collect();
        if let Some(id) = bad.iter().find(|id| !registered.contains(*id)) {
            return Err(Stop::setup(format!(
                "`{}` of {name} is no test of the registry of this run: leave --registry out",
                escaped(id)
            )));
        }
        let mut selected: Vec<SelectedCase<'a>> = match args.trials.selection.is_empty() {
            true => all_cases(&setup.registry).collect(),
            false => setup.select(args.trials.selection())?,
        };
        selected.retain(|entry| bad.contains(entry.case.id.as_str()));
        if selected.is_empty() {
            return Err(Stop::nothing(format!(
                "no test that did not pass in {name} is selected: loosen --phase, --test or --kernel"
            )));
        }
        Ok(selected)
    }
}

/// Checks that a file of the report's run still exists, and has not changed.
fn check(report: &str, file: &ReportedFile<'_>) -> Result<(), Stop> {
    let (flag, path) = (file.flag, shown(&file.path));
    let refused = |title: &str, now: &str, cure: &str| {
        let then = escaped(file.sha256);
        Stop::setup(format!(
            "{report} cannot be run again: a file of its run {title}\n  \
             file           {path}\n  \
             in the report  sha256 {then}\n  \
             there now      {now}\n  \
             {cure}"
        ))
    };
    if let Err(error) = files::named(Path::new(""), &file.path) {
        let (title, advice) = error.parts();
        return Err(Stop::setup(format!(
            "{report} cannot be run again: {title}: name it on the command line with {flag}, or {advice}"
        )));
    }
    match files::read(&file.path, MAX_CODE_OBJECT) {
        Ok(bytes) => {
            let now = files::sha256(&bytes);
            if now == file.sha256 {
                return Ok(());
            }
            let word = quoted(&file.path.to_string_lossy());
            let cure = format!("bring it back, or test the file as it is now: add {flag} {word}");
            Err(refused("has changed", &format!("sha256 {now}"), &cure))
        }
        Err(error) => {
            let cure = format!("bring it back, or say where it is now: add {flag} FILE");
            Err(refused("is gone", &error.to_string(), &cure))
        }
    }
}

/// Returns the settings of a run that begins now, for its report.
///
/// # Errors
/// The current directory is not known.
pub(super) fn settings(args: &RunArgs, setup: &Setup) -> Result<SettingsReport, Stop> {
    let directory = std::env::current_dir().map_err(|error| {
        Stop::setup(format!(
            "the current directory cannot be used: {error}; change to another"
        ))
    })?;
    let sources = args.trials.sources.sources();
    let file = |path: &Path, sha256: &str| SourceReport {
        path: path.to_string_lossy().into_owned(),
        sha256: sha256.to_owned(),
    };
    let user = setup.user.as_ref();
    let kernels = sources.kernels.zip(user);
    let registry = &setup.registry.source;
    let bind = sources.bind.iter().filter_map(|path| {
        let sha256 = setup.bindings.sha256_of(path)?;
        Some(file(path, &sha256))
    });
    Ok(SettingsReport {
        directory: directory.to_string_lossy().into_owned(),
        kernels: kernels.map(|(path, user)| file(path, &user.report.sha256)),
        registry: sources.registry.map(|path| file(path, &registry.sha256)),
        bind: bind.collect(),
        contract: setup.registry.custom_sources(),
        references: setup.registry.custom_files(),
        flags: args.trials.setting_words(),
    })
}
