//! `tolerances`: what honest f32 needs, measured over many seeds, beside what the registry allows.
//!
//! For each output the largest error against the golden reference and against the oracle is found over all seeds
//! and all cases of its test. The registry's tolerance is about four times the larger of the two.

use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;

use crate::args::{Format, TolerancesArgs};
use crate::exit::{Exit, Stop};
use crate::report::{limit, tolerance};
use crate::run::Setup;
use crate::text::print;
use crate::trial::{Plan, Progress, run_all};
use crate::verdict::{Tolerance, Verdict};

/// What was measured of one output of one test.
struct Measured {
    test: String,
    output: String,
    tolerance: Tolerance,
    reason: String,
    /// Largest error against the golden reference.
    golden: f64,
    /// Largest error against the oracle.
    oracle: f64,
    /// Largest error against either as a share of what its element is allowed.
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

impl Measured {
    /// How many times the error the tolerance is; nothing for an exact output.
    fn headroom(&self) -> Option<f64> {
        (!self.tolerance.is_exact()).then(|| 1.0 / self.used)
    }
}

/// Runs the command.
pub fn run(args: &TolerancesArgs) -> Result<Exit, Stop> {
    let setup = Setup::new(args.sources.sources(), 0)?;
    let measured = measure(&setup, args)?;
    let text = match args.format {
        Format::Table => table(&measured, args.seeds),
        Format::Json => as_json(&measured, args.seeds),
    };
    print(&text)?;
    let failed = measured
        .iter()
        .any(|one| one.failed > 0 || one.compared == 0);
    Ok(if failed { Exit::Failed } else { Exit::Passed })
}

fn measure(setup: &Setup, args: &TolerancesArgs) -> Result<Vec<Measured>, Stop> {
    let (selected, ways) = setup.runnable(args.selection.selection(true))?;
    let device = args.device.spec()?.open()?;
    let mut measured: Vec<Measured> = Vec::new();
    for one in &selected {
        for (name, judged) in &one.test.outputs {
            if !measured
                .iter()
                .any(|known| known.test == one.test.id && known.output == *name)
            {
                measured.push(Measured {
                    test: one.test.id.clone(),
                    output: name.clone(),
                    tolerance: judged.tolerance.clone(),
                    reason: judged.reason.clone(),
                    golden: 0.0,
                    oracle: 0.0,
                    used: 0.0,
                    relative_rms: 0.0,
                    max_ulp: Some(0),
                    compared: 0,
                    failed: 0,
                });
            }
        }
    }
    for seed in 0..u64::from(args.seeds) {
        let plans: Vec<Plan<'_>> = selected
            .iter()
            .zip(&ways)
            .map(|(one, way)| setup.plan(&*device, one, *way, seed))
            .collect();
        run_all(&plans, args.device.jobs(args.jobs), |position, progress| {
            let Progress::Finished(done) = progress else {
                return;
            };
            let test = &plans[position].test.id;
            for one in measured.iter_mut().filter(|one| one.test == *test) {
                one.failed += usize::from(done.report.verdict != Verdict::Pass);
                let Some(output) = done
                    .report
                    .outputs
                    .iter()
                    .find(|output| output.name == one.output)
                else {
                    continue;
                };
                one.compared += 1;
                one.golden = worse(one.golden, output.golden.max_abs);
                one.oracle = worse(one.oracle, output.oracle.max_abs);
                let used = worse(output.golden.used, output.oracle.used);
                one.used = worse(one.used, used);
                let rms = worse(output.golden.relative_rms, output.oracle.relative_rms);
                one.relative_rms = worse(one.relative_rms, rms);
                let ulps = [one.max_ulp, output.golden.max_ulp, output.oracle.max_ulp];
                let ulps: Option<Vec<u64>> = ulps.into_iter().collect();
                one.max_ulp = ulps.and_then(|ulps| ulps.into_iter().max());
            }
        });
    }
    Ok(measured)
}

/// The larger; NaN if either is.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

fn table(measured: &[Measured], seeds: u32) -> String {
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
    for one in measured {
        table.add_row([
            one.test.clone(),
            one.output.clone(),
            number(one.golden),
            number(one.oracle),
            number(one.relative_rms),
            one.max_ulp.map_or("-".into(), |most| most.to_string()),
            tolerance(&one.tolerance),
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
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect();
    format!(
        "largest error over {seeds} seeds, all cases of a test together\n\n{}",
        lines.concat()
    )
}

fn number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else {
        format!("{value:.2e}")
    }
}

fn as_json(measured: &[Measured], seeds: u32) -> String {
    let outputs: Vec<_> = measured
        .iter()
        .map(|one| {
            json!({
                "test": one.test,
                "output": one.output,
                "golden": one.golden,
                "oracle": one.oracle,
                "relative_rms": one.relative_rms,
                "max_ulp": one.max_ulp,
                "tolerance": one.tolerance.absolute,
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
        json!({ "schema": "deltanet-check/tolerances/1", "seeds": seeds, "outputs": outputs })
    )
}
