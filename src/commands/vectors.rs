//! `vectors`: runs kernels of the gated delta rule on a file's tensors and compares with the file's expected values.

mod expectation;
mod family;
mod file;

use std::collections::BTreeSet;
use std::io;
use std::time::Instant;

use crate::args::{FamilyChoice, Format, VectorsArgs, file_words, look, shell_words};
use crate::contract::Function;
use crate::device::{Device, Watch, check_watch};
use crate::exit::{Exit, Stop};
use crate::program::Program;
use crate::report::model::{PhaseReport, RunReport, TrialReport, Verdict};
use crate::report::{
    Event, Format as ReportFormat, Parts, ReportFile, Reporter as _, RunPlan, Table, TableOptions,
    render_json,
};
use crate::run::{Bindings, Setup, environment, threads};
use crate::text::{print, quoted, stdout_result};
use crate::trial::{Plan, Progress, run_all};

use family::{ExternalTest, Family};
use file::{Expectation, VectorFile, Vectors};

/// A file, or a sequence of a packed file, with its trials.
struct Batch {
    vectors: Vectors,
    notes: Vec<String>,
    trials: Vec<(Family, ExternalTest)>,
}

/// Runs the command.
///
/// # Errors
/// A file or the code object is not usable, or there is nothing that can run.
pub fn run(args: &VectorsArgs) -> Result<Exit, Stop> {
    let file = args.report.clone().map(|path| {
        let format = ReportFormat::among(&ReportFormat::ALL, "--report", &path);
        Ok::<_, Stop>(ReportFile::new(path, format.map_err(Stop::usage)?))
    });
    let mut file = file.transpose()?;
    let program = match &args.sources.kernels {
        Some(path) => Program::read(path)?,
        None => Program::built_in()?,
    };
    let built_in = match (&args.sources.kernels, &args.limits.budget) {
        (Some(_), None) => Some(Program::built_in()?),
        _ => None,
    };
    let device = args.device.spec()?.open()?;
    let watch = Watch::default().with_sanitizer(args.sanitize.spec());
    check_watch(&*device, &watch)?;
    let setup = Setup::new(args.sources.sources(), 0)?;
    let bound: Vec<&Function> = setup
        .bindings
        .iter()
        .map(|(binding, _)| binding.function)
        .collect();
    if let Some(custom) = bound
        .first()
        .filter(|_| bound.iter().all(|function| function.is_custom()))
    {
        return Err(Stop::usage(format!(
            "vectors is for kernels of the gated delta rule, and --bind is for the custom contract `{}` alone\n  \
             name files of tensors in the contract's file, and run its test: [contract.reference] with\n  \
             `expect = \"FOLDER/{{case}}.safetensors\"` (docs/custom-contracts.md)",
            custom.name
        )));
    }
    let files: Vec<VectorFile> = args
        .files
        .iter()
        .map(|path| VectorFile::read(path))
        .collect::<Result<_, _>>()?;
    let bindings = &setup.bindings;
    let families = families(args.family, &program, bindings)?;
    let batches: Vec<Vec<Batch>> = files
        .into_iter()
        .map(|file| batches_of(file, &families, args.family == FamilyChoice::All))
        .collect::<Result<_, _>>()?;
    let mut batches: Vec<Batch> = batches.into_iter().flatten().collect();
    for (_, external) in batches.iter_mut().flat_map(|batch| &mut batch.trials) {
        leave_out(external, &setup, &program)?;
    }
    let own = bindings.iter().map(|(binding, _)| binding);
    let plan = RunPlan {
        environment: environment(&program, own, None)?,
        device: device.describe(),
        code_object: program.report.clone(),
        seed: None,
        trials: batches.iter().map(|batch| batch.trials.len()).sum(),
    };
    if let Some(file) = &mut file {
        file.event(Event::RunStarted(&plan)).map_err(Stop::setup)?;
    }
    let started = Instant::now();
    let phases = judged(
        args,
        (&program, built_in.as_ref(), &setup),
        (&*device, &watch),
        &batches,
    )?;
    let seconds = started.elapsed().as_secs_f64();
    let about = (
        plan.environment.clone(),
        plan.device.clone(),
        plan.code_object.clone(),
    );
    let report = RunReport::new(about, 0, phases, seconds);
    let filed = file.map_or(Ok(()), |mut file| file.event(Event::RunFinished(&report)));
    // A failure to write the file does not keep the report from standard output.
    show(args, &plan, &report)?;
    filed.map_err(Stop::setup)?;
    Ok(if report.totals.pass == report.totals.total() {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

/// Returns the chosen family, or with `all` every family whose kernels the code object or a binding has.
fn families(
    choice: FamilyChoice,
    program: &Program,
    bindings: &Bindings,
) -> Result<Vec<Family>, Stop> {
    let one = match choice {
        FamilyChoice::Recurrent => Family::Recurrent,
        FamilyChoice::Chunked => Family::Chunked,
        FamilyChoice::Ggml => Family::Ggml,
        FamilyChoice::Packed => Family::Packed,
        FamilyChoice::PackedChunked => Family::PackedChunked,
        FamilyChoice::Backward => Family::Backward,
        FamilyChoice::BackwardChunked => Family::BackwardChunked,
        FamilyChoice::All => {
            let mut all = Family::ALL.to_vec();
            all.retain(|family| family.is_in(program, bindings));
            if all.is_empty() {
                return Err(Stop::setup(format!(
                    "code object {} has no kernel of the gated delta rule: gdn_recurrent_f32, gdn_chunk_*_f32, \
                     ggml_gated_delta_net_f32, gdn_packed_f32, gdn_packed_*_f32 or gdn_backward_f32",
                    program.report.path
                )));
            }
            return Ok(all);
        }
    };
    Ok(vec![one])
}

/// Skips a trial if the bindings of its contract are for other cases only.
fn leave_out(external: &mut ExternalTest, setup: &Setup, program: &Program) -> Result<(), Stop> {
    if external.skip.is_some() || !setup.bindings.binds_contract(external.test.function) {
        return Ok(());
    }
    for case in &external.test.cases {
        let way = setup.bind_case(&external.test, case, program)?;
        external.skip = way.err().map(|reason| reason.to_string());
    }
    Ok(())
}

/// Returns the trials of a file: of the whole file, and of each sequence of a packed file. With `all`, families that cannot compute the
/// file are left out with a note.
fn batches_of(file: VectorFile, families: &[Family], all: bool) -> Result<Vec<Batch>, Stop> {
    let title = file.whole.title();
    let mut expectations = file.whole.expectations();
    if !all {
        let is_computed = |expected: &Expectation| families.iter().any(|by| fits(*by, expected));
        expectations.retain(is_computed);
    }
    let on_whole = |family: &Family| file.whole.bounds.is_none() || family.is_packed();
    let (whole, each): (Vec<Family>, Vec<Family>) = families.iter().copied().partition(on_whole);
    let parts = [(vec![file.whole], whole), (file.sequences, each)];
    let mut judged = vec![false; expectations.len()];
    let mut batches: Vec<Batch> = Vec::new();
    let mut notes = Vec::new();
    for (parts, families) in parts {
        let mut by_all = vec![!parts.is_empty(); expectations.len()];
        for part in parts {
            let (batch, by_this) = batch(part, (&families, all), &expectations);
            by_all
                .iter_mut()
                .zip(by_this)
                .for_each(|(all, this)| *all &= this);
            notes.extend(batch.notes.iter().cloned());
            batches.push(batch);
        }
        judged
            .iter_mut()
            .zip(by_all)
            .for_each(|(judged, all)| *judged |= all);
    }
    batches.retain(|batch| !batch.trials.is_empty());
    let mut said = BTreeSet::new();
    notes.retain(|note| said.insert(note.clone()));
    let notes = notes.join("; ");
    if batches.is_empty() {
        let why = match expectations.is_empty() {
            true => "it expects nothing that this family computes".to_string(),
            false => notes,
        };
        return Err(Stop::nothing(format!(
            "{title}: nothing can compute it: {why}"
        )));
    }
    let mut expected = expectations.iter().zip(judged);
    let Some((expectation, _)) = expected.find(|(_, judged)| !judged) else {
        return Ok(batches);
    };
    let why = match families.iter().any(|by| fits(*by, expectation)) {
        true => notes,
        false => "there is no kernel for it; --family names the one that is judged".to_string(),
    };
    Err(Stop::setup(format!(
        "{title}: nothing can compute what tensor `{}` expects: {why}",
        expectation.present
    )))
}

/// Returns true if a family computes what is expected.
fn fits(family: Family, expectation: &Expectation) -> bool {
    family.has_gradients() == expectation.gradients
}

/// Returns the trials of a file or of a sequence, and for each expectation whether one of them judges it.
fn batch(
    vectors: Vectors,
    (families, all): (&[Family], bool),
    expectations: &[Expectation],
) -> (Batch, Vec<bool>) {
    let (mut trials, mut judged) = (Vec::new(), Vec::new());
    let (mut notes, mut left_out) = (Vec::new(), Vec::new());
    for expectation in expectations {
        let before = trials.len();
        let mut fitting = families
            .iter()
            .filter(|by| fits(**by, expectation))
            .peekable();
        let compared = fitting
            .peek()
            .map(|_| expectation::compare(&vectors, expectation));
        let rounded = compared
            .as_ref()
            .map_or(&[][..], |compared| &compared.rounded);
        for &family in fitting {
            let Some(external) = family.of(&vectors, expectation, rounded) else {
                continue;
            };
            match &external.skip {
                Some(why) if all => left_out.push(format!(
                    "left out: {}, {} head map: {why}",
                    family.word(),
                    family::map_word(expectation.map)
                )),
                _ => trials.push((family, external)),
            }
        }
        judged.push(trials.len() > before);
        notes.extend(compared.map(|compared| compared.note));
    }
    notes.extend(vectors.notes.iter().cloned());
    notes.extend(left_out);
    let batch = Batch {
        vectors,
        notes,
        trials,
    };
    (batch, judged)
}

/// Runs all trials. Each batch is a phase of the report.
fn judged(
    args: &VectorsArgs,
    (program, twin, setup): (&Program, Option<&Program>, &Setup),
    (device, watch): (&dyn Device, &Watch),
    batches: &[Batch],
) -> Result<Vec<PhaseReport>, Stop> {
    let words = [
        file_words(&args.sources.sources()),
        args.limits.words(),
        args.device.words(),
        args.sanitize.words(),
    ];
    let again = shell_words(&words.concat());
    let jobs = args.device.jobs(args.jobs);
    let mut phases: Vec<PhaseReport> = Vec::new();
    for (number, batch) in (1..).zip(batches) {
        let runs = |external: &&(Family, ExternalTest)| external.1.skip.is_none();
        let mut plans: Vec<Plan<'_>> = Vec::new();
        let cases = batch.trials.iter().filter(runs);
        for (external, case) in cases
            .flat_map(|(_, external)| external.test.cases.iter().map(move |case| (external, case)))
        {
            let Ok(bound) = setup.bind_case(&external.test, case, program)? else {
                continue;
            };
            let place = (number, &external.test, case);
            plans.push(Plan {
                threads: threads(jobs, batch.trials.len()),
                limits: args.limits.limits(),
                twin,
                watch,
                given: Some(&external.given),
                flags: &again,
                ..Plan::new(device, (program, bound), place, 0)
            });
        }
        let mut done: Vec<Option<TrialReport>> = plans.iter().map(|_| None).collect();
        run_all(&plans, jobs, |position, progress| {
            if let Progress::Finished(finished) = progress {
                done[position] = Some(finished.report);
            }
        });
        let mut done = done.into_iter().flatten();
        let trials = batch.trials.iter().filter_map(|(family, external)| {
            let mut report = match &external.skip {
                Some(why) => skipped(external, number, why),
                None => done.next()?,
            };
            report.rerun = format!(
                "deltanet-check vectors {} --family {}{again}",
                quoted(&batch.vectors.name),
                family.word()
            );
            Some(report)
        });
        phases.push(PhaseReport {
            number,
            title: batch.vectors.title(),
            note: Some(batch.notes.join("; ")),
            trials: trials.collect(),
        });
    }
    Ok(phases)
}

/// Returns the report of a trial that cannot run.
fn skipped(external: &ExternalTest, phase: u32, why: &str) -> TrialReport {
    let shape = external.test.cases.first();
    TrialReport {
        id: external.test.id.clone(),
        phase,
        title: external.test.title.clone(),
        contract: external.test.function.name.into(),
        shape: shape.map_or_else(String::new, |case| case.values.to_string()),
        documented: false,
        verdict: Verdict::Skip,
        problem: None,
        outputs: Vec::new(),
        findings: Vec::new(),
        relations: Vec::new(),
        error: Some(why.to_string()),
        error_kind: None,
        diagnosis: None,
        seed: 0,
        launches: Vec::new(),
        wave_instructions: None,
        seconds: 0.0,
        rerun: String::new(),
    }
}

fn show(args: &VectorsArgs, plan: &RunPlan, report: &RunReport) -> Result<(), Stop> {
    if args.format == Format::Json {
        let text = render_json(report).map_err(Stop::setup)?;
        return Ok(print(&text)?);
    }
    let options = TableOptions {
        look: look(args.color),
        verbose: args.verbose,
        parts: Parts::Files,
        ..TableOptions::default()
    };
    let mut table = Table::new(io::stdout(), options);
    stdout_result(table.event(Event::RunStarted(plan)))?;
    print(
        "max_diff is the distance from what the file expects, f64 error that from the recurrence in f64\n",
    )?;
    Ok(stdout_result(table.event(Event::RunFinished(report)))?)
}
