//! `tolerances`: what honest f32 needs, measured over many seeds, beside what the registry allows.
//!
//! The command finds for each output the largest error against the golden reference and against the oracle, over all seeds and all cases of
//! its test, including those of the seed's own designs. It shows what does not pass in full, as a run does. The registry's tolerance is
//! about four times the larger error.

use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;

use std::collections::{BTreeMap, HashSet};

use crate::args::{Color, Format, TolerancesArgs, look, rerun_flags};
use crate::contract::{OutputTolerance, Test};
use crate::device::Device;
use crate::exit::{Exit, Stop};
use crate::report::model::{Tolerance, TrialReport, Verdict};
use crate::report::{applied, fit, grouped_text, limit};
use crate::run::Setup;
use crate::text::print;
use crate::trial::{Plan, Progress, run_all};

/// The measured errors of one output of one test.
struct OutputMeasurement {
    test: String,
    output: String,
    tolerance: Tolerance,
    reason: String,
    /// Largest error against the golden reference.
    golden: f64,
    /// The tolerance that was applied where that error is.
    allowed: f64,
    /// Largest error against the oracle.
    oracle: f64,
    /// Largest error against either as a share of what its element is allowed, or its relative RMS as a share of what that may be.
    used: f64,
    /// Largest relative RMS error against either.
    relative_rms: f64,
    /// Largest distance from either in places of its type; nothing where an element is NaN.
    max_ulp: Option<u64>,
    /// Trials whose output was compared.
    compared: usize,
    /// Trials that did not pass.
    failed: usize,
}

impl OutputMeasurement {
    fn new(test: &str, output: &str, judged: &OutputTolerance) -> OutputMeasurement {
        OutputMeasurement {
            test: test.into(),
            output: output.into(),
            tolerance: judged.tolerance.clone(),
            reason: judged.reason.clone(),
            golden: 0.0,
            allowed: judged.tolerance.absolute,
            oracle: 0.0,
            used: 0.0,
            relative_rms: 0.0,
            max_ulp: Some(0),
            compared: 0,
            failed: 0,
        }
    }

    /// A trial of the test.
    fn add(&mut self, trial: &TrialReport) {
        self.failed += usize::from(trial.verdict != Verdict::Pass);
        let Some(output) = trial.outputs.iter().find(|one| one.name == self.output) else {
            return;
        };
        let (golden, oracle) = (&output.golden, &output.oracle);
        self.compared += 1;
        if golden.max_abs.is_nan() || golden.max_abs > self.golden {
            self.allowed = golden.allowed;
        }
        self.golden = worse(self.golden, golden.max_abs);
        self.oracle = worse(self.oracle, oracle.max_abs);
        self.used = worse(self.used, worse(golden.used, oracle.used));
        let rms = worse(golden.relative_rms, oracle.relative_rms);
        self.relative_rms = worse(self.relative_rms, rms);
        for one in [golden, oracle] {
            // Of a reference of zeros, any error is infinitely large, and so may be the error that is allowed.
            let allowed = one.rms_allowed.filter(|allowed| allowed.is_finite());
            if let Some(allowed) = allowed.filter(|_| one.relative_rms > 0.0) {
                self.used = worse(self.used, one.relative_rms / allowed);
            }
        }
        let ulps = [self.max_ulp, golden.max_ulp, oracle.max_ulp];
        let ulps: Option<Vec<u64>> = ulps.into_iter().collect();
        self.max_ulp = ulps.and_then(|ulps| ulps.into_iter().max());
    }

    /// Returns the tolerance divided by the error; nothing for an exact output.
    fn headroom(&self) -> Option<f64> {
        (!self.tolerance.is_exact()).then(|| 1.0 / self.used)
    }
}

/// The measured errors of all outputs.
#[derive(Default)]
struct Campaign {
    outputs: Vec<OutputMeasurement>,
    /// Trials that did not pass.
    failures: Vec<TrialReport>,
}

/// Runs the command.
pub fn run(args: &TolerancesArgs) -> Result<Exit, Stop> {
    let mut setup = Setup::new(args.sources.sources(), 0)?;
    let device = args.device.spec()?.open()?;
    let mut campaign = Campaign::default();
    for seed in 0..u64::from(args.seeds) {
        setup.redesign(seed);
        campaign.measure((&setup, &*device), args, seed)?;
    }
    let text = match args.format {
        Format::Table => table(&campaign, args.seeds),
        Format::Json => as_json(&campaign, args.seeds),
    };
    print(&text)?;
    let compared = campaign.outputs.iter().all(|one| one.compared > 0);
    Ok(if compared && campaign.failures.is_empty() {
        Exit::Passed
    } else {
        Exit::Failed
    })
}

impl Campaign {
    /// Runs the tests with a seed, and the designs that are that seed's.
    fn measure(
        &mut self,
        (setup, device): (&Setup, &dyn Device),
        args: &TolerancesArgs,
        seed: u64,
    ) -> Result<(), Stop> {
        let (selected, ways) = setup.runnable(args.selection.selection(true))?;
        // A case whose kernels are missing is an error here, as `--require-all` makes it one.
        let settings = [args.device.words(), vec!["--require-all".to_owned()]];
        let flags = rerun_flags(&args.sources.sources(), &settings);
        let plans: Vec<Plan<'_>> = selected
            .iter()
            .zip(&ways)
            .map(|(one, way)| Plan {
                flags: &flags,
                ..setup.plan(device, one, *way, seed)
            })
            .collect();
        let mut failures = BTreeMap::new();
        run_all(&plans, args.device.jobs(args.jobs), |position, progress| {
            let Progress::Finished(done) = progress else {
                return;
            };
            for one in self.of(plans[position].test) {
                one.add(&done.report);
            }
            if done.report.verdict != Verdict::Pass {
                failures.insert(position, done.report);
            }
        });
        self.failures.extend(failures.into_values());
        Ok(())
    }

    /// The outputs of a test, which are listed when it is met first.
    fn of(&mut self, test: &Test) -> impl Iterator<Item = &mut OutputMeasurement> {
        if !self.outputs.iter().any(|known| known.test == test.id) {
            let outputs = test.outputs.iter();
            let outputs =
                outputs.map(|(name, judged)| OutputMeasurement::new(&test.id, name, judged));
            self.outputs.extend(outputs);
        }
        self.outputs.iter_mut().filter(|one| one.test == test.id)
    }
}

/// The larger; NaN if either is.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

fn table(campaign: &Campaign, seeds: u32) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let header = [
        "test",
        "output",
        "golden",
        "f64",
        "rel RMS",
        "max ULP",
        "tolerance",
        "ceiling",
        "headroom",
        "not passed",
    ];
    table.set_header(header);
    for one in &campaign.outputs {
        table.add_row([
            one.test.clone(),
            one.output.clone(),
            number(one.golden),
            number(one.oracle),
            number(one.relative_rms),
            one.max_ulp.map_or("-".into(), |most| most.to_string()),
            applied(one.allowed, one.tolerance.absolute),
            limit(one.tolerance.ceiling),
            one.headroom()
                .map_or("exact".into(), |share| format!("{share:.1}")),
            one.failed.to_string(),
        ]);
    }
    for (position, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if position >= 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    fit(&mut table, look(Color::Never).width);
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    let failures = match grouped_text(&campaign.failures, &mut HashSet::new()) {
        none if none.is_empty() => none,
        failures => format!("\n{failures}"),
    };
    format!(
        "largest error over {seeds} seeds, all cases of a test together\n\n{}{}",
        lines.concat(),
        failures
    )
}

fn number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else {
        format!("{value:.2e}")
    }
}

fn as_json(campaign: &Campaign, seeds: u32) -> String {
    let measured = campaign.outputs.iter();
    let outputs: Vec<_> = measured
        .map(|one| {
            json!({
                "test": one.test,
                "output": one.output,
                "golden": one.golden,
                "oracle": one.oracle,
                "relative_rms": one.relative_rms,
                "max_ulp": one.max_ulp,
                "tolerance": one.tolerance.absolute,
                "allowed": one.allowed,
                "ulp": one.tolerance.ulp,
                "ceiling": one.tolerance.ceiling,
                "headroom": one.headroom(),
                "reason": one.reason,
                "compared": one.compared,
                "not_passed": one.failed,
            })
        })
        .collect();
    format!(
        "{:#}\n",
        json!({ "schema": "deltanet-check/tolerances/1", "seeds": seeds, "outputs": outputs, "failures": campaign.failures })
    )
}
